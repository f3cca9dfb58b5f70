//! A line whose other end has sent its bytes and gone.

use std::io::{self, Cursor, Read};
use std::time::Duration;

use dealerless::net::Transport;

/// The bytes that are still to come.
pub struct Bytes {
    rest: Cursor<Vec<u8>>,
    at_once: usize,
}

impl Bytes {
    /// These bytes, at most `at_once` of them (but one at least) in a piece.
    pub fn new(bytes: Vec<u8>, at_once: usize) -> Self {
        Bytes {
            rest: Cursor::new(bytes),
            at_once: at_once.max(1),
        }
    }
}

impl Transport for Bytes {
    fn send(&mut self, _: Vec<u8>, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], _: Duration) -> io::Result<usize> {
        let at_once = self.at_once.min(buf.len());
        self.rest.read(&mut buf[..at_once])
    }
}
