//! An established connection.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use dealerless::net::system_time;

use super::carrier::Shared;
use super::core::Timing;
use super::engine_stream::EngineStream;
use super::error::ConnectionError;
use super::invite::{Invite, InviteId};
use super::meeting::Met;
use super::streams::{Message, Priority, Stream};
use crate::identity::{Name, PublicIdentity, Succession};
use crate::seat::Seat;

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
    /// Starts a connection after a meeting on `stream`.
    pub(super) fn new(stream: TcpStream, met: Met, seat: Seat, timing: Timing) -> io::Result<Self> {
        let (at, handshake_hash) = (stream.peer_addr().ok(), met.agreed.handshake_hash);
        let (shared, threads) = Shared::start(stream, met.agreed, timing)?;
        Ok(Connection {
            seat,
            peer: met.peer.current().clone(),
            succession: met.peer,
            peer_name: met.peer_name,
            handshake_hash,
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
        self.shared.lock().core.send(stream, bytes)?;
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
        let deadline = system_time() + within;
        let mut state = self.shared.lock();
        loop {
            match state.core.next_message() {
                Ok(Some(message)) => {
                    self.shared.wake_for_acks(&state.core);
                    return Ok(message);
                }
                Ok(None) => {}
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
        self.shared.lock().core.begin_engine(number)?;
        self.shared.wake_writer();
        Ok(EngineStream::new(Arc::clone(&self.shared)))
    }

    /// Sets the priority of the engine bytes that are queued later. [`Priority::Run`] also applies
    /// to all unsent engine bytes.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn set_engine_priority(&self, priority: Priority) {
        self.shared.lock().core.set_engine_priority(priority);
        self.shared.wake_writer();
    }

    /// The time since the last data from the peer. The peer answers pings, so the time is hardly
    /// longer than [`Timing::ping`].
    #[cfg(feature = "internals")]
    pub fn silent_for(&self) -> Duration {
        self.shared.lock().core.silent_for(system_time())
    }

    /// The number of bytes that this side has sent after the handshake, including encryption.
    pub fn bytes_sent(&self) -> u64 {
        self.shared.sent()
    }

    /// The reason for the end of the connection, if it has ended.
    pub fn ended(&self) -> Option<ConnectionError> {
        self.shared.lock().core.ended().cloned()
    }

    /// Sends the queued control and log messages and closes the connection, within the given time.
    /// Returns whether all these messages were handed to the operating system.
    pub fn close(&self, within: Duration) -> bool {
        let deadline = system_time() + within;
        let mut state = self.shared.lock();
        state.core.close();
        self.shared.wake_writer();
        // Wait until the peer has closed its side too. Closing the socket while received bytes are
        // unread could discard the last bytes that were sent.
        while state.core.ended().is_none() || !state.writer_done {
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
