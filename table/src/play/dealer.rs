//! The shuffling engine, on its own thread: the players continue while it prepares the next hands.

use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

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
}

impl Dealer {
    /// Starts the engine on a new thread. The engine greets the peer's engine immediately. It
    /// passes its results to `report`, and ends if `report` returns false. Before each order it
    /// calls `set_background`: with true, all other messages on the connection have priority over
    /// those of the engine.
    pub fn start(
        channel: Channel,
        binding: Binding,
        mut rng: impl CryptoRng + Send + 'static,
        set_background: impl Fn(bool) + Send + 'static,
        report: impl Fn(Done) -> bool + Send + 'static,
    ) -> Self {
        let (sender, orders) = mpsc::channel();
        let Binding {
            seat,
            handshake,
            circuit,
            attempts,
        } = binding;
        let shared = SharedAttempts(Arc::new(Mutex::new(attempts)));
        let binding = Binding {
            seat,
            handshake,
            circuit,
            attempts: Box::new(shared.clone()),
        };
        thread::spawn(move || {
            let result = run(
                channel,
                binding,
                &orders,
                &mut rng,
                &set_background,
                &report,
            );
            if let Err(error) = result {
                report(Done::Failed(error));
            }
        });
        Dealer {
            orders: sender,
            attempts: shared,
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

fn run(
    channel: Channel,
    binding: Binding,
    orders: &Receiver<Order>,
    rng: &mut impl CryptoRng,
    set_background: &impl Fn(bool),
    report: &impl Fn(Done) -> bool,
) -> deck::Result<()> {
    let offer = Offer::new(role(binding.seat), Security::Malicious)
        .bound_to(&binding.handshake)
        .statistical_security(STATISTICAL_SECURITY)
        .counted_by(binding.attempts);
    let mut session = Malicious::setup(Greeting::exchange(channel, offer, rng)?, rng)?;
    let mut last = LastDeck::default();
    // The loop ends when the `Dealer` is dropped.
    for order in orders {
        set_background(matches!(order, Order::Prepare(_)));
        let done = match order {
            Order::Prepare(hands) => {
                let prepare = |session: &mut _| binding.circuit.prepare(session, hands as usize);
                let ((), spent) = Spent::measure(&mut session, prepare)?;
                Done::Prepared(Prepared { hands, spent })
            }
            Order::Shuffle(seeds, name) => {
                let deal = |session: &mut _| binding.circuit.deal(session, &seeds, &name);
                let ((deck, unchecked), spent) = Spent::measure(&mut session, deal)?;
                last = LastDeck {
                    unchecked,
                    live: Vec::new(),
                };
                let deck = Box::new(deck);
                Done::Shuffled { deck, spent }
            }
            Order::Reshuffle(order) => {
                let deck = last.before(&order)?;
                let (hand, deck) = deck.reshuffle(&mut session, &order.hand, &order.name, rng)?;
                last.live.push((Some(order.step), deck));
                Done::Reshuffled {
                    step: order.step,
                    hand: Box::new(hand),
                }
            }
        };
        if !report(done) {
            break;
        }
    }
    Ok(())
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
