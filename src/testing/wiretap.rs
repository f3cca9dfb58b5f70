//! A tap on the line: sees the frames of both directions, and may change those that the party
//! behind it sends. That party follows the protocol and knows nothing of it, so a tap that changes
//! something plays a cheating peer, or somebody on the line.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::kind::Kind;
use crate::net::{HEADER_BYTES, Transport};

/// What passes the tap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Whether the party behind the tap has sent it, or received it.
    pub sent: bool,
    pub tag: u8,
    pub payload: Vec<u8>,
}

impl Frame {
    /// The frame on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = (self.payload.len() as u32).to_le_bytes();
        [&length[..], &[self.tag], &self.payload].concat()
    }
}

/// What a frame is among those that go the same way: its kind, and how many of this kind come before.
pub type Place = (Kind, usize);

/// The frames that go one way, each with its place.
pub fn placed(frames: &[Frame], sent: bool) -> Vec<(Place, &Frame)> {
    let mut counts = HashMap::<u8, usize>::new();
    (frames.iter())
        .filter(|frame| frame.sent == sent)
        .map(|frame| {
            let kind = Kind::from_byte(frame.tag).expect("an honest party");
            let count = counts.entry(frame.tag).or_default();
            *count += 1;
            ((kind, *count - 1), frame)
        })
        .collect()
}

/// What becomes of a frame that is sent.
pub enum Fate {
    /// These bytes leave in its place.
    Sent(Vec<u8>),
    /// The connection is closed in its place.
    Cut,
}

/// Decides on the frame with this number, of those that the party sends.
pub type Fates = Box<dyn FnMut(usize, &Frame) -> Fate + Send>;

/// All frames that have passed, in the order in which the party sent and received them.
#[derive(Clone, Default)]
pub struct Record(Arc<Mutex<Vec<Frame>>>);

impl Record {
    /// What has passed since this was asked last.
    pub fn take(&self) -> Vec<Frame> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn push(&self, frame: Frame) {
        let mut frames = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        frames.push(frame);
    }
}

/// The transport.
pub struct Wiretap<T> {
    inner: T,
    fates: Fates,
    sent: usize,
    /// What has been received of the frame that is not complete.
    incoming: Vec<u8>,
    record: Record,
}

impl<T: Transport> Wiretap<T> {
    /// Changes nothing.
    pub fn new(inner: T) -> Self {
        Self::with(inner, Box::new(|_, frame| Fate::Sent(frame.to_bytes())))
    }

    pub fn with(inner: T, fates: Fates) -> Self {
        Wiretap {
            inner,
            fates,
            sent: 0,
            incoming: Vec::new(),
            record: Record::default(),
        }
    }

    /// What passes, which can be read while the tap is in use and after. Of a frame that is
    /// changed, what the party behind the tap believes.
    pub fn record(&self) -> Record {
        self.record.clone()
    }
}

/// Takes the first whole frame off `bytes`.
fn first_frame(bytes: &mut Vec<u8>, sent: bool) -> Option<Frame> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (tag, rest) = rest.split_first()?;
    let payload = rest.get(..u32::from_le_bytes(*length) as usize)?;
    let frame = Frame {
        sent,
        tag: *tag,
        payload: payload.to_vec(),
    };
    bytes.drain(..HEADER_BYTES + frame.payload.len());
    Some(frame)
}

/// How many bytes are missing of a frame that has begun: of its header, or then of its payload.
fn missing(begun: &[u8]) -> usize {
    match begun.split_first_chunk() {
        Some((length, rest)) if !rest.is_empty() => {
            HEADER_BYTES + u32::from_le_bytes(*length) as usize - begun.len()
        }
        _ => HEADER_BYTES - begun.len(),
    }
}

impl<T: Transport> Transport for Wiretap<T> {
    /// A channel hands over whole frames.
    fn send(&mut self, mut bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let mut out = Vec::with_capacity(bytes.len());
        let mut cut = false;
        while let Some(frame) = first_frame(&mut bytes, true) {
            let fate = (self.fates)(self.sent, &frame);
            self.sent += 1;
            self.record.push(frame);
            match fate {
                Fate::Sent(bytes) => out.extend(bytes),
                Fate::Cut => {
                    cut = true;
                    break;
                }
            }
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
        let most = missing(&self.incoming).min(buf.len());
        let len = self.inner.recv(&mut buf[..most], within)?;
        self.incoming.extend_from_slice(&buf[..len]);
        if let Some(frame) = first_frame(&mut self.incoming, false) {
            self.record.push(frame);
        }
        Ok(len)
    }

    fn close(&mut self, within: Duration) {
        self.inner.close(within);
    }
}
