//! The instructions for one dealer on one board, without the instructions for the other dealer.

use super::{BoardSheets, FirstSheet, Half};

/// The instructions for one dealer on one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSheet {
    pub(super) number: u32,
    pub(super) work: Work,
}

/// One half of the work on a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// The dealer sorts the pack and deals it to piles, as the first sheet states.
    First(FirstSheet),
    /// The dealer deals the pack from the other dealer to the four hands.
    Second {
        /// For each card of the pack, from the top, the index of its hand.
        hands: [u8; 52],
        /// Whether the sheet names the seats of the hands.
        named: bool,
    },
}

impl BoardSheets {
    /// One of the two sheets of the board, without the other sheet.
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
    /// The number of the board.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Which half of the work these instructions are for.
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
