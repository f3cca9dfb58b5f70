//! Bridge: deals, their numbers, and boards.
//!
//! | task | item |
//! |---|---|
//! | parse and print a deal, or compute its number | [`Deal`], [`DealNumber`] |
//! | read and write files of boards | [`formats`] |
//! | generate the deals of Big Deal | [`big_deal`] |
//! | verify a published tournament | [`squaredeal`] |
//! | print sheets for two people who deal preset boards by hand | [`sheets`] |
//! | measure how much a sheet reveals | [`leakage`] |
//! | deal boards jointly with a peer | `SealedBoards`, with the feature `joint` |
//!
//! Cards are numbered as in Big Deal, from 0 (the ace of spades) to 51 (the two of clubs). The
//! suits are in the order spades, hearts, diamonds, clubs, and each suit goes from the ace down.
//!
//! The feature `joint` adds a dependency on the crate `dealerless`, which deals the boards in a
//! two-party computation. The feature `parallel`, on by default, runs the preprocessing of this
//! computation and the studies of [`leakage`] on all cores of the machine.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod big_deal;
mod board;
mod deal;
pub mod formats;
pub mod leakage;
mod number;
#[cfg(feature = "joint")]
mod sealed;
pub mod sheets;
pub mod squaredeal;
mod suit;
mod uniform;

pub use board::{Board, Vulnerability};
pub use deal::{Card, Compass, Deal, DealError, Hand};
pub use number::{DealNumber, NumberError, Order};
/// The version of `rand` whose traits a generator must implement for the functions of this crate.
pub use rand;
#[cfg(feature = "joint")]
pub use sealed::SealedBoards;
pub use suit::Suit;

// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
