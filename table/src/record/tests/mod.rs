//! Tests of records, with decks that are made up.

mod changes;
mod endings;
mod files;
mod forks;
mod hands;
mod soak;
