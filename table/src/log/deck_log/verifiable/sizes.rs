//! The sizes of the parts of a verifiable deck, which follow from the header.

use dealerless::verifiable::{
    Complaint, Dealing, Keys, Partials, Receiver, Seats, Show, VerifiedDeck,
};

use super::{VerifiableLog, due, slot, slots};
use crate::log::phase::Phase;
use crate::log::shape::KIND;
use crate::rules::{Learners, Stakes};
use crate::seat::Seat;

/// The numbers that determine the sizes of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct VerifiableSizes {
    pub(in crate::log) seats: Seats,
    pub(in crate::log) cards: usize,
    /// The number of cards that can be opened.
    drawn: usize,
}

impl VerifiableSizes {
    pub(in crate::log) fn new(seats: Seats, stakes: &Stakes) -> Self {
        VerifiableSizes {
            seats,
            cards: stakes.deck().0,
            drawn: stakes.deck().1,
        }
    }

    /// The length in bytes of the longest part.
    pub(in crate::log) fn longest(&self) -> usize {
        // A seat never opens more than all cards, each to another seat, and one step has at most
        // one response for each seat.
        let slots: Vec<_> = (0..self.drawn)
            .map(|at| {
                slot(
                    at,
                    Learners::Seat(Seat::new((at % self.seats.count()) as u8)),
                )
            })
            .collect();
        let shuffle = VerifiedDeck::shuffle_len(self.cards);
        KIND + shuffle
            .max(Partials::part_len(&slots))
            .max(Dealing::part_len(self.seats))
    }
}

impl VerifiableLog {
    /// The length in bytes of each part that this seat may sign in a phase of the deck.
    pub(in super::super) fn size(&self, phase: &Phase, seat: Seat) -> usize {
        KIND + match phase {
            Phase::Keys => Keys::LEN,
            Phase::KeyDealing => Dealing::part_len(self.seats),
            Phase::Complaints => Complaint::LEN,
            Phase::Shuffle(_) => VerifiedDeck::shuffle_len(self.deck.count()),
            Phase::Open(openings) if self.shows(openings, seat) => {
                Show::part_len(Receiver::All, due(openings, seat).len())
            }
            Phase::Open(openings) => Partials::part_len(&slots(openings, seat)),
            Phase::Key(_) => 32,
            _ => 0,
        }
    }
}
