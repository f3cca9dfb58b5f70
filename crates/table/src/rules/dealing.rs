//! The positions of the cards, and the cards that everybody has seen.
//!
//! Hole cards are dealt in turn, one to each seat starting with seat 0, then another one to each
//! seat, and so on: card `i` of seat `s` at a table with `n` seats is at position `i * n + s`, even
//! if some seats are not in the hand. The cards after them are the board, or the new cards of an
//! exchange, in the order in which they are needed.

use super::foul::BadCards;
use super::next::Learners;
use crate::seat::Seat;
use dealerless::deck::{Card, Check, Pack};
use std::collections::BTreeMap;

/// The positions of a seat's hole cards.
pub(super) fn hole_cards(seat: Seat, seats: usize, count: usize) -> Vec<usize> {
    (0..count).map(|i| i * seats + seat.index()).collect()
}

/// The cards that everybody has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pack: Pack,
    cards: BTreeMap<usize, Card>,
}

impl Seen {
    /// No card has been seen yet.
    pub(super) fn none(pack: Pack) -> Self {
        Seen {
            pack,
            cards: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, position: usize) -> Option<Card> {
        self.cards.get(&position).copied()
    }

    /// Removes the cards at these positions, which now hold other cards.
    pub(super) fn forget(&mut self, positions: &[usize]) {
        self.cards
            .retain(|position, _| !positions.contains(position));
    }

    /// Adds the cards in `public`. They must be exactly the cards in `due` that are opened to all
    /// seats. `due` is in ascending order.
    pub(super) fn add(
        &mut self,
        due: &[(usize, Learners)],
        public: &[(usize, Card)],
    ) -> Result<(), BadCards> {
        let to_all = due.iter().filter(|(_, to)| *to == Learners::All);
        let mut positions: Vec<usize> = public.iter().map(|&(position, _)| position).collect();
        positions.sort_unstable();
        if !to_all.map(|&(position, _)| position).eq(positions) {
            return Err(BadCards::NotDue);
        }
        let mut cards = self.cards.clone();
        for &(position, card) in public {
            let seen = cards.iter().map(|(&position, &card)| (position, card));
            match self.pack.check((position, card), seen) {
                Ok(()) => {}
                Err(Check::OpenedTwice) => return Err(BadCards::Twice(card)),
                Err(_) => return Err(BadCards::NotInDeck(card)),
            }
            cards.insert(position, card);
        }
        self.cards = cards;
        Ok(())
    }
}
