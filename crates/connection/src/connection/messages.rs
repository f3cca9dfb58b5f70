//! Received messages of one stream, `u32 length | bytes`. The unread messages are kept in one queue
//! of bytes, so that many small messages take no more memory than a large one.

use std::collections::VecDeque;
use std::io::Read as _;

use super::error::ConnectionError;
use super::streams::{MAX_MESSAGE, MESSAGE_WINDOW};

/// The unread bytes of a stream of messages.
#[derive(Default)]
pub(super) struct Messages {
    bytes: VecDeque<u8>,
    /// The total number of bytes read.
    pub(super) read: u64,
    /// The value of `read` in the last acknowledgement to the peer.
    pub(super) acked: u64,
}

impl Messages {
    /// Adds received bytes.
    pub(super) fn take_in(&mut self, bytes: &[u8]) -> Result<(), ConnectionError> {
        if self.bytes.len() + bytes.len() > MESSAGE_WINDOW as usize {
            return Err(ConnectionError::Broken("more bytes than the window allows"));
        }
        self.bytes.extend(bytes);
        Ok(())
    }

    /// The number of received and unread bytes.
    #[cfg(feature = "internals")]
    pub(super) fn kept(&self) -> usize {
        self.bytes.len()
    }

    /// The next message, if it is complete.
    pub(super) fn next(&mut self) -> Result<Option<Vec<u8>>, ConnectionError> {
        let mut prefix = [0; 4];
        if self.bytes.len() < prefix.len() {
            return Ok(None);
        }
        for (to, from) in prefix.iter_mut().zip(&self.bytes) {
            *to = *from;
        }
        let len = u32::from_le_bytes(prefix) as usize;
        if len == 0 || len > MAX_MESSAGE {
            return Err(ConnectionError::Broken("invalid message length"));
        }
        if self.bytes.len() < prefix.len() + len {
            return Ok(None);
        }
        self.bytes.drain(..prefix.len());
        let mut message = vec![0; len];
        let read = self.bytes.read_exact(&mut message);
        read.expect("the bytes are in the queue");
        self.read += (prefix.len() + len) as u64;
        Ok(Some(message))
    }
}
