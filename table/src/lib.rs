//! A table at which two players who do not trust each other play cards with no dealer.
//!
//! | layer | what it holds |
//! |---|---|
//! | rules | [`Stakes`], [`Hand`]: games as pure state machines over seats |
//! | identity | [`Identity`], [`Home`], [`KnownPeers`]: keys, their folder, whom one has met |
//! | line | [`Invite`], [`Door`], [`Guest`], [`Line`]: how two players meet, and talk |
//! | log | [`MatchLog`], [`Journal`]: what was said, signed; whose turn it is; its file |
//! | record | [`Record`], [`compare`]: what a file proves, to anybody |
//! | play | [`Play`], [`Dealer`], [`Table`]: one seat of a match, with the engine beside it |
//! | audit | [`Auditing`], [`Audit`]: after a match, all decks computed anew |
//!
//! A [`Game`] is something smaller: a list of [`Step`]s without decisions, which a demonstration plays
//! from top to bottom.

#![forbid(unsafe_code)]

mod audit;
mod game;
mod hash;
mod identity;
mod line;
mod log;
mod play;
mod random;
mod record;
mod rules;
mod seat;
mod step;
mod terms;
mod wire;

pub use audit::{Audit, AuditError, AuditedTry, Auditing, BadAudit, CannotAudit};
pub use game::{Game, UnknownGame};
pub use hash::hex;
pub use identity::{
    Address, BadAddress, BadFingerprint, BadIdentity, BadSignature, BadSuccession, Budget,
    CannotSucceed, CountedAttempts, Fingerprint, Home, HomeError, Identity, KnownPeers, Name,
    OldIdentity, Peer, PeersError, PublicIdentity, Recognised, SharedPeers, Standing, Succeeded,
    Succession,
};
pub use line::{
    BadInvite, Door, DoorError, DoorEvent, EngineStream, Guest, Invite, Line, LineError,
    MAX_HEADER, MAX_MESSAGE, MeetingError, Message, Priority, Stream, Timing, ask_relay,
    own_addresses,
};
pub use log::{
    Attempt, BadLogMessage, BadSignedPart, CannotResume, CannotSay, CannotSit, CardOpening, Claim,
    Claimed, Clock, Deal, DiskStorage, End, Evidence, Header, HeaderError, Input, Inputs, Journal,
    JournalError, LogMessage, Masked, Match, MatchLog, MemoryStorage, NoEvidence, Opened,
    OpenedInputs, Part, PartFoul, PartKind, Phase, Player, Proof, Refused, Reseal, Resume,
    Resuming, Seal, Seen, Shelf, Shelved, SignedPart, Sitting, Stop, Storage, Taken, ToDo,
    Unsettled, Versions, check_regular,
};
pub use play::{
    BadControl, Binding, CannotBegin, Command, Control, DealCircuit, DealCost, Dealer, Done, Event,
    FileVault, HandDeck, Happened, Mailbox, MemoryVault, News, NoCircuit, NotNow, Orders, Outbox,
    Play, PlayError, Prepared, Reshuffling, STATISTICAL_SECURITY, Seating, Setting, Shuffled,
    Spent, Table, Term, TimeLeft, Vault, deck_name, role,
};
pub use random::{SystemRng, system_rng};
pub use record::{
    BadRecord, Chosen, Compared, Forked, HandEvent, MatchState, Place, Post, PostKind, Record,
    RecordedHand, compare,
};
pub use rules::{
    Amounts, BadCards, BadFaces, BadKinds, BettingRules, CannotDeal, Choice, ChoiceError, Edition,
    Foul, Hand, HandRank, Learners, Legal, Limit, NamedKinds, Next, Opening, Outcome, Posts, Pot,
    Proposal, Rolled, Shown, Stakes, StakesError, Steal, Variety,
};
pub use seat::Seat;
pub use step::{Owner, Reveal, Step};
pub use terms::{MAX_HANDS, OfferError, Terms, TermsError};

/// What a hostile peer or a damaged file may hold and no honest program makes, for fuzz targets. It
/// promises no stability.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::line::internals::{Frames, LineEnd, MOST_KEPT, Stranger, comes, invite};
    pub use crate::log::internals::write_records;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
