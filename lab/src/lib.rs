//! The commands `circuit` and `bench` of the program `dealerless`.
//!
//! Each command consists of a type that `clap` parses and a function `run`: [`circuit::Command`]
//! and [`circuit::run`], [`bench::Args`] and [`bench::run`]. The crate `dealerless-cli` also uses
//! [`cost`], [`plot`] and [`session`].

#![forbid(unsafe_code)]

pub mod bench;
pub mod circuit;
pub mod cost;
mod loopback;
pub mod plot;
pub mod session;

/// Argument parsers, exposed for the fuzz targets.
pub mod arguments {
    pub use crate::circuit::sweep::{Draws, Numbers};
    pub use crate::circuit::values::bits::format as format_bits;
    pub use crate::circuit::values::{BitOrder, read as read_value};
}
