//! The shuffling engine, and its thread: the players continue while it prepares the next hands.
//!
//! The engine itself has no thread and no clock. It waits only for the bytes of its peer, in
//! [`Transport::recv`](dealerless::net::Transport::recv).

use std::io;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::deck::{self, LiveDeck, UncheckedDeck};
use dealerless::mpc::{Attempt, Attempts, Greeting, Malicious, Offer, Security};
use dealerless::net::Channel;
use rand::CryptoRng;

use super::cost::{Prepared, Spent};
use super::deal_circuit::DealCircuit;
use super::orders::{Done, Order, Orders, Reshuffling};
use crate::seat::Seat;

/// Statistical security of every batch in bits: 40 bits, and 16 more because a peer has up to 2^16
/// attempts.
pub const STATISTICAL_SECURITY: u8 = 56;

/// The party of a seat in the engine's sessions: the host garbles.
pub fn role(seat: Seat) -> Party {
    match seat {
        Seat::HOST => Party::Garbler,
        _ => Party::Evaluator,
    }
}

/// The engine of one connection. It ends with the connection.
pub struct Dealer {
    orders: Sender<Order>,
    attempts: SharedAttempts,
}

/// The counter of attempts, shared by the engine and its caller.
#[derive(Clone)]
struct SharedAttempts(Arc<Mutex<Box<dyn Attempts>>>);

impl SharedAttempts {
    /// Locks the counter, even if an earlier call has panicked: that call has counted nothing, and
    /// this one may succeed.
    fn lock(&self) -> MutexGuard<'_, Box<dyn Attempts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempts for SharedAttempts {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.lock().begins(attempt)
    }

    fn ends_well(&mut self, attempt: Attempt) {
        self.lock().ends_well(attempt);
    }
}

/// The parameters of a [`Dealer`].
pub struct Binding {
    /// The seat of this side.
    pub seat: Seat,
    /// The hash of the connection's handshake, to which the engine's session is bound.
    pub handshake: [u8; 32],
    /// The circuit of the match.
    pub circuit: Arc<DealCircuit>,
    /// The counter of runs in which the peer could have cheated.
    pub attempts: Box<dyn Attempts>,
    /// The clock that measures the work: the time since any fixed moment.
    pub now: fn() -> Duration,
}

impl Dealer {
    /// Starts the engine on a new thread. The engine greets the peer's engine immediately. It
    /// passes its results to `report`, and ends if `report` returns false. Before each order it
    /// calls `set_background`: with true, all other messages on the connection have priority over
    /// those of the engine.
    pub fn start(
        channel: Channel,
        mut binding: Binding,
        rng: impl CryptoRng + Send + 'static,
        set_background: impl Fn(bool) + Send + 'static,
        report: impl Fn(Done) -> bool + Send + 'static,
    ) -> Self {
        let (sender, orders) = mpsc::channel();
        let attempts = SharedAttempts(Arc::new(Mutex::new(binding.attempts)));
        binding.attempts = Box::new(attempts.clone());
        thread::spawn(move || {
            // The orders end when the `Dealer` is dropped.
            let result = serve(channel, binding, orders, rng, &set_background, &report);
            if let Err(error) = result {
                report(Done::Failed(error));
            }
        });
        Dealer {
            orders: sender,
            attempts,
        }
    }
}

impl Orders for Dealer {
    fn order(&mut self, order: Order) {
        // An engine that has ended has reported why.
        let _ = self.orders.send(order);
    }

    fn voided(&mut self) -> io::Result<()> {
        self.attempts.begins(Attempt::Run)
    }
}

/// Runs an engine that executes `orders`, from any source.
fn serve(
    channel: Channel,
    binding: Binding,
    orders: impl IntoIterator<Item = Order>,
    rng: impl CryptoRng,
    set_background: &impl Fn(bool),
    report: &impl Fn(Done) -> bool,
) -> deck::Result<()> {
    let mut engine = Engine::start(channel, binding, rng)?;
    for order in orders {
        set_background(matches!(order, Order::Prepare(_)));
        if !report(engine.execute(order)?) {
            break;
        }
    }
    Ok(())
}

/// A session with the peer's engine, for programs with and without threads.
pub struct Engine<R> {
    session: Malicious,
    circuit: Arc<DealCircuit>,
    last: LastDeck,
    now: fn() -> Duration,
    rng: R,
}

impl<R: CryptoRng> Engine<R> {
    /// Greets the peer's engine and sets up the session.
    ///
    /// # Errors
    /// The error with which the session has failed.
    pub fn start(channel: Channel, binding: Binding, mut rng: R) -> deck::Result<Self> {
        let offer = Offer::new(role(binding.seat), Security::Malicious)
            .bound_to(&binding.handshake)
            .statistical_security(STATISTICAL_SECURITY)
            .counted_by(binding.attempts);
        let greeting = Greeting::exchange(channel, offer, &mut rng)?;
        Ok(Engine {
            session: Malicious::setup(greeting, &mut rng)?,
            circuit: binding.circuit,
            last: LastDeck::default(),
            now: binding.now,
            rng,
        })
    }

    /// Executes an order.
    ///
    /// # Errors
    /// The error with which the session has failed.
    pub fn execute(&mut self, order: Order) -> deck::Result<Done> {
        let (session, circuit) = (&mut self.session, &self.circuit);
        Ok(match order {
            Order::Prepare(hands) => {
                let prepare = |session: &mut _| circuit.prepare(session, hands as usize);
                let ((), spent) = Spent::measure(session, self.now, prepare)?;
                Done::Prepared(Prepared { hands, spent })
            }
            Order::Shuffle(seeds, name) => {
                let deal = |session: &mut _| circuit.deal(session, &seeds, &name);
                let ((deck, unchecked), spent) = Spent::measure(session, self.now, deal)?;
                self.last = LastDeck {
                    unchecked,
                    live: Vec::new(),
                };
                let deck = Box::new(deck);
                Done::Shuffled { deck, spent }
            }
            Order::Reshuffle(order) => {
                let deck = self.last.before(&order)?;
                let rng = &mut self.rng;
                let (hand, deck) = deck.reshuffle(session, &order.hand, &order.name, rng)?;
                self.last.live.push((Some(order.step), deck));
                Done::Reshuffled {
                    step: order.step,
                    hand: Box::new(hand),
                }
            }
        })
    }
}

/// The last deck that the engine has dealt.
#[derive(Default)]
struct LastDeck {
    /// The deck, until its first hand is reshuffled.
    unchecked: Option<UncheckedDeck>,
    /// The decks after the check of the seeds, each with the step of its last steal: the deck
    /// before the last reshuffle, and the deck after it, which the seats may not have sealed.
    live: Vec<(Option<u64>, LiveDeck)>,
}

impl LastDeck {
    /// The deck whose hand an order reshuffles.
    fn before(&mut self, order: &Reshuffling) -> deck::Result<&LiveDeck> {
        if let Some(unchecked) = self.unchecked.take() {
            self.live
                .push((None, unchecked.check_seeds(&order.validity)?));
        }
        self.live.retain(|(step, _)| *step == order.after);
        let deck = self.live.first().map(|(_, deck)| deck);
        deck.ok_or_else(|| {
            deck::Error::Usage("the cards of an earlier engine session can only be opened".into())
        })
    }
}
