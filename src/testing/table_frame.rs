//! The frames of a connection between two players of a table, as seen on the wire.

use std::io::Read;

/// Reads one frame, or one message of the handshake, and returns it with its length prefix. If
/// `with_prelude` is set, the result starts with the prelude, which the guest sends first. Returns
/// `None` at the end of the stream.
pub fn frame(source: &mut impl Read, with_prelude: bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if with_prelude {
        bytes.resize(6, 0);
        source.read_exact(&mut bytes).ok()?;
        let rest = if bytes[5] == 1 { 8 } else { 32 };
        bytes.resize(6 + rest, 0);
        source.read_exact(&mut bytes[6..]).ok()?;
    }
    let mut len = [0; 2];
    source.read_exact(&mut len).ok()?;
    bytes.extend_from_slice(&len);
    let start = bytes.len();
    bytes.resize(start + usize::from(u16::from_le_bytes(len)), 0);
    source.read_exact(&mut bytes[start..]).ok()?;
    Some(bytes)
}
