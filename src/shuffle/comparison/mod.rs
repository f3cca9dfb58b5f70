//! Constructions for comparison with the real ones, which are never offered to players.
//!
//! No [`Algorithm`](super::Algorithm) uses them.

pub mod biased;
#[cfg(test)]
mod flipped_bitonic;
mod joint_keys;

pub use joint_keys::sort_by_joint_keys;
