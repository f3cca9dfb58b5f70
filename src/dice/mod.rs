//! Fair dice, by commit and reveal.
//!
//! Each party draws a uniform value for each die, and sends a [`Commitment`] to its values. It
//! [reveals](Roll::reveal) the values only after it has received the other party's commitment. A
//! face is the sum of both parties' values, modulo the number of sides, plus 1. The faces are
//! uniform if one party draws honestly.
//!
//! | to | look at |
//! |---|---|
//! | roll over a channel | [`roll()`] |
//! | roll over anything else | [`Roll`], which sends nothing by itself |
//! | roll with more than two parties, or store drawn values | [`Reveal`], [`Dice::faces`] |
//!
//! # A withheld reveal
//! The party that receives the other party's reveal first knows the faces first, and can disconnect
//! without revealing its own values. Nothing can prevent this. So a missing reveal forfeits the
//! roll, with all consequences under the rules of the game. **It is never a reason to roll again**:
//! otherwise a party could roll until it likes the faces.
//!
//! # Contents of a commitment
//! A commitment is the hash of the context, the number of the roll, the party, the dice, the values
//! and a fresh nonce of 256 bits. So a party can neither send back the peer's commitment as its
//! own, nor use a commitment for another roll. The commitment reveals nothing about the values.
//! Several rolls in the same context need different numbers.

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
