//! Records of matches, as JSON and as text for people.
//!
//! | module | contents |
//! |---|---|
//! | [`history`] | the list of stored matches |
//! | [`show`] | the hands of a record, as JSON, in the text format of PokerStars or as a plain listing |
//! | [`phh`] | the hands of a record in the Poker Hand History format |
//! | [`verify`] | the verification of the records of one or several sides |
//! | [`answers`] | the answers to a page's requests about records |
//! | [`words`] | sentences about records |
//!
//! All of them take the bytes of a record, or a [`Record`](dealerless_table::record::Record), and
//! return an object or a text. They read no files.

pub mod answers;
pub mod decks;
pub mod history;
mod json;
mod listing;
pub mod phh;
mod playing;
mod pokerstars;
pub mod show;
mod tables;
pub mod verify;
pub mod words;

#[cfg(test)]
mod tests;
