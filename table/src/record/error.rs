//! Why a file is no record.

use crate::log::{Evidence, Refused};
use crate::seat::Seat;

/// Where in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the hand, from 1.
    pub hand: u32,
    /// The number of the step, from 0.
    pub step: u64,
    /// The byte at which the record begins in the file.
    pub at: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Place { hand, step, at } = self;
        write!(f, "hand {hand}, step {step} (byte {at} of the file)")
    }
}

/// A file is not the record of a match. All before the place that is named is good.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRecord {
    /// Not even its first record is complete.
    #[error("no match was ever begun in this file")]
    NeverBegun,
    /// It does not begin as records do.
    #[error("the file does not begin as the record of a match")]
    NoMatch,
    /// The owner's key does not fit its beginning.
    #[error("the file is another identity's, or its beginning was changed")]
    NotYours,
    /// There are bytes that no program has written there.
    #[error("{0}: the file was changed")]
    Changed(Place),
    /// A record is none of this match.
    #[error("{0}: there is something else than what belongs there")]
    Foreign(Place),
    /// The same part stands there a second time.
    #[error("{place}: what {seat} said there is repeated")]
    Repeated {
        /// Where.
        place: Place,
        /// Who said it.
        seat: Seat,
    },
    /// A part does not belong there.
    #[error("{place}: what {seat} is said to have said does not belong there")]
    Part {
        /// Where.
        place: Place,
        /// In whose name.
        seat: Seat,
        /// Why not.
        #[source]
        refused: Refused,
    },
}

impl BadRecord {
    /// The place of the first thing that does not fit.
    pub fn place(&self) -> Option<Place> {
        match self {
            BadRecord::NeverBegun | BadRecord::NoMatch | BadRecord::NotYours => None,
            BadRecord::Changed(place) | BadRecord::Foreign(place) => Some(*place),
            BadRecord::Repeated { place, .. } | BadRecord::Part { place, .. } => Some(*place),
        }
    }

    /// What convicts a seat: two parts that it signed for one step. All other errors can come from
    /// whoever has changed the file.
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            BadRecord::Part {
                refused: Refused::Fork(evidence),
                ..
            } => Some(evidence),
            _ => None,
        }
    }
}
