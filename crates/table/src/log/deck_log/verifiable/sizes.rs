//! The sizes of the parts of a verifiable deck, which follow from the header.

use dealerless::verifiable::{
    Complaint, Dealing, Decks, Goods, Keys, Partials, Receiver, Seats, Show, Slot,
};

use super::layout::{Layout, receiver};
use super::{VerifiableLog, due};
use crate::log::phase::Phase;
use crate::log::shape::KIND;
use crate::rules::{Game, GoodsChoice, Stakes};
use crate::seat::Seat;

/// The numbers that determine the sizes of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) struct VerifiableSizes {
    pub(in crate::log) seats: Seats,
    /// The length of a shuffle of all decks in bytes.
    pub(in crate::log) shuffle: usize,
    /// The maximum number of cards or goods that a seat opens in a step.
    opened: usize,
    /// The maximum number of goods in a mix.
    mixed: usize,
}

impl VerifiableSizes {
    pub(in crate::log) fn new(seats: Seats, stakes: &Stakes) -> Self {
        let counts = match stakes.game() {
            None => vec![stakes.deck().0],
            Some(game) => game.decks().iter().map(|deck| deck.kinds.cards()).collect(),
        };
        let has_goods = stakes.game().is_some_and(|game| !game.goods().is_empty());
        // Both seats of a trade can give hidden goods.
        let traded = if has_goods {
            2 * GoodsChoice::MAX_LISTED
        } else {
            0
        };
        VerifiableSizes {
            seats,
            shuffle: Decks::shuffle_len(counts),
            opened: stakes.deck().1.max(traded),
            mixed: if has_goods { Game::MAX_HELD } else { 0 },
        }
    }

    /// The length in bytes of the longest part.
    pub(in crate::log) fn longest(&self) -> usize {
        // A seat never opens more than all cards, each to another seat, and one step has at most
        // one response for each seat.
        let slot = |at: usize| Slot {
            deck: 0,
            position: at,
            receiver: Receiver::Seat(at % self.seats.count()),
        };
        let slots: Vec<Slot> = (0..self.opened).map(slot).collect();
        KIND + self
            .shuffle
            .max(Partials::part_len(&slots))
            .max(Goods::mix_len(self.mixed))
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
            Phase::Shuffle(_) => self.shuffle_len(),
            Phase::Open(openings) => match self.shown_to(openings, seat) {
                Some(to) => Show::part_len(receiver(to), due(openings, seat).len()),
                None => Partials::part_len(&self.slots(openings, seat)),
            },
            Phase::Mix { positions, .. } => Goods::mix_len(positions.len()),
            Phase::Key(_) => 32,
            _ => 0,
        }
    }

    fn shuffle_len(&self) -> usize {
        let Layout { decks, .. } = &self.layout;
        Decks::shuffle_len(decks.iter().map(|cards| cards.count()))
    }
}
