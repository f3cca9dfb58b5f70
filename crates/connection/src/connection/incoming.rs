//! The receiving half of a connection's cipher.

use super::error::ConnectionError;
use super::noise::{NotGenuine, Opener};

/// The maximum length of a frame, `u16 length | ciphertext`, in bytes.
const MAX_FRAME: usize = 2 + 65_535;

/// Splits the received bytes into frames and decrypts them.
pub(super) struct Incoming {
    opener: Opener,
    bytes: Vec<u8>,
    /// The number of received bytes at the front of `bytes`: less than a frame.
    filled: usize,
    plain: Vec<u8>,
}

impl Incoming {
    pub(super) fn new(opener: Opener) -> Self {
        Incoming {
            opener,
            bytes: vec![0; 2 * MAX_FRAME],
            filled: 0,
            plain: vec![0; MAX_FRAME],
        }
    }

    /// The place for received bytes. It is never empty.
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.filled..]
    }

    /// Processes `count` bytes that were received into the front of [`room`](Self::room). Passes
    /// the plaintext of each complete frame to `take`.
    ///
    /// # Errors
    /// [`ConnectionError::Forged`], or the error of `take`. The connection has ended.
    pub(super) fn received(
        &mut self,
        count: usize,
        mut take: impl FnMut(&[u8]) -> Result<(), ConnectionError>,
    ) -> Result<(), ConnectionError> {
        self.filled += count;
        let mut at = 0;
        while let Some(end) = frame_end(&self.bytes[at..self.filled]) {
            let ciphertext = &self.bytes[at + 2..at + end];
            let opened = self.opener.open(ciphertext, &mut self.plain);
            let len = opened.map_err(|NotGenuine| ConnectionError::Forged)?;
            take(&self.plain[..len])?;
            at += end;
        }
        self.bytes.copy_within(at..self.filled, 0);
        self.filled -= at;
        Ok(())
    }
}

/// The end of the first frame in these bytes, if it is complete.
fn frame_end(bytes: &[u8]) -> Option<usize> {
    let end = 2 + usize::from(u16::from_le_bytes(*bytes.first_chunk()?));
    (bytes.len() >= end).then_some(end)
}
