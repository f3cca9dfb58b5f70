//! An established connection.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::carrier::Shared;
use super::engine_stream::EngineStream;
use super::error::ConnectionError;
use super::invite::{Invite, InviteId};
use super::meeting::Met;
use super::streams::{Message, Priority, Stream};
use crate::identity::{Name, PublicIdentity, Succession};
use crate::seat::Seat;

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

/// An encrypted connection to a peer whose keys have been verified.
pub struct Connection {
    /// The seat of this side.
    pub seat: Seat,
    /// The keys of the peer.
    pub peer: PublicIdentity,
    /// The keys of the peer. If the players met by an invite, also the past keys that these keys
    /// have succeeded. Known peers do not exchange past keys.
    pub succession: Succession,
    /// The name that the peer chose.
    pub peer_name: Name,
    /// The hash of the Noise handshake. It is unique to this connection.
    pub handshake_hash: [u8; 32],
    /// The host's description of the match, encoded by the caller.
    pub header: Vec<u8>,
    /// The nonces of the host and of the guest, for a match that starts on this connection.
    pub nonces: [[u8; 32]; 2],
    /// Whether this meeting was the first use of an invite. If not, an unfinished match with the
    /// peer is resumed.
    pub first: bool,
    /// The invite by which the players met. `None` for known peers.
    invite: Option<InviteId>,
    /// The network address of the peer or of its relay.
    pub at: Option<SocketAddr>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Connection {
    /// Starts a connection after a meeting.
    pub(super) fn new(met: Met, seat: Seat, timing: Timing) -> io::Result<Self> {
        let stream = met.socket.into_stream();
        let at = stream.peer_addr().ok();
        let (shared, threads) =
            Shared::start(stream, met.agreed.opener, met.agreed.sealer, timing)?;
        Ok(Connection {
            seat,
            peer: met.peer.current().clone(),
            succession: met.peer,
            peer_name: met.peer_name,
            handshake_hash: met.agreed.handshake_hash,
            header: met.header,
            nonces: met.nonces,
            first: met.first,
            invite: met.invite,
            at,
            shared,
            threads,
        })
    }

    /// Whether the players met by this invite.
    pub fn came_by(&self, invite: &Invite) -> bool {
        self.invite == Some(invite.secret.id())
    }

    /// Queues a message on the log stream. Never waits for the peer.
    ///
    /// # Errors
    /// If the connection has ended, or the message is empty or longer than
    /// [`MAX_MESSAGE`](super::MAX_MESSAGE).
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn send_log(&self, bytes: Vec<u8>) -> Result<(), ConnectionError> {
        self.send(Stream::Log, &bytes)
    }

    /// Queues a control message. It is sent before queued log messages and engine bytes. Never
    /// waits for the peer.
    ///
    /// # Errors
    /// If the connection has ended, or the message is empty or longer than 256 KiB.
    pub fn send_control(&self, bytes: Vec<u8>) -> Result<(), ConnectionError> {
        self.send(Stream::Control, &bytes)
    }

    fn send(&self, stream: Stream, bytes: &[u8]) -> Result<(), ConnectionError> {
        let mut state = self.shared.lock();
        state.check()?;
        state.outbox.message(stream, bytes)?;
        self.shared.wake_writer();
        Ok(())
    }

    /// Waits for the next control or log message. If the connection has ended, first returns the
    /// messages that arrived before, then the reason for the end.
    ///
    /// # Errors
    /// [`ConnectionError::TimedOut`] if nothing arrived in time. Any other error is the reason for
    /// the end of the connection.
    pub fn recv(&self, within: Duration) -> Result<Message, ConnectionError> {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        loop {
            match state.next_message() {
                Ok(Some(message)) => {
                    self.shared.acknowledge(&mut state);
                    return Ok(message);
                }
                Ok(None) => state.check()?,
                Err(error) => {
                    drop(state);
                    self.shared.end(error.clone());
                    return Err(error);
                }
            }
            state = self
                .shared
                .wait(state, deadline)
                .ok_or(ConnectionError::TimedOut)?;
        }
    }

    /// Returns a transport for a session of the engine. There is only one session at a time. The
    /// numbers of a connection's sessions increase, from 1. Both sides must use the same `number`:
    /// the transport receives only bytes of the peer's session with this number.
    ///
    /// # Errors
    /// [`ConnectionError::EngineInUse`] if the last session was not dropped, or its number was not
    /// smaller. Otherwise the reason for the end of the connection.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn engine(&self, number: u64) -> Result<EngineStream, ConnectionError> {
        let mut state = self.shared.lock();
        state.check()?;
        if state.engine_in_use || number <= state.last_engine {
            return Err(ConnectionError::EngineInUse);
        }
        state.engine_in_use = true;
        state.last_engine = number;
        state.outbox.begin_engine(number);
        state.inbox.want_from(number);
        self.shared.acknowledge(&mut state);
        self.shared.wake_writer();
        Ok(EngineStream::new(Arc::clone(&self.shared), number))
    }

    /// Sets the priority of the engine bytes that are queued later. [`Priority::Run`] also applies
    /// to all unsent engine bytes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn set_engine_priority(&self, priority: Priority) {
        self.shared.lock().outbox.set_priority(priority);
        self.shared.wake_writer();
    }

    /// The time since the last data from the peer. The peer answers pings, so the time is hardly
    /// longer than [`Timing::ping`].
    #[cfg(feature = "internals")]
    pub fn silent_for(&self) -> Duration {
        self.shared.lock().last_received.elapsed()
    }

    /// The number of bytes that this side has sent after the handshake, including encryption.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.sent()
    }

    /// The reason for the end of the connection, if it has ended.
    pub fn ended(&self) -> Option<ConnectionError> {
        self.shared.lock().ended.clone()
    }

    /// Sends the queued control and log messages and closes the connection, within the given time.
    /// Returns whether all these messages were handed to the operating system.
    pub fn close(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        state.outbox.bye();
        state.closing = true;
        self.shared.wake_writer();
        // Wait until the peer has closed its side too. Closing the socket while received bytes are
        // unread could discard the last bytes that were sent.
        while state.ended.is_none() || !state.writer_done {
            match self.shared.wait(state, deadline) {
                Some(next) => state = next,
                None => return self.shared.lock().flushed,
            }
        }
        state.flushed
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Connection");
        shown.field("seat", &self.seat).field("peer", &self.peer);
        shown.field("ended", &self.ended()).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.end(ConnectionError::ClosedHere);
        for thread in self.threads.drain(..) {
            // A panic of the thread is ignored.
            let _ = thread.join();
        }
    }
}
