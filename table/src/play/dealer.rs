//! The engine that shuffles, on a thread of its own: people go on playing while it prepares the
//! next hands.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use dealerless::circuit::Party;
use dealerless::deck::{self, KeptDeck, SealedDeck};
use dealerless::mpc::{Attempts, Greeting, Malicious, Offer, Security};
use dealerless::net::{Channel, Deadlines, Transport};
use dealerless::shuffle::{Randomness, ShuffleCircuit};
use rand::CryptoRng;

use crate::seat::Seat;

/// Statistical security of every batch: 40 bits, and 16 more for the attempts that a peer has
/// before its user is asked.
pub const STATISTICAL_SECURITY: u8 = 56;

/// A transport whose traffic can give way to that of the log.
pub trait Yielding: Transport {
    /// Whether what is sent from now on waits for everything else on the same connection.
    fn give_way(&mut self, gives_way: bool);
}

/// How a seat takes part in the engine's sessions: the host garbles.
pub fn role(seat: Seat) -> Party {
    match seat {
        Seat::HOST => Party::Garbler,
        _ => Party::Evaluator,
    }
}

/// What the engine is to do. Both sides order the same, in the same order.
enum Order {
    /// Make ahead what so many hands take.
    Prepare(usize),
    /// Shuffle, with these seeds, a deck of this name.
    Shuffle(Randomness, Vec<u8>),
}

/// What the engine has done.
pub enum Done {
    /// What it was to make ahead is there.
    Prepared,
    /// It has shuffled. Nothing of the deck has been opened.
    Shuffled(Box<KeptDeck>),
    /// Its session is over.
    Failed(deck::Error),
}

/// The engine of one line. It is gone with it.
pub struct Dealer {
    orders: Sender<Order>,
}

/// What the sessions of a [`Dealer`] are bound to.
pub struct Binding {
    /// Whose side this is.
    pub seat: Seat,
    /// The hash of the handshake of the line.
    pub handshake: [u8; 32],
    /// The circuit of the match.
    pub circuit: Arc<ShuffleCircuit>,
    /// Who counts what the peer could cheat in.
    pub attempts: Box<dyn Attempts>,
}

impl Dealer {
    /// Starts the engine. It says hello to the peer's at once, and tells `report` what it has done
    /// from its own thread. `report` says whether anybody still listens.
    pub fn start<T: Yielding + Clone + 'static>(
        transport: T,
        deadlines: Deadlines,
        binding: Binding,
        mut rng: impl CryptoRng + Send + 'static,
        report: impl Fn(Done) -> bool + Send + 'static,
    ) -> Self {
        let (sender, orders) = channel();
        thread::spawn(move || {
            let line = transport.clone();
            let channel = Channel::new(transport, deadlines);
            if let Err(error) = serve(channel, line, binding, &orders, &mut rng, &report) {
                report(Done::Failed(error));
            }
        });
        Dealer { orders: sender }
    }

    /// Orders what so many hands take.
    pub fn prepare(&self, hands: usize) {
        self.order(Order::Prepare(hands));
    }

    /// Orders a shuffle.
    pub fn shuffle(&self, seeds: Randomness, name: Vec<u8>) {
        self.order(Order::Shuffle(seeds, name));
    }

    fn order(&self, order: Order) {
        // An engine that is gone has reported why.
        let _ = self.orders.send(order);
    }
}

fn serve<T: Yielding>(
    channel: Channel<T>,
    mut line: T,
    binding: Binding,
    orders: &Receiver<Order>,
    rng: &mut impl CryptoRng,
    report: &impl Fn(Done) -> bool,
) -> deck::Result<()> {
    let offer = Offer::new(role(binding.seat), Security::Malicious)
        .bound_to(&binding.handshake)
        .statistical_security(STATISTICAL_SECURITY)
        .counted_by(binding.attempts);
    let mut session = Malicious::setup(Greeting::exchange(channel, offer, rng)?, rng)?;
    // Ends when nobody orders any more.
    for order in orders {
        line.give_way(matches!(order, Order::Prepare(_)));
        let done = match order {
            Order::Prepare(hands) => {
                SealedDeck::prepare(&mut session, &binding.circuit, hands)?;
                Done::Prepared
            }
            Order::Shuffle(seeds, name) => {
                let deck = KeptDeck::shuffle(&mut session, &binding.circuit, &seeds, &name)?;
                Done::Shuffled(Box::new(deck))
            }
        };
        if !report(done) {
            break;
        }
    }
    Ok(())
}
