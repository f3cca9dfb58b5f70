//! The header of a frame: `[length of the payload: u32 LE][tag: u8]`.

use super::codec::Message;
use super::tag::Tag;

/// The most bytes of bulk data in one frame.
///
/// The peer has the deadline of a message for each frame, so this also says how slow a line may
/// be: 64 KiB in 30 s is 17 kbit/s.
pub const CHUNK: usize = 64 * 1024;

/// The bytes of a frame before its payload.
pub const HEADER_BYTES: usize = 5;

/// The bytes that [`Channel::send_bytes`](super::Channel::send_bytes) puts on the wire for so many
/// bytes of bulk data.
pub(crate) fn bulk_bytes(len: usize) -> u64 {
    (len + HEADER_BYTES * len.div_ceil(CHUNK)) as u64
}

/// The bytes that a message puts on the wire, if it always takes its [`Message::MAX_BYTES`].
pub(crate) fn message_bytes<M: Message>() -> u64 {
    (HEADER_BYTES + M::MAX_BYTES) as u64
}

/// A header as it came from the wire: neither field has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// The length of the payload that is claimed, in bytes.
    pub(super) len: u32,
    /// The tag, which may be unknown.
    pub(super) tag: u8,
}

impl Header {
    pub(super) fn new(tag: Tag, len: usize) -> Self {
        Header {
            len: u32::try_from(len).expect("payloads are bounded far below 4 GiB"),
            tag: tag.byte(),
        }
    }

    pub(super) fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let [a, b, c, d] = self.len.to_le_bytes();
        [a, b, c, d, self.tag]
    }

    pub(super) fn from_bytes([a, b, c, d, tag]: [u8; HEADER_BYTES]) -> Self {
        Header {
            len: u32::from_le_bytes([a, b, c, d]),
            tag,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_the_length_in_little_endian_and_the_tag() {
        let header = Header::new(Tag::new(200, "note"), 0x0001_0203);
        assert_eq!(header.to_bytes(), [0x03, 0x02, 0x01, 0x00, 200]);
        assert_eq!(Header::from_bytes(header.to_bytes()), header);
    }
}
