//! What fuzz targets and measurements need.

use crate::frames::Frames;
use crate::http;
use crate::request::Request;
use crate::sockets;

/// Raises the limit of open files of this process to `files`, if the system permits it. Returns the
/// number that can be opened.
pub fn allow_open_files(files: usize) -> usize {
    sockets::allow_open_files(files)
}

/// Reads the beginning of a connection, as a line and as the head of an HTTP request. Returns the
/// lengths of what was complete.
pub fn read_handshake(bytes: &[u8]) -> [Option<usize>; 2] {
    let line = Request::read(bytes).ok().flatten();
    let head = http::Head::read(bytes).ok().flatten();
    [line.map(|(_, len)| len), head.map(|head| head.len)]
}

/// Decodes the frames of a WebSocket that arrive in pieces of these lengths. Returns the payload,
/// and whether the connection was closed.
pub fn decode_frames(mut bytes: &[u8], mut pieces: impl Iterator<Item = usize>) -> (Vec<u8>, bool) {
    let mut frames = Frames::default();
    let mut payload = Vec::new();
    while !bytes.is_empty() {
        let len = pieces.next().unwrap_or(bytes.len()).clamp(1, bytes.len());
        let (piece, rest) = bytes.split_at(len);
        let mut piece = piece.to_vec();
        let decoded = frames.decode(&mut piece);
        payload.extend_from_slice(&piece[..decoded.len]);
        if decoded.close.is_some() {
            return (payload, true);
        }
        bytes = rest;
    }
    (payload, false)
}
