//! The encoding of messages: bincode 2 with fixed-width little-endian integers.
//!
//! The integers have a fixed width for two reasons. First, the length of a message depends only on
//! its shape (its variants and the lengths of its lists) and not on its numbers, which may be
//! secret. Second, known-answer vectors can be read by eye. An integer takes its own width, a
//! `bool` or an `Option` tag one byte, the length of a sequence eight bytes, and the index of an
//! enum variant four bytes. Structs, tuples and arrays add no bytes of their own.
//!
//! Only this module uses bincode. Its version is pinned in `Cargo.toml`, because the wire format
//! must not change and the crate is no longer developed.

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};
use bincode::enc::write::Writer;
use bincode::error::EncodeError;
use serde::{Serialize, de::DeserializeOwned};

use super::error::{Error, Malformed, Result};
use super::tag::Tag;

/// The maximum size of any message in bytes; each message type has its own, lower limit.
pub const MAX_MESSAGE_BYTES: usize = 1 << 20;

const CONFIG: Configuration<LittleEndian, Fixint, Limit<MAX_MESSAGE_BYTES>> =
    bincode::config::standard()
        .with_fixed_int_encoding()
        .with_limit::<MAX_MESSAGE_BYTES>();

/// A message whose content the codec decodes, as opposed to bulk data.
///
/// Decoding checks only the shape; the receiver of a message checks its content. Each element of a
/// sequence must take at least one byte, so that the length of the frame bounds the length of the
/// sequence. The codec trusts the sequence length that the peer claims until the bytes run out, and
/// preallocates at most 1 MiB for the sequence. A message type must not be recursive, because the
/// peer could then choose the depth of the stack.
pub trait Message: Serialize + DeserializeOwned {
    /// The tag of the message's frame.
    const TAG: Tag;
    /// The maximum encoded size in bytes, at most [`MAX_MESSAGE_BYTES`].
    const MAX_BYTES: usize;
}

/// Appends `value` to `out`, in at most `max` bytes. On an error `out` is unchanged.
pub(super) fn encode<V: Serialize>(
    value: &V,
    tag: Tag,
    max: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let before = out.len();
    let writer = BoundedWriter {
        out: &mut *out,
        room: max,
    };
    bincode::serde::encode_into_writer(value, writer, CONFIG).map_err(|_| {
        out.truncate(before);
        Error::Unsendable { tag, limit: max }
    })
}

/// Decodes a value that takes up all of `bytes`.
///
/// The error does not contain the decoder's own message, because that message may quote the peer's
/// bytes.
pub(super) fn decode<V: DeserializeOwned>(bytes: &[u8], tag: Tag) -> Result<V> {
    let (value, used) = bincode::serde::decode_from_slice(bytes, CONFIG)
        .map_err(|_| Error::Malformed(Malformed::Undecodable(tag)))?;
    match bytes.len() - used {
        0 => Ok(value),
        extra => Err(Error::Malformed(Malformed::TrailingBytes { tag, extra })),
    }
}

/// A writer that appends to a vector and fails once `room` is used up.
struct BoundedWriter<'a> {
    out: &'a mut Vec<u8>,
    room: usize,
}

impl Writer for BoundedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.room = self
            .room
            .checked_sub(bytes.len())
            .ok_or(EncodeError::Other("longer than the limit"))?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    const NOTE: Tag = Tag::new(200, "note");

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Choice {
        Nothing,
        Some(u16),
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        small: u8,
        large: u64,
        maybe: Option<bool>,
        digest: [u8; 3],
        list: Vec<u32>,
        text: String,
        choice: Choice,
    }

    fn sample() -> Sample {
        Sample {
            small: 7,
            large: 0x0102_0304_0506_0708,
            maybe: Some(true),
            digest: [0xaa, 0xbb, 0xcc],
            list: vec![1, 0x8000_0000],
            text: "dä".into(),
            choice: Choice::Some(0x1234),
        }
    }

    #[rustfmt::skip]
    const SAMPLE_BYTES: &[u8] = &[
        7,
        8, 7, 6, 5, 4, 3, 2, 1,
        1, 1,
        0xaa, 0xbb, 0xcc,
        2, 0, 0, 0, 0, 0, 0, 0,   1, 0, 0, 0,   0, 0, 0, 0x80,
        3, 0, 0, 0, 0, 0, 0, 0,   b'd', 0xc3, 0xa4,
        1, 0, 0, 0,   0x34, 0x12,
    ];

    fn encoded<V: Serialize>(value: &V, max: usize) -> Result<Vec<u8>> {
        let mut out = vec![0xff];
        encode(value, NOTE, max, &mut out)?;
        assert_eq!(out.remove(0), 0xff, "earlier bytes are kept");
        Ok(out)
    }

    #[test]
    fn encoding_matches_known_answer() {
        assert_eq!(
            encoded(&sample(), SAMPLE_BYTES.len()).unwrap(),
            SAMPLE_BYTES
        );
        assert_eq!(decode::<Sample>(SAMPLE_BYTES, NOTE).unwrap(), sample());
        assert_eq!(encoded(&Choice::Nothing, 4).unwrap(), [0, 0, 0, 0]);
    }

    #[test]
    fn message_over_its_limit_is_not_encoded() {
        let mut out = vec![1, 2, 3];
        let error = encode(&sample(), NOTE, SAMPLE_BYTES.len() - 1, &mut out).unwrap_err();
        assert!(matches!(error, Error::Unsendable { .. }), "{error}");
        assert_eq!(out, [1, 2, 3]);
    }

    #[test]
    fn truncated_message_is_an_error() {
        for len in 0..SAMPLE_BYTES.len() {
            let error = decode::<Sample>(&SAMPLE_BYTES[..len], NOTE).unwrap_err();
            assert!(
                matches!(error, Error::Malformed(Malformed::Undecodable(NOTE))),
                "{len}: {error}"
            );
        }
    }

    #[test]
    fn trailing_bytes_are_an_error() {
        let mut bytes = SAMPLE_BYTES.to_vec();
        bytes.push(0);
        let error = decode::<Sample>(&bytes, NOTE).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Malformed(Malformed::TrailingBytes {
                    tag: NOTE,
                    extra: 1
                })
            ),
            "{error}"
        );
    }

    #[test]
    fn sequence_longer_than_the_frame_is_an_error() {
        for claim in [3, 1 << 20, 1 << 40, u64::MAX >> 4, u64::MAX] {
            let mut bytes = claim.to_le_bytes().to_vec();
            bytes.extend([b'a', b'b']);
            assert!(decode::<Vec<u8>>(&bytes, NOTE).is_err());
            assert!(decode::<Vec<[u64; 32]>>(&bytes, NOTE).is_err());
            assert!(decode::<String>(&bytes, NOTE).is_err());
            assert!(decode::<std::collections::HashMap<u8, u8>>(&bytes, NOTE).is_err());
        }
    }

    #[test]
    fn non_canonical_values_are_errors() {
        assert!(decode::<bool>(&[2], NOTE).is_err());
        assert!(decode::<Option<u8>>(&[2, 0], NOTE).is_err());
        assert!(decode::<Choice>(&[2, 0, 0, 0], NOTE).is_err());
        assert!(decode::<String>(&[1, 0, 0, 0, 0, 0, 0, 0, 0xff], NOTE).is_err());
    }
}
