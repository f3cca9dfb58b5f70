//! Test tools for this crate, the crates above it and the fuzz targets: the disk of a seat whose
//! program can be killed, and two seats with the real engine. The tools panic to make a test fail.
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
