//! The commands `circuit` and `bench` of the program `dealerless`.
//!
//! Each command has a type for its arguments, which `clap` parses, and a function `run`:
//! [`circuit::Command`] and [`circuit::run`], [`bench::Args`] and [`bench::run`]. The crate
//! `dealerless-cli` calls these functions, and also uses [`cost`], [`plot`] and [`session`].

#![forbid(unsafe_code)]

pub mod bench;
pub mod circuit;
pub mod cost;
mod loopback;
pub mod plot;
pub mod session;
mod stop;

/// The parsers of arguments, public for the fuzz targets.
pub mod arguments {
    pub use crate::circuit::sweep::{Draws, Numbers};
    pub use crate::circuit::values::bits::format as format_bits;
    pub use crate::circuit::values::{BitOrder, read as read_value};
}
