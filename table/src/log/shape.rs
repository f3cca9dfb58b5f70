//! The sizes of the parts of a match, which follow from the header. All parts that a seat may sign
//! in a phase are padded to the same size.

use super::deck_log::{DealInput, Sizes};
use crate::rules::{Choice, Stakes};

/// The numbers that determine the sizes of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) seats: usize,
    pub(super) deck: Sizes,
    /// The maximum length of a choice in bytes.
    choice: usize,
}

/// The length in bytes of a part's kind.
pub(super) const KIND: usize = 1;
/// The minimum length in bytes of a part. It leaves room for the parts that end the match, which
/// are allowed in any phase.
pub(super) const MIN_LEN: usize = KIND + 8;

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

    /// The maximum length of a choice in bytes.
    pub(super) fn choice(&self) -> usize {
        self.choice
    }

    /// The length in bytes of each part in the deal phase.
    pub(super) fn deal(&self) -> usize {
        let numbers = 4 + 4 + 1;
        KIND + numbers + 32 + DealInput::LEN + 9 * self.seats
    }

    /// The length in bytes of each part in the phase of a choice.
    pub(super) fn choose(&self) -> usize {
        KIND + 2 + self.choice
    }

    /// The length in bytes of each part in the result phase.
    pub(super) fn result(&self) -> usize {
        (KIND + 8 * self.seats).max(MIN_LEN)
    }

    /// The length in bytes of the longest part.
    pub(super) fn longest(&self) -> usize {
        let sizes = [self.choose(), self.result(), self.deck.longest()];
        sizes.into_iter().fold(self.deal(), usize::max)
    }
}

/// The maximum length in bytes of a choice in a game with bets: an amount, or an exchange of five
/// cards.
const POKER_CHOICE: usize = 9;
