//! Bridge: deals, their numbers, and boards.
//!
//! | to | look at |
//! |---|---|
//! | read and write a deal, or find its number | [`Deal`], [`DealNumber`] |
//! | read and write files of boards | [`formats`] |
//! | generate the deals of Big Deal | [`big_deal`] |
//! | check a published tournament | [`squaredeal`] |
//! | print sheets by which two people deal preset boards | [`sheets`] |
//! | measure how much a sheet reveals | [`leakage`] |
//! | deal boards jointly with a peer | `SealedBoards`, with the feature `joint` |
//!
//! Cards are numbered as Big Deal numbers them: the ace of spades is 0, the two of clubs 51; spades,
//! hearts, diamonds, clubs, and in each suit from the ace down.
//!
//! The feature `joint` adds the crate `dealerless`, which shuffles in a two-party computation. The feature
//! `parallel`, on by default, uses all cores of the machine.

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
/// The version of `rand` whose traits this crate takes. A generator of another version does not compile.
pub use rand;
#[cfg(feature = "joint")]
pub use sealed::SealedBoards;
pub use suit::Suit;

// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
