//! A *split* assigns the cards of a pack to four hands, without an order within a hand.
//!
//! A pack of four suits of r cards is dealt to four hands of r cards; r is 13 in bridge. All (4r)!
//! / (r!)⁴ splits are equally likely. Shuffling and dealing the pack would also draw an order
//! within each hand, and would move six bits of a card through a network instead of two bits of a
//! hand.
//!
//! **The draw.** For each *board* (one dealt pack), one party enters a permutation p of the 4r
//! cards: card c is put at position `p[c]` of the pack. The other party enters a *word* w of 4r
//! letters, which contains each of the four hands r times: the card at position k goes to hand
//! `w[k]`. So card c goes to hand `w[p[c]]`. For a fixed p, the split is uniform over uniform w,
//! since the hands of all cards are w with its letters permuted. For a fixed w, it is uniform over
//! uniform p: each split results from the (r!)⁴ permutations that bring its cards to the positions
//! of their hands. So one honest party is enough.
//!
//! Two people who deal the pack by hand need the same two inputs: the first puts each card at its
//! position, and the second deals from the top. Neither learns the deal.
//!
//! **The circuit.** The word goes through the Waksman network that the permutation sets: a switch
//! takes two ANDs. A party may enter an arbitrary word, so the circuit counts its letters, which
//! takes only ANDs that are owned by this party. At the end, a hand is a number with one bit for
//! each card of the pack, which takes one AND for each card.
//!
//! | a board of 52 cards | joint ANDs | owned ANDs |
//! |---|---|---|
//! | network | 498 | |
//! | hands as numbers | 52 | |
//! | letters of the word | | 216 |
//!
//! Each further word of the same party takes one more owned AND, which joins its check to the check
//! of the first word.
//!
//! The shuffle of all 52 cards with the fewest joint ANDs has 1506 of them. `docs/circuits.md`
//! compares more.

mod circuit;
mod draw;
mod entry;

pub use circuit::{EntryError, SplitCircuit};
pub use draw::{Split, SplitError};
pub use entry::Entry;

#[cfg(test)]
mod tests;
