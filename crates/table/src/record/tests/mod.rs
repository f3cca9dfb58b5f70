//! Tests of records, with invented decks.

mod absence;
mod ahead;
mod changes;
mod endings;
mod files;
mod forks;
mod forks_ahead;
mod fouls_of_several;
mod goods;
mod hands;
mod soak;
mod tables;
