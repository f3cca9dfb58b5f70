//! Which cards lie where, and who opens them.
//!
//! Hole cards are dealt in turn, one to each seat from seat 0 on and then the next: card `i` of seat
//! `s` at a table for `n` lies at position `i * n + s`, also if a seat is not in the hand. The cards
//! behind them are the board, or what an exchange brings, in the order in which they are needed.

use super::foul::BadCards;
use super::next::{Learners, Opening};
use crate::seat::Seat;
use dealerless::deck::{Card, Check, Pack};
use std::collections::BTreeMap;

/// The positions of a seat's hole cards.
pub(super) fn hole_cards(seat: Seat, seats: usize, count: usize) -> Vec<usize> {
    (0..count).map(|i| i * seats + seat.index()).collect()
}

/// The openings that let each learner see its card: everybody else says its share. Only `openers`
/// speak, and who has nothing to say is not asked.
pub(super) fn openings(
    cards: &[(usize, Learners)],
    openers: impl Iterator<Item = Seat>,
) -> Vec<Opening> {
    let mut cards = cards.to_vec();
    cards.sort_unstable();
    let by = |opener| {
        let not_its_own = |&&(_, to): &&(usize, Learners)| to != Learners::Seat(opener);
        let cards: Vec<_> = cards.iter().filter(not_its_own).copied().collect();
        Opening { opener, cards }
    };
    openers
        .map(by)
        .filter(|opening| !opening.cards.is_empty())
        .collect()
}

/// The cards that everybody has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pack: Pack,
    cards: BTreeMap<usize, Card>,
}

impl Seen {
    /// None yet of what is dealt.
    pub(super) fn none(pack: Pack) -> Self {
        Seen {
            pack,
            cards: BTreeMap::new(),
        }
    }

    pub(super) fn get(&self, position: usize) -> Option<Card> {
        self.cards.get(&position).copied()
    }

    /// Other cards lie at these positions now.
    pub(super) fn forget(&mut self, positions: &[usize]) {
        self.cards
            .retain(|position, _| !positions.contains(position));
    }

    /// Takes in the cards that these openings show to everybody: all of them, and no others.
    pub(super) fn add(
        &mut self,
        openings: &[Opening],
        public: &[(usize, Card)],
    ) -> Result<(), BadCards> {
        let to_all = openings.iter().flat_map(|opening| &opening.cards);
        let mut due: Vec<usize> = to_all
            .filter(|(_, to)| *to == Learners::All)
            .map(|&(position, _)| position)
            .collect();
        due.sort_unstable();
        due.dedup();
        let mut positions: Vec<usize> = public.iter().map(|&(position, _)| position).collect();
        positions.sort_unstable();
        if due != positions {
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
