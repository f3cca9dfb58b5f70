//! Tests of the log, with decks that the tests make without an engine.

mod acks;
mod ahead;
mod boards;
mod cheats;
mod cheats_of_several;
mod convictions;
mod encodings_of_several;
mod endings;
mod files;
mod forks;
mod fouls_of_several;
mod free_deck;
mod kinds;
mod known_answers;
mod leaving;
pub(crate) mod many_seats;
mod model;
mod openings;
mod parts;
mod past;
mod resume;
mod resume_of_several;
mod seats_model;
mod settlement;
pub(crate) mod test_match;
mod two_histories;
