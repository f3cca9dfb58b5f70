//! A line whose other end has sent its bytes and gone.

use std::io;
use std::time::Duration;

use dealerless::net::Transport;

/// The bytes that are still to come.
pub struct Bytes<'a> {
    rest: &'a [u8],
    at_once: usize,
}

impl<'a> Bytes<'a> {
    /// These bytes, at most `at_once` of them (but one at least) in a piece.
    pub fn new(bytes: &'a [u8], at_once: usize) -> Self {
        Bytes {
            rest: bytes,
            at_once: at_once.max(1),
        }
    }
}

impl Transport for Bytes<'_> {
    fn send(&mut self, _: Vec<u8>, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], _: Duration) -> io::Result<usize> {
        let len = self.rest.len().min(self.at_once).min(buf.len());
        let (now, later) = self.rest.split_at(len);
        buf[..len].copy_from_slice(now);
        self.rest = later;
        Ok(len)
    }
}
