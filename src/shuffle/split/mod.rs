//! Splits: which of four hands gets each card of a pack, without an order inside a hand.
//!
//! A pack of four suits of r cards is dealt to four hands of r cards; r is 13 in bridge. All
//! (4r)! / (r!)⁴ splits are equally likely. To shuffle the pack and to deal it would draw an order
//! inside each hand too, and carry six bits of a card through a network where two bits of a hand do.
//!
//! **The draw.** For each board one party enters a permutation p of the 4r cards: card c is put at place
//! `p[c]` of the pack. The other party enters a *word* w with each hand r times: the card at place k
//! goes to hand `w[k]`. So card c goes to hand `w[p[c]]`. For a fixed p the split is uniform over uniform
//! w, since it is w with its letters moved. For a fixed w it is uniform over uniform p: each split is
//! reached by the (r!)⁴ permutations that bring its cards to the places of their hands. So one honest
//! party is enough.
//!
//! These two are what two people need who deal the pack by hand: the first puts each card at its
//! place, the second deals from the top. Neither learns the deal.
//!
//! **The circuit.** The word goes through the Waksman network that the permutation sets: a switch takes
//! two ANDs. A word may be anything, so the circuit counts its letters, which takes only ANDs that its
//! party knows. At the end a hand is a number with a bit for each of its cards, for which each card
//! takes one AND.
//!
//! | a board of 52 cards | joint ANDs | owned ANDs |
//! |---|---|---|
//! | network | 498 | |
//! | hands as numbers | 52 | |
//! | letters of the word | | 216 |
//!
//! Each further word of the same party takes one more owned AND, which joins its check to that of the first.
//!
//! The shuffle of all 52 cards with the fewest joint ANDs has 1506 of them. `docs/circuits.md` compares more.

mod circuit;
mod draw;
mod entry;

pub use circuit::{EntryError, SplitCircuit};
pub use draw::{Split, SplitError};
pub use entry::Entry;

#[cfg(test)]
mod tests;
