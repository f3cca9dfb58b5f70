//! Runs a program of a player: its state machine on the thread of the sockets, its engine on a thread of its own, and
//! its player on the thread of the caller.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines, system_time};
use dealerless_connection::{
    Core, EngineConnection, EngineStream, Happened, Network, PolledConnection, Priority,
    SocketTask, network, system_rng,
};
use dealerless_seat::command::Said;
use dealerless_seat::event::Event;
use dealerless_seat::run::{Input, Own, Program, SeatWorld, Stored};
use dealerless_seat::seated::Time;
use dealerless_table::Seat;
use dealerless_table::play::{Binding, DealCircuit, Dealer, Order, Orders as _};

use super::files::NativeFiles;

/// The timeout when nothing is due.
const LONG: Duration = Duration::from_secs(3600);
/// The update interval of the time left on a screen.
const SECOND: Duration = Duration::from_secs(1);

/// The world of a seat on this machine.
#[derive(Clone)]
pub struct Native(Arc<Outside>);

struct Outside {
    network: Arc<Network>,
    told: Sender<Told>,
    engine: Mutex<EngineSession>,
    /// The number of sessions of the engine that have not written their final counts.
    sessions: Mutex<usize>,
    settled: Condvar,
    /// The bytes sent on the connection of the engine before it was attached, and the current number.
    sent: Mutex<(u64, Arc<AtomicU64>)>,
    task: OnceLock<Weak<Task>>,
}

/// The player at a seat.
pub trait Player {
    /// Reports an event to the player.
    ///
    /// # Errors
    /// If the player cannot be told anything more: the seat stops.
    fn tell(&mut self, event: &Event) -> anyhow::Result<()>;

    /// The answer of a bot to an event.
    fn answer(&mut self, event: &Event) -> Option<Said>;

    /// Shows the time left for the own turn.
    ///
    /// # Errors
    /// As [`tell`](Self::tell).
    fn show_time(&mut self, _time: Time) -> anyhow::Result<()> {
        Ok(())
    }

    /// The time until the next pending output, if there is any.
    fn due(&self) -> Option<Duration> {
        None
    }

    /// Shows the pending output that is due.
    ///
    /// # Errors
    /// As [`tell`](Self::tell).
    fn show_due(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A message to the thread of the player.
enum Told {
    Event(Box<Event>),
    /// The time left for the own turn.
    Time(Time),
    /// The program has ended.
    Ended(anyhow::Result<()>),
}

/// The engine on the connection of a seat.
enum EngineSession {
    Absent,
    /// Its session would count as an attempt of the peer.
    NotStarted(u32, Box<dyn Attempts>),
    Running(Dealer),
}

/// A program that a thread of the sockets can run.
pub type NativeProgram = Box<dyn Program<Native> + Send>;

/// A program that has not ended, as a task of the sockets.
struct Task {
    world: Native,
    state: Mutex<State>,
    /// Something has changed for the engine, which waits in a thread of its own.
    changed: Condvar,
    is_over: AtomicBool,
    inbox: Mutex<VecDeque<Input<'static>>>,
    /// Whether the time left is shown each second.
    shows_time: bool,
}

#[derive(Default)]
struct State {
    /// `None` once it has ended.
    program: Option<(NativeProgram, Own<Native>)>,
    /// The timer that the event loop has seen last.
    planned: Duration,
    /// When the time left is shown next.
    next_time: Duration,
}

/// The inputs of a program, from any thread.
#[derive(Clone)]
pub struct ProgramInput(Weak<Task>);

impl ProgramInput {
    /// Passes an input to the program. Returns `false` if it does not exist any more.
    pub fn put(&self, input: Input<'static>) -> bool {
        self.0.upgrade().map(|task| task.put(input)).is_some()
    }
}

/// A program that runs. Dropping it drops the program and closes its connections.
pub struct RunningProgram {
    task: Arc<Task>,
    told: Receiver<Told>,
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        self.task.end();
    }
}

/// Begins to run a program of this player. `begin` makes the program; sockets that it takes over lose nothing.
///
/// # Errors
/// That of `begin`, or if the system cannot wait for events of sockets.
pub fn begin(
    shows_time: bool,
    stored: Stored<NativeFiles>,
    begin: impl FnOnce(&Own<Native>, Duration) -> anyhow::Result<NativeProgram>,
) -> anyhow::Result<RunningProgram> {
    let (world, told) = Native::new()?;
    let task = Arc::new(Task {
        world: world.clone(),
        state: Mutex::default(),
        changed: Condvar::new(),
        is_over: AtomicBool::new(false),
        inbox: Mutex::default(),
        shows_time,
    });
    let _ = world.0.task.set(Arc::downgrade(&task));
    let own = Own::new(world.clone(), stored);
    // The program is made under the lock: events of its sockets wait until it can process them.
    let mut state = task.lock();
    world.0.network.add(Arc::clone(&task) as _);
    let begun = begin(&own, system_time()).map(|program| state.program = Some((program, own)));
    drop(state);
    world.0.network.wake();
    let playing = RunningProgram { task, told };
    begun.map(|()| playing)
}

impl Native {
    fn new() -> io::Result<(Self, Receiver<Told>)> {
        let (sender, told) = channel();
        let outside = Outside {
            network: network()?,
            told: sender,
            engine: Mutex::new(EngineSession::Absent),
            sessions: Mutex::new(0),
            settled: Condvar::new(),
            sent: Mutex::default(),
            task: OnceLock::new(),
        };
        Ok((Native(Arc::new(outside)), told))
    }
}

impl RunningProgram {
    /// The inputs of the program.
    pub fn input(&self) -> ProgramInput {
        ProgramInput(Arc::downgrade(&self.task))
    }

    /// Waits until the program has ended, at most this long. There is no player: all events are dropped.
    pub fn wait(self, within: Duration) {
        let deadline = system_time() + within;
        loop {
            let left = deadline.saturating_sub(system_time());
            match self.told.recv_timeout(left) {
                Ok(Told::Ended(_)) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }

    /// Whether the program has ended, and everything is sent.
    pub fn is_over(&self) -> bool {
        self.task.is_over.load(Ordering::Relaxed)
    }

    /// The number of bytes that this seat of a match of two has sent since it sat down on its current connection.
    pub fn sent(&self) -> u64 {
        let (before, sent) = &*locked(&self.task.world.0.sent);
        sent.load(Ordering::Relaxed) - before
    }

    /// Tells the player everything until the program has ended.
    ///
    /// # Errors
    /// If the program has failed, or the player cannot be told anything more.
    pub fn play(&self, player: &mut impl Player) -> anyhow::Result<()> {
        // Once the player cannot be told anything, the program ends.
        let mut failed = None;
        let ended = loop {
            let due = player.due().filter(|_| failed.is_none());
            let told = match self.told.recv_timeout(due.unwrap_or(LONG)) {
                Ok(Told::Ended(ended)) => break ended,
                Ok(told) => Some(told),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(io::Error::from(ErrorKind::BrokenPipe).into());
                }
            };
            if failed.is_none()
                && let Err(error) = self.tell(told, player)
            {
                failed = Some(error);
                let closed = io::Error::from(ErrorKind::BrokenPipe);
                self.task.put(Input::Failed(closed.into()));
            }
        };
        self.until_settled();
        failed.map_or(ended, Err)
    }

    fn tell(&self, told: Option<Told>, player: &mut impl Player) -> anyhow::Result<()> {
        match told {
            Some(Told::Event(event)) => {
                player.tell(&event)?;
                if let Some(said) = player.answer(&event) {
                    let turn = match &*event {
                        Event::YourTurn(turn) => Some(turn.turn),
                        _ => None,
                    };
                    self.task.put(Input::Said(said, turn));
                }
            }
            Some(Told::Time(time)) => player.show_time(time)?,
            Some(Told::Ended(_)) | None => {}
        }
        player.show_due()
    }

    /// Waits until the last session of the engine has written its final counts.
    fn until_settled(&self) {
        const TIMEOUT: Duration = Duration::from_secs(4);
        let outside = &self.task.world.0;
        // The attempts of an engine that does not end in time count as failed.
        let sessions = locked(&outside.sessions);
        let running = |sessions: &mut usize| *sessions > 0;
        drop(
            outside
                .settled
                .wait_timeout_while(sessions, TIMEOUT, running),
        );
    }
}

impl Task {
    /// A panic never leaves the state half changed, so a poisoned lock is still valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues an input. A program that has ended ignores it.
    fn put(&self, input: Input<'static>) {
        locked(&self.inbox).push_back(input);
        self.world.0.network.wake();
    }

    /// Passes an input to the program, if there is one, and the queued inputs. Then does all that is due.
    fn with(&self, first: Option<Input<'_>>, now: Duration) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let Some((program, own)) = &mut state.program else {
            return;
        };
        let first = first.and_then(|input| program.input(own, input, now).err());
        let mut ended = first.map(Err);
        let inputs = std::mem::take(&mut *locked(&self.inbox));
        // Each input is answered before the next one is processed.
        for input in inputs.into_iter().map(Some).chain([None]) {
            if ended.is_some() {
                break;
            }
            let applied = input.map_or(Ok(()), |input| program.input(own, input, now));
            let step = applied.and_then(|()| program.step(own, now));
            ended = step.map(|ended| ended.then_some(())).transpose();
        }
        if let Some(ended) = ended {
            self.is_over.store(true, Ordering::Relaxed);
            state.program = None;
            self.world.detach_engine();
            // The player may be gone.
            let _ = self.world.0.told.send(Told::Ended(ended));
        } else if self.shows_time
            && now >= state.next_time
            && let Some(time) = program.seat().and_then(|seat| seat.own_time())
        {
            state.next_time = now + SECOND;
            let _ = self.world.0.told.send(Told::Time(time.into()));
        }
        drop(guard);
        self.changed.notify_all();
    }

    /// Drops the program.
    fn end(&self) {
        let ended = self.lock().program.take();
        drop(ended);
        self.is_over.store(true, Ordering::Relaxed);
        self.world.detach_engine();
        self.changed.notify_all();
        self.world.0.network.remove(self);
    }
}

impl SocketTask for Task {
    fn has(&self, socket: u32) -> bool {
        let program = &mut self.lock().program;
        (program.as_mut()).is_some_and(|(program, _)| program.has(socket))
    }

    fn happened(&self, socket: u32, what: Happened<'_>, now: Duration) {
        self.with(Some(Input::Socket(socket, what)), now);
    }

    fn step(&self, now: Duration) {
        self.with(None, now);
    }

    fn timer(&self) -> Duration {
        let mut state = self.lock();
        let State {
            program,
            planned,
            next_time,
        } = &mut *state;
        let Some((program, _)) = program else {
            return Duration::MAX;
        };
        let timer = match locked(&self.inbox).is_empty() {
            true => program.timer(system_time()),
            false => Duration::ZERO,
        };
        let seat = program.seat().filter(|_| self.shows_time);
        let shown = seat.is_some_and(|seat| seat.own_time().is_some());
        *planned = if shown { timer.min(*next_time) } else { timer };
        *planned
    }
}

/// A connection of a seat, as its engine uses it.
struct OfSeat {
    task: Weak<Task>,
    connection: u32,
}

impl EngineConnection for OfSeat {
    fn until(
        &self,
        deadline: Duration,
        work: &mut dyn FnMut(&mut Core) -> io::Result<bool>,
    ) -> io::Result<()> {
        let task = self.task.upgrade().ok_or(ErrorKind::ConnectionAborted)?;
        let mut state = task.lock();
        loop {
            let program = state.program.as_mut();
            let connection = program.and_then(|(program, _)| program.connection(self.connection));
            let connection = connection.ok_or(ErrorKind::ConnectionAborted)?;
            if work(&mut connection.core)? {
                connection.flush(system_time());
                let timer = connection.timer();
                let is_earlier = timer < state.planned;
                drop(state);
                if is_earlier {
                    task.world.0.network.wake();
                }
                return Ok(());
            }
            let left = deadline.saturating_sub(system_time());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            let waited = task.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Counts the attempts of a session of the engine. When it is dropped, it first drops `counted`, which writes
/// the final counts.
struct Counted {
    counted: Option<Box<dyn Attempts>>,
    world: Native,
}

impl Attempts for Counted {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        let mut counted = self.counted.iter_mut();
        counted.try_for_each(|counted| counted.begins(attempt))
    }

    fn ends_well(&mut self, attempt: Attempt) {
        let counted = self.counted.iter_mut();
        counted.for_each(|counted| counted.ends_well(attempt));
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.counted = None;
        let outside = &self.world.0;
        *locked(&outside.sessions) -= 1;
        outside.settled.notify_all();
        // The seat may wait for it to make a new connection.
        if let Some(task) = outside.task.get().and_then(Weak::upgrade) {
            task.put(Input::EngineSettled);
        }
    }
}

impl SeatWorld for Native {
    type Sockets = Arc<Network>;
    type Files = NativeFiles;

    const IN_PAGE: bool = false;

    fn sockets(&self) -> &Arc<Network> {
        &self.0.network
    }

    fn report(&self, event: &Event) {
        // The player may be gone.
        let _ = self.0.told.send(Told::Event(Box::new(event.clone())));
    }

    fn attach_engine(&self, connection: u32, attempts: Box<dyn Attempts>) {
        let counted = Counted {
            counted: Some(attempts),
            world: self.clone(),
        };
        *locked(&self.0.sessions) += 1;
        let sent = self.0.network.sent(connection);
        *locked(&self.0.sent) = (sent.load(Ordering::Relaxed), sent);
        let session = EngineSession::NotStarted(connection, Box::new(counted));
        // The drop of the previous one writes its counts.
        let previous = std::mem::replace(&mut *locked(&self.0.engine), session);
        drop(previous);
    }

    fn detach_engine(&self) {
        let previous = std::mem::replace(&mut *locked(&self.0.engine), EngineSession::Absent);
        drop(previous);
    }

    fn is_engine_settled(&self) -> bool {
        let is_attached = !matches!(&*locked(&self.0.engine), EngineSession::Absent);
        !is_attached && *locked(&self.0.sessions) == 0
    }

    fn start_engine(
        &self,
        connection: &mut PolledConnection<Arc<Network>>,
        seat: Seat,
        circuit: &Arc<DealCircuit>,
    ) -> io::Result<()> {
        let mut engine = locked(&self.0.engine);
        let (number, attempts) = match std::mem::replace(&mut *engine, EngineSession::Absent) {
            EngineSession::NotStarted(number, attempts) => (number, attempts),
            other => {
                *engine = other;
                return Ok(());
            }
        };
        connection.core.begin_engine(1)?;
        let task = self.0.task.get().cloned().unwrap_or_default();
        let of_seat = |task: &Weak<Task>| OfSeat {
            task: Weak::clone(task),
            connection: number,
        };
        let binding = Binding {
            seat,
            handshake: connection.met.handshake_hash,
            circuit: Arc::clone(circuit),
            attempts,
            now: system_time,
        };
        let prioritised = of_seat(&task);
        let set_background = move |is_background| {
            let priority = match is_background {
                true => Priority::Pool,
                false => Priority::Run,
            };
            // If the connection was lost, the engine learns it next.
            let _ = prioritised.until(system_time(), &mut |core| {
                core.set_engine_priority(priority);
                Ok(true)
            });
        };
        let stream = EngineStream::new(of_seat(&task));
        let channel = Channel::with_clock(stream, Deadlines::default(), system_time);
        let input = ProgramInput(task);
        let report = move |done| input.put(Input::EngineDone(number, done));
        let dealer = Dealer::start(channel, binding, system_rng(), set_background, report);
        *engine = EngineSession::Running(dealer);
        Ok(())
    }

    fn order_engine(&self, order: Order) {
        if let EngineSession::Running(dealer) = &mut *locked(&self.0.engine) {
            dealer.order(order);
        }
    }

    fn count_voided_run(&self) -> io::Result<()> {
        match &mut *locked(&self.0.engine) {
            EngineSession::NotStarted(_, attempts) => attempts.begins(Attempt::Run),
            EngineSession::Running(dealer) => dealer.voided(),
            EngineSession::Absent => Ok(()),
        }
    }
}

/// Locks a mutex whose value no panic leaves half changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
