//! Garbled tables on the wire: one record of a fixed size for each AND gate, many records per
//! frame. A frame is sent while later gates are still being garbled.

use super::tag::Tag;
use crate::net::{self, Channel};

/// The number of AND gates per frame. It is small, so that the evaluator can start while the
/// garbler is still garbling.
const RECORDS_PER_FRAME: usize = 1024;

/// Sends the garbler's records of `N` bytes each.
pub(super) struct TableWriter<'a, const N: usize> {
    channel: &'a mut Channel,
    frame: Vec<[u8; N]>,
}

impl<'a, const N: usize> TableWriter<'a, N> {
    pub(super) fn new(channel: &'a mut Channel) -> Self {
        TableWriter {
            channel,
            frame: Vec::with_capacity(RECORDS_PER_FRAME),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, record: [u8; N]) -> net::Result<()> {
        self.frame.push(record);
        if self.frame.len() == RECORDS_PER_FRAME {
            self.send()?;
            self.channel.drain()?;
        }
        Ok(())
    }

    /// Sends the remaining records.
    pub(super) fn finish(mut self) -> net::Result<()> {
        if !self.frame.is_empty() {
            self.send()?;
        }
        self.channel.flush()
    }

    fn send(&mut self) -> net::Result<()> {
        self.channel
            .send_bytes(Tag::Tables, self.frame.as_flattened())?;
        self.frame.clear();
        Ok(())
    }
}

/// The number of bytes on the wire for `records` records of `N` bytes each.
pub(super) fn sent_bytes<const N: usize>(records: usize) -> u64 {
    let frame = |records: usize| net::bulk_bytes(N * records);
    let full = (records / RECORDS_PER_FRAME) as u64;
    full * frame(RECORDS_PER_FRAME) + frame(records % RECORDS_PER_FRAME)
}

/// Receives records of `N` bytes each, at the evaluator.
pub(super) struct TableReader<'a, const N: usize> {
    channel: &'a mut Channel,
    frame: Vec<[u8; N]>,
    /// The number of records of `frame` that have been returned.
    used: usize,
    /// The number of records that have not been received yet.
    expected: usize,
}

impl<'a, const N: usize> TableReader<'a, N> {
    pub(super) fn new(channel: &'a mut Channel, records: usize) -> Self {
        TableReader {
            channel,
            frame: Vec::new(),
            used: 0,
            expected: records,
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> net::Result<[u8; N]> {
        if self.used == self.frame.len() {
            self.frame
                .resize(self.expected.min(RECORDS_PER_FRAME), [0; N]);
            self.channel
                .recv_bytes(Tag::Tables, self.frame.as_flattened_mut())?;
            self.expected -= self.frame.len();
            self.used = 0;
        }
        self.used += 1;
        Ok(self.frame[self.used - 1])
    }
}
