//! The channel used by the protocols: frames with limits, deadlines and byte counters.

use std::io;
use std::ops::Range;
use std::time::Duration;

use zeroize::{Zeroize, Zeroizing};

use super::clock::{Clock, Deadlines, closed, system_time};
use super::codec::{self, MAX_MESSAGE_BYTES, Message};
use super::error::{Error, Malformed, Result};
use super::frame::{CHUNK, HEADER_BYTES, Header};
use super::tag::Tag;
use super::traffic::{Meter, Traffic};
use super::transport::{Transport, is_temporary};

/// The maximum number of unsent bytes when [`Channel::drain`] returns.
pub const MAX_BACKLOG: usize = 4 << 20;

/// The size at which the outbox is handed to the transport even without a flush.
const OUTBOX_BYTES: usize = 64 * 1024;

/// The maximum size of one read. It is larger than a frame of bulk data, so that receiving such a
/// frame takes about one system call.
const INBOX_BYTES: usize = 128 * 1024;

/// The timeout for sending an abort, or for receiving the peer's abort, once the session has ended.
const ABORT_TIMEOUT: Duration = Duration::from_secs(1);

/// A channel to the peer.
///
/// **Sending** is buffered: call [`flush`](Self::flush) at the end of each flight (see
/// [`Traffic`]). Sending never waits for the peer. Data that is not flushed when the channel is
/// dropped is not sent.
///
/// **Receiving** requires the expected frame: its tag, and its exact or maximum length. Any other
/// frame is an [`Error::Malformed`], which is detected before the payload is read and before memory
/// is allocated for the payload. Only [`Tag::ABORT`] may arrive at any time; the call then returns
/// [`Error::Aborted`]. Every receiving call flushes first. Otherwise this party could wait forever
/// for the answer to a message that it has not sent.
///
/// **Errors** are final: the two sides no longer agree on the state of the session, so every later
/// call returns [`Error::Ended`]. The only exception is [`Error::Unsendable`]: nothing was sent,
/// and the channel stays usable.
pub struct Channel {
    transport: Box<dyn Transport>,
    deadlines: Deadlines,
    clock: Clock,
    outbox: Zeroizing<Vec<u8>>,
    inbox: Zeroizing<Vec<u8>>,
    /// The unread part of `inbox`.
    unread: Range<usize>,
    meter: Meter,
    failed: bool,
}

impl Channel {
    /// Creates a channel over `transport`, in the phase "opening the session". Its clock is
    /// [`system_time`].
    pub fn new(transport: impl Transport + 'static, deadlines: Deadlines) -> Self {
        Self::with_clock(transport, deadlines, system_time)
    }

    /// Like [`new`](Self::new), with another clock: `now` returns the time since any fixed moment.
    pub fn with_clock(
        transport: impl Transport + 'static,
        deadlines: Deadlines,
        now: fn() -> Duration,
    ) -> Self {
        Channel {
            transport: Box::new(transport),
            deadlines,
            clock: Clock::new(now, "opening the session", deadlines),
            outbox: Zeroizing::default(),
            inbox: vec![0; INBOX_BYTES].into(),
            unread: 0..0,
            meter: Meter::default(),
            failed: false,
        }
    }

    /// Begins a phase of the session. Once the phase has lasted for [`Deadlines::phase`], every
    /// wait fails. `name` completes the sentence "the connection was lost while …".
    pub fn begin_phase(&mut self, name: &'static str) {
        self.clock.begin_phase(name, self.deadlines.phase);
    }

    /// Sends a message in one frame.
    ///
    /// # Errors
    /// [`Error::Unsendable`] if the message takes more than [`Message::MAX_BYTES`]; any error of
    /// [`Transport::send`].
    pub fn send_message<M: Message>(&mut self, message: &M) -> Result<()> {
        const { assert!(M::MAX_BYTES <= MAX_MESSAGE_BYTES) };
        self.guarded(|channel| {
            channel.put_frame(M::TAG, M::MAX_BYTES, |payload| {
                codec::encode(message, M::TAG, M::MAX_BYTES, payload)
            })
        })
    }

    /// Receives a message.
    ///
    /// # Errors
    /// [`Error::Malformed`] if a frame with a different tag arrives, if the message is longer than
    /// [`Message::MAX_BYTES`], or if it cannot be decoded from exactly the bytes of its frame;
    /// [`Error::Aborted`], [`Error::Lost`], [`Error::Timeout`].
    pub fn recv_message<M: Message>(&mut self) -> Result<M> {
        const { assert!(M::MAX_BYTES <= MAX_MESSAGE_BYTES) };
        self.guarded(|channel| {
            let len = channel.recv_header_of(M::TAG)?;
            if len > M::MAX_BYTES {
                return Err(Error::Malformed(Malformed::TooLong {
                    tag: M::TAG,
                    bytes: len,
                    limit: M::MAX_BYTES,
                }));
            }
            let mut payload = Zeroizing::new(vec![0; len]);
            channel.recv_exact(&mut payload)?;
            codec::decode(&payload, M::TAG)
        })
    }

    /// Sends bulk data whose length the peer knows, in frames of 64 KiB and one frame for the
    /// remainder. The peer receives `payload` with one call of [`recv_bytes`](Self::recv_bytes) for
    /// the same length. If `payload` is empty, no frame is sent.
    ///
    /// # Errors
    /// Any error of [`Transport::send`].
    pub fn send_bytes(&mut self, tag: impl Into<Tag>, payload: &[u8]) -> Result<()> {
        let tag = tag.into();
        self.guarded(|channel| {
            for chunk in payload.chunks(CHUNK) {
                channel.put_frame(tag, chunk.len(), |payload| {
                    payload.extend_from_slice(chunk);
                    Ok(())
                })?;
            }
            Ok(())
        })
    }

    /// Receives exactly `out.len()` bytes of bulk data that the peer sent with one call of
    /// [`send_bytes`](Self::send_bytes). After an error the content of `out` is unspecified.
    ///
    /// # Errors
    /// [`Error::Malformed`] if a frame with a different tag arrives or a frame has the wrong
    /// length; [`Error::Aborted`], [`Error::Lost`], [`Error::Timeout`].
    pub fn recv_bytes(&mut self, tag: impl Into<Tag>, out: &mut [u8]) -> Result<()> {
        let tag = tag.into();
        self.guarded(|channel| {
            for chunk in out.chunks_mut(CHUNK) {
                let len = channel.recv_header_of(tag)?;
                if len != chunk.len() {
                    return Err(Error::Malformed(Malformed::Length {
                        tag,
                        bytes: len,
                        expected: chunk.len(),
                    }));
                }
                channel.recv_exact(chunk)?;
            }
            Ok(())
        })
    }

    /// Hands all buffered bytes to the transport.
    ///
    /// # Errors
    /// Any error of [`Transport::send`].
    pub fn flush(&mut self) -> Result<()> {
        self.guarded(Self::hand_over)
    }

    /// Flushes, and waits until at most [`MAX_BACKLOG`] bytes are unsent. Only a party that streams
    /// while the other party reads may call this. If both parties stream, they may wait for each
    /// other.
    ///
    /// # Errors
    /// Any error of [`Transport::drain`].
    pub fn drain(&mut self) -> Result<()> {
        self.guarded(|channel| {
            channel.hand_over()?;
            channel.clock.begin_message(channel.deadlines.message);
            let within = channel.clock.remaining()?;
            let drained = channel.transport.drain(MAX_BACKLOG, within);
            drained.map_err(|error| channel.failed_send(error))
        })
    }

    /// Ends the session: sends an abort frame without a reason, waits at most one second until the
    /// frame is sent, and closes the connection. Data that has not been flushed is never sent.
    pub fn abort(&mut self) {
        self.fail();
        let frame = Header::new(Tag::ABORT, 0).to_bytes();
        if self.transport.send(frame.to_vec(), ABORT_TIMEOUT).is_ok() {
            self.meter.sent(frame.len());
        }
        self.transport.close(ABORT_TIMEOUT);
    }

    /// The traffic so far.
    pub fn traffic(&self) -> Traffic {
        self.meter.traffic()
    }

    /// Runs `step` unless an earlier step has failed. If `step` returns a final error, marks the
    /// channel as failed.
    pub(super) fn guarded<R>(&mut self, step: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        if self.failed {
            return Err(Error::Ended);
        }
        let outcome = step(self);
        if !matches!(outcome, Ok(_) | Err(Error::Unsendable { .. })) {
            self.fail();
        }
        outcome
    }

    /// Marks the channel as failed: wipes the outbox, and limits the time that closing may take to
    /// [`ABORT_TIMEOUT`].
    fn fail(&mut self) {
        self.failed = true;
        self.outbox.zeroize();
        self.clock.begin_message(ABORT_TIMEOUT);
    }

    /// Appends one frame to the outbox. `write` appends the payload, at most `max` bytes. If
    /// `write` fails, the outbox is unchanged.
    pub(super) fn put_frame(
        &mut self,
        tag: Tag,
        max: usize,
        write: impl FnOnce(&mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let start = self.outbox.len();
        let payload = start + HEADER_BYTES;
        self.make_room(HEADER_BYTES + max);
        self.outbox.resize(payload, 0);
        if let Err(error) = write(&mut self.outbox) {
            self.outbox.truncate(start);
            return Err(error);
        }
        let header = Header::new(tag, self.outbox.len() - payload);
        self.outbox[start..payload].copy_from_slice(&header.to_bytes());
        if self.outbox.len() >= OUTBOX_BYTES {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Reserves space for `bytes` more bytes in the outbox. A `Vec` that grows by itself would
    /// leave unwiped copies behind.
    fn make_room(&mut self, bytes: usize) {
        let len = self.outbox.len();
        if len + bytes > self.outbox.capacity() {
            let mut larger = Vec::with_capacity(len + bytes.max(len));
            larger.extend_from_slice(&self.outbox);
            self.outbox = larger.into();
        }
    }

    fn hand_over(&mut self) -> Result<()> {
        if self.outbox.is_empty() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut *self.outbox);
        let len = bytes.len();
        let sent = self.transport.send(bytes, self.deadlines.message);
        sent.map_err(|error| self.failed_send(error))?;
        self.meter.sent(len);
        Ok(())
    }

    /// Returns the reason for a failed send: the peer's abort if it can be received, otherwise
    /// `error`. A peer that aborts closes the connection at once. This side may notice the closed
    /// connection while it sends, before it has read the abort and the frames that precede it.
    fn failed_send(&mut self, error: io::Error) -> Error {
        let error = self.clock.failure(error);
        if !matches!(error, Error::Lost { .. }) {
            return error;
        }
        self.clock.begin_message(ABORT_TIMEOUT);
        let mut skipped = Zeroizing::new([0; 4096]);
        loop {
            let mut header = [0; HEADER_BYTES];
            if self.recv_exact(&mut header).is_err() {
                return error;
            }
            let header = Header::from_bytes(header);
            if let Some(end) = abort(header) {
                return end;
            }
            let mut left = header.len as usize;
            while left > 0 {
                let part = left.min(skipped.len());
                if self.recv_exact(&mut skipped[..part]).is_err() {
                    return error;
                }
                left -= part;
            }
        }
    }

    /// Waits for the header of the next frame, and returns it unchecked. If the frame is an abort,
    /// returns an error instead.
    pub(super) fn recv_header(&mut self) -> Result<Header> {
        self.hand_over()?;
        self.clock.begin_message(self.deadlines.message);
        let mut bytes = [0; HEADER_BYTES];
        self.recv_exact(&mut bytes)?;
        let header = Header::from_bytes(bytes);
        match abort(header) {
            None => Ok(header),
            Some(end) => Err(end),
        }
    }

    /// Waits for the header of a frame with the tag `expected`. Returns the claimed length of the
    /// payload, unchecked.
    fn recv_header_of(&mut self, expected: Tag) -> Result<usize> {
        let header = self.recv_header()?;
        if header.tag == expected.byte() {
            return Ok(header.len as usize);
        }
        Err(Error::Malformed(Malformed::Tag {
            expected,
            found: header.tag,
        }))
    }

    /// Fills `buf` with bytes from the transport.
    pub(super) fn recv_exact(&mut self, mut buf: &mut [u8]) -> Result<()> {
        while !buf.is_empty() {
            let len = if self.unread.is_empty() && buf.len() >= self.inbox.len() {
                receive(&mut self.transport, &self.clock, buf)?
            } else {
                if self.unread.is_empty() {
                    let len = receive(&mut self.transport, &self.clock, &mut self.inbox)?;
                    self.unread = 0..len;
                }
                let unread = &self.inbox[self.unread.clone()];
                let len = unread.len().min(buf.len());
                buf[..len].copy_from_slice(&unread[..len]);
                self.unread.start += len;
                len
            };
            self.meter.received(len);
            buf = &mut buf[len..];
        }
        Ok(())
    }
}

/// If `header` belongs to an abort frame, returns the error that ends the session. An abort must
/// not have a payload.
fn abort(header: Header) -> Option<Error> {
    let tag = Tag::ABORT;
    (header.tag == tag.byte()).then(|| match header.len as usize {
        0 => Error::Aborted,
        bytes => Error::from(Malformed::TooLong {
            tag,
            bytes,
            limit: 0,
        }),
    })
}

/// Waits until the next deadline for at least one byte. Returns the number of bytes received.
///
/// The only call that waits. In a browser, the build of the page finds it by its name.
#[inline(never)]
fn receive(transport: &mut dyn Transport, clock: &Clock, buf: &mut [u8]) -> Result<usize> {
    loop {
        match transport.recv(buf, clock.remaining()?) {
            Ok(0) => return Err(clock.lost(closed())),
            Ok(len) => return Ok(len),
            Err(error) if is_temporary(&error) => {}
            Err(error) => return Err(clock.lost(error)),
        }
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.transport.close(self.clock.message_limit());
    }
}
