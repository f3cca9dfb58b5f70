//! A table at which two players who do not trust each other play cards with no dealer.
//!
//! | module | what it holds |
//! |---|---|
//! | [`rules`] | [`Stakes`](rules::Stakes), [`Hand`](rules::Hand): games as pure state machines over seats |
//! | [`identity`] | [`Identity`](identity::Identity), [`Home`](identity::Home), [`KnownPeers`](identity::KnownPeers): keys, their folder, known peers |
//! | [`connection`](mod@line) | [`Invite`](connection::Invite), [`Door`](connection::Door), [`Guest`](connection::Guest), [`Connection`](connection::Connection): how two players meet, and their encrypted connection |
//! | [`log`](mod@log) | [`MatchLog`](log::MatchLog), [`Journal`](log::Journal): the signed parts of a match, whose turn it is, and the file |
//! | [`record`] | [`Record`](record::Record), [`compare`](record::compare): what a file proves to anybody |
//! | [`play`] | [`Play`](play::Play), [`Table`](play::Table): one seat of a match, with the engine beside it |
//! | [`audit`] | [`Auditing`](audit::Auditing), [`Audit`](audit::Audit): after a match, all decks computed anew |
//!
//! The feature `internals` makes public what tests and fuzz targets need. It promises no stability: any version
//! may change it.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "internals"),
    allow(
        unreachable_pub,
        unused_imports,
        reason = "it is public with the feature `internals`"
    )
)]

pub mod audit;
pub mod connection;
mod hash;
pub mod identity;
pub mod log;
pub mod play;
mod random;
pub mod record;
pub mod rules;
mod seat;
mod wire;

pub use hash::hex;
#[cfg(feature = "internals")]
pub use random::SystemRng;
pub use random::system_rng;
pub use seat::Seat;

/// What a hostile peer or a damaged file may hold and no honest program makes, for fuzz targets. It
/// promises no stability.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::connection::internals::{
        ConnectionEnd, Frames, MOST_KEPT, Stranger, comes, invite,
    };
    pub use crate::log::internals::write_records;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
