//! The records of matches: `verify`, `history` and `show`.

pub(crate) mod history;
mod json;
mod listing;
mod phh;
mod pokerstars;
pub(crate) mod show;
mod source;
pub(crate) mod verify;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use source::NotGood;
