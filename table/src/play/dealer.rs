//! The engine that shuffles, on a thread of its own: people go on playing while it prepares the
//! next hands.

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

/// Statistical security of every batch: 40 bits, and 16 more for the attempts that a peer has
/// before its user is asked.
pub const STATISTICAL_SECURITY: u8 = 56;

/// How a seat takes part in the engine's sessions: the host garbles.
pub fn role(seat: Seat) -> Party {
    match seat {
        Seat::HOST => Party::Garbler,
        _ => Party::Evaluator,
    }
}

/// The engine of one line. It is gone with it.
pub struct Dealer {
    orders: Sender<Order>,
    attempts: Counting,
}

/// Who counts the attempts, for the engine and for those who order it.
#[derive(Clone)]
struct Counting(Arc<Mutex<Box<dyn Attempts>>>);

impl Counting {
    /// A count that panics has not counted: the next one may.
    fn lock(&self) -> MutexGuard<'_, Box<dyn Attempts>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempts for Counting {
    fn begins(&mut self, attempt: Attempt) -> io::Result<()> {
        self.lock().begins(attempt)
    }

    fn ends_well(&mut self, attempt: Attempt) {
        self.lock().ends_well(attempt);
    }
}

/// What the sessions of a [`Dealer`] are bound to.
pub struct Binding {
    /// Whose side this is.
    pub seat: Seat,
    /// The hash of the handshake of the line.
    pub handshake: [u8; 32],
    /// The circuit of the match.
    pub circuit: Arc<DealCircuit>,
    /// Who counts what the peer could cheat in.
    pub attempts: Box<dyn Attempts>,
}

impl Dealer {
    /// Starts the engine. It says hello to the peer's at once, and tells `report` what it has done
    /// from its own thread; `report` says whether anybody still listens. `give_way` is told whether
    /// what the engine sends from now on can wait for everything else on the line.
    pub fn start(
        channel: Channel,
        binding: Binding,
        mut rng: impl CryptoRng + Send + 'static,
        give_way: impl Fn(bool) + Send + 'static,
        report: impl Fn(Done) -> bool + Send + 'static,
    ) -> Self {
        let (sender, orders) = mpsc::channel();
        let Binding {
            seat,
            handshake,
            circuit,
            attempts,
        } = binding;
        let counting = Counting(Arc::new(Mutex::new(attempts)));
        let binding = Binding {
            seat,
            handshake,
            circuit,
            attempts: Box::new(counting.clone()),
        };
        thread::spawn(move || {
            let served = serve(channel, binding, &orders, &mut rng, &give_way, &report);
            if let Err(error) = served {
                report(Done::Failed(error));
            }
        });
        Dealer {
            orders: sender,
            attempts: counting,
        }
    }
}

impl Orders for Dealer {
    fn order(&mut self, order: Order) {
        // An engine that is gone has reported why.
        let _ = self.orders.send(order);
    }

    fn voided(&mut self) -> io::Result<()> {
        self.attempts.begins(Attempt::Run)
    }
}

fn serve(
    channel: Channel,
    binding: Binding,
    orders: &Receiver<Order>,
    rng: &mut impl CryptoRng,
    give_way: &impl Fn(bool),
    report: &impl Fn(Done) -> bool,
) -> deck::Result<()> {
    let offer = Offer::new(role(binding.seat), Security::Malicious)
        .bound_to(&binding.handshake)
        .statistical_security(STATISTICAL_SECURITY)
        .counted_by(binding.attempts);
    let mut session = Malicious::setup(Greeting::exchange(channel, offer, rng)?, rng)?;
    let mut dealt = Dealt::default();
    // Ends when nobody orders any more.
    for order in orders {
        give_way(matches!(order, Order::Prepare(_)));
        let done = match order {
            Order::Prepare(hands) => {
                let prepare = |session: &mut _| binding.circuit.prepare(session, hands as usize);
                let ((), spent) = Spent::measure(&mut session, prepare)?;
                Done::Prepared(Prepared { hands, spent })
            }
            Order::Shuffle(seeds, name) => {
                let deal = |session: &mut _| binding.circuit.deal(session, &seeds, &name);
                let ((deck, unchecked), spent) = Spent::measure(&mut session, deal)?;
                dealt = Dealt {
                    unchecked,
                    live: Vec::new(),
                };
                let deck = Box::new(deck);
                Done::Shuffled { deck, spent }
            }
            Order::Reshuffle(order) => {
                let deck = dealt.before(&order)?;
                let (hand, deck) = deck.reshuffle(&mut session, &order.hand, &order.name, rng)?;
                dealt.live.push((Some(order.step), deck));
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
struct Dealt {
    /// The deck, until the first hand of it is shuffled again.
    unchecked: Option<UncheckedDeck>,
    /// The deck once its seeds have been checked: as it lies, and as it would lie after the last hand that
    /// was shuffled again, which the seats may not have sealed. By the step of the choice.
    live: Vec<(Option<u64>, LiveDeck)>,
}

impl Dealt {
    /// The deck from which this order takes its hand.
    fn before(&mut self, order: &Reshuffling) -> deck::Result<&LiveDeck> {
        if let Some(unchecked) = self.unchecked.take() {
            self.live
                .push((None, unchecked.check_seeds(&order.validity)?));
        }
        self.live.retain(|(step, _)| *step == order.after);
        let deck = self.live.first().map(|(_, deck)| deck);
        deck.ok_or_else(|| {
            deck::Error::Usage("the cards of an earlier engine can only be opened".into())
        })
    }
}
