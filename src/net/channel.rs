//! The channel that the protocols talk to: frames with limits, deadlines and counted bytes.

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

/// The most bytes that are unsent when [`Channel::drain`] returns.
pub const MAX_BACKLOG: usize = 4 << 20;

/// Frames are collected until this many bytes are together, or until a flush.
const OUTBOX_BYTES: usize = 64 * 1024;

/// What one read may bring. Larger than a frame of bulk data, so that a stream of them costs about
/// one system call each.
const INBOX_BYTES: usize = 128 * 1024;

/// How long this side still listens for, or tries to send, the last word of a session that ended.
const LAST_WORD: Duration = Duration::from_secs(1);

/// A channel to the peer.
///
/// **Sending** is buffered: [`flush`](Self::flush) at the end of each flight. Sending never waits
/// for the peer. What is not flushed is not sent when the channel is dropped.
///
/// **Receiving** names what must come next, a tag and a length, exact or at most. Everything else
/// is an [`Error::Malformed`], found before the payload is read and before anything is allocated for
/// it; only [`Tag::ABORT`] may come at any time, and is [`Error::Aborted`]. Receiving flushes
/// first, because a party that waits for an answer to what it has not sent waits forever.
///
/// **Errors** are final: the two sides no longer agree on where they are, so every later call gives
/// [`Error::Ended`]. The exception is [`Error::Unsendable`], after which nothing has been sent.
pub struct Channel {
    transport: Box<dyn Transport>,
    deadlines: Deadlines,
    clock: Clock,
    outbox: Zeroizing<Vec<u8>>,
    inbox: Zeroizing<Vec<u8>>,
    /// The part of `inbox` that is not yet read.
    unread: Range<usize>,
    meter: Meter,
    failed: bool,
}

impl Channel {
    /// A channel over `transport`, in the phase "opening the session".
    pub fn new(transport: impl Transport + 'static, deadlines: Deadlines) -> Self {
        Self::with_clock(transport, deadlines, system_time)
    }

    /// As [`new`](Self::new), on a platform that has no [`Instant`](std::time::Instant): `now` gives
    /// the time since any fixed moment.
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

    /// Begins a phase, which the deadline of a phase bounds. `name` completes the sentence "the
    /// connection was lost while …".
    pub fn begin_phase(&mut self, name: &'static str) {
        self.clock.begin_phase(name, self.deadlines.phase);
    }

    /// Sends a message, in one frame.
    ///
    /// # Errors
    /// [`Error::Unsendable`] if it takes more than [`Message::MAX_BYTES`]; what
    /// [`Transport::send`] gives.
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
    /// [`Error::Malformed`] if something else comes, or it is longer than [`Message::MAX_BYTES`], or
    /// does not decode to exactly its frame; [`Error::Aborted`], [`Error::Lost`],
    /// [`Error::Timeout`].
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

    /// Sends bulk data whose length the peer knows, in frames of 64 KiB and one of what is
    /// left. The peer receives it with one call for the same length; an empty payload is no frame
    /// at all.
    ///
    /// # Errors
    /// What [`Transport::send`] gives.
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

    /// Receives exactly `out.len()` bytes of bulk data, sent with one [`send_bytes`](Self::send_bytes).
    /// On an error the content of `out` is anything.
    ///
    /// # Errors
    /// [`Error::Malformed`] if something else comes, or frames of other lengths;
    /// [`Error::Aborted`], [`Error::Lost`], [`Error::Timeout`].
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

    /// Hands to the transport what has been sent so far.
    ///
    /// # Errors
    /// What [`Transport::send`] gives.
    pub fn flush(&mut self) -> Result<()> {
        self.guarded(Self::hand_over)
    }

    /// Flushes, and waits until at most [`MAX_BACKLOG`] bytes are unsent: for a party that streams
    /// while the other one only reads. If both stream, both may wait for each other.
    ///
    /// # Errors
    /// What [`Transport::drain`] gives.
    pub fn drain(&mut self) -> Result<()> {
        self.guarded(|channel| {
            channel.hand_over()?;
            channel.clock.begin_message(channel.deadlines.message);
            let within = channel.clock.remaining()?;
            let drained = channel.transport.drain(MAX_BACKLOG, within);
            drained.map_err(|error| channel.last_word(error))
        })
    }

    /// Ends the session: tells the peer so, without a reason, if that takes no more than a second,
    /// and closes the connection. What has not been flushed is never sent.
    pub fn abort(&mut self) {
        self.fail();
        let frame = Header::new(Tag::ABORT, 0).to_bytes();
        if self.transport.send(frame.to_vec(), LAST_WORD).is_ok() {
            self.meter.sent(frame.len());
        }
        self.transport.close(LAST_WORD);
    }

    /// What has passed so far.
    pub fn traffic(&self) -> Traffic {
        self.meter.traffic()
    }

    /// Runs one step unless an earlier one has failed, and remembers if this one does.
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

    /// Ends the use of the channel: wipes what must no longer leave, and lets closing wait for the
    /// peer no longer than a last word takes.
    fn fail(&mut self) {
        self.failed = true;
        self.outbox.zeroize();
        self.clock.begin_message(LAST_WORD);
    }

    /// Appends one frame to the outbox, whose payload `write` appends, at most `max` bytes. On an
    /// error the outbox is as it was.
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

    /// Makes room in the outbox: if it grew by itself, it would leave copies behind that nobody wipes.
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
        sent.map_err(|error| self.last_word(error))?;
        self.meter.sent(len);
        Ok(())
    }

    /// Why sending failed. A peer that aborts closes the connection at once, and this side may
    /// notice that first while it sends; the word may still be there to be read, behind other
    /// frames.
    fn last_word(&mut self, error: io::Error) -> Error {
        let error = self.clock.failure(error);
        if !matches!(error, Error::Lost { .. }) {
            return error;
        }
        self.clock.begin_message(LAST_WORD);
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

    /// Waits for the header of a frame, unchecked but for an abort.
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

    /// Waits for the header of a frame with the tag `expected`, and gives its length, unchecked.
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

    /// Fills `buf` with what comes from the transport.
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

/// How the session ends if the header is that of an abort, which has no payload.
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

/// Waits for at least one byte, until a deadline.
fn receive(transport: &mut impl Transport, clock: &Clock, buf: &mut [u8]) -> Result<usize> {
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
