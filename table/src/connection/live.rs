//! A line that lives, as its users see it.

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

/// How long a meeting may take, when a silent line is asked whether it lives, and when it is given
/// up.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// After so long without a word from the other it is asked for one.
    pub ping: Duration,
    /// After so long without a word the line is given up. The other has as long to take a frame.
    pub dead: Duration,
    /// A meeting takes at most so long, from the first byte to the last.
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

/// An encrypted line to somebody whose keys have verified.
pub struct Connection {
    /// One's own seat.
    pub seat: Seat,
    /// The other's keys.
    pub peer: PublicIdentity,
    /// The other's keys and whom they have succeeded, if it came by an invite. Between known peers
    /// nothing is said of that.
    pub succession: Succession,
    /// What the other calls itself.
    pub peer_name: Name,
    /// What no other line has.
    pub handshake_hash: [u8; 32],
    /// What the host said of the match, in its own encoding.
    pub header: Vec<u8>,
    /// The host's nonce and the guest's, for a match that begins on this line.
    pub nonces: [[u8; 32]; 2],
    /// Whether an invite was used here for the first time. By an invite that was used before, and
    /// between known peers, an open match is resumed.
    pub first: bool,
    /// The invite by which the two have met.
    invite: Option<InviteId>,
    /// Where the other is, or its relay.
    pub at: Option<SocketAddr>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Connection {
    /// The line after a meeting.
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

    /// Whether the two have met by this invite.
    pub fn came_by(&self, invite: &Invite) -> bool {
        self.invite == Some(invite.secret.id())
    }

    /// Queues a message on the log's stream. It never waits for the other.
    ///
    /// # Errors
    /// If the line has ended, or the message is empty or longer than [`MAX_MESSAGE`](super::MAX_MESSAGE).
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn send_log(&self, bytes: Vec<u8>) -> Result<(), ConnectionError> {
        self.send(Stream::Log, &bytes)
    }

    /// Queues a control message, which goes before all others. It never waits for the other.
    ///
    /// # Errors
    /// If the line has ended, or the message is empty or longer than 256 KiB.
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

    /// Waits for the next message of control or log. What came before the line ended is given
    /// before the reason why it ended.
    ///
    /// # Errors
    /// [`ConnectionError::TimedOut`] when nothing came; any other is the end of the line.
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

    /// The line as a transport for a session of the engine, of which there is one at a time.
    /// `number` is from 1 on, larger for each session of the line, and the same at both sides: what
    /// the engines say in sessions of other numbers does not reach this one.
    ///
    /// # Errors
    /// [`ConnectionError::EngineInUse`] if the last one was not dropped or had a larger number, and if
    /// the line has ended.
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

    /// How urgent the engine's bytes are from now on.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn set_engine_priority(&self, priority: Priority) {
        self.shared.lock().outbox.set_priority(priority);
        self.shared.wake_writer();
    }

    /// How long nothing was heard of the other. It answers to pings, so a living one is silent for
    /// hardly longer than [`Timing::ping`].
    #[cfg(feature = "internals")]
    pub fn silent_for(&self) -> Duration {
        self.shared.lock().heard.elapsed()
    }

    /// The bytes that this side has sent after the handshake, encryption included.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.sent()
    }

    /// Why the line has ended, if it has.
    pub fn ended(&self) -> Option<ConnectionError> {
        self.shared.lock().ended.clone()
    }

    /// Sends what is queued on control and log, says goodbye and closes the line, waiting no longer
    /// than `within`. Says whether all was handed to the operating system.
    pub fn close(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        state.outbox.bye();
        state.closing = true;
        self.shared.wake_writer();
        // Until the other has closed its end too: with bytes of it unread, closing at once could
        // take back what was sent last.
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
        let mut shown = f.debug_struct("Line");
        shown.field("seat", &self.seat).field("peer", &self.peer);
        shown.field("ended", &self.ended()).finish_non_exhaustive()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.end(ConnectionError::ClosedHere);
        for thread in self.threads.drain(..) {
            // A thread that has panicked has ended the line as well.
            let _ = thread.join();
        }
    }
}
