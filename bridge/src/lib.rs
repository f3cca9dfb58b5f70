//! Bridge: deals, their numbers, and boards.
//!
//! | task | item |
//! |---|---|
//! | parse and print a deal, or compute its number | [`Deal`], [`DealNumber`] |
//! | read and write files of boards | [`formats`] |
//! | generate the deals of Big Deal | [`big_deal`] |
//! | verify a published tournament | [`squaredeal`] |
//! | print sheets with which two people deal preset boards | [`sheets`] |
//! | measure how much a sheet reveals | [`leakage`] |
//! | deal boards jointly with a peer | `SealedBoards`, with the feature `joint` |
//!
//! Cards are numbered as in Big Deal, from 0, the ace of spades, to 51, the two of clubs: spades,
//! hearts, diamonds and clubs, with each suit from the ace down.
//!
//! The feature `joint` adds the crate `dealerless`, which shuffles in a two-party computation. The
//! feature `parallel`, on by default, uses all cores of the machine.

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
/// The version of `rand` whose traits this crate uses. Generators of other versions do not compile.
pub use rand;
#[cfg(feature = "joint")]
pub use sealed::SealedBoards;
pub use suit::Suit;

// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
