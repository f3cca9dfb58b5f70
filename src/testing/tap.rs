//! A tap on the line: records what passes, and falsifies what is sent.
//!
//! The party behind the tap follows the protocol and knows nothing of it, so a tap with a
//! [`Fault`] plays a cheating peer or a bad line. Offsets count the bytes that the party sends,
//! from 0; [`frames`] finds them in a recording of an honest run.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::net::{HEADER_BYTES, Transport};

/// What happens to the bytes that are sent.
#[derive(Debug, Clone)]
pub enum Fault {
    /// The byte at `at` is XORed with `mask`.
    Flip { at: usize, mask: u8 },
    /// The bytes in `range` become `with`, of any length: an empty one drops them.
    Replace { range: Range<usize>, with: Vec<u8> },
    /// The bytes in `range` are sent twice.
    Duplicate { range: Range<usize> },
    /// The connection is closed before the byte at `at`.
    Truncate { at: usize },
    /// Nothing from the byte at `at` on is sent, and the connection stays open.
    Stall { at: usize },
}

/// What has passed, as the party behind the tap believes.
#[derive(Debug, Default)]
pub struct Recording {
    pub sent: Vec<u8>,
    pub received: Vec<u8>,
}

/// A transport that is tapped.
pub struct Tap<T> {
    inner: T,
    fault: Option<Fault>,
    recording: Arc<Mutex<Recording>>,
    /// The header of the frame that comes in, as far as it has come.
    header: Vec<u8>,
    /// How much of the frame's payload is still to come.
    left: usize,
}

impl<T: Transport> Tap<T> {
    /// Records only.
    pub fn new(inner: T) -> Self {
        Tap {
            inner,
            fault: None,
            recording: Arc::default(),
            header: Vec::new(),
            left: 0,
        }
    }

    pub fn with_fault(inner: T, fault: Fault) -> Self {
        Tap {
            fault: Some(fault),
            ..Tap::new(inner)
        }
    }

    /// The recording, which can be read while the tap is in use and after.
    pub fn recording(&self) -> Arc<Mutex<Recording>> {
        Arc::clone(&self.recording)
    }

    /// What becomes of `bytes`, which begin at `start` of `sent` and end it.
    fn falsify(&mut self, sent: &[u8], start: usize) -> Vec<u8> {
        let bytes = &sent[start..];
        let passed = |at: usize| at.clamp(start, sent.len());
        match &self.fault {
            None => bytes.to_vec(),
            Some(Fault::Flip { at, mask }) => {
                let mut bytes = bytes.to_vec();
                if let Some(byte) = at.checked_sub(start).and_then(|at| bytes.get_mut(at)) {
                    *byte ^= mask;
                }
                bytes
            }
            Some(Fault::Replace { range, with }) => {
                let mut out = sent[start..passed(range.start)].to_vec();
                if (start..sent.len()).contains(&range.start) {
                    out.extend(with);
                }
                out.extend(&sent[passed(range.end)..]);
                out
            }
            Some(Fault::Duplicate { range }) => {
                let mut out = sent[start..passed(range.end)].to_vec();
                if (start + 1..=sent.len()).contains(&range.end) {
                    out.extend(&sent[range.clone()]);
                }
                out.extend(&sent[passed(range.end)..]);
                out
            }
            Some(Fault::Truncate { at } | Fault::Stall { at }) => sent[start..passed(*at)].to_vec(),
        }
    }
}

impl<T: Transport> Transport for Tap<T> {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let recording = Arc::clone(&self.recording);
        let mut recording = recording.lock().unwrap();
        let start = recording.sent.len();
        recording.sent.extend(bytes);
        let falsified = self.falsify(&recording.sent, start);
        self.inner.send(falsified, within)?;
        if let Some(Fault::Truncate { at }) = self.fault
            && recording.sent.len() >= at
        {
            self.inner.close(within);
        }
        Ok(())
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.inner.drain(max_unsent, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        // Never more than one frame, or the recording would run ahead of what the party has read.
        let due = match self.left {
            0 => HEADER_BYTES - self.header.len(),
            left => left,
        };
        let most = due.min(buf.len());
        let len = self.inner.recv(&mut buf[..most], within)?;
        let received = &buf[..len];
        if self.left > 0 {
            self.left -= len;
        } else {
            self.header.extend(received);
            if let Ok([a, b, c, d, _]) = <[u8; HEADER_BYTES]>::try_from(&self.header[..]) {
                self.left = u32::from_le_bytes([a, b, c, d]) as usize;
                self.header.clear();
            }
        }
        self.recording.lock().unwrap().received.extend(received);
        Ok(len)
    }

    fn close(&mut self, within: Duration) {
        self.inner.close(within);
    }
}

/// The frames of a recording: the tag of each, and where its payload is.
pub fn frames(recorded: &[u8]) -> Vec<(u8, Range<usize>)> {
    let mut frames = Vec::new();
    let mut at = 0;
    while at < recorded.len() {
        let (len, tag) = recorded[at..at + HEADER_BYTES].split_at(4);
        let start = at + HEADER_BYTES;
        at = start + u32::from_le_bytes(len.try_into().unwrap()) as usize;
        frames.push((tag[0], start..at));
    }
    frames
}
