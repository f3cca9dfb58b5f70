//! Whether the seeds that a party entered are in range.
//!
//! A seed at or above its modulus would skew its draw, and `lehmer` and `cut` would even deal cards
//! twice, or cards that do not exist. An honest party cannot enter one; a circuit that is
//! [checked](super::ShuffleCircuit::build_checked) sees those of another.

use super::randomness::{Encoding, Seed};
use crate::circuit::{Bit, Builder, gadgets};

/// For each party, whether all of its seeds are in range; `None` if no input can be out of range.
///
/// The input values of the circuit, from 0, are those of the parties. Each bit depends on the wires
/// of one of them alone, so opening it tells nothing about the other.
pub(super) fn validity(b: &mut Builder, parties: [&[Seed]; 2]) -> Option<Vec<Bit>> {
    if parties.into_iter().flatten().all(|seed| always_valid(seed)) {
        return None;
    }
    let mut valid = Vec::with_capacity(parties.len());
    for (value, seeds) in parties.into_iter().enumerate() {
        let wires = b.input(value);
        let mut wires = wires.as_slice();
        let mut all = Bit::ONE;
        for seed in seeds {
            let word = wires.split_off(..seed.bits).expect("the wires of the seed");
            let in_range = in_range(b, seed, word);
            all = b.and(all, in_range);
        }
        valid.push(all);
    }
    Some(valid)
}

/// The ANDs of [`validity`].
///
/// A comparison of k bits with a constant takes k - 1, less one for each of its trailing zeros.
pub(super) fn cost(parties: [&[Seed]; 2]) -> usize {
    let party = |seeds: &[Seed]| {
        let compared = seeds.iter().filter(|seed| !always_valid(seed));
        let comparisons = compared.map(|seed| seed.bits - seed.modulus.trailing_zeros() as usize);
        // One less for the first comparison, since its outcome needs no AND with others.
        comparisons.sum::<usize>().saturating_sub(1)
    };
    parties.map(party).iter().sum()
}

fn in_range(b: &mut Builder, seed: &Seed, word: &[Bit]) -> Bit {
    match seed.encoding {
        Encoding::Unsigned => {
            let too_large = gadgets::at_least(b, word, seed.modulus);
            b.not(too_large)
        }
        // The numbers from -modulus to -1, less their sign.
        Encoding::MinusModulus => {
            let lowest = (1u128 << seed.bits) - u128::from(seed.modulus);
            gadgets::at_least(b, word, lowest as u64)
        }
    }
}

/// Whether all words of the seed's bits are in range.
fn always_valid(seed: &Seed) -> bool {
    u128::from(seed.modulus) == 1 << seed.bits
}
