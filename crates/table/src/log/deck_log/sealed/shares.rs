//! The opened shares of cards.

use dealerless::deck::Card;

use super::opening::CardOpening;
use crate::seat::Seat;

/// The shares of a deck's cards that the seats have opened.
#[derive(Clone, Debug)]
pub(super) struct Shares(Vec<Vec<Option<u64>>>);

impl Shares {
    pub(super) fn none(seats: usize, drawn: usize) -> Self {
        Shares(vec![vec![None; drawn]; seats])
    }

    pub(super) fn add(&mut self, seat: Seat, card: &CardOpening) {
        let place = self.0.get_mut(seat.index());
        if let Some(share) = place.and_then(|of| of.get_mut(usize::from(card.position))) {
            *share = Some(card.share);
        }
    }

    /// Forgets the shares of a card, because another card lies at its position now.
    pub(super) fn forget(&mut self, position: usize) {
        for of in &mut self.0 {
            if let Some(share) = of.get_mut(position) {
                *share = None;
            }
        }
    }

    /// A seat's share of a card, if it was opened.
    pub(super) fn of(&self, seat: Seat, position: usize) -> Option<u64> {
        *self.0.get(seat.index())?.get(position)?
    }

    /// The card, if all its shares were opened.
    pub(super) fn card(&self, masked: u64, position: usize) -> Option<Card> {
        let shares = self.0.iter().map(|of| *of.get(position)?);
        let mut card = masked;
        for share in shares {
            card ^= share?;
        }
        Some(Card(card))
    }
}
