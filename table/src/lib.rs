//! What people play with a sealed deck.
//!
//! A [`Game`] is a list of [`Step`]s, each of which opens some of the drawn cards to one party or
//! to both. The list is the same for both parties and names them by their roles, so each plays its
//! own side of it. [`Terms`] are what the two agree on before they begin.
//!
//! The rules hold no decisions (there are no bets), so a whole hand follows from the shuffle:
//!
//! ```
//! use dealerless::circuit::Party;
//! use dealerless::mpc::Audience;
//! use dealerless_table::{Game, Owner, Reveal};
//!
//! let steps = Game::Holdem.steps(9);
//! assert_eq!(steps[1].name, "flop");
//! assert_eq!(
//!     steps[1].reveals,
//!     [Reveal { owner: Owner::Board, positions: vec![4, 5, 6], to: Audience::Both }],
//! );
//! assert_eq!(steps[0].reveals[0].to, Audience::Only(Party::Garbler));
//! ```

#![forbid(unsafe_code)]

mod game;
mod hash;
mod identity;
mod line;
mod log;
mod play;
mod random;
mod rules;
mod seat;
mod step;
mod terms;
mod wire;

pub use game::{Game, UnknownGame};
pub use identity::{
    Address, BadAddress, BadFingerprint, BadIdentity, BadSignature, Budget, CountedAttempts,
    Fingerprint, Home, HomeError, Identity, KnownPeers, Name, Peer, PeersError, PublicIdentity,
    Recognised, SharedPeers, Standing,
};
pub use line::{
    BadInvite, Door, DoorError, DoorEvent, EngineStream, Guest, Invite, Line, LineError,
    MAX_HEADER, MAX_MESSAGE, MeetingError, Message, Priority, Stream, Timing, own_addresses,
};
pub use log::{
    Attempt, BadResume, BadSignedPart, CannotResume, CannotSay, CannotSit, CardOpening, Clock,
    Deal, DiskStorage, End, Evidence, Header, HeaderError, Journal, JournalError, Masked, Match,
    MatchLog, Met, NoEvidence, Opened, Part, PartFoul, PartKind, Phase, Player, Proof, Refused,
    Resume, Seal, Shelf, Shelved, SignedPart, Sitting, Stop, Storage, Taken, Versions,
};
pub use play::{
    Binding, CannotBegin, Command, Commands, Dealer, Done, Event, FileVault, MemoryVault, News,
    NotNow, Orders, Outbox, Play, PlayError, STATISTICAL_SECURITY, Seating, Setting, Table, Vault,
    deck_name, role,
};
pub use random::{SystemRng, system_rng};
pub use rules::{
    Amounts, BadCards, BettingRules, CannotDeal, Choice, ChoiceError, Foul, Hand, HandRank,
    Learners, Legal, Limit, Next, Opening, Outcome, Posts, Pot, Proposal, Shown, Stakes,
    StakesError, Variety,
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
