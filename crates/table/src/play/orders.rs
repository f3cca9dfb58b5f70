//! The interfaces of a seat to its engine and its connection.

use std::io;
use std::sync::Arc;

use dealerless::deck::{self, Share};
use dealerless::shuffle::Randomness;

use super::cost::{Prepared, Spent};
use super::deal_circuit::DealCircuit;
use super::deck::Shuffled;
use crate::seat::Seat;

/// Sends the messages of a seat's log.
pub trait Outbox {
    /// Sends a message to a connected seat.
    ///
    /// # Errors
    /// If the connection is lost.
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()>;
}

/// Collects the messages with their receivers.
impl Outbox for Vec<(Seat, Vec<u8>)> {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()> {
        self.push((to, message));
        Ok(())
    }
}

/// The engine, as a seat uses it. Its results come back as [`Event::Done`], in the sequence of the
/// orders.
pub trait Orders {
    /// Starts the engine of this seat if it was not started.
    ///
    /// # Errors
    /// If the connection has ended.
    fn start(&mut self, _seat: Seat, _circuit: &Arc<DealCircuit>) -> io::Result<()> {
        Ok(())
    }
    /// Gives the engine an order.
    fn order(&mut self, order: Order);
    /// Counts a try that another seat has declared void on this connection as an
    /// [attempt](dealerless::mpc::Attempts) in which the peer could have cheated.
    ///
    /// # Errors
    /// If the try cannot be counted, or too many attempts were counted.
    fn voided(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// No engine: the deck is verifiable, or there is no connection.
pub struct NoEngine;

impl Orders for NoEngine {
    fn order(&mut self, _: Order) {}
}

/// An order to the engine. Both sides give the same orders, in the same order.
pub enum Order {
    /// Shuffle a deck with these seeds. Both sides use this name for the deck.
    Shuffle(Randomness, Vec<u8>),
    /// Reshuffle a hand.
    Reshuffle(Reshuffling),
    /// Do the preprocessing for this number of hands.
    Prepare(u32),
}

/// A hand that the engine has to reshuffle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reshuffling {
    /// The step of the choice that asks for the reshuffle.
    pub step: u64,
    /// The step of the previous choice for which a hand of this deck was reshuffled, if any.
    pub after: Option<u64>,
    /// The positions of the hand's cards.
    pub hand: Vec<usize>,
    /// The other seat's share of the bits that tell whether the seeds of the deck were in range.
    pub validity: Share,
    /// The name that both sides use for the reshuffled hand.
    pub name: Vec<u8>,
}

/// An event for a seat.
pub enum Event {
    /// An encoded message of the log arrived on the connection to this seat. A
    /// host also forwards what its other guests have signed.
    Received(Seat, Vec<u8>),
    /// The engine has executed an order, or has failed.
    Done(Done),
}

/// A result of the engine.
pub enum Done {
    /// The preprocessing is done.
    Prepared(Prepared),
    /// The deck is shuffled, and none of its cards has been opened.
    Shuffled {
        /// The deck.
        deck: Box<dyn Shuffled>,
        /// The cost of the shuffle.
        spent: Spent,
    },
    /// The hand is reshuffled, and none of its cards has been opened.
    Reshuffled {
        /// The step of the choice that asked for the reshuffle.
        step: u64,
        /// The reshuffled hand. The positions of its cards are counted from 0.
        hand: Box<dyn Shuffled>,
    },
    /// The engine's session has failed. No more orders are executed.
    Failed(deck::Error),
}
