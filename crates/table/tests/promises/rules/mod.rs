//! The rules of the games, tested in known situations and by random play.

mod betting;
mod dealt;
mod draw;
mod encoding;
mod free_deck;
mod goods;
mod leaving;
mod matches;
mod random_departures;
mod random_play;
mod ranking;
mod settlement;
mod showdown;
mod side_pots;
mod sitting_out;
mod situations;
mod varieties;
