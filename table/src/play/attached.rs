//! What a table has of a line: the line itself, who listens to it, and the engine on it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::{Channel, Deadlines};

use super::control::Control;
use super::deal_circuit::DealCircuit;
use super::dealer::{Binding, Dealer};
use super::news::Command;
use super::orders::{Event, Order, Orders, Outbox};
use crate::connection::{Connection, ConnectionError, Priority, Stream};
use crate::random::system_rng;
use crate::seat::Seat;

/// How long the thread that listens waits until it looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);
/// What the peer is given to take the last words.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// Messages that came and were not taken in. More stay on the line, where the other has to wait.
const MAX_MESSAGES: usize = 16;
/// Between two looks at whether there is room for another.
const PAUSE: Duration = Duration::from_millis(1);

/// Something for the table.
pub(super) enum Heard<X> {
    /// From the line or the engine.
    Event(Event),
    /// The line has ended.
    Lost(ConnectionError),
    /// Something was said on the control stream.
    Control(Control),
    /// From the player, for this turn if one is named.
    Command(Command, Option<u64>),
    /// For whoever runs the table.
    Posted(X),
}

/// A line in use.
pub(super) struct Attached {
    pub(super) connection: Arc<Connection>,
    engine: Engine,
    ears: Ears,
    listener: JoinHandle<()>,
}

/// The engine on the line.
enum Engine {
    /// It was not started. Its session would count as an attempt of the peer.
    Wanted(Box<dyn Attempts>),
    Runs(Dealer),
    /// It could not be started: the line has ended.
    Gone,
}

/// What the table and its listener share. Dropped by the table, it ends the listener, which would
/// otherwise keep alive a line at which nobody plays.
struct Ears(Arc<Hearing>);

#[derive(Default)]
struct Hearing {
    closed: AtomicBool,
    /// Messages that were not taken in.
    waiting: AtomicUsize,
}

impl Drop for Ears {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
    }
}

impl Outbox for &Connection {
    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.send_log(message).map_err(io::Error::other)
    }
}

/// Where nothing is sent and nobody works: between two lines.
pub(super) struct Nowhere;

impl Outbox for Nowhere {
    fn send(&mut self, _: Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}

impl Orders for Nowhere {
    fn order(&mut self, _: Order) {}
}

/// Before the engine runs nothing is ordered: it is started when the two sides have met.
impl Orders for Attached {
    fn order(&mut self, order: Order) {
        if let Engine::Runs(dealer) = &mut self.engine {
            dealer.order(order);
        }
    }

    fn voided(&mut self) -> io::Result<()> {
        match &mut self.engine {
            Engine::Wanted(attempts) => attempts.begins(Attempt::Run),
            Engine::Runs(dealer) => dealer.voided(),
            Engine::Gone => Ok(()),
        }
    }
}

impl Attached {
    /// Listens. What is heard goes to `sender`, with the number of the line.
    pub(super) fn new<X: Send + 'static>(
        connection: Connection,
        attempts: Box<dyn Attempts>,
        (number, sender): (u64, Sender<(u64, Heard<X>)>),
    ) -> Self {
        let connection = Arc::new(connection);
        let ears = Ears(Arc::default());
        let listener = {
            let (connection, hearing) = (Arc::clone(&connection), Arc::clone(&ears.0));
            let heard = move |heard| sender.send((number, heard)).is_ok();
            thread::spawn(move || listen(&connection, &hearing, heard))
        };
        Attached {
            connection,
            engine: Engine::Wanted(attempts),
            ears,
            listener,
        }
    }

    /// Starts the engine, if it was not started. What it has done goes to `sender`.
    ///
    /// # Errors
    /// If the line has ended.
    pub(super) fn start_engine<X: Send + 'static>(
        &mut self,
        (seat, circuit): (Seat, Arc<DealCircuit>),
        deadlines: Deadlines,
        (number, sender): (u64, Sender<(u64, Heard<X>)>),
    ) -> Result<(), ConnectionError> {
        let attempts = match std::mem::replace(&mut self.engine, Engine::Gone) {
            Engine::Wanted(attempts) => attempts,
            engine => {
                self.engine = engine;
                return Ok(());
            }
        };
        let stream = self.connection.engine(1)?;
        let binding = Binding {
            seat,
            handshake: self.connection.handshake_hash,
            circuit,
            attempts,
        };
        // An engine that waits for its peer does not keep the line.
        let urgency = Arc::downgrade(&self.connection);
        let give_way = move |gives_way| {
            if let Some(connection) = urgency.upgrade() {
                connection.set_engine_priority(match gives_way {
                    true => Priority::Pool,
                    false => Priority::Run,
                });
            }
        };
        let report = move |report| {
            let event = Heard::Event(Event::Done(report));
            sender.send((number, event)).is_ok()
        };
        let channel = Channel::new(stream, deadlines);
        let dealer = Dealer::start(channel, binding, system_rng(), give_way, report);
        self.engine = Engine::Runs(dealer);
        Ok(())
    }

    /// The table takes this in.
    pub(super) fn taken(&self, event: &Event) {
        if let Event::Received(_) = event {
            self.ears.0.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Sends what is queued and ends the line. Says whether the other has taken it: a side says
    /// goodbye only when it has the end of the match too.
    pub(super) fn close(self) -> bool {
        drop(self.ears);
        // The engine ends when nobody orders any more, and lets go of the line.
        drop(self.engine);
        self.listener.join().is_ok()
            && unshared(self.connection).is_some_and(|connection| {
                connection.close(LAST_WORDS) || connection.ended() == Some(ConnectionError::Closed)
            })
    }
}

/// The line, once the engine has let go of it.
fn unshared(mut connection: Arc<Connection>) -> Option<Connection> {
    for _ in 0..LAST_WORDS.as_millis() / LOOK.as_millis() {
        connection = match Arc::try_unwrap(connection) {
            Ok(connection) => return Some(connection),
            Err(shared) => shared,
        };
        thread::sleep(LOOK);
    }
    None
}

fn listen<X>(connection: &Connection, hearing: &Hearing, heard: impl Fn(Heard<X>) -> bool) {
    while !hearing.closed.load(Ordering::Relaxed) {
        if hearing.waiting.load(Ordering::Relaxed) >= MAX_MESSAGES {
            thread::sleep(PAUSE);
            continue;
        }
        let event = match connection.recv(LOOK) {
            Ok(message) if message.stream == Stream::Log => {
                hearing.waiting.fetch_add(1, Ordering::Relaxed);
                Heard::Event(Event::Received(message.bytes))
            }
            Ok(message) => match Control::decode(&message.bytes) {
                Some(control) => Heard::Control(control),
                // A newer program may say more.
                None => continue,
            },
            Err(ConnectionError::TimedOut) => continue,
            Err(error) => Heard::Lost(error),
        };
        let lost = matches!(event, Heard::Lost(_));
        if !heard(event) || lost {
            return;
        }
    }
}
