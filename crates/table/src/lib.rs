//! A table at which two players who do not trust each other play cards without a dealer.
//!
//! | module | contents |
//! |---|---|
//! | [`rules`] | [`Stakes`](rules::Stakes), [`Hand`](rules::Hand): games as pure state machines over seats |
//! | [`log`](mod@log) | [`MatchLog`](log::MatchLog), [`Journal`](log::Journal): the signed messages (*parts*) of a match, their order, and the match file |
//! | [`record`] | [`Record`](record::Record), [`compare`](record::compare): replay of a match file by anybody: what it proves |
//! | [`play`] | [`Play`](play::Play), [`TableCore`](play::TableCore): one seat of a match, with its shuffling engine |
//! | [`audit`] | [`Auditing`](audit::Auditing), [`Audit`](audit::Audit): recomputes all decks after a match |
//!
//! The feature `internals` makes more items public for tests and fuzz targets. Any version may
//! change these items.

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
pub mod log;
pub mod play;
pub mod record;
pub mod rules;
mod seat;
#[cfg(all(feature = "internals", not(target_family = "wasm")))]
pub mod testing;

pub use seat::{Seat, SeatSet};

/// Access for fuzz targets to inputs that only a hostile peer or a damaged file can produce. Any
/// version may change these items.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    pub use crate::log::internals::write_entries;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
