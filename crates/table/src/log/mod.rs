//! The log of a match: the signed parts of all seats in a fixed order, and the state of the match
//! that follows from them.
//!
//! A match is a sequence of *steps*. In each step, one or more seats sign one *part* each (`Part`),
//! such as a deal, a bet or an opened card. The complete steps determine the [`Phase`]: which seats
//! sign next, and which parts they may sign. A signature covers the part and the hash of all
//! earlier steps, so nobody can move, change or deny a part later. A signed part that the rules do
//! not allow is a *foul* ([`PartFoul`]). A *fork* is two conflicting statements that one seat signed
//! for the same step ([`Evidence`]). Both convict the seat.
//!
//! A match consists of *hands*. A seat can declare a deal void before a card is opened, for example
//! after a lost connection. Then the hand is dealt again. Each deal of a hand is a *try*
//! ([`Attempt`]).

mod absence;
mod acks;
mod ahead;
mod ahead_chain;
mod at_table;
mod claim;
mod convictions;
mod deal;
mod deck_log;
mod early;
mod entries;
mod entry_file;
mod event;
mod foul;
mod header;
mod history;
mod in_play;
mod inputs;
#[cfg(feature = "internals")]
pub(crate) mod internals;
mod journal;
mod judge;
mod match_file;
#[cfg(not(target_family = "wasm"))]
mod match_folder;
mod match_log;
mod part;
mod past;
mod phase;
mod players;
mod resume;
mod roll_call;
mod seen;
mod shape;
mod signed;
mod sitting;
mod state;
mod step_events;
mod steps;

#[cfg(test)]
pub(crate) mod tests;

pub use absence::{Disagreement, Settled};
pub use ahead_chain::{Head, SignedAhead};
pub use at_table::{AtTable, TableId};
pub use claim::{Claim, Claimed};
pub use deck_log::Attempt;
pub use event::{Begun, Chosen, Face, LogEvent, Post, PostKind};
pub use foul::{PartFoul, Proof, Refused};
pub use header::{Clock, DeckTerms, Header, HeaderError, SealedTerms};
pub use in_play::Unsettled;
pub use inputs::{Input, Inputs, OpenedInputs};
pub use journal::{Journal, JournalError, Opened};
#[cfg(not(target_family = "wasm"))]
pub use match_folder::{MatchEntry, MatchFolder};
pub use match_log::MatchLog;
pub use part::PartKind;
pub use past::{Member, Past};
pub use phase::{End, Opening, Phase, Stop};
pub use players::{CannotSit, Match, MatchId, Player};
pub use roll_call::{Call, CallId, Missing, SignedVote};
pub use signed::{Evidence, Signed, SignedAck, Statement};
pub use sitting::Sitting;

#[cfg(feature = "internals")]
pub use with_internals::*;
#[cfg(not(feature = "internals"))]
pub(crate) use with_internals::*;

/// Items that are public only for tests and fuzz targets.
mod with_internals {
    pub use super::deal::{Deal, DealInput};
    pub use super::deck_log::{CardOpening, Masked, Reseal, Seal, SealedInput};
    pub use super::match_log::{Accepted, CannotSign, NoEvidence};
    pub use super::part::{AfterHand, Part};
    pub use super::resume::{CannotResume, LogMessage, Resume, Resuming, ToDo};
    pub use super::seen::Seen;
    pub use super::signed::SignedPart;
}

pub(crate) use ahead::{Verified, verify_ahead};
pub(crate) use deck_log::{DeckNow, KnownGoods, Opens};
pub(crate) use early::Early;
pub(crate) use match_file::{BadFile, Entry, MatchFile};
pub(crate) use roll_call::Claimable;
pub(crate) use seen::Note;
pub(crate) use signed::StatementPlace;
