//! The commands about records of matches, `verify`, `history`, `show` and `bridge boards`, and the
//! decks of an audit.

pub(crate) mod boards;
mod decks;
pub(crate) mod history;
pub(crate) mod show;
mod source;
pub(crate) mod verify;

#[cfg(test)]
mod tests;

pub(crate) use decks::{must_agree, of_file};
pub(crate) use source::read;
