//! The instructions for one dealer on one board, without those for the other dealer.

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
    /// The passes of the sorted pack.
    First(FirstSheet),
    /// The dealing of the resulting pack.
    Second {
        /// The hand of each card.
        hands: [u8; 52],
        /// Whether the hands are named by their seats.
        named: bool,
    },
}

impl BoardSheets {
    /// One of the two sheets, without the other.
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

    /// The half of the work.
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
