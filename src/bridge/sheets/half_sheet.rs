//! What one dealer does for one board, as it stands on that dealer's sheet and on no other.

use super::scheme::passes_to;
use super::{BoardSheets, FirstSheet, Half};
use crate::bridge::Suit;
use crate::shuffle::split::Entry;

/// What one dealer does for one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSheet {
    number: u32,
    work: Work,
}

/// A half of the work for a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// What is done to the sorted pack.
    First(FirstSheet),
    /// To which hand each card goes of the pack that comes of it.
    Second {
        hands: [u8; 52],
        /// The hands are called by their seats.
        named: bool,
    },
}

impl BoardSheets {
    /// One of the two sheets alone.
    pub fn half(&self, half: Half) -> HalfSheet {
        HalfSheet {
            number: self.number(),
            work: match half {
                Half::First => Work::First(self.first().clone()),
                Half::Second => Work::Second {
                    hands: *self.second(),
                    named: self.first().hands.is_none(),
                },
            },
        }
    }
}

impl HalfSheet {
    /// What somebody does for board `number` who has entered this into a split of the pack: who has
    /// entered the place of each card brings the cards to their places, in two passes; who has entered the
    /// hand of each place deals to these hands. Both together deal what the split does.
    ///
    /// `None` if it is not for 52 cards.
    pub fn entered(number: u32, entry: &Entry) -> Option<HalfSheet> {
        let work = match entry {
            Entry::Places(places) => Work::First(FirstSheet {
                suits: Suit::ALL,
                passes: (places.len() == 52).then(|| passes_to(places, 4, 13).into())?,
                cut: 0,
                hands: None,
            }),
            Entry::Hands(hands) => Work::Second {
                hands: hands[..].try_into().ok()?,
                named: true,
            },
        };
        Some(HalfSheet { number, work })
    }

    /// The number of the board.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Which half of the work it is.
    pub fn half(&self) -> Half {
        match self.work {
            Work::First(_) => Half::First,
            Work::Second { .. } => Half::Second,
        }
    }

    pub(super) fn work(&self) -> &Work {
        &self.work
    }
}
