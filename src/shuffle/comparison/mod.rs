//! Constructions that are measured against the real ones, and never offered to players.
//!
//! No [`Algorithm`](super::Algorithm) leads here.

pub mod biased;
mod flipped_bitonic;
mod joint_keys;

pub use flipped_bitonic::{BitonicCut, bitonic_cut, thinned_bitonic};
pub use joint_keys::sort_by_joint_keys;
