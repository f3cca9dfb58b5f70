//! A connection as a state machine: no thread, no lock, no clock, no socket and no cipher.
//!
//! [`Core`] takes the plaintext of received frames, messages and engine bytes, and returns the
//! plaintext of the frames to send. All limits and deadlines of a connection are here. Time is an
//! argument: the [`Duration`] since any fixed moment. A browser has no
//! [`Instant`](std::time::Instant), and a test chooses the time.
//!
//! The cipher is outside: [`Incoming`](super::incoming::Incoming) decrypts, and
//! [`Sealer`](super::noise::Sealer) encrypts.

use std::time::Duration;

use super::error::ConnectionError;
use super::inbox::{Inbox, Read, Request};
use super::outbox::Outbox;
use super::streams::{MAX_BACKLOG, MAX_UNSENT, Message, Priority, Stream};

/// The time limits of meetings and connections.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The silence of the peer after which a ping is sent.
    pub ping: Duration,
    /// The silence of the peer after which the connection ends. Also the time limit for the peer to
    /// accept a frame.
    pub dead: Duration,
    /// The time limit of a meeting, from the first byte to the last.
    pub meeting: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            ping: Duration::from_secs(5),
            dead: Duration::from_secs(20),
            meeting: Duration::from_secs(10),
        }
    }
}

/// The state of a connection.
pub struct Core {
    outbox: Outbox,
    inbox: Inbox,
    requests: Vec<Request>,
    ended: Option<ConnectionError>,
    /// Whether this side has said goodbye, or says it after the queued messages.
    closing: bool,
    timing: Timing,
    /// The time of the last data from the peer. Later, if this side did not listen after that.
    silent_since: Duration,
    next_ping: Duration,
    pings: u64,
    /// The number of bytes of messages that were unsent at the last [`tick`](Self::tick).
    backlog: usize,
    engine_in_use: bool,
    last_engine: u64,
    /// The last time at which queued engine bytes were sent, or new ones put into an empty queue.
    engine_moved: Duration,
    /// How long the peer may accept no engine bytes.
    engine_limit: Duration,
}

/// The next task of the sender.
#[derive(Debug, PartialEq, Eq)]
pub enum Task {
    /// Send the frame. If the peer has not accepted it by this time, the connection ends with
    /// [`ConnectionError::Silent`].
    Send {
        /// The deadline.
        by: Duration,
    },
    /// Ask again at this time, or when the state has changed.
    Wait {
        /// The time of the next timer.
        until: Duration,
    },
    /// Wait for the goodbye of the peer: everything was sent, including the own goodbye.
    Close,
}

impl Core {
    /// A connection that starts at the time `now`.
    pub fn new(timing: Timing, now: Duration) -> Self {
        Core {
            outbox: Outbox::default(),
            inbox: Inbox::default(),
            requests: Vec::new(),
            ended: None,
            closing: false,
            timing,
            silent_since: now,
            next_ping: now.saturating_add(timing.ping),
            pings: 0,
            backlog: 0,
            engine_in_use: false,
            last_engine: 0,
            engine_moved: now,
            engine_limit: Duration::MAX,
        }
    }

    /// The reason for the end of the connection, if it has ended. With [`ConnectionError::Closed`], the
    /// peer has said goodbye: it needs nothing more from this side.
    pub fn ended(&self) -> Option<&ConnectionError> {
        self.ended.as_ref()
    }

    /// Returns the reason for the end of the connection, if it has ended.
    pub(super) fn check(&self) -> Result<(), ConnectionError> {
        self.ended.clone().map_or(Ok(()), Err)
    }

    /// Ends the connection for the reason `why`. If it has already ended, the first reason is kept.
    pub(super) fn end(&mut self, why: ConnectionError) {
        self.ended.get_or_insert(why);
    }

    /// Processes the plaintext of a frame. An error ends the connection.
    ///
    /// # Errors
    /// The reason for the end of the connection.
    pub fn received(&mut self, frame: &[u8], now: Duration) -> Result<(), ConnectionError> {
        self.silent_since = now;
        self.next_ping = now.saturating_add(self.timing.ping);
        let processed = self.process(frame);
        self.acknowledge();
        processed.inspect_err(|why| self.end(why.clone()))
    }

    fn process(&mut self, frame: &[u8]) -> Result<(), ConnectionError> {
        self.inbox.frame(frame, &mut self.requests)?;
        for request in self.requests.drain(..) {
            match request {
                Request::Acked(stream, read) => self.outbox.acked(stream, read)?,
                Request::Pong(number) => self.outbox.pong(number),
                Request::Bye => return Err(ConnectionError::Closed),
            }
        }
        Ok(())
    }

    /// Queues the acknowledgements that are due.
    fn acknowledge(&mut self) {
        for (stream, read) in self.inbox.acks() {
            self.outbox.ack(stream, read);
        }
    }

    /// Acts on the time: after a silence of the peer, queues a ping or ends the connection.
    ///
    /// If the call comes more than [`Timing::ping`] after [`next_timer`](Self::next_timer), this
    /// side was suspended and did not listen. Received data may be waiting, so the silence starts
    /// again.
    pub fn tick(&mut self, now: Duration) {
        self.backlog = self.outbox.messages_unsent();
        if now > self.next_timer().saturating_add(self.timing.ping) {
            self.silent_since = now.saturating_sub(self.timing.ping);
            self.next_ping = now;
        }
        if now >= self.dead_at() {
            self.end(ConnectionError::Silent);
        } else if now >= self.next_ping {
            self.pings += 1;
            self.next_ping = now.saturating_add(self.timing.ping);
            self.outbox.ping(self.pings);
        }
    }

    /// The time at which [`tick`](Self::tick) must be called. [`Duration::MAX`] if the connection has ended.
    pub fn next_timer(&self) -> Duration {
        match self.ended {
            None => self.next_ping.min(self.dead_at()),
            Some(_) => Duration::MAX,
        }
    }

    fn dead_at(&self) -> Duration {
        self.silent_since.saturating_add(self.timing.dead)
    }

    /// The time since the last data from the peer.
    #[cfg(feature = "internals")]
    pub(crate) fn silent_for(&self, now: Duration) -> Duration {
        now.saturating_sub(self.silent_since)
    }

    /// Returns what the sender must do. The plaintext of a frame is written into `frame`.
    ///
    /// # Errors
    /// The reason for the end of the connection.
    pub fn next_frame(
        &mut self,
        now: Duration,
        frame: &mut Vec<u8>,
    ) -> Result<Task, ConnectionError> {
        frame.clear();
        if self.is_flushed() {
            return Ok(Task::Close);
        }
        self.tick(now);
        let unsent = self.engine_unsent();
        let is_frame = match self.ended {
            None => self.outbox.next_frame(frame),
            // Nothing else is sent to a peer that has said goodbye.
            Some(ConnectionError::Closed) => self.outbox.answer(frame),
            Some(_) => false,
        };
        if !is_frame {
            self.check()?;
            let until = self.next_timer();
            return Ok(Task::Wait { until });
        }
        if self.engine_unsent() < unsent {
            self.engine_moved = now;
        }
        let by = now.saturating_add(self.timing.dead);
        Ok(Task::Send { by })
    }

    /// Queues a message. If the peer has left too many earlier ones, the connection ends with
    /// [`ConnectionError::Silent`].
    ///
    /// # Errors
    /// If the connection has ended, or the message is empty or too long.
    pub fn send(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), ConnectionError> {
        if self.backlog > MAX_BACKLOG {
            self.end(ConnectionError::Silent);
        }
        self.check()?;
        self.outbox.message(stream, bytes)
    }

    /// The next received message. If the connection has ended, first returns the messages that
    /// arrived before, then the reason for the end.
    ///
    /// # Errors
    /// The reason for the end of the connection.
    pub fn next_message(&mut self) -> Result<Option<Message>, ConnectionError> {
        let message = self.inbox.next();
        self.acknowledge();
        match message {
            Ok(None) => self.check().map(|()| None),
            Ok(message) => Ok(message),
            Err(why) => {
                self.end(why.clone());
                Err(why)
            }
        }
    }

    /// Says goodbye. To the peer, this means that the caller needs nothing more: it has processed and stored
    /// all messages of the peer, or does not need them. The goodbye is sent after the queued control and log
    /// messages. If the peer has said goodbye before, only the goodbye is sent.
    pub fn close(&mut self) {
        if !self.closing {
            self.closing = true;
            self.outbox.bye();
        }
    }

    /// Whether everything was sent, including the goodbye.
    pub(super) fn is_flushed(&self) -> bool {
        self.closing && !self.outbox.bye_pending()
    }

    /// Whether both sides have said goodbye. That of this side may be queued.
    pub(super) fn is_answering(&self) -> bool {
        self.closing && self.ended == Some(ConnectionError::Closed)
    }

    /// Starts session `number` of the engine. Both sides use the same numbers, and each is larger than the last.
    ///
    /// # Errors
    /// [`ConnectionError::EngineInUse`], or the reason for the end of the connection.
    pub fn begin_engine(&mut self, number: u64) -> Result<(), ConnectionError> {
        self.check()?;
        if self.engine_in_use || number <= self.last_engine {
            return Err(ConnectionError::EngineInUse);
        }
        self.engine_in_use = true;
        self.last_engine = number;
        self.engine_limit = Duration::MAX;
        self.outbox.begin_engine(number);
        self.inbox.want_from(number);
        self.acknowledge();
        Ok(())
    }

    /// Ends the current session of the engine, and drops the unsent bytes of the session.
    pub fn end_engine(&mut self) {
        self.engine_in_use = false;
        self.outbox.end_engine();
        self.inbox.want_from(self.last_engine + 1);
        self.acknowledge();
    }

    /// Sets the priority of the engine bytes that are queued later. [`Priority::Run`] also applies
    /// to all unsent engine bytes.
    pub fn set_engine_priority(&mut self, priority: Priority) {
        self.outbox.set_priority(priority);
    }

    /// Queues bytes of the engine. `within` is how long the peer may accept no engine bytes.
    ///
    /// # Errors
    /// [`ConnectionError::Silent`] if the peer has accepted no engine bytes for the limit of the
    /// last call, or if more than 64 MiB would be unsent. Otherwise the reason for the end of the
    /// connection.
    pub fn send_engine(
        &mut self,
        bytes: &[u8],
        within: Duration,
        now: Duration,
    ) -> Result<(), ConnectionError> {
        self.check()?;
        let unsent = self.engine_unsent();
        if unsent == 0 {
            self.engine_moved = now;
        }
        if now.saturating_sub(self.engine_moved) > self.engine_limit
            || unsent + bytes.len() > MAX_UNSENT
        {
            return Err(ConnectionError::Silent);
        }
        self.engine_limit = within;
        self.outbox.engine(bytes);
        Ok(())
    }

    /// Reads engine bytes of the current session into the front of `buf`. Returns `None` if no byte
    /// has arrived yet, and 0 if no more bytes will arrive.
    ///
    /// # Errors
    /// The reason for the end of the connection, unless one of the two sides has closed it.
    pub fn read_engine(&mut self, buf: &mut [u8]) -> Result<Option<usize>, ConnectionError> {
        match self.inbox.read_engine(self.last_engine, buf) {
            Read::Bytes(count) => {
                self.acknowledge();
                Ok(Some(count))
            }
            Read::Ended => Ok(Some(0)),
            Read::Nothing => match self.check() {
                Ok(()) => Ok(None),
                Err(ConnectionError::Closed | ConnectionError::ClosedHere) => Ok(Some(0)),
                Err(why) => Err(why),
            },
        }
    }

    /// Whether [`read_engine`](Self::read_engine) has something to return.
    pub fn wakes_engine(&self) -> bool {
        self.ended.is_some() || self.inbox.has_engine_bytes(self.last_engine)
    }

    /// The number of unsent engine bytes.
    pub(super) fn engine_unsent(&self) -> usize {
        self.outbox.engine_unsent()
    }

    /// The number of received and unread bytes of the control stream, the log and the engine.
    #[cfg(feature = "internals")]
    pub fn kept(&self) -> [usize; 3] {
        self.inbox.kept()
    }
}
