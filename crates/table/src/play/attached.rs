//! The state of a connection that a table uses: the connection itself, the thread that listens to
//! it, and the engine on it.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines, system_time};
use dealerless_connection::random::system_rng;
use dealerless_connection::{Connection, ConnectionError, Priority, Stream};

use super::control::Control;
use super::deal_circuit::DealCircuit;
use super::dealer::Dealer;
use super::engine::Binding;
use super::orders::{Done, Event, Order, Orders, Outbox};
use super::table_core::Incoming;
use crate::seat::Seat;

/// How often the listener thread checks whether it is still needed.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Timeout for the peer to receive the last messages.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum number of received messages that the table has not processed. Further messages stay
/// on the connection, and the peer has to wait.
const MAX_MESSAGES: usize = 16;
/// The interval between two checks whether there is room for another message.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// A connection that a table uses, with its listener and its engine.
pub(super) struct Attached {
    pub(super) connection: Arc<Connection>,
    /// The number of the connection. Each connection of a table has another number.
    pub(super) number: u64,
    engine: Engine,
    guard: ListenerGuard,
    listener: JoinHandle<()>,
}

/// The engine on the connection.
enum Engine {
    /// The engine was not started. Its session would count as an attempt of the peer.
    NotStarted(EngineSetting, Report),
    /// The engine is running.
    Running(Dealer),
    /// There is no engine: the deck is verifiable, or the connection ended before the engine
    /// started.
    Absent,
}

/// What the engine of a connection needs.
pub(super) struct EngineSetting {
    /// Counts the sessions of the engine.
    pub(super) attempts: Box<dyn Attempts>,
    pub(super) deadlines: Deadlines,
}

/// Passes a result of the engine to the table. Returns `false` if the table no longer exists.
type Report = Box<dyn Fn(Done) -> bool + Send>;

/// Ends the listener thread when it is dropped. Otherwise the thread would keep alive a connection
/// that nobody uses.
struct ListenerGuard(Arc<ListenerState>);

#[derive(Default)]
struct ListenerState {
    closed: AtomicBool,
    /// The number of received messages that the table has not processed.
    waiting: AtomicUsize,
}

impl Drop for ListenerGuard {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
    }
}

/// The connections to other seats.
pub(super) struct Connections(Vec<(Seat, Arc<Connection>)>);

impl Connections {
    pub(super) fn of(attached: &BTreeMap<Seat, Attached>) -> Self {
        let connections = attached.iter();
        Connections(
            connections
                .map(|(peer, attached)| (*peer, Arc::clone(&attached.connection)))
                .collect(),
        )
    }
}

impl Outbox for Connections {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()> {
        let connection = self.0.iter().find(|(seat, _)| *seat == to);
        let sent = connection.map_or(Ok(()), |(_, connection)| connection.send_log(message));
        sent.map_err(io::Error::other)
    }
}

/// There are no orders before the engine runs, because it starts as soon as both sides have the
/// same log.
impl Orders for Attached {
    fn order(&mut self, order: Order) {
        if let Engine::Running(dealer) = &mut self.engine {
            dealer.order(order);
        }
    }

    fn voided(&mut self) -> io::Result<()> {
        match &mut self.engine {
            Engine::NotStarted(setting, _) => setting.attempts.begins(Attempt::Run),
            Engine::Running(dealer) => dealer.voided(),
            Engine::Absent => Ok(()),
        }
    }

    fn start(&mut self, seat: Seat, circuit: &Arc<DealCircuit>) -> io::Result<()> {
        let (setting, report) = match std::mem::replace(&mut self.engine, Engine::Absent) {
            Engine::NotStarted(setting, report) => (setting, report),
            engine => {
                self.engine = engine;
                return Ok(());
            }
        };
        let stream = self.connection.engine(1).map_err(io::Error::other)?;
        let binding = Binding {
            seat,
            handshake: self.connection.met.handshake_hash,
            circuit: Arc::clone(circuit),
            attempts: setting.attempts,
            now: system_time,
        };
        // An engine that waits for its peer does not keep the connection alive.
        let weak = Arc::downgrade(&self.connection);
        let set_background = move |is_background| {
            if let Some(connection) = weak.upgrade() {
                connection.set_engine_priority(match is_background {
                    true => Priority::Pool,
                    false => Priority::Run,
                });
            }
        };
        let channel = Channel::with_clock(stream, setting.deadlines, system_time);
        let dealer = Dealer::start(channel, binding, system_rng(), set_background, report);
        self.engine = Engine::Running(dealer);
        Ok(())
    }
}

impl Attached {
    /// Starts the listener of the connection to `peer`. Received items and results of the engine go
    /// to `sender`, with the number of the connection. `engine` is `None` if the deck is verifiable.
    pub(super) fn new<X: Send + 'static>(
        peer: Seat,
        connection: Connection,
        engine: Option<EngineSetting>,
        (number, sender): (u64, Sender<(u64, Incoming<X>)>),
    ) -> Self {
        let connection = Arc::new(connection);
        let guard = ListenerGuard(Arc::default());
        let results = sender.clone();
        let report: Report = Box::new(move |done| {
            let event = Incoming::Event(Event::Done(done));
            results.send((number, event)).is_ok()
        });
        let listener = {
            let (connection, state) = (Arc::clone(&connection), Arc::clone(&guard.0));
            let deliver = move |item| sender.send((number, item)).is_ok();
            thread::spawn(move || listen(peer, &connection, &state, deliver))
        };
        Attached {
            connection,
            number,
            engine: engine.map_or(Engine::Absent, |setting| {
                Engine::NotStarted(setting, report)
            }),
            guard,
            listener,
        }
    }

    /// Records that the table processes an item of this connection.
    pub(super) fn processed<X>(&self, item: &Incoming<X>) {
        if let Incoming::Event(Event::Received(..)) = item {
            self.guard.0.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Sends the queued messages and closes the connection. Returns whether the peer has received
    /// all messages. If the peer has closed the connection first, it has them, because a side
    /// closes the connection only after it has received the end of the match.
    pub(super) fn close(self) -> bool {
        drop(self.guard);
        // The engine ends when its order queue is dropped, and releases the connection.
        drop(self.engine);
        self.listener.join().is_ok()
            && unshared(self.connection).is_some_and(|connection| {
                connection.close(CLOSE_TIMEOUT)
                    || connection.ended() == Some(ConnectionError::Closed)
            })
    }
}

/// The connection, once the engine has released it. `None` after a timeout.
fn unshared(mut connection: Arc<Connection>) -> Option<Connection> {
    for _ in 0..CLOSE_TIMEOUT.as_millis() / POLL_INTERVAL.as_millis() {
        connection = match Arc::try_unwrap(connection) {
            Ok(connection) => return Some(connection),
            Err(shared) => shared,
        };
        thread::sleep(POLL_INTERVAL);
    }
    None
}

fn listen<X>(
    peer: Seat,
    connection: &Connection,
    state: &ListenerState,
    deliver: impl Fn(Incoming<X>) -> bool,
) {
    while !state.closed.load(Ordering::Relaxed) {
        if state.waiting.load(Ordering::Relaxed) >= MAX_MESSAGES {
            thread::sleep(RETRY_INTERVAL);
            continue;
        }
        let event = match connection.recv(POLL_INTERVAL) {
            Ok(message) if message.stream == Stream::Log => {
                state.waiting.fetch_add(1, Ordering::Relaxed);
                Incoming::Event(Event::Received(peer, message.bytes))
            }
            Ok(message) => match Control::decode(&message.bytes) {
                Some(control) => Incoming::Control(control),
                // A newer program may send messages that this program does not know.
                None => continue,
            },
            Err(ConnectionError::TimedOut) => continue,
            Err(error) => Incoming::Lost(error),
        };
        let lost = matches!(event, Incoming::Lost(_));
        if !deliver(event) || lost {
            return;
        }
    }
}
