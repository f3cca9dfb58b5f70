//! The header of a frame: `[length of the payload: u32 LE][tag: u8]`.

use super::codec::Message;
use super::tag::Tag;

/// The maximum number of bytes of bulk data in one frame.
///
/// [`Deadlines::message`](super::Deadlines::message) limits the time for each frame, so this
/// constant determines the minimum bandwidth: 64 KiB in 30 s is 17 kbit/s.
pub const CHUNK: usize = 64 * 1024;

/// The size of a frame's header in bytes.
pub const HEADER_BYTES: usize = 5;

/// The number of bytes that [`Channel::send_bytes`](super::Channel::send_bytes) puts on the wire
/// for `len` bytes of bulk data.
pub(crate) fn bulk_bytes(len: usize) -> u64 {
    (len + HEADER_BYTES * len.div_ceil(CHUNK)) as u64
}

/// The number of bytes on the wire for a message that always takes [`Message::MAX_BYTES`].
pub(crate) fn message_bytes<M: Message>() -> u64 {
    (HEADER_BYTES + M::MAX_BYTES) as u64
}

/// A header as received: neither field has been checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    /// The claimed length of the payload in bytes.
    pub(super) len: u32,
    /// The tag, possibly unknown.
    pub(super) tag: u8,
}

impl Header {
    pub(super) fn new(tag: Tag, len: usize) -> Self {
        Header {
            len: u32::try_from(len).expect("payloads are limited to far less than 4 GiB"),
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
    fn header_is_little_endian_length_and_tag() {
        let header = Header::new(Tag::new(200, "note"), 0x0001_0203);
        assert_eq!(header.to_bytes(), [0x03, 0x02, 0x01, 0x00, 200]);
        assert_eq!(Header::from_bytes(header.to_bytes()), header);
    }
}
