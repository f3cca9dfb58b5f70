//! A checked circuit detects every input that an honest party would never enter. Its verdict on a
//! party depends only on the input of this party.

use std::collections::HashSet;

use dealerless::circuit::{Circuit, Gate, Output, Party};
use dealerless::shuffle::{Algorithm, Randomness, ShuffleCircuit, Spec};
use dealerless::testing::shuffles::words;

const PARTIES: [Party; 2] = [Party::Garbler, Party::Evaluator];

/// The algorithms with seeds that can be out of range.
const ADDITIVE: [Algorithm; 4] = [
    Algorithm::FisherYates,
    Algorithm::Bubble,
    Algorithm::Lehmer,
    Algorithm::Cut,
];

fn checked(cards: usize, draw: usize, algorithm: Algorithm) -> ShuffleCircuit {
    let spec = Spec::new(cards, draw, algorithm).expect("a spec within its bounds");
    ShuffleCircuit::build_checked(spec)
}

#[test]
fn party_is_valid_exactly_if_its_bits_encode_seeds() {
    for algorithm in ADDITIVE {
        for (n, m) in (2..=5).flat_map(|n| (1..=n).map(move |m| (n, m))) {
            let shuffle = checked(n, m, algorithm);
            let honest = PARTIES.map(|party| honest_words(&shuffle, party));
            let validity = shuffle.validity().expect("a validity output");
            for (party, bits) in shuffle.circuit().inputs().iter().enumerate() {
                let other = 1 - party;
                let pairs: Vec<(u64, u64)> = (0..1 << bits)
                    .flat_map(|word| honest[other].iter().map(move |&honest| (word, honest)))
                    .collect();
                for batch in pairs.chunks(64) {
                    let mut inputs = [vec![], vec![]];
                    inputs[party] = lanes(batch.iter().map(|pair| pair.0), *bits);
                    inputs[other] = lanes(
                        batch.iter().map(|pair| pair.1),
                        shuffle.circuit().inputs()[other],
                    );
                    let outputs = shuffle.circuit().evaluate_lanes(&inputs);
                    let outputs = words(&outputs.expect("inputs of this circuit"));
                    for ((word, _), outputs) in batch.iter().zip(outputs) {
                        let mut valid = [true; 2];
                        valid[party] = honest[party].contains(word);
                        let expected = u32::from(valid[0]) | u32::from(valid[1]) << 1;
                        assert_eq!(
                            outputs[validity], expected,
                            "{algorithm} {m} of {n}, {word:b} of party {party}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn network_accepts_all_bits_and_needs_no_check() {
    for algorithm in Algorithm::ALL {
        let shuffle = checked(52, 9, algorithm);
        assert!(shuffle.is_checked());
        assert_eq!(shuffle.validity().is_some(), ADDITIVE.contains(&algorithm));
    }
}

#[test]
fn validity_depends_only_on_the_inputs_of_its_party() {
    for algorithm in Algorithm::ALL {
        for m in [9, 52] {
            let shuffle = checked(52, m, algorithm);
            let Some(validity) = shuffle.validity() else {
                continue;
            };
            let circuit = shuffle.circuit();
            assert_eq!(circuit.outputs().len(), m + 1);
            assert_eq!(circuit.outputs()[validity].len(), 2);
            for (party, &output) in circuit.outputs()[validity].iter().enumerate() {
                let first = circuit.inputs()[..party].iter().sum();
                let wires = first..first + circuit.inputs()[party];
                let inputs = inputs_behind(circuit, output);
                assert!(!inputs.is_empty());
                assert!(inputs.into_iter().all(|wire| wires.contains(&wire)));
            }
        }
    }
}

#[test]
fn checked_circuit_deals_the_same_cards() {
    for algorithm in ADDITIVE {
        let shuffle = checked(52, 9, algorithm);
        let unchecked = ShuffleCircuit::build(shuffle.spec());
        assert!(shuffle.is_checked() && !unchecked.is_checked());
        assert_eq!(unchecked.validity(), None);
        let inputs = PARTIES.map(|party| {
            let moduli = shuffle.seeds(party).iter().map(|seed| seed.modulus);
            let seeds: Vec<u64> = moduli
                .enumerate()
                .map(|(i, m)| (7 * i as u64 + 5) % m)
                .collect();
            let randomness = Randomness::from_values(&shuffle, party, &seeds);
            randomness
                .expect("values below their moduli")
                .bits()
                .to_vec()
        });
        let [checked, unchecked] = [&shuffle, &unchecked].map(|shuffle| {
            let outputs = shuffle
                .circuit()
                .evaluate(&inputs)
                .expect("inputs of this circuit");
            shuffle.decode(&outputs)
        });
        assert_eq!(checked, unchecked, "{algorithm}");
    }
}

/// The input bits of all honest seeds of a party, as numbers whose lowest bit is the first wire.
fn honest_words(shuffle: &ShuffleCircuit, party: Party) -> HashSet<u64> {
    let mut all = vec![Vec::new()];
    for seed in shuffle.seeds(party) {
        let extended = |values: &Vec<u64>| {
            let values = values.clone();
            (0..seed.modulus).map(move |value| [&values[..], &[value]].concat())
        };
        all = all.iter().flat_map(extended).collect();
    }
    let word = |values: Vec<u64>| {
        let randomness = Randomness::from_values(shuffle, party, &values).expect("honest seeds");
        let bits = randomness.bits().iter().rev();
        bits.fold(0, |word, &bit| word << 1 | u64::from(bit))
    };
    all.into_iter().map(word).collect()
}

/// Transposes words of `bits` bits: the result has a number for each bit, with a lane for each
/// word.
fn lanes(words: impl Iterator<Item = u64>, bits: usize) -> Vec<u64> {
    let mut lanes = vec![0; bits];
    for (lane, word) in words.enumerate() {
        for (bit, lanes) in lanes.iter_mut().enumerate() {
            *lanes |= (word >> bit & 1) << lane;
        }
    }
    lanes
}

/// The input wires on which an output bit can depend.
fn inputs_behind(circuit: &Circuit, output: Output) -> Vec<usize> {
    let mut reached = vec![false; circuit.wires()];
    if let Output::Wire(wire) = output {
        reached[wire.index()] = true;
    }
    for (number, gate) in circuit.gates().iter().enumerate().rev() {
        if reached[circuit.input_bits() + number] {
            match *gate {
                Gate::Xor(a, b) | Gate::And(a, b) => {
                    reached[a.index()] = true;
                    reached[b.index()] = true;
                }
                Gate::Not(a) => reached[a.index()] = true,
            }
        }
    }
    (0..circuit.input_bits())
        .filter(|&wire| reached[wire])
        .collect()
}
