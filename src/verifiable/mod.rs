//! A deck for 2 to 10 seats that anybody can check.
//!
//! Each seat in turn shuffles and re-encrypts the deck, and proves that it did nothing else. A card
//! is opened by the partial decryptions of a threshold of seats, with proofs. Every part is bound to
//! its place in a log by a [`Context`], and a part that does not verify convicts its signer from the
//! log alone.
//!
//! | module | what it holds |
//! |---|---|
//! | `group` | ristretto255: hashes, encodings, proofs of knowledge of logarithms |
//! | `keys` | [`Contribution`]: the keys of a match, in three steps of all seats; [`Roster`] |
//! | `deck` | [`Cards`] as points, the [`VerifiedDeck`], the [`Decks`] of a hand and their [`Slot`]s |
//! | `shuffle` | shuffles with their proofs |
//! | `partials` | [`Partials`]: partial decryptions for all seats or for one |
//! | `coin` | [`Coin`]: a random number that no seat can choose |
//! | `goods` | [`Goods`]: cards of known kinds, which their owners mix |
//! | `show` | [`Show`]: a card that one seat has seen, shown to others |
//!
//! Security rests on the decisional Diffie-Hellman assumption in ristretto255, and on BLAKE3 as a
//! random oracle. Fewer than the threshold of seats learn nothing about a closed card; the threshold
//! of seats together can open every card. If one seat shuffles honestly, the order is uniform.
//!
//! Nothing in this module uses a clock, a file, a socket or a thread.

mod coin;
mod context;
mod deck;
mod goods;
mod group;
mod keys;
mod partials;
mod show;
mod shuffle;

#[cfg(test)]
mod tests;

pub use coin::Coin;
pub use context::Context;
pub use deck::{Cards, Decks, Receiver, Slot, VerifiedDeck};
pub use goods::{Goods, Unmixed};
pub use keys::{
    BadKeys, Complaint, Contribution, Dealing, Keys, MAX_SEATS, NoKey, Roster, Seats, SecretKey,
};
pub use partials::{BadPartials, OpenedTo, Partial, Partials, openers};
pub use show::{BadShow, Show, Shown};
pub use shuffle::BadShuffle;
#[cfg(feature = "internals")]
pub use shuffle::trust_own_shuffles;
