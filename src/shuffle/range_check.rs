//! Checks that the seeds entered by a party are in range.
//!
//! A seed that is not below its modulus would bias its draw. With `lehmer` and `cut`, such a seed
//! could even make the circuit deal a card twice, or a card that does not exist. A
//! [checked](super::ShuffleCircuit::build_checked) circuit detects such seeds.

use super::randomness::{Encoding, Seed};
use crate::circuit::{Bit, Builder, gadgets};

/// Whether any input can be out of range.
pub(super) fn is_needed(parties: [&[Seed]; 2]) -> bool {
    !parties.into_iter().flatten().all(always_valid)
}

/// For each party, whether all of its seeds are in range.
///
/// Input value 0 of the circuit is the garbler's seeds, and input value 1 the evaluator's. Each bit
/// depends only on the wires of one party, so opening it reveals nothing about the other party.
pub(super) fn validity(b: &mut Builder, parties: [&[Seed]; 2]) -> Vec<Bit> {
    let valid = parties.into_iter().enumerate().map(|(value, seeds)| {
        let wires = b.input(value);
        let mut wires = wires.as_slice();
        seeds.iter().fold(Bit::ONE, |all, seed| {
            let word = wires.split_off(..seed.bits).expect("the wires of the seed");
            let in_range = in_range(b, seed, word);
            b.and(all, in_range)
        })
    });
    valid.collect()
}

/// The number of ANDs of [`validity`] that depend on the inputs of the party with these seeds. Each
/// AND of [`validity`] depends on the inputs of only one party.
///
/// A comparison of k bits with a constant takes k - 1 ANDs, minus one for each trailing zero of the
/// constant. The sign of a seed takes one more AND, unless no other bits of the seed are compared.
pub(super) fn cost(seeds: &[Seed]) -> usize {
    let compared = seeds.iter().filter(|seed| !always_valid(seed));
    // Includes the AND with the result for the preceding seeds.
    let comparisons = compared.map(|seed| seed.bits - seed.modulus.trailing_zeros() as usize);
    comparisons.sum::<usize>().saturating_sub(1)
}

fn in_range(b: &mut Builder, seed: &Seed, word: &[Bit]) -> Bit {
    match seed.encoding {
        Encoding::Unsigned => {
            let too_large = gadgets::at_least(b, word, seed.modulus);
            b.not(too_large)
        }
        // The word is in range if it is at least -modulus and negative.
        Encoding::MinusModulus => {
            let (&sign, magnitude) = word.split_last().expect("a sign");
            let lowest = (1 << magnitude.len()) - seed.modulus;
            let high_enough = gadgets::at_least(b, magnitude, lowest);
            b.and(sign, high_enough)
        }
        Encoding::Switches => Bit::ONE,
    }
}

/// Whether every possible word of the seed is in range.
fn always_valid(seed: &Seed) -> bool {
    match seed.encoding {
        Encoding::Unsigned => seed.modulus.is_power_of_two(),
        Encoding::MinusModulus => false,
        // A network computes a permutation for any control bits.
        Encoding::Switches => true,
    }
}
