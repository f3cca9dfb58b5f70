//! Which card lies where, as far as this party has seen.

use super::Card;
use super::error::{Check, Error, Result};

/// The faces of drawn cards that this party knows.
pub(super) struct Faces {
    /// The cards of the whole deck.
    cards: u32,
    /// By position.
    seen: Vec<Option<Card>>,
}

impl Faces {
    pub(super) fn unseen(cards: u32, drawn: usize) -> Self {
        Faces {
            cards,
            seen: vec![None; drawn],
        }
    }

    pub(super) fn cards(&self) -> u32 {
        self.cards
    }

    pub(super) fn at(&self, position: usize) -> Option<Card> {
        *self.seen.get(position)?
    }

    /// Forgets the card at a position: another one lies there now.
    pub(super) fn forget(&mut self, position: usize) {
        self.seen[position] = None;
    }

    /// Takes in the opened bits of a position, the lowest first.
    ///
    /// # Errors
    /// [`Check::NotInDeck`], [`Check::OpenedTwice`].
    pub(super) fn open(
        &mut self,
        position: usize,
        bits: impl DoubleEndedIterator<Item = bool>,
    ) -> Result<Card> {
        let number = (bits.rev()).fold(0, |number, bit| number << 1 | u32::from(bit));
        if number >= self.cards {
            return Err(Error::Check(Check::NotInDeck));
        }
        let card = Card(number);
        let mut others = (self.seen.iter().enumerate()).filter(|(other, _)| *other != position);
        if others.any(|(_, seen)| *seen == Some(card)) {
            return Err(Error::Check(Check::OpenedTwice));
        }
        self.seen[position] = Some(card);
        Ok(card)
    }
}
