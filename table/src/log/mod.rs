//! The log of a match: what every seat said, signed, in one order; and what follows from it.
//!
//! A match is a list of steps; in each step one seat, or several, say a `Part`. Whose turn it is
//! and what may be said follows from the steps before ([`MatchLog`]). A part is signed for its step
//! and for all that came before it, so that nobody can move, change or deny it, and two histories
//! that cannot be one convict whoever signed both ([`Evidence`]).

mod ahead;
mod claim;
mod deal;
mod deck_log;
mod event;
mod foul;
mod header;
mod in_play;
mod inputs;
#[cfg(feature = "internals")]
pub(crate) mod internals;
mod journal;
mod judge;
mod match_file;
mod match_log;
mod part;
mod phase;
mod players;
mod record_file;
mod records;
mod resume;
mod seen;
mod shape;
mod shelf;
mod signed;
mod sitting;
mod state;
mod step_events;
mod storage;

#[cfg(test)]
pub(crate) mod tests;

pub use claim::{Claim, Claimed};
pub use deck_log::Attempt;
pub use event::{Begun, Chosen, Face, LogEvent, Post, PostKind};
pub use foul::{PartFoul, Proof, Refused};
pub use header::{Clock, Header, HeaderError};
pub use in_play::Unsettled;
pub use inputs::{Input, Inputs, OpenedInputs};
pub use journal::{Journal, JournalError, Opened};
pub use match_log::MatchLog;
pub use part::PartKind;
pub use phase::{End, Phase, Stop};
pub use players::{CannotSit, Match, Player};
pub use shelf::{MatchEntry, MatchFolder};
pub use signed::Evidence;
pub use sitting::Sitting;
pub use storage::{DiskStorage, MemoryStorage, Storage, check_regular};

#[cfg(feature = "internals")]
pub use with_internals::*;
#[cfg(not(feature = "internals"))]
pub(crate) use with_internals::*;

/// Names that tests and fuzz targets need.
mod with_internals {
    pub use super::deal::Deal;
    pub use super::deck_log::{CardOpening, DealInput, Masked, Reseal, Seal};
    pub use super::match_log::{Accepted, CannotSign, NoEvidence};
    pub use super::part::Part;
    pub use super::resume::{BadLogMessage, CannotResume, LogMessage, Resume, Resuming, ToDo};
    pub use super::seen::Seen;
    pub use super::signed::{BadSignedPart, SignedPart};
}

pub(crate) use ahead::{Verified, verify_ahead};
pub(crate) use match_file::{BadFile, Entry, MatchFile};
pub(crate) use seen::Note;
