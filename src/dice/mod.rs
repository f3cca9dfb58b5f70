//! Fair dice, by commit and reveal.
//!
//! Each party draws every die uniformly, and sends a [`Commitment`] to the values it has drawn. It
//! [reveals](Roll::reveal) them only when it has the other party's commitment. The faces are the
//! sums of both parties' values, modulo the number of sides. They are uniform if one party draws
//! honestly.
//!
//! | to | look at |
//! |---|---|
//! | roll over a channel | [`roll()`] |
//! | roll over anything else | [`Roll`], which sends nothing by itself |
//! | roll with more than two parties, or store drawn values | [`Reveal`], [`Dice::faces`] |
//!
//! # A withheld reveal
//! The party that has both reveals first knows the faces first, and can disconnect. Nothing can
//! prevent that. So a missing reveal forfeits the roll, with all consequences under the rules of
//! the game. **It is never a reason to roll again**: otherwise a party could roll until it likes
//! the faces.
//!
//! # Contents of a commitment
//! A commitment is the hash of the context, the number of the roll, the party, the dice, the values
//! and a fresh nonce of 256 bits. So it can neither be sent back as the peer's own nor be used for
//! another roll, and it reveals nothing about the values. Several rolls in the same context need
//! different numbers.

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
