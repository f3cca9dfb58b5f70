//! A transport that replays the bytes of a peer that has then closed the connection.

use std::io::{self, Cursor, Read};
use std::time::Duration;

use dealerless::net::Transport;

/// The transport, with the remaining bytes.
pub struct ReplayedBytes {
    rest: Cursor<Vec<u8>>,
    at_once: usize,
}

impl ReplayedBytes {
    /// Replays `bytes`, at most `at_once` of them (but at least one) per read.
    pub fn new(bytes: Vec<u8>, at_once: usize) -> Self {
        ReplayedBytes {
            rest: Cursor::new(bytes),
            at_once: at_once.max(1),
        }
    }
}

impl Transport for ReplayedBytes {
    fn send(&mut self, _: Vec<u8>, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], _: Duration) -> io::Result<usize> {
        let at_once = self.at_once.min(buf.len());
        self.rest.read(&mut buf[..at_once])
    }
}
