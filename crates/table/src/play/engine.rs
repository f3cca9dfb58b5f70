//! The shuffling engine. It starts no thread, reads the time only through [`Binding::now`], and waits
//! only for the bytes of its peer, in [`Transport::recv`](dealerless::net::Transport::recv).

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless::circuit::Party;
use dealerless::deck::{self, LiveDeck, UncheckedDeck};
use dealerless::mpc::{Attempt, Attempts, EngineKind, Greeting, Keep, Malicious, Offer};
use dealerless::net::Channel;
use rand::CryptoRng;

use super::cost::{Prepared, Spent};
use super::deal_circuit::DealCircuit;
use super::orders::{Done, Order, Reshuffling};
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

/// The counter of attempts, shared by the engine and its caller, who counts the tries that the peer
/// declares void.
#[derive(Clone)]
pub struct SharedAttempts(Arc<Mutex<Box<dyn Attempts>>>);

impl SharedAttempts {
    /// Shares `attempts`.
    pub fn new(attempts: Box<dyn Attempts>) -> Self {
        SharedAttempts(Arc::new(Mutex::new(attempts)))
    }

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

/// The parameters of an [`Engine`].
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

/// A session with the peer's engine, for programs with and without threads.
pub struct Engine<R, S: Keep = Malicious> {
    session: S,
    circuit: Arc<DealCircuit>,
    last: LastDeck<S::Shared>,
    now: fn() -> Duration,
    rng: R,
}

impl<R: CryptoRng> Engine<R> {
    /// Greets the peer's engine and sets up the session.
    ///
    /// # Errors
    /// The error with which the session has failed.
    pub fn start(channel: Channel, binding: Binding, mut rng: R) -> deck::Result<Self> {
        let offer = Offer::new(role(binding.seat), EngineKind::Malicious)
            .bound_to(&binding.handshake)
            .statistical_security(STATISTICAL_SECURITY)
            .counted_by(binding.attempts);
        let greeting = Greeting::exchange(channel, offer, &mut rng)?;
        let session = Malicious::setup(greeting, &mut rng)?;
        Ok(Self::over(session, binding.circuit, binding.now, rng))
    }
}

impl<R: CryptoRng, S: Keep> Engine<R, S> {
    fn over(session: S, circuit: Arc<DealCircuit>, now: fn() -> Duration, rng: R) -> Self {
        Engine {
            session,
            circuit,
            last: LastDeck {
                unchecked: None,
                live: Vec::new(),
            },
            now,
            rng,
        }
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
                let deck = self.last.deck_for(&order)?;
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
struct LastDeck<B> {
    /// The deck, until its first hand is reshuffled.
    unchecked: Option<UncheckedDeck<B>>,
    /// The decks after the check of the seeds, each with the step of its last steal: the deck
    /// before the last reshuffle, and the deck after it, which the seats may not have sealed.
    live: Vec<(Option<u64>, LiveDeck<B>)>,
}

impl<B: Clone> LastDeck<B> {
    /// Returns the deck whose hand an order reshuffles. Checks the seeds first, if nobody has, and
    /// drops all other decks.
    fn deck_for(&mut self, order: &Reshuffling) -> deck::Result<&LiveDeck<B>> {
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
