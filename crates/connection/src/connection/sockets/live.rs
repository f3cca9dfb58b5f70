//! An established connection.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::core::Timing;
use super::super::error::ConnectionError;
use super::super::meeting::{Established, Met};
use super::super::streams::{Message, Priority, Stream};
use super::carrier::Shared;
use super::engine_stream::EngineStream;
use crate::identity::Address;

/// An encrypted connection to a peer whose keys have been verified.
pub struct Connection {
    /// What the meeting has established.
    pub met: Met,
    /// The network address of the peer. `None` if the connection came about through a relay.
    pub at: Option<SocketAddr>,
    /// The relay through which the connection came about, if it did.
    pub relay: Option<Address>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Connection {
    /// Starts a connection after a meeting on `stream`, which may lead through a relay.
    pub(super) fn new(
        stream: TcpStream,
        relay: Option<Address>,
        (met, agreed): Established,
        timing: Timing,
    ) -> io::Result<Self> {
        let at = stream.peer_addr().ok().filter(|_| relay.is_none());
        let (shared, threads) = Shared::start(stream, agreed, timing)?;
        Ok(Connection {
            met,
            at,
            relay,
            shared,
            threads,
        })
    }

    /// Queues a message on the log stream. Never waits for the peer.
    ///
    /// # Errors
    /// If the connection has ended, or the message is empty or longer than
    /// [`MAX_MESSAGE`](crate::connection::MAX_MESSAGE).
    pub fn send_log(&self, bytes: Vec<u8>) -> Result<(), ConnectionError> {
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
    pub fn engine(&self, number: u64) -> Result<EngineStream, ConnectionError> {
        self.shared.lock().core.begin_engine(number)?;
        self.shared.wake_writer();
        Ok(EngineStream::new(Arc::clone(&self.shared)))
    }

    /// Sets the priority of the engine bytes that are queued later. [`Priority::Run`] also applies
    /// to all unsent engine bytes.
    pub fn set_engine_priority(&self, priority: Priority) {
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
        shown
            .field("side", &self.met.side)
            .field("peer", &self.met.peer);
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
