//! Tests of the log, with made-up decks.

mod boards;
mod cheats;
mod endings;
mod files;
mod forks;
mod free_deck;
mod kinds;
mod model;
mod parts;
mod resume;
pub(crate) mod test_match;
