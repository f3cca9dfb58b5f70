//! The events of a match and the commands that answer them, as JSON, and the sentences that tell
//! them to a person.
//!
//! | module | what it holds |
//! |---|---|
//! | [`event`] | [`Event`](event::Event): something that happened in a match, as one JSON object |
//! | [`command`] | [`Said`](command::Said): a command of a player, as one JSON object |
//! | [`story`] | [`Story`](story::Story): makes events of the news of a seat |
//! | [`game_name`] | the names and the titles of the games |
//! | [`seated`], [`ending`], [`leaving`] | how a match begins, how it ends, and what it costs to leave |
//! | [`words`], [`cards`], [`hands`] | sentences, and the names of cards and of hands of boards |
//!
//! This crate starts no thread and uses no file, socket or terminal.

#![forbid(unsafe_code)]

pub mod cards;
#[expect(missing_docs, reason = "docs/table-protocol.md describes each field")]
pub mod command;
pub mod ending;
#[expect(missing_docs, reason = "docs/table-protocol.md describes each field")]
pub mod event;
pub mod game_name;
pub mod hands;
pub mod leaving;
mod misleading;
#[expect(missing_docs, reason = "docs/table-protocol.md describes each field")]
pub mod seated;
pub mod story;
pub mod words;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
