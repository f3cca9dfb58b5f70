//! Constructions that are measured against the real ones, and never offered to players.
//!
//! No [`Algorithm`](super::Algorithm) leads here.

pub mod biased;
#[cfg(test)]
mod flipped_bitonic;
mod joint_keys;

pub use joint_keys::sort_by_joint_keys;
