//! The beginning of a connection to a relay is incomplete, malformed, or complete at one place. The
//! frames after the handshake of a WebSocket mean the same however they are cut into pieces.
//!
//! Input: the length of a piece, less 1, and the bytes of a client.

#![no_main]

use std::iter::repeat;

use dealerless_relay::internals::{decode_frames, read_handshake};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((piece, bytes)) = input.split_first() else {
        return;
    };
    let mut frames = bytes;
    for (kind, len) in read_handshake(bytes).into_iter().enumerate() {
        let Some(len) = len else {
            continue;
        };
        assert_eq!(read_handshake(&bytes[..len])[kind], Some(len));
        assert_eq!(read_handshake(&bytes[..len - 1])[kind], None);
        frames = &bytes[len..];
    }
    let whole = decode_frames(frames, repeat(frames.len()));
    let in_pieces = decode_frames(frames, repeat(usize::from(*piece) + 1));
    assert_eq!(in_pieces, whole);
    assert!(whole.0.len() <= frames.len());
});
