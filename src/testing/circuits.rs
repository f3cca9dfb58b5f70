//! Random circuits.

use crate::circuit::{Bit, Builder, Circuit};
use rand::{Rng, RngExt};

/// Random bits.
pub fn bits(rng: &mut impl Rng, count: usize) -> Vec<bool> {
    (0..count).map(|_| rng.random()).collect()
}

/// A random circuit with at most 4 input values of at most 6 bits each, and about 40 gates.
///
/// Some circuits have no AND gate, some have no input, and some input values have no bits. An
/// output may be a constant, an input, a negated input, or the same bit as another output.
pub fn random_circuit(rng: &mut impl Rng) -> Circuit {
    let values = rng.random_range(0..=4);
    let inputs: Vec<usize> = (0..values).map(|_| rng.random_range(0..=6)).collect();
    random_circuit_of(&inputs, rng)
}

/// A random circuit with the given widths of its input values.
pub fn random_circuit_of(inputs: &[usize], rng: &mut impl Rng) -> Circuit {
    let mut builder = Builder::new(inputs);
    let mut bits = vec![Bit::ZERO, Bit::ONE];
    bits.extend((0..inputs.len()).flat_map(|value| builder.input(value)));
    let ands_in_8 = rng.random_range(0..=6);
    for _ in 0..rng.random_range(0..=40) {
        let [a, b] = [(); 2].map(|()| bits[rng.random_range(0..bits.len())]);
        let bit = match rng.random_range(0..8) {
            kind if kind < ands_in_8 => builder.and(a, b),
            7 => builder.not(a),
            _ => builder.xor(a, b),
        };
        bits.push(bit);
    }
    let words = rng.random_range(0..=4);
    let outputs = (0..words)
        .map(|_| {
            let word = rng.random_range(0..=5);
            (0..word)
                .map(|_| bits[rng.random_range(0..bits.len())])
                .collect()
        })
        .collect();
    builder.build(outputs)
}
