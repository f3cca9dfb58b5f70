//! Fair dice, by commit and reveal.
//!
//! Each party draws every die uniformly, and says a [`Commitment`] to what it has drawn. Only when
//! it has the other's commitment does it [reveal](Roll::reveal). The faces are the sums of what both
//! have drawn, modulo the number of sides: uniform, if one party draws honestly.
//!
//! | to | look at |
//! |---|---|
//! | roll over a channel | [`roll()`] |
//! | roll over anything else | [`Roll`], which sends nothing by itself |
//! | roll with more than two, or keep what was drawn on a disk | [`Reveal`], [`Dice::faces`] |
//!
//! # A withheld reveal
//! Who has both reveals first knows the faces first, and can go away. Nothing can prevent that. So
//! a reveal that does not come is a forfeit of the roll, and of whatever the game says that this
//! costs. **It is never a reason to roll again**: else a party would roll until it likes the faces.
//!
//! # What is committed to
//! The hash of the context, the number of the roll, the party, the dice, the values and a fresh nonce
//! of 256 bits. So a commitment can neither be sent back as one's own nor serve for another roll, and
//! says nothing about the values. Whoever rolls twice in one context gives the rolls two numbers.

mod channel;
mod error;
mod roll;
mod tag;
mod terms;

pub use channel::roll;
pub use error::{Check, Error, Result};
pub use roll::{Commitment, Reveal, Revealed, Roll};
#[cfg(feature = "internals")]
pub use tag::Tag;
pub use terms::{Dice, DiceError, Terms};
