//! A party that follows the protocol behind a transport that does not: frames are changed on
//! their way out.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use crate::net::{HEADER_BYTES, Transport};

use super::kind::Kind;

/// A frame that the party behind wants to send.
#[derive(Debug, Clone)]
pub struct Frame {
    pub tag: Kind,
    /// How many frames with this tag came before.
    pub nth: usize,
    pub payload: Vec<u8>,
}

impl Frame {
    /// The frame on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        frame(self.payload.len() as u32, self.tag, &self.payload)
    }
}

/// A frame whose header says whatever it wants.
pub fn frame(len: u32, tag: Kind, payload: &[u8]) -> Vec<u8> {
    [&len.to_le_bytes(), &[tag.byte()][..], payload].concat()
}

/// What leaves in the place of a frame.
pub type Lie = Box<dyn FnMut(Frame) -> Vec<u8> + Send>;

/// The transport.
pub struct Liar<T> {
    inner: T,
    lie: Lie,
    sent: HashMap<Kind, usize>,
}

impl<T: Transport> Liar<T> {
    pub fn new(inner: T, lie: Lie) -> Self {
        Liar {
            inner,
            lie,
            sent: HashMap::new(),
        }
    }
}

impl<T: Transport> Transport for Liar<T> {
    /// A channel hands over whole frames.
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let mut rest = &bytes[..];
        let mut out = Vec::with_capacity(bytes.len());
        while !rest.is_empty() {
            let (header, behind) = rest.split_at(HEADER_BYTES);
            let (len, tag) = header.split_first_chunk().expect("a header has a length");
            let (payload, behind) = behind.split_at(u32::from_le_bytes(*len) as usize);
            let tag = Kind::from_byte(tag[0]).expect("the party behind is honest");
            let count = self.sent.entry(tag).or_default();
            out.extend((self.lie)(Frame {
                tag,
                nth: *count,
                payload: payload.to_vec(),
            }));
            *count += 1;
            rest = behind;
        }
        self.inner.send(out, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.inner.drain(max_unsent, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        self.inner.recv(buf, within)
    }

    fn close(&mut self, within: Duration) {
        self.inner.close(within);
    }
}
