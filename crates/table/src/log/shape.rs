//! The sizes of the parts of a match, which follow from the header. All parts that a seat may sign
//! in a phase are padded to the same size.

use super::deck_log::{SealedInput, Sizes, VerifiableSizes};
use super::header::DeckTerms;
use crate::rules::{Choice, GoodsChoice, Stakes};

/// The numbers that determine the sizes of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) seats: usize,
    pub(super) deck: Sizes,
    /// The sizes of a verifiable deck, if the match is played with one.
    pub(super) verifiable: Option<VerifiableSizes>,
    /// The maximum length of a choice in bytes.
    choice: usize,
}

/// The length in bytes of a part's kind.
pub(super) const KIND: usize = 1;
/// The minimum length in bytes of a part. It leaves room for the parts that end the match, which
/// are allowed in any phase.
pub(super) const MIN_LEN: usize = KIND + 8;

impl Shape {
    pub(super) fn new(stakes: &Stakes, deck: &DeckTerms) -> Self {
        let chips = stakes.betting().is_some();
        let (validity, verifiable) = match deck {
            DeckTerms::Sealed(terms) => (terms.validity, None),
            DeckTerms::Verifiable(seats) => (0, Some(VerifiableSizes::new(*seats, stakes))),
        };
        Shape {
            seats: stakes.seats(),
            deck: Sizes::new(stakes, validity),
            verifiable,
            choice: if chips {
                POKER_CHOICE
            } else if stakes.game().is_some() {
                KIND + GoodsChoice::LONGEST
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
        let deck = match self.verifiable {
            Some(_) => 1 + 32,
            None => SealedInput::LEN,
        };
        KIND + numbers + 32 + deck + 9 * self.seats
    }

    /// The length in bytes of each part in the phase of a choice.
    pub(super) fn choose(&self) -> usize {
        KIND + 2 + self.choice
    }

    /// The length in bytes of each part in the result phase.
    pub(super) fn result(&self) -> usize {
        let next_and_buy = if self.verifiable.is_some() { 1 + 8 } else { 0 };
        (KIND + 8 * self.seats + next_and_buy).max(MIN_LEN)
    }

    /// The length in bytes of the longest part.
    pub(super) fn longest(&self) -> usize {
        let deck = match &self.verifiable {
            Some(sizes) => sizes.longest(),
            None => self.deck.longest(),
        };
        let sizes = [self.choose(), self.result(), deck];
        sizes.into_iter().fold(self.deal(), usize::max)
    }
}

/// The maximum length in bytes of a choice in a game with bets: an amount, or an exchange of five
/// cards.
const POKER_CHOICE: usize = 9;
