//! The events of a match and the commands that answer them, as JSON, and the same events as
//! sentences for people.
//!
//! | module | contents |
//! |---|---|
//! | [`event`] | [`Event`](event::Event): something that happened in a match, as one JSON object |
//! | [`command`] | [`Said`](command::Said): a command of a player, as one JSON object |
//! | [`seat`] | [`SeatStory`](seat::SeatStory): a seat of a match, as its player sees it |
//! | [`story`] | [`Story`](story::Story): turns the news of a seat into events |
//! | [`game_name`] | the names and titles of the games |
//! | [`seated`], [`ending`], [`leaving`] | how a match begins and ends, the cost of leaving |
//! | [`banks`] | the time banks of a match as text |
//! | [`failure`] | the meaning of errors at a table, and exit codes |
//! | [`json`] | reads JSON from players, pages and files |
//! | [`guest`] | the host's answers to a guest before a match |
//! | [`open_match`] | the states of open matches, and matches that a host does not resume |
//! | [`peers`] | the questions and notices about the other players |
//! | [`stored`] | the own identity, the known players and the open matches, as JSON |
//! | [`records`] | records of matches, as JSON and as text for people |
//! | [`retry`] | the pauses between tries |
//! | [`run`] | the programs of a player as state machines |
//! | [`terms`] | the terms that a host proposes |
//! | [`words`], [`cards`], [`hands`] | sentences, and the names of cards and bridge hands |
//!
//! This crate starts no threads and uses no files, sockets or terminal.

#![forbid(unsafe_code)]

pub mod banks;
pub mod cards;
#[expect(missing_docs, reason = "docs/table-protocol.md describes each field")]
pub mod command;
pub mod ending;
#[expect(missing_docs, reason = "docs/table-protocol.md describes each field")]
pub mod event;
pub mod failure;
pub mod game_name;
pub mod guest;
pub mod hands;
pub mod json;
pub mod leaving;
mod misleading;
pub mod open_match;
pub mod peers;
pub mod records;
pub mod retry;
pub mod run;
pub mod seat;
#[expect(missing_docs, reason = "docs/table-protocol.md describes each field")]
pub mod seated;
pub mod stored;
pub mod story;
pub mod terms;
pub mod words;

/// The version of the protocol of events and commands. New fields and new events do not change it.
pub const VERSION: u32 = 2;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
