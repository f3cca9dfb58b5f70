//! Evaluates many shuffles at once, 64 in each evaluation of the circuit.

use crate::circuit::Party;
use crate::shuffle::{Algorithm, Encoding, Randomness, ShuffleCircuit, Spec};
use rand::rngs::{StdRng, SysRng};
use rand::seq::SliceRandom;
use rand::{CryptoRng, SeedableRng};

/// The seeds of both parties, in the clear.
pub type Seeds = (Vec<u64>, Vec<u64>);

/// Builds the shuffle of a valid spec.
pub fn shuffle(cards: usize, draw: usize, algorithm: Algorithm) -> ShuffleCircuit {
    ShuffleCircuit::build(Spec::new(cards, draw, algorithm).expect("the spec is valid"))
}

/// A fast generator with a fresh seed from the operating system.
pub fn fresh_generator() -> StdRng {
    StdRng::try_from_rng(&mut SysRng).expect("the random generator of the operating system failed")
}

/// The input bits of both parties for seeds in the clear.
pub fn input_bits(shuffle: &ShuffleCircuit, (garbler, evaluator): &Seeds) -> [Randomness; 2] {
    [(Party::Garbler, garbler), (Party::Evaluator, evaluator)].map(|(party, values)| {
        Randomness::from_values(shuffle, party, values).expect("the values are valid seeds")
    })
}

/// Random seeds for both parties, each reduced from 64 bits modulo its bound. For tests only: the
/// reduction causes a bias of 2^-50.
pub fn random_seeds(shuffle: &ShuffleCircuit, rng: &mut impl CryptoRng) -> Seeds {
    let mut draw = |party| {
        let seeds = shuffle.seeds(party);
        if let [seed] = seeds
            && seed.encoding == Encoding::Switches
        {
            let mut permutation: Vec<u64> = (0..seed.modulus).collect();
            permutation.shuffle(rng);
            return permutation;
        }
        seeds
            .iter()
            .map(|seed| rng.next_u64() % seed.modulus)
            .collect()
    };
    (draw(Party::Garbler), draw(Party::Evaluator))
}

/// The input values of a circuit, with one lane for each of up to 64 pairs of inputs.
pub fn lanes(inputs: &[[Randomness; 2]]) -> Vec<Vec<u64>> {
    assert!(inputs.len() <= 64);
    [0, 1]
        .map(|party| {
            let mut word = vec![0; inputs[0][party].bits().len()];
            for (lane, input) in inputs.iter().enumerate() {
                for (bits, &bit) in word.iter_mut().zip(input[party].bits()) {
                    *bits |= u64::from(bit) << lane;
                }
            }
            word
        })
        .to_vec()
}

/// The output values of each of 64 lanes as numbers.
pub fn words(outputs: &[Vec<u64>]) -> Vec<Vec<u32>> {
    let number = |word: &Vec<u64>, lane: usize| {
        let bits = word.iter().rev().map(|bits| (bits >> lane & 1) as u32);
        bits.fold(0, |number, bit| number << 1 | bit)
    };
    (0..64)
        .map(|lane| outputs.iter().map(|word| number(word, lane)).collect())
        .collect()
}

/// The cards in each of the first `count` lanes of the outputs.
pub fn cards(shuffle: &ShuffleCircuit, outputs: &[Vec<u64>], count: usize) -> Vec<Vec<u32>> {
    let lane = |lane: usize| -> Vec<Vec<bool>> {
        outputs
            .iter()
            .map(|word| word.iter().map(|bits| bits >> lane & 1 == 1).collect())
            .collect()
    };
    (0..count).map(|i| shuffle.decode(&lane(i))).collect()
}

/// The draws of the circuit, one for each pair of inputs.
pub fn evaluate(shuffle: &ShuffleCircuit, inputs: &[[Randomness; 2]]) -> Vec<Vec<u32>> {
    inputs
        .chunks(64)
        .flat_map(|inputs| {
            let outputs = shuffle.circuit().evaluate_lanes(&lanes(inputs));
            cards(
                shuffle,
                &outputs.expect("the inputs match the circuit"),
                inputs.len(),
            )
        })
        .collect()
}
