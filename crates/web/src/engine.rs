//! The shuffling engine of the seat. The worker runs it in one call, [`run`], which waits for the bytes of
//! the peer while the worker makes other calls.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines, Transport};
use dealerless_connection::{PolledConnection, Priority, SystemRng, system_rng};
use dealerless_seat::run::Input;
use dealerless_table::Seat;
use dealerless_table::play::{Binding, DealCircuit, Done, Engine, Order, SharedAttempts};

use crate::host;
use crate::page::{self, Page};

/// The engine session of a connection.
struct Session {
    /// The number of the connection's socket.
    socket: u32,
    attempts: SharedAttempts,
    stage: Stage,
    orders: VecDeque<Order>,
}

enum Stage {
    /// The seat has not started the engine.
    NotStarted,
    Starts(Binding),
    Ready(Box<Engine<SystemRng>>),
    /// [`run`] has the engine, or the engine has failed.
    Taken,
}

#[derive(Default)]
struct State {
    session: Option<Session>,
    /// Whether [`run`] is in progress.
    runs: bool,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// A session for the connection with this socket, in place of the previous one.
pub(crate) fn attach(socket: u32, attempts: Box<dyn Attempts>) {
    let session = Session {
        socket,
        attempts: SharedAttempts::new(attempts),
        stage: Stage::NotStarted,
        orders: VecDeque::new(),
    };
    drop(STATE.with_borrow_mut(|state| state.session.replace(session)));
}

/// Ends the session, because its connection was lost.
pub(crate) fn detach() {
    drop(STATE.with_borrow_mut(|state| state.session.take()));
}

/// Whether no session counts attempts any more.
pub(crate) fn is_settled() -> bool {
    STATE.with_borrow(|state| state.session.is_none() && !state.runs)
}

/// Whether the worker must start [`run`], or wake it.
pub(crate) fn wants() -> bool {
    STATE.with_borrow(|state| match &state.session {
        _ if state.runs => page::with_connection(current_socket(state), |connection| {
            connection.core.wakes_engine()
        })
        .unwrap_or(true),
        Some(session) => match session.stage {
            Stage::Starts(_) => true,
            Stage::Ready(_) => !session.orders.is_empty(),
            Stage::NotStarted | Stage::Taken => false,
        },
        None => false,
    })
}

fn current_socket(state: &State) -> u32 {
    state.session.as_ref().map_or(0, |session| session.socket)
}

/// Starts the engine on a connection, unless it was started before.
///
/// # Errors
/// If the connection has ended.
pub(crate) fn start(
    connection: &mut PolledConnection<Page>,
    seat: Seat,
    circuit: &Arc<DealCircuit>,
) -> io::Result<()> {
    STATE.with_borrow_mut(|state| {
        let Some(session) = &mut state.session else {
            return Ok(());
        };
        if matches!(session.stage, Stage::NotStarted) {
            connection.core.begin_engine(1)?;
            session.stage = Stage::Starts(Binding {
                seat,
                handshake: connection.met.handshake_hash,
                circuit: Arc::clone(circuit),
                attempts: Box::new(session.attempts.clone()),
                now: host::now,
            });
        }
        Ok(())
    })
}

/// Gives the engine an order.
pub(crate) fn order(order: Order) {
    STATE.with_borrow_mut(|state| {
        if let Some(session) = &mut state.session {
            session.orders.push_back(order);
        }
    });
}

/// Counts an attempt for a run whose outcome the peer has declared void.
///
/// # Errors
/// If no further attempt is allowed, or the count cannot be stored.
pub(crate) fn count_voided() -> io::Result<()> {
    STATE.with_borrow_mut(|state| match &mut state.session {
        Some(session) => session.attempts.begins(Attempt::Run),
        None => Ok(()),
    })
}

/// What [`run`] does next.
enum Job {
    Start(Binding),
    Execute(Box<Engine<SystemRng>>, Order),
}

/// Starts the engine, and executes its orders. Waits for the peer in [`host::engine_wait`].
pub(crate) fn run() {
    if STATE.with_borrow_mut(|state| std::mem::replace(&mut state.runs, true)) {
        return;
    }
    while let Some((socket, job)) = STATE.with_borrow_mut(next_job) {
        let (engine, done) = match job {
            Job::Start(binding) => {
                let stream = EngineStream { socket };
                let channel = Channel::with_clock(stream, Deadlines::default(), host::now);
                match Engine::start(channel, binding, system_rng()) {
                    Ok(engine) => (Some(Box::new(engine)), None),
                    Err(error) => (None, Some(Done::Failed(error))),
                }
            }
            Job::Execute(mut engine, order) => {
                let priority = match order {
                    Order::Prepare(_) => Priority::Pool,
                    _ => Priority::Run,
                };
                page::with_connection(socket, |connection| {
                    connection.core.set_engine_priority(priority);
                });
                match engine.execute(order) {
                    Ok(done) => (Some(engine), Some(done)),
                    Err(error) => (None, Some(Done::Failed(error))),
                }
            }
        };
        if let Some(done) = done {
            let done = Input::EngineDone(socket, done);
            page::with_session(|session| session.input(done, host::now()));
        }
        STATE.with_borrow_mut(|state| match &mut state.session {
            Some(session) if session.socket == socket => {
                session.stage = engine.map_or(Stage::Taken, Stage::Ready);
            }
            // The connection was lost meanwhile.
            _ => {}
        });
    }
    STATE.with_borrow_mut(|state| state.runs = false);
}

fn next_job(state: &mut State) -> Option<(u32, Job)> {
    let session = state.session.as_mut()?;
    let job = match std::mem::replace(&mut session.stage, Stage::Taken) {
        Stage::Starts(binding) => Job::Start(binding),
        Stage::Ready(engine) => match session.orders.pop_front() {
            Some(order) => Job::Execute(engine, order),
            None => {
                session.stage = Stage::Ready(engine);
                return None;
            }
        },
        stage @ (Stage::NotStarted | Stage::Taken) => {
            session.stage = stage;
            return None;
        }
    };
    Some((session.socket, job))
}

/// The connection with this socket as a transport. After the connection was lost, it fails at once.
struct EngineStream {
    socket: u32,
}

impl EngineStream {
    fn with_connection<R>(
        &self,
        work: impl FnOnce(&mut PolledConnection<Page>) -> io::Result<R>,
    ) -> io::Result<R> {
        page::with_connection(self.socket, work).unwrap_or(Err(ErrorKind::ConnectionAborted.into()))
    }
}

impl Transport for EngineStream {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        self.with_connection(|connection| {
            let now = host::now();
            connection.core.send_engine(&bytes, within, now)?;
            connection.flush(now);
            Ok(())
        })
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let deadline = host::now() + within;
        loop {
            let now = host::now();
            let read = self.with_connection(|connection| {
                let read = connection.core.read_engine(buf)?;
                // Reading may allow the peer to send more.
                connection.flush(now);
                Ok(read)
            })?;
            match read {
                Some(count) => return Ok(count),
                None if now >= deadline => return Err(ErrorKind::TimedOut.into()),
                None => host::engine_wait(deadline - now),
            }
        }
    }
}
