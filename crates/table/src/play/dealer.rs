//! The thread of the engine: the players continue while it prepares the next hands.

use std::io;
use std::sync::mpsc::{self, Sender};
use std::thread;

use dealerless::deck;
use dealerless::mpc::{Attempt, Attempts};
use dealerless::net::Channel;
use rand::CryptoRng;

use super::engine::{Binding, Engine, SharedAttempts};
use super::orders::{Done, Order, Orders};

/// The engine of one connection. It ends with the connection.
pub struct Dealer {
    orders: Sender<Order>,
    attempts: SharedAttempts,
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
        let attempts = SharedAttempts::new(binding.attempts);
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
