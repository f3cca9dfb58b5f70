//! Tests of records, with invented decks.

mod ahead;
mod changes;
mod endings;
mod files;
mod forks;
mod forks_ahead;
mod hands;
mod soak;
