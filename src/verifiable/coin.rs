//! Coins: random numbers that a threshold of seats makes together, in one step.
//!
//! A coin is the threshold function of Cachin, Kursawe and Shoup (2000). Its point `P` is a hash of the
//! public keys, the hand and the number of the coin. The seats open `P` like a card for all seats, and
//! the partials give `V = xP`, where `x` is the secret of the deck's key. `V` does not depend on the
//! seats that open it, so a seat that goes away changes nothing. Fewer than the threshold of seats
//! cannot tell it from a random point before.

use super::deck::{Decks, Receiver, Slot};
use super::group::{Point, Transcript};
use super::keys::Seats;
use super::partials::{Partial, factor};

/// A coin that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coin {
    /// `V`.
    value: Point,
}

impl Coin {
    /// The coin with this number, from its partials. `None` if the decks have no coins, or if these are
    /// not the partials of a threshold of different seats for this coin.
    pub fn open(decks: &Decks, seats: Seats, number: usize, partials: &[Partial]) -> Option<Self> {
        let slot = Slot {
            deck: decks.coins(),
            position: number,
            receiver: Receiver::All,
        };
        decks.base(&slot)?;
        Some(Coin {
            value: Point::new(factor(seats, &slot, partials)?),
        })
    }

    /// Independent numbers from 0 to `below - 1`, each with the same probability. The same call gives
    /// the same numbers.
    ///
    /// # Panics
    /// If `below` is 0.
    pub fn numbers(&self, below: u32) -> impl Iterator<Item = u32> {
        let hash = Transcript::new("coin faces").point(&self.value);
        uniform(hash.number(below.into()).words(), below)
    }
}

/// The words below the largest multiple of `below`, modulo `below`: the others would make the first
/// numbers more likely.
fn uniform(words: impl Iterator<Item = u32>, below: u32) -> impl Iterator<Item = u32> {
    let count = 1_u64 << 32;
    let limit = count - count % u64::from(below);
    words
        .filter(move |&word| u64::from(word) < limit)
        .map(move |word| word % below)
}

#[cfg(test)]
mod tests;
