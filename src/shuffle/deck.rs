//! A deck on the wires of a circuit.

use super::Spec;
use crate::circuit::{Bit, Builder, gadgets};

/// A card: a word of w bits.
pub(super) type Card = Vec<Bit>;

/// The deck before the shuffle: card c at position c. It is constant, which makes the first draws
/// cheap.
pub(super) fn fresh_deck(spec: Spec) -> Vec<Card> {
    (0..spec.cards())
        .map(|card| gadgets::constant(card as u64, spec.word_bits()))
        .collect()
}

/// Replaces the card at `place` with `incoming` if `bit` is 1, and XORs the change into `balance`.
/// Costs at most w ANDs.
///
/// A permutation does not change the XOR of all cards. So one place can serve as the `balance`:
/// when all other places have their new cards, `balance` is its own new card, which costs no AND.
pub(super) fn put_if(
    b: &mut Builder,
    bit: Bit,
    place: &mut Card,
    incoming: &[Bit],
    balance: &mut Card,
) {
    let difference: Card = (place.iter().zip(incoming))
        .map(|(&here, &incoming)| b.xor(here, incoming))
        .collect();
    let change = gadgets::scale(b, bit, &difference);
    for word in [place, balance] {
        for (bit, &change) in word.iter_mut().zip(&change) {
            *bit = b.xor(*bit, change);
        }
    }
}
