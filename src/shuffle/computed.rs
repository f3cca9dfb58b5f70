//! The size of a circuit, computed without building it, even for decks that are too large to build.

use super::additive;
use super::algorithm::Algorithm;
use super::construction::{Construction, Cost};
use super::network::Composed;
use super::randomness::Seed;
use super::range_check;
use super::spec::{Spec, SpecError};
use crate::circuit::{ByParty, Party};

/// The size of the circuit of a shuffle, computed instead of counted.
///
/// The numbers of ANDs of `bubble`, `lehmer` and `cut` are sums over the draws; the files of these
/// algorithms explain why they are exact. The number for a network is the sum of the ranks of its
/// switches: a switch takes one AND for each independent bit in which its two cards can differ.
/// This number is also exact. The number for `fisher-yates` is exact except for draws of more than
/// half of a deck whose size is just above a power of two: see [`exact`](Self::exact).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Computed {
    /// AND gates without a check of the inputs.
    pub and: usize,
    /// AND gates with the check that both parties' inputs are in range.
    pub checked_and: usize,
    /// AND gates that depend on the inputs of both parties, with or without the check: only these
    /// are garbled.
    pub joint_and: usize,
    /// AND gates that depend on the inputs of only one party, in the circuit with the check: the
    /// ANDs of this party's check, or of the garbler's copy of a network.
    pub owned_and: ByParty<usize>,
    /// Whether the number of ANDs is exact. Otherwise it is a few per cent too high.
    pub exact: bool,
    /// The number of bits that the garbler enters.
    pub garbler_inputs: usize,
    /// The number of bits that the evaluator enters.
    pub evaluator_inputs: usize,
    /// The number of bits of all drawn cards.
    pub outputs: usize,
    /// The number of bits of the check's result: 2, or 0 if no input can be out of range.
    pub validity_outputs: usize,
}

impl Computed {
    /// The largest deck for which sizes are computed. It is larger than [`Spec::MAX_CARDS`], since
    /// no circuit is built.
    pub const MAX_CARDS: usize = Spec::MAX_CARDS_TO_COUNT;

    /// Checks that a deck and a draw are within the bounds of [`of`](Self::of).
    ///
    /// # Errors
    /// When the number of cards or the draw is out of bounds.
    pub fn check_bounds(cards: usize, draw: usize) -> Result<(), SpecError> {
        // The bounds are the same for every algorithm.
        Spec::to_count(cards, draw, Algorithm::ALL[0]).map(drop)
    }

    /// Computes the sizes of the circuit that draws `draw` out of `cards` cards.
    ///
    /// An additive algorithm takes milliseconds. For a network, the switches are laid out, but no
    /// gates are recorded. Memory is in proportion to the number of switches. The largest network
    /// takes one second and half a gigabyte.
    ///
    /// # Errors
    /// When `cards` is not between 2 and [`MAX_CARDS`](Self::MAX_CARDS), or `draw` is not between 1
    /// and `cards`.
    pub fn of(cards: usize, draw: usize, algorithm: Algorithm) -> Result<Self, SpecError> {
        let spec = Spec::to_count(cards, draw, algorithm)?;
        let outputs = draw * spec.word_bits();
        Ok(match algorithm.construction() {
            Construction::Routed(copies) => {
                let composed = Composed::new(spec, copies);
                let cost = composed.cost();
                let and = cost.joint + cost.garbler;
                Self {
                    and,
                    joint_and: cost.joint,
                    owned_and: ByParty {
                        garbler: cost.garbler,
                        evaluator: 0,
                    },
                    // Switches need no check.
                    checked_and: and,
                    exact: true,
                    garbler_inputs: composed.switches(Party::Garbler),
                    evaluator_inputs: composed.switches(Party::Evaluator),
                    outputs,
                    validity_outputs: 0,
                }
            }
            Construction::Additive(additive) => {
                let Cost { ands, exact } = (additive.cost)(spec);
                let seeds = Party::BOTH.map(|party| additive::seeds(spec, party));
                let bits = |seeds: &[Seed]| seeds.iter().map(|seed| seed.bits).sum();
                let checks = seeds.each_ref().map(|seeds| range_check::cost(seeds));
                Self {
                    and: ands,
                    // Each AND depends on an r_i, which is a sum of both parties' seeds.
                    joint_and: ands,
                    owned_and: ByParty::from_fn(|party| checks[party as usize]),
                    checked_and: ands + checks.iter().sum::<usize>(),
                    exact,
                    garbler_inputs: bits(&seeds[0]),
                    evaluator_inputs: bits(&seeds[1]),
                    outputs,
                    validity_outputs: 2,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{AndsByOwner, Circuit};
    use crate::shuffle::ShuffleCircuit;

    #[track_caller]
    fn assert_computed(cards: usize, draw: usize, algorithm: Algorithm) {
        let spec = Spec::new(cards, draw, algorithm).unwrap();
        let computed = Computed::of(cards, draw, algorithm).unwrap();
        let case = format!("{algorithm} {draw} of {cards}");
        let assert = |circuit: &Circuit, ands: usize, outputs: usize| {
            let stats = circuit.stats();
            if computed.exact {
                assert_eq!(ands, stats.and, "{case}");
            } else {
                let error = ands as f64 / stats.and as f64 - 1.0;
                assert!((0.0..0.03).contains(&error), "{case}: {ands}, {stats:?}");
            }
            let inputs = [computed.garbler_inputs, computed.evaluator_inputs];
            assert_eq!(stats.inputs, inputs, "{case}");
            assert_eq!(stats.outputs.iter().sum::<usize>(), outputs, "{case}");
        };
        let plain = ShuffleCircuit::build(spec);
        assert(plain.circuit(), computed.and, computed.outputs);
        let checked = ShuffleCircuit::build_checked(spec);
        let outputs = computed.outputs + computed.validity_outputs;
        assert(checked.circuit(), computed.checked_and, outputs);
        if computed.exact {
            let owners = checked
                .circuit()
                .structure(Some(&Party::BOTH))
                .ands_by_owner;
            let owned = computed.owned_and;
            let expected = AndsByOwner {
                joint: computed.joint_and,
                garbler: owned.garbler,
                evaluator: owned.evaluator,
                nobody: 0,
            };
            assert_eq!(owners, Some(expected), "{case}");
        }
    }

    #[test]
    fn small_circuits_have_the_computed_sizes() {
        for algorithm in Algorithm::ALL {
            for cards in 2..=24 {
                (1..=cards).for_each(|draw| assert_computed(cards, draw, algorithm));
            }
        }
    }

    #[test]
    fn larger_circuits_have_the_computed_sizes() {
        for algorithm in Algorithm::ALL {
            for (cards, draws) in [
                (31, &[2, 15, 21, 31][..]),
                (32, &[2, 16, 24, 31, 32]),
                (33, &[2, 16, 17, 25, 33]),
                (48, &[17, 30, 48]),
                (52, &[5, 9, 20, 26, 35, 36, 39, 51, 52]),
                (64, &[20, 33, 47, 64]),
                (75, &[59, 75]),
                (96, &[33, 34, 70]),
                (130, &[1, 3, 41, 97]),
                (257, &[12, 129]),
            ] {
                (draws.iter()).for_each(|&draw| assert_computed(cards, draw, algorithm));
            }
        }
    }

    #[test]
    fn counts_are_exact_for_half_a_deck_and_a_whole_deck() {
        for algorithm in Algorithm::ALL {
            for cards in 2..=150usize {
                for draw in [1, cards.div_ceil(2), cards] {
                    let computed = Computed::of(cards, draw, algorithm).unwrap();
                    assert!(computed.exact || cards < 5, "{algorithm} {draw} of {cards}");
                }
            }
        }
    }

    #[test]
    fn decks_out_of_bounds_are_rejected() {
        for cards in [0, 1, Computed::MAX_CARDS + 1, usize::MAX] {
            let refused = Computed::of(cards, 1, Algorithm::Cut);
            assert_eq!(refused, Err(SpecError::CardsToCount(cards)));
        }
        let draw = Computed::MAX_CARDS + 1;
        let cards = Computed::MAX_CARDS;
        let refused = Computed::of(cards, draw, Algorithm::Cut);
        assert_eq!(refused, Err(SpecError::Draw { draw, cards }));
    }
}
