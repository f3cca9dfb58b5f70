//! Two parties shuffle and deal cards with no dealer.

#![warn(missing_docs)]

pub mod circuit;
pub mod crypto;
pub mod deck;
pub mod mpc;
pub mod net;
pub mod ot;
pub mod shuffle;

pub mod table;

mod error;
pub use error::{Error, Result};
