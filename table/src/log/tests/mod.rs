//! Tests of the log, with decks that the tests make without an engine.

mod boards;
mod cheats;
mod cheats_of_several;
mod endings;
mod files;
mod forks;
mod free_deck;
mod kinds;
mod known_answers;
pub(crate) mod many_seats;
mod model;
mod openings;
mod parts;
mod resume;
mod settlement;
pub(crate) mod test_match;
