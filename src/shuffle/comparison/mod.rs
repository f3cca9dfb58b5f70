//! Circuits that are only compared with, and never offered to players.

pub mod biased;
