//! A tap on the line: sees the frames of both directions, and may change those that the party
//! behind it sends. That party follows the protocol and knows nothing of it, so a tap that changes
//! something plays a cheating peer, or somebody on the line.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;

use super::kind::Kind;
use super::session::system_rng;
use crate::net::{HEADER_BYTES, Transport};

/// What passes the tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Whether the party behind the tap has sent it, or received it.
    pub sent: bool,
    /// How many went the same way before it.
    pub number: usize,
    pub tag: u8,
    /// How many with this tag went the same way before it.
    pub nth: usize,
    pub payload: Vec<u8>,
}

/// What a frame is among those that go the same way: its kind, and how many of this kind come
/// before.
pub type FrameIndex = (Kind, usize);

impl Frame {
    /// The frame on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        frame(self.payload.len() as u32, self.tag, &self.payload)
    }

    /// # Panics
    /// If it is none of this library's.
    pub fn kind(&self) -> Kind {
        Kind::from_byte(self.tag).expect("a kind of this library")
    }

    /// # Panics
    /// As [`kind`](Self::kind).
    pub fn place(&self) -> FrameIndex {
        (self.kind(), self.nth)
    }
}

/// A frame whose header says whatever it wants.
pub fn frame(len: u32, tag: u8, payload: &[u8]) -> Vec<u8> {
    [&len.to_le_bytes()[..], &[tag], payload].concat()
}

/// Replaces a payload by random bytes whose first bit differs from the original, so that the lie
/// is never the truth. A payload of one opened card has a few bits only, and random bytes alone
/// equal it once in a while.
pub fn garble(payload: &mut [u8]) {
    let Some(&first) = payload.first() else {
        return;
    };
    system_rng().fill_bytes(payload);
    payload[0] = payload[0] & !1 | !first & 1;
}

/// What becomes of a frame that is sent.
pub enum Fate {
    /// These bytes leave in its place.
    Sent(Vec<u8>),
    /// These bytes leave in its place, and the connection is closed.
    Cut(Vec<u8>),
    /// These bytes leave in its place, and nothing after them; the connection stays open.
    Stalled(Vec<u8>),
}

/// Decides on every frame that the party sends.
pub type Fates = Box<dyn FnMut(Frame) -> Fate + Send>;

/// All are sent as they are.
pub fn unchanged() -> Fates {
    changing(|_| ())
}

/// All are sent, with the payloads that `change` makes of theirs.
pub fn changing(mut change: impl FnMut(&mut Frame) + Send + 'static) -> Fates {
    Box::new(move |mut frame| {
        change(&mut frame);
        Fate::Sent(frame.to_bytes())
    })
}

/// All are sent as they are, but for the one with this number.
pub fn at(number: usize, fate: impl Fn(&Frame) -> Fate + Send + 'static) -> Fates {
    Box::new(move |frame| {
        if frame.number == number {
            fate(&frame)
        } else {
            Fate::Sent(frame.to_bytes())
        }
    })
}

/// All frames that have passed, in the order in which the party sent and received them.
#[derive(Clone, Default)]
pub struct Record(Arc<Mutex<Vec<Frame>>>);

impl Record {
    /// What has passed since this was asked last.
    pub fn take(&self) -> Vec<Frame> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Of what has passed since this or [`take`](Self::take) was asked last, what was sent.
    pub fn take_sent(&self) -> Vec<Frame> {
        let mut frames = self.take();
        frames.retain(|frame| frame.sent);
        frames
    }

    fn push(&self, frame: Frame) {
        let mut frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        frames.push(frame);
    }
}

/// The transport.
pub struct Tap<T> {
    inner: T,
    fates: Fates,
    sent: Direction,
    received: Direction,
    stalled: bool,
    record: Record,
}

impl<T: Transport> Tap<T> {
    /// Changes nothing.
    pub fn new(inner: T) -> Self {
        Self::with(inner, unchanged())
    }

    pub fn with(inner: T, fates: Fates) -> Self {
        Tap {
            inner,
            fates,
            sent: Direction::default(),
            received: Direction::default(),
            stalled: false,
            record: Record::default(),
        }
    }

    /// What passes, which can be read while the tap is in use and after. Of a frame that is
    /// changed, what the party behind the tap believes.
    pub fn record(&self) -> Record {
        self.record.clone()
    }
}

/// What goes one way.
#[derive(Default)]
struct Direction {
    /// What has come of a frame that is not complete.
    begun: Vec<u8>,
    frames: usize,
    with_tag: HashMap<u8, usize>,
}

impl Direction {
    /// How many bytes are missing of the frame that comes next: of its header, or then of its
    /// payload.
    fn missing(&self) -> usize {
        match self.begun.first_chunk() {
            Some([a, b, c, d, _]) => {
                let payload = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                HEADER_BYTES + payload - self.begun.len()
            }
            None => HEADER_BYTES - self.begun.len(),
        }
    }

    /// Takes in bytes, and gives the first frame that is complete.
    fn next(&mut self, bytes: &mut &[u8], sent: bool) -> Option<Frame> {
        loop {
            let (part, rest) = bytes.split_at(self.missing().min(bytes.len()));
            self.begun.extend(part);
            *bytes = rest;
            match (self.missing(), self.begun.len()) {
                (0, HEADER_BYTES..) => break,
                _ if bytes.is_empty() => return None,
                _ => {}
            }
        }
        let payload = self.begun.split_off(HEADER_BYTES);
        let tag = std::mem::take(&mut self.begun)[HEADER_BYTES - 1];
        let nth = self.with_tag.entry(tag).or_default();
        let frame = Frame {
            sent,
            number: self.frames,
            tag,
            nth: *nth,
            payload,
        };
        *nth += 1;
        self.frames += 1;
        Some(frame)
    }
}

impl<T: Transport> Transport for Tap<T> {
    /// A channel hands over whole frames.
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let (mut rest, mut out, mut cut) = (&bytes[..], Vec::with_capacity(bytes.len()), false);
        while let Some(frame) = self.sent.next(&mut rest, true) {
            self.record.push(frame.clone());
            if self.stalled || cut {
                continue;
            }
            out.extend(match (self.fates)(frame) {
                Fate::Sent(bytes) => bytes,
                Fate::Cut(bytes) => {
                    cut = true;
                    bytes
                }
                Fate::Stalled(bytes) => {
                    self.stalled = true;
                    bytes
                }
            });
        }
        if !out.is_empty() {
            self.inner.send(out, within)?;
        }
        if cut {
            self.inner.close(within);
        }
        Ok(())
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.inner.drain(max_unsent, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        // Never more than one frame, or the record would run ahead of what the party has read.
        let most = self.received.missing().min(buf.len());
        let len = self.inner.recv(&mut buf[..most], within)?;
        if let Some(frame) = self.received.next(&mut &buf[..len], false) {
            self.record.push(frame);
        }
        Ok(len)
    }

    fn close(&mut self, within: Duration) {
        self.inner.close(within);
    }
}
