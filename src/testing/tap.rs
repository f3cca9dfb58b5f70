//! A tap on a connection. The tap records the frames of both directions, and can change the frames
//! that the party behind it sends. That party follows the protocol and does not notice the tap. So
//! a tap that changes frames simulates a cheating peer, or an attacker on the connection.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rand::Rng;

use super::kind::Kind;
use super::session::system_rng;
use crate::net::{HEADER_BYTES, Transport};

/// A frame that passes the tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// `true` if the party behind the tap has sent the frame, `false` if it has received the frame.
    pub sent: bool,
    /// The number of earlier frames in the same direction.
    pub number: usize,
    pub tag: u8,
    /// The number of earlier frames with this tag in the same direction.
    pub nth: usize,
    pub payload: Vec<u8>,
}

/// The identification of a frame within its direction: its kind, and the number of earlier frames
/// of this kind.
pub type FrameIndex = (Kind, usize);

impl Frame {
    /// The frame on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        frame(self.payload.len() as u32, self.tag, &self.payload)
    }

    /// # Panics
    /// If the kind does not belong to this library.
    pub fn kind(&self) -> Kind {
        Kind::from_byte(self.tag).expect("a kind of this library")
    }

    /// # Panics
    /// See [`kind`](Self::kind).
    pub fn place(&self) -> FrameIndex {
        (self.kind(), self.nth)
    }
}

/// A frame with an arbitrary header.
pub fn frame(len: u32, tag: u8, payload: &[u8]) -> Vec<u8> {
    [&len.to_le_bytes()[..], &[tag], payload].concat()
}

/// Replaces a payload with random bytes, but flips its first bit, so that the result always differs
/// from the original. The payload of one opened card has only a few bits, and purely random bytes
/// would sometimes be equal to these bits.
pub fn garble(payload: &mut [u8]) {
    let Some(&first) = payload.first() else {
        return;
    };
    system_rng().fill_bytes(payload);
    payload[0] = payload[0] & !1 | !first & 1;
}

/// What the tap does with a sent frame.
pub enum Fate {
    /// These bytes are sent instead of the frame.
    Sent(Vec<u8>),
    /// These bytes are sent instead of the frame, and the connection is closed.
    Cut(Vec<u8>),
    /// These bytes are sent instead of the frame, and nothing after them; the connection stays
    /// open.
    Stalled(Vec<u8>),
}

/// A function that decides about every frame that the party sends.
pub type Fates = Box<dyn FnMut(Frame) -> Fate + Send>;

/// Fates that send all frames unchanged.
pub fn unchanged() -> Fates {
    changing(|_| ())
}

/// Fates that apply `change` to each frame and then send it.
pub fn changing(mut change: impl FnMut(&mut Frame) + Send + 'static) -> Fates {
    Box::new(move |mut frame| {
        change(&mut frame);
        Fate::Sent(frame.to_bytes())
    })
}

/// Fates that send all frames unchanged, except the frame with this number.
pub fn at(number: usize, fate: impl Fn(&Frame) -> Fate + Send + 'static) -> Fates {
    Box::new(move |frame| {
        if frame.number == number {
            fate(&frame)
        } else {
            Fate::Sent(frame.to_bytes())
        }
    })
}

/// All frames that have passed the tap, in the order in which the party sent and received them.
#[derive(Clone, Default)]
pub struct Record(Arc<Mutex<Vec<Frame>>>);

impl Record {
    /// Returns the frames since the last call.
    pub fn take(&self) -> Vec<Frame> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the sent frames since the last call of this method or of [`take`](Self::take), and
    /// discards the received frames.
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

/// A transport that records and can change the frames that pass.
pub struct Tap<T> {
    inner: T,
    fates: Fates,
    sent: Direction,
    received: Direction,
    stalled: bool,
    record: Record,
}

impl<T: Transport> Tap<T> {
    /// A tap that changes nothing.
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

    /// The record of all frames. It can be read while the tap is in use and afterwards. For a
    /// changed frame, it contains the original sent by the party behind the tap.
    pub fn record(&self) -> Record {
        self.record.clone()
    }
}

/// The frames of one direction.
#[derive(Default)]
struct Direction {
    /// The bytes of the current frame that have passed.
    begun: Vec<u8>,
    frames: usize,
    with_tag: HashMap<u8, usize>,
}

impl Direction {
    /// The number of bytes missing from the current frame: from its header or, once the header is
    /// complete, from its payload.
    fn missing(&self) -> usize {
        match self.begun.first_chunk() {
            Some([a, b, c, d, _]) => {
                let payload = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
                HEADER_BYTES + payload - self.begun.len()
            }
            None => HEADER_BYTES - self.begun.len(),
        }
    }

    /// Consumes bytes up to the end of the current frame. Returns the frame if it is complete.
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
    /// The channel sends whole frames, so `bytes` ends at the end of a frame.
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
        // At most one frame at a time; otherwise the record would get ahead of the party's reads.
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
