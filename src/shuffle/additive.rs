//! Additive seeds: draw i, from 0, uses the index `r_i = (a_i + b_i) mod (n - i)`.
//!
//! `a_i` is the garbler's seed and `b_i` the evaluator's, both below n - i. If one of them is
//! uniform and independent of the other, r_i is uniform. (The XOR of two seeds, reduced modulo n -
//! i, is not uniform: with 6 bits, the 12 smallest of 52 values occur twice as often as the other
//! 40.)

use super::randomness::{Encoding, Seed};
use super::spec::{Spec, bits_below};
use crate::circuit::{Bit, Builder, Party, gadgets};

/// The number of draws. The last card of a full shuffle is the only card left, so it needs no draw.
pub(super) fn draws(spec: Spec) -> usize {
    spec.draw().min(spec.cards() - 1)
}

/// The seeds of a party, one for each draw.
pub(super) fn seeds(spec: Spec, party: Party) -> Vec<Seed> {
    (0..draws(spec))
        .map(|i| {
            let modulus = spec.cards() - i;
            let bits = bits_below(modulus);
            let (bits, encoding) = match party {
                Party::Garbler => (bits, Encoding::Unsigned),
                Party::Evaluator => (bits + 1, Encoding::MinusModulus),
            };
            Seed {
                bits,
                modulus: modulus as u64,
                encoding,
            }
        })
        .collect()
}

/// The r_i of plaintext seeds, which are below their moduli.
pub(super) fn indices(spec: Spec, garbler: &[u64], evaluator: &[u64]) -> Vec<usize> {
    (0..draws(spec))
        .map(|i| (garbler[i] + evaluator[i]) as usize % (spec.cards() - i))
        .collect()
}

/// The wires of each draw. Input value 0 of the circuit is the garbler's seeds, and input value 1
/// the evaluator's.
pub(super) fn draws_of(b: &Builder, spec: Spec) -> Vec<Draw> {
    let (garbler, evaluator) = (b.input(0), b.input(1));
    let (mut garbler, mut evaluator) = (garbler.as_slice(), evaluator.as_slice());
    (0..draws(spec))
        .map(|first| {
            let modulus = spec.cards() - first;
            let k = bits_below(modulus);
            Draw {
                first,
                modulus,
                garbler: garbler.split_off(..k).expect("k wires").to_vec(),
                evaluator: evaluator.split_off(..=k).expect("k + 1 wires").to_vec(),
            }
        })
        .collect()
}

/// The number of ANDs of one r_i below `modulus`: two per bit, minus one, minus one for each
/// trailing zero.
pub(super) fn index_cost(modulus: usize) -> usize {
    2 * bits_below(modulus) - 1 - modulus.trailing_zeros() as usize
}

/// The number of ANDs of all r_i.
pub(super) fn indices_cost(spec: Spec) -> usize {
    (0..draws(spec)).map(|i| index_cost(spec.cards() - i)).sum()
}

/// One draw: the wires of its two seeds.
pub(super) struct Draw {
    /// i, the number of the draw: any card at position i or later can be drawn.
    pub(super) first: usize,
    /// n - i.
    modulus: usize,
    /// a_i, with k = ceil(log2 (n - i)) bits.
    garbler: Vec<Bit>,
    /// b_i - (n - i), with k + 1 bits.
    evaluator: Vec<Bit>,
}

impl Draw {
    /// r_i, a word of k bits, at the cost of [`index_cost`].
    pub(super) fn index(&self, b: &mut Builder) -> Vec<Bit> {
        let (garbler, evaluator) = (&self.garbler, &self.evaluator);
        gadgets::add_mod(b, garbler, evaluator, Bit::ZERO, self.modulus as u64)
    }

    /// The one-hot code of r_i: n - i bits, at a cost of n - i - 1 - k ANDs in addition to those of
    /// r_i.
    pub(super) fn one_hot(&self, b: &mut Builder) -> Vec<Bit> {
        let index = self.index(b);
        gadgets::one_hot(b, &index, self.modulus)
    }

    /// i + r_i, the drawn position in the whole deck, as a word of w bits. Costs less than k + w
    /// ANDs.
    ///
    /// The sum s = a_i + b_i - (n - i) is r_i if s >= 0, and r_i - (n - i) if s < 0. So i + r_i is
    /// s + i if s >= 0, and s + n if s < 0. This addition takes the place of the reduction.
    pub(super) fn place(&self, b: &mut Builder, word_bits: usize) -> Vec<Bit> {
        let k = self.garbler.len();
        let (mut sum, carry) = gadgets::add(b, &self.garbler, &self.evaluator[..k], Bit::ZERO);
        let negative = b.xor(self.evaluator[k], carry);
        sum.resize(word_bits, negative);
        let n = gadgets::constant((self.first + self.modulus) as u64, word_bits);
        let i = gadgets::constant(self.first as u64, word_bits);
        let offset = gadgets::mux(b, negative, &n, &i);
        gadgets::add(b, &sum, &offset, Bit::ZERO).0
    }
}
