//! The line, message by message, as somebody in its middle sees it.

use std::io::Read;
use std::net::TcpStream;

/// One message with its length, after the prelude if it is the first.
pub(crate) fn message(source: &mut TcpStream, with_prelude: bool) -> Option<Vec<u8>> {
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
