//! A caller that waits for the result of a state machine on sockets.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless::net::system_time;

use crate::{Happened, Network, SocketTask, network};

/// A state machine on sockets of this process that returns one result. The thread of the sockets calls these
/// functions, until one of them returns the result or an error.
pub(super) trait Machine: Send {
    /// The result.
    type Made;
    /// The error.
    type Error: Send;

    /// Whether it uses this socket or listener.
    fn has(&self, socket: u32) -> bool;

    /// Something has happened to one of its sockets.
    ///
    /// # Errors
    /// It cannot continue.
    fn happened(
        &mut self,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<Self::Made>, Self::Error>;

    /// Acts on the time.
    ///
    /// # Errors
    /// It cannot continue.
    fn step(&mut self, now: Duration) -> Result<Option<Self::Made>, Self::Error>;

    /// The time at which [`step`](Self::step) must be called.
    fn timer(&self) -> Duration;
}

struct Waiting<M: Machine, R> {
    state: Mutex<State<M, R>>,
    is_over: Condvar,
    /// Makes the result while no further event of a socket is processed.
    finish: fn(&Arc<Network>, M::Made) -> R,
    network: Arc<Network>,
}

enum State<M: Machine, R> {
    Begins,
    Runs(M),
    Over(Result<R, M::Error>),
    Taken,
}

/// Runs a machine until it has a result. `begin` makes the machine. `finish` makes the result of what the machine has made, while no
/// further event of a socket is processed.
///
/// # Errors
/// That of the machine. `failed` is the error if there are no sockets.
pub(super) fn wait_for<M: Machine + 'static, R: Send + 'static>(
    begin: impl FnOnce(&Arc<Network>, Duration) -> Result<M, M::Error>,
    finish: fn(&Arc<Network>, M::Made) -> R,
    failed: impl FnOnce(io::Error) -> M::Error,
) -> Result<R, M::Error> {
    let network = network().map_err(failed)?;
    let waiting = Arc::new(Waiting {
        state: Mutex::new(State::Begins),
        is_over: Condvar::new(),
        finish,
        network: Arc::clone(&network),
    });
    // The machine is made under the lock: events of its sockets wait until it can process them.
    let mut state = waiting.lock();
    let task: Arc<dyn SocketTask> = Arc::clone(&waiting) as _;
    network.add(Arc::clone(&task));
    match begin(&network, system_time()) {
        Ok(machine) => *state = State::Runs(machine),
        Err(error) => *state = State::Over(Err(error)),
    }
    drop(state);
    network.wake();
    let mut state = waiting.lock();
    let result = loop {
        match std::mem::replace(&mut *state, State::Taken) {
            State::Over(result) => break result,
            other => *state = other,
        }
        state = (waiting.is_over.wait(state)).unwrap_or_else(PoisonError::into_inner);
    };
    drop(state);
    network.remove(&*task);
    result
}

impl<M: Machine, R> Waiting<M, R> {
    fn lock(&self) -> MutexGuard<'_, State<M, R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(
        &self,
        mut state: MutexGuard<'_, State<M, R>>,
        work: impl FnOnce(&mut M) -> Result<Option<M::Made>, M::Error>,
    ) {
        let State::Runs(machine) = &mut *state else {
            return;
        };
        if let Some(made) = work(machine).transpose() {
            let result = made.map(|made| (self.finish)(&self.network, made));
            let ended = std::mem::replace(&mut *state, State::Over(result));
            drop(state);
            drop(ended);
            self.is_over.notify_all();
        }
    }
}

impl<M: Machine + 'static, R: Send + 'static> SocketTask for Waiting<M, R> {
    fn has(&self, socket: u32) -> bool {
        matches!(&*self.lock(), State::Runs(machine) if machine.has(socket))
    }

    fn happened(&self, socket: u32, what: Happened<'_>, now: Duration) {
        let state = self.lock();
        if !matches!(&*state, State::Runs(_)) {
            drop(state);
            // The machine has ended meanwhile. The next user of its connection has the socket.
            return self.network.tell(socket, what, now);
        }
        self.with(state, |machine| machine.happened(socket, what, now));
    }

    fn step(&self, now: Duration) {
        self.with(self.lock(), |machine| machine.step(now));
    }

    fn timer(&self) -> Duration {
        match &*self.lock() {
            State::Runs(machine) => machine.timer(),
            _ => Duration::MAX,
        }
    }
}
