//! How players find each other, authenticate each other and exchange messages, without trust in
//! the network. This crate knows no cards and no rules of a game.
//!
//! | module | contents |
//! |---|---|
//! | this one | [`Invite`], [`PolledDoor`], [`Dial`], [`PolledConnection`]: how a host and a guest meet, and their encrypted connection, as state machines over [`Sockets`]. [`Network`] has the sockets of a program and one thread for all of them |
//! | [`identity`] | [`Identity`](identity::Identity), [`Home`](identity::Home), [`KnownPeers`](identity::KnownPeers): keys, their folder, known peers |
//! | [`storage`] | [`Storage`](storage::Storage), [`Vault`](storage::Vault): the files of a player, on disk or in memory |
//! | [`hash`], [`wire`] | the hash with one tag for each purpose, and the canonical encoding of what is hashed and signed |
//! | [`random`], [`time`] | the operating system's randomness, and the system's clocks |
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

mod connection;
pub mod hash;
pub mod identity;
pub mod random;
pub mod storage;
#[cfg(all(feature = "internals", not(target_family = "wasm")))]
#[doc(hidden)]
pub mod testing;
pub mod time;
pub mod wire;

pub use connection::*;
pub use hash::hex;
pub use random::{SystemRng, system_rng};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
