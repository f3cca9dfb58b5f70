//! An established connection.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless::net::system_time;

use crate::{
    ConnectionError, Core, EngineConnection, EngineStream, Happened, Message, Met, Network,
    PolledConnection, Priority, SocketTask, Stream,
};

/// An encrypted connection to a peer whose keys have been verified.
pub struct Connection {
    /// What the meeting has established.
    pub met: Arc<Met>,
    /// The network address of the peer. `None` if the connection came about through a relay.
    pub at: Option<SocketAddr>,
    shared: Arc<Shared>,
}

/// A connection that the thread of the sockets shares with its users.
struct Shared {
    network: Arc<Network>,
    socket: u32,
    state: Mutex<State>,
    /// Tells the users that data arrived or was sent, or that the connection ended.
    changed: Condvar,
}

struct State {
    /// `None` once [`Connection::into_polled`] has returned it.
    connection: Option<PolledConnection<Arc<Network>>>,
    /// The timer that the event loop has seen last.
    planned: Duration,
}

impl State {
    /// The messages, engine bytes, limits and deadlines.
    ///
    /// # Errors
    /// If the connection was taken.
    fn core(&mut self) -> Result<&mut Core, ConnectionError> {
        let connection = self.connection.as_mut();
        let connection = connection.ok_or(ConnectionError::ClosedHere)?;
        Ok(&mut connection.core)
    }
}

impl Shared {
    fn new(network: &Arc<Network>, connection: PolledConnection<Arc<Network>>) -> Arc<Self> {
        let socket = connection.number();
        let shared = Arc::new(Shared {
            network: Arc::clone(network),
            socket,
            state: Mutex::new(State {
                connection: Some(connection),
                planned: Duration::ZERO,
            }),
            changed: Condvar::new(),
        });
        network.add(Arc::clone(&shared) as _);
        shared
    }

    /// Locks the state. A panic never leaves the state half changed, so a poisoned lock is still
    /// valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `changed` is notified or the deadline is reached. `None` if the deadline has
    /// passed.
    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        deadline: Duration,
    ) -> Option<MutexGuard<'a, State>> {
        let left = deadline.saturating_sub(system_time());
        if left.is_zero() {
            return None;
        }
        let waited = self.changed.wait_timeout(state, left);
        Some(waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// Sends what may be sent now.
    fn flush(&self, state: &mut State) {
        if let Some(connection) = &mut state.connection {
            connection.flush(system_time());
            if connection.timer() < state.planned {
                self.network.wake();
            }
        }
        self.changed.notify_all();
    }

    /// Ends the connection here.
    fn end(&self) {
        let ended = self.lock().connection.take();
        drop(ended);
        self.changed.notify_all();
    }
}

impl EngineConnection for Arc<Shared> {
    fn until(
        &self,
        deadline: Duration,
        work: &mut dyn FnMut(&mut Core) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut state = self.lock();
        while !work(state.core()?)? {
            state = self.wait(state, deadline).ok_or(io::ErrorKind::TimedOut)?;
        }
        self.flush(&mut state);
        Ok(())
    }
}

impl SocketTask for Shared {
    fn has(&self, socket: u32) -> bool {
        socket == self.socket && self.lock().connection.is_some()
    }

    fn happened(&self, socket: u32, what: Happened<'_>, now: Duration) {
        let mut state = self.lock();
        let Some(connection) = &mut state.connection else {
            drop(state);
            // It was taken meanwhile. Its new task has it.
            return self.network.tell(socket, what, now);
        };
        connection.happened(what, now);
        connection.flush(now);
        self.changed.notify_all();
    }

    fn step(&self, now: Duration) {
        if let Some(connection) = &mut self.lock().connection {
            connection.flush(now);
        }
        self.changed.notify_all();
    }

    fn timer(&self) -> Duration {
        let mut state = self.lock();
        let connection = state.connection.as_ref();
        state.planned = connection.map_or(Duration::MAX, PolledConnection::timer);
        state.planned
    }
}

impl Connection {
    /// A connection that a test can wait for, from one that a task of the sockets has used.
    pub(super) fn new(network: &Arc<Network>, connection: PolledConnection<Arc<Network>>) -> Self {
        Connection {
            met: Arc::clone(&connection.met),
            at: connection.at(),
            shared: Shared::new(network, connection),
        }
    }

    /// Queues a message on the log stream. Never waits for the peer.
    ///
    /// # Errors
    /// If the connection has ended, or the message is empty or longer than
    /// [`MAX_MESSAGE`](crate::MAX_MESSAGE).
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
        let mut state = self.shared.lock();
        state.core()?.send(stream, bytes)?;
        self.shared.flush(&mut state);
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
            match state.core()?.next_message() {
                Ok(Some(message)) => {
                    // Acknowledges it.
                    self.shared.flush(&mut state);
                    return Ok(message);
                }
                Ok(None) => {}
                Err(error) => {
                    self.shared.flush(&mut state);
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
    pub fn engine(
        &self,
        number: u64,
    ) -> Result<EngineStream<impl EngineConnection + use<>>, ConnectionError> {
        let mut state = self.shared.lock();
        state.core()?.begin_engine(number)?;
        self.shared.flush(&mut state);
        drop(state);
        Ok(EngineStream::new(Arc::clone(&self.shared)))
    }

    /// Sets the priority of the engine bytes that are queued later. [`Priority::Run`] also applies
    /// to all unsent engine bytes.
    pub fn set_engine_priority(&self, priority: Priority) {
        let mut state = self.shared.lock();
        if let Ok(core) = state.core() {
            core.set_engine_priority(priority);
        }
        self.shared.flush(&mut state);
    }

    /// The time since the last data from the peer. The peer answers pings, so the time is hardly
    /// longer than [`Timing::ping`].
    pub fn silent_for(&self) -> Duration {
        let mut state = self.shared.lock();
        let core = state.core();
        core.map_or(Duration::MAX, |core| core.silent_for(system_time()))
    }

    /// The reason for the end of the connection, if it has ended.
    pub fn ended(&self) -> Option<ConnectionError> {
        match self.shared.lock().core() {
            Ok(core) => core.ended().cloned(),
            Err(taken) => Some(taken),
        }
    }

    /// Sends the queued control and log messages, and [closes](Core::close) the connection within the given
    /// time. Returns whether the peer has closed it, too: then the peer needs no message that this side has
    /// sent, because it has processed all of them, or has closed the connection first.
    pub fn close(&self, within: Duration) -> bool {
        let deadline = system_time() + within;
        let mut state = self.shared.lock();
        if let Ok(core) = state.core() {
            core.close();
        }
        self.shared.flush(&mut state);
        let is_open = |state: &mut MutexGuard<'_, State>| {
            let connection = state.connection.as_ref();
            connection.is_some_and(|connection| {
                connection.core.ended().is_none() || connection.is_answering()
            })
        };
        let mut state = Some(state);
        while let Some(open) = state.take_if(is_open) {
            state = self.shared.wait(open, deadline);
        }
        drop(state);
        self.ended() == Some(ConnectionError::Closed)
    }

    /// The connection without its lock and its waiting, for the [`SocketTask`] that uses it from now on: the network
    /// must have this task already, and [`SocketTask::has`] must wait until the task has the connection. `None` only
    /// if it was taken before.
    pub fn into_polled(self) -> Option<PolledConnection<Arc<Network>>> {
        self.shared.lock().connection.take()
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
        self.shared.end();
        self.shared.network.remove(&*self.shared);
    }
}
