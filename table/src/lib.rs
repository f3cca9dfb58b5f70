//! A table at which two players who do not trust each other play cards without a dealer.
//!
//! | module | contents |
//! |---|---|
//! | [`rules`] | [`Stakes`](rules::Stakes), [`Hand`](rules::Hand): games as pure state machines over seats |
//! | [`identity`] | [`Identity`](identity::Identity), [`Home`](identity::Home), [`KnownPeers`](identity::KnownPeers): keys, their folder, known peers |
//! | [`connection`](mod@connection) | [`Invite`](connection::Invite), [`Door`](connection::Door), [`Guest`](connection::Guest), [`Connection`](connection::Connection): how two players meet, and their encrypted connection |
//! | [`log`](mod@log) | [`MatchLog`](log::MatchLog), [`Journal`](log::Journal): the signed parts of a match, the turns, and the file |
//! | [`record`] | [`Record`](record::Record), [`compare`](record::compare): what the file of a match proves to anybody |
//! | [`play`] | [`Play`](play::Play), [`Table`](play::Table): one seat of a match, with its engine |
//! | [`audit`] | [`Auditing`](audit::Auditing), [`Audit`](audit::Audit): all decks recomputed after a match |
//!
//! The feature `internals` makes items public that tests and fuzz targets need. Any version may
//! change them.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(feature = "internals"),
    allow(
        unreachable_pub,
        unused_imports,
        reason = "these items are public with the feature `internals`"
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

/// Builders of input for fuzz targets that only a hostile peer or a damaged file can contain. Any
/// version may change them.
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
