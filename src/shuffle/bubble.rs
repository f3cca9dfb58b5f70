//! `bubble`: draw i carries the card at place i + r_i to place i by swaps of neighbours.
//!
//! So the cards that it passes move down by one place, and the others keep theirs. Layer i has a
//! swap for each j, from the last to the first. It exchanges places i + j - 1 and i + j if r_i >= j.
//! So the swap bits are the thermometer code of r_i, a running XOR of its one-hot code.
//!
//! The circuit does not swap step by step, since the carried card would pass through many gates. It
//! makes the new deck from the old one at once. Place i + j takes the card of the place above it if
//! r_i >= j. Place i takes the card that is left over (see [`put_if`]). Neighbours in the old deck
//! differ in few independent bits. So this saves half of the ANDs if 5 of 52 cards are drawn, and a
//! fifth if all are; and a layer has the depth of one multiplexer.

use super::Spec;
use super::additive;
use super::construction::{Additive, Construction};
use super::deck::{Card, fresh_deck, put_if};
use super::spec::bits_below;
use crate::circuit::{Bit, Builder};

pub(super) const CONSTRUCTION: Construction = Construction::Additive(Additive {
    plaintext,
    record,
    cost,
});

/// The m drawn cards, given the r_i.
fn plaintext(spec: Spec, indices: &[usize]) -> Vec<u32> {
    let mut deck: Vec<u32> = (0..spec.cards() as u32).collect();
    for (i, r) in indices.iter().enumerate() {
        deck[i..=i + r].rotate_right(1);
    }
    deck.truncate(spec.draw());
    deck
}

/// Records the circuit, and gives the m drawn cards.
fn record(b: &mut Builder, spec: Spec) -> Vec<Card> {
    let mut deck = fresh_deck(spec);
    for draw in additive::draws_of(b, spec) {
        let one_hot = draw.one_hot(b);
        let passes = thermometer(b, one_hot);
        let (drawn, others) = deck[draw.first..].split_first_mut().expect("n - i places");
        let mut above = drawn.clone();
        for (place, &passed) in others.iter_mut().zip(&passes[1..]) {
            let below = place.clone();
            put_if(b, passed, place, &above, drawn);
            above = below;
        }
    }
    deck.truncate(spec.draw());
    deck
}

/// The ANDs of [`record`], to within one per cent.
///
/// Before the first draw, neighbours differ by constants. After i draws, a place holds one of i + 1
/// cards in a row, and neighbours differ in about 1 + log2 (i + 1) independent bits. The logarithm is
/// interpolated between powers of two.
fn cost(spec: Spec) -> usize {
    let w = spec.word_bits();
    let layer = |i: usize| {
        let others = spec.cards() - i - 1;
        let log = (i + 1).ilog2() as usize;
        let interpolated = (others * (i + 1 - (1 << log))) >> log;
        let scales = match i {
            0 => 0,
            _ => usize::min(others * w, others * (1 + log) + interpolated),
        };
        others - bits_below(others + 1) + scales
    };
    additive::indices_cost(spec) + (0..additive::draws(spec)).map(layer).sum::<usize>()
}

/// Bit j says whether the index is at least j.
fn thermometer(b: &mut Builder, one_hot: Vec<Bit>) -> Vec<Bit> {
    let mut code = one_hot;
    for j in (1..code.len()).rev() {
        code[j - 1] = b.xor(code[j - 1], code[j]);
    }
    code
}
