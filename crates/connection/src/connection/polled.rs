//! Connections without threads: the caller reports what has happened to their sockets and what time it is.
//!
//! Time is the [`Duration`] since any fixed moment, as in [`Core`].

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::core::{Core, Task, Timing};
use super::error::ConnectionError;
use super::incoming::Incoming;
use super::meeting::{Established, Met};
use super::noise::Sealer;
use super::place::{Happened, Place, Socket, Sockets};

/// An encrypted connection to a peer whose keys have been verified.
pub struct PolledConnection<S: Sockets> {
    /// What the meeting has established.
    pub met: Arc<Met>,
    /// The relay through which the connection leads, if it does.
    pub relay: Option<Place>,
    /// Messages, engine bytes, limits and deadlines.
    pub core: Core,
    incoming: Incoming,
    sealer: Sealer,
    socket: Socket<S>,
    /// Whether the socket is closed.
    is_closed: bool,
    /// The deadline for the socket to be ready again, if it is not.
    ready_by: Option<Duration>,
    /// The time of the next timer.
    timer: Duration,
}

/// The number of bytes after which the socket is asked whether it is ready for more. Messages that are
/// queued later wait for at most this number of bytes.
const BATCH: usize = 32 << 10;

impl<S: Sockets> PolledConnection<S> {
    /// A connection after a meeting on `socket`. `rest` are the first bytes after the meeting.
    pub(super) fn new(
        socket: Socket<S>,
        relay: Option<Place>,
        (met, agreed): Established,
        rest: &[u8],
        timing: Timing,
        now: Duration,
    ) -> Self {
        let mut connection = PolledConnection {
            met: Arc::new(met),
            relay,
            core: Core::new(timing, now),
            incoming: Incoming::new(agreed.opener),
            sealer: agreed.sealer,
            socket,
            is_closed: false,
            ready_by: None,
            timer: now,
        };
        connection.received(rest, now);
        connection
    }

    /// The number of its socket.
    pub fn number(&self) -> u32 {
        self.socket.number()
    }

    /// The network address of the peer. `None` if the connection leads through a relay.
    pub fn at(&self) -> Option<SocketAddr> {
        match self.relay {
            None => self.socket.peer(),
            Some(_) => None,
        }
    }

    /// Processes what has happened to its socket. An error ends the connection;
    /// [`Core::next_message`] returns it after the messages that arrived before.
    pub fn happened(&mut self, what: Happened<'_>, now: Duration) {
        match what {
            Happened::Opened | Happened::Accepted { .. } => {}
            Happened::Received(bytes) => self.received(bytes, now),
            Happened::Ready => self.ready_by = None,
            Happened::Closed(error) => self.end(ConnectionError::Cut(error.kind())),
        }
    }

    /// Ends the connection for the reason `why`, unless it has ended already, and sends nothing more.
    pub(super) fn end(&mut self, why: ConnectionError) {
        self.core.end(why);
        self.socket.close();
        self.is_closed = true;
    }

    fn received(&mut self, mut bytes: &[u8], now: Duration) {
        while !bytes.is_empty() && self.core.ended().is_none() {
            let room = self.incoming.room();
            let (taken, rest) = bytes.split_at(room.len().min(bytes.len()));
            room[..taken.len()].copy_from_slice(taken);
            let core = &mut self.core;
            let frames = self
                .incoming
                .received(taken.len(), |frame| core.received(frame, now));
            if let Err(why) = frames {
                self.core.end(why);
            }
            bytes = rest;
        }
    }

    /// Sends what may be sent now, and acts on the time. Closes the socket if the connection has ended, but
    /// after a goodbye of the peer only when it is [answered](Core::close).
    pub fn flush(&mut self, now: Duration) {
        if !self.is_closed {
            self.timer = self.send_queued(now);
        }
        let is_over = match self.core.ended() {
            None => false,
            Some(ConnectionError::Closed) => self.core.is_flushed() && self.ready_by.is_none(),
            Some(_) => true,
        };
        if is_over {
            self.socket.close();
            self.is_closed = true;
        }
        if self.is_closed {
            self.timer = Duration::MAX;
        }
    }

    /// Sends what may be sent now, and acts on the time. Returns the time of the next timer.
    fn send_queued(&mut self, now: Duration) -> Duration {
        let (mut frames, mut plain) = (Vec::new(), Vec::new());
        let mut accepted_by = Duration::MAX;
        loop {
            if let Some(by) = self.ready_by {
                self.core.tick(now);
                if now >= by {
                    self.end(ConnectionError::Silent);
                }
                return by.min(self.core.next_timer());
            }
            let until = match self.core.next_frame(now, &mut plain) {
                Ok(Task::Send { by }) => {
                    accepted_by = by;
                    self.sealer.seal(&plain, &mut frames);
                    if frames.len() >= BATCH {
                        self.send(&mut frames, by);
                    }
                    continue;
                }
                Ok(Task::Wait { until }) => until,
                // The peer has as long to say goodbye as to send anything.
                Ok(Task::Close) => {
                    self.core.tick(now);
                    self.core.next_timer()
                }
                Err(_) => Duration::MAX,
            };
            self.send(&mut frames, accepted_by);
            return until.min(self.ready_by.unwrap_or(Duration::MAX));
        }
    }

    /// Sends frames, which the peer must accept by this time.
    fn send(&mut self, frames: &mut Vec<u8>, by: Duration) {
        if !self.socket.send(frames) {
            self.ready_by = Some(by);
        }
        frames.clear();
    }

    /// The time at which [`flush`](Self::flush) must be called even if nothing happens.
    /// [`Duration::MAX`] if the connection has ended, unless its last frames wait for the socket.
    pub fn timer(&self) -> Duration {
        self.timer
    }

    /// Whether both sides have said goodbye, and the socket has not accepted that of this side yet. A
    /// connection that is dropped now looks interrupted to the peer.
    pub fn is_answering(&self) -> bool {
        self.core.is_answering() && !self.is_closed
    }
}
