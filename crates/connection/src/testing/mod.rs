//! Test tools for this crate, the crates above it and the fuzz targets: a door, a guest and a connection that a
//! test waits for, players with folders of their own, a proxy that reads and changes messages, a generator with a
//! seed, and what a hostile peer sends. The tools panic to make a test fail.
#![allow(
    missing_docs,
    reason = "the names of fields and constructors are self-explanatory"
)]

pub mod players;
pub mod proxy;
pub(crate) mod seeded;
mod waiting;

pub use crate::connection::internals::{Frames, MOST_KEPT, Stranger, invite};
pub use waiting::{Connection, Door, Guest, use_code};
