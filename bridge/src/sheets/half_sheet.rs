//! What one dealer does for one board, as it stands on that dealer's sheet and on no other.

use super::{BoardSheets, FirstSheet, Half};

/// What one dealer does for one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSheet {
    pub(super) number: u32,
    pub(super) work: Work,
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
