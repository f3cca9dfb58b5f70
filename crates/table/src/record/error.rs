//! Errors of records.

use crate::log::{Evidence, Refused};
use crate::seat::Seat;

/// A place in a match and in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the hand, from 1.
    pub hand: u32,
    /// The number of the step, from 0.
    pub step: u64,
    /// The offset of the entry in the file, in bytes.
    pub at: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Place { hand, step, at } = self;
        write!(f, "hand {hand}, step {step} (byte {at} of the file)")
    }
}

/// A file is not the record of a match. Everything before the reported place is valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadRecord {
    /// The first entry of the file is incomplete, so no match was started.
    #[error("no match was started in this file: its first record is incomplete")]
    NeverBegun,
    /// The file does not start with the header of a match.
    #[error("the file is not the record of a match")]
    NoMatch,
    /// The owner's key does not match the start of the file.
    #[error("the file belongs to another identity")]
    NotYours,
    /// The first entry names the owner of the key, and is not as the owner wrote it.
    #[error("the start of the file was modified")]
    Start,
    /// No program writes such bytes at this place.
    #[error("{0}: the file was modified")]
    Changed(Place),
    /// An entry is not allowed at this place of this match.
    #[error("{0}: unexpected record")]
    Foreign(Place),
    /// The same part appears a second time.
    #[error("{place}: the part of {seat} appears twice")]
    Repeated {
        /// The place of the second copy.
        place: Place,
        /// The seat that sent the part.
        seat: Seat,
    },
    /// A part is not valid at its place.
    #[error("{place}: invalid part of {seat}")]
    Part {
        /// The place of the part.
        place: Place,
        /// The seat named as the sender of the part.
        seat: Seat,
        /// The reason why the part is invalid.
        #[source]
        refused: Refused,
    },
}

impl BadRecord {
    /// The place of the first invalid entry.
    pub fn place(&self) -> Option<Place> {
        match self {
            BadRecord::NeverBegun | BadRecord::NoMatch | BadRecord::NotYours | BadRecord::Start => {
                None
            }
            BadRecord::Changed(place) | BadRecord::Foreign(place) => Some(*place),
            BadRecord::Repeated { place, .. } | BadRecord::Part { place, .. } => Some(*place),
        }
    }

    /// The evidence that convicts a seat: two different parts that it signed for one step. `None`
    /// for all other errors, which anybody with access to the file may have caused.
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
