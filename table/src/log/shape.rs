//! The sizes of all that is said in a match. They follow from the header.

use super::deck_log::{DealInput, Sizes};
use crate::rules::{Choice, Stakes};

/// How many of what there are in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) seats: usize,
    pub(super) deck: Sizes,
    /// The most bytes of a choice.
    choice: usize,
}

/// The kind of a part.
pub(super) const KIND: usize = 1;
/// Room for what may be said instead in any phase, to leave or to dispute.
pub(super) const LEAST: usize = KIND + 8;

impl Shape {
    pub(super) fn new(stakes: &Stakes, validity: u8) -> Self {
        let chips = stakes.betting().is_some();
        Shape {
            seats: stakes.seats(),
            deck: Sizes::new(stakes, validity),
            choice: if chips {
                POKER_CHOICE
            } else {
                Choice::longest(stakes.most_proposed())
            },
        }
    }

    /// The most bytes of a choice.
    pub(super) fn choice(&self) -> usize {
        self.choice
    }

    /// The bytes of whatever is said in the phase of deals.
    pub(super) fn deal(&self) -> usize {
        let numbers = 4 + 4 + 1;
        KIND + numbers + 32 + DealInput::LEN + 9 * self.seats
    }

    /// The bytes of whatever is said by a seat that chooses.
    pub(super) fn choose(&self) -> usize {
        KIND + 2 + self.choice
    }

    /// The bytes of whatever is said when the hand is over.
    pub(super) fn result(&self) -> usize {
        (KIND + 8 * self.seats).max(LEAST)
    }

    /// The bytes of the longest part.
    pub(super) fn longest(&self) -> usize {
        let sizes = [self.choose(), self.result(), self.deck.longest()];
        sizes.into_iter().fold(self.deal(), usize::max)
    }
}

/// The most bytes of a choice in a game with bets: an amount, or an exchange of five cards.
const POKER_CHOICE: usize = 9;
