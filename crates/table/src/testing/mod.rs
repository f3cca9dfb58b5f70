//! Test tools for this crate, the crates above it and the fuzz targets: a match whose seats all play in
//! one process, a deck without an engine, a disk on which programs are killed, connections that are cut,
//! and two seats with the real engine. The tools panic to make a test fail.
#![allow(
    missing_docs,
    reason = "the names of fields and constructors are self-explanatory"
)]

pub mod choices;
pub mod deck;
pub mod disk;
mod engine;
pub mod network;
pub mod test_match;
pub mod threads;
pub mod two_seats;
