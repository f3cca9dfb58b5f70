//! Runs a circuit on all values of the parties' randomness and counts the draws, which proves that
//! they are uniform.
//!
//! A draw is uniform *if one party is honest* when the following holds for each value that the
//! other party may enter: over all values of the honest party, every draw occurs equally often. So
//! an [`Enumeration`] fixes a value of one party, evaluates the circuit on all values of the other
//! party, and counts the draws.
//!
//! ```
//! use dealerless::circuit::Party;
//! use dealerless::shuffle::{Algorithm, Enumeration, Subject};
//!
//! let enumeration = Enumeration::new(Subject::Shuffle(Algorithm::Cut), 4, 2)?;
//! let garbler = enumeration.over(Party::Garbler).expect("12 values are not too many");
//! // For each value of the evaluator, each of the 12 draws results from one value of the garbler.
//! for fixed in 0..enumeration.values(Party::Evaluator) {
//!     assert_eq!(garbler.against(fixed), Ok(1));
//! }
//! # Ok::<(), dealerless::shuffle::SpecError>(())
//! ```
//!
//! A dishonest party may enter arbitrary bits, not only valid values. [`Enumeration::checked`]
//! enumerates all bit strings, with the circuit that checks whether they are in range. Each bit
//! string must either be refused for every value of the honest party, or leave the draw uniform.

mod numbering;

use self::numbering::{arrangement, arrangements, digits, product, strings};
use super::additive;
use super::comparison::biased::Biased;
use super::construction::Construction;
use super::{Algorithm, Computed, Randomness, ShuffleCircuit, Spec, SpecError};
use crate::circuit::{ByParty, Circuit, Party};

/// The circuit to enumerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A shuffle used for play.
    Shuffle(Algorithm),
    /// A shuffle that is known not to be uniform.
    Biased(Biased),
}

/// An enumeration of the draws of one circuit, for a fixed number of cards and of drawn cards.
#[derive(Clone, Copy, Debug)]
pub struct Enumeration {
    subject: Subject,
    spec: Spec,
    checked: bool,
}

/// The error for a party with too many values to enumerate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {party} has more than {max} values", max = Enumeration::MAX_VALUES)]
pub struct TooManyValues {
    /// The party with too many values.
    pub party: Party,
}

impl Enumeration {
    /// The maximum number of values of an honest party. Their input bits take at most 100
    /// megabytes.
    pub const MAX_VALUES: u64 = 1 << 24;

    /// An enumeration for a circuit that draws `draw` out of `cards` cards. Does not build the
    /// circuit yet.
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn new(subject: Subject, cards: usize, draw: usize) -> Result<Self, SpecError> {
        // The bounds of a deck and of a draw are the same for biased circuits.
        let algorithm = match subject {
            Subject::Shuffle(algorithm) => algorithm,
            Subject::Biased(_) => Algorithm::FisherYates,
        };
        let spec = Spec::new(cards, draw, algorithm)?;
        Ok(Self {
            subject,
            spec,
            checked: false,
        })
    }

    /// The same enumeration, but with arbitrary bits as the fixed values, and with the circuit that
    /// checks whether they are in range. (A biased circuit has no check: all its bit strings are
    /// values.)
    #[must_use]
    pub fn checked(self) -> Self {
        Self {
            checked: true,
            ..self
        }
    }

    /// The number of values that a party can enter, or [`u64::MAX`] if it exceeds 64 bits.
    ///
    /// The values are its seeds, each below its modulus; or its permutations; or, for a biased
    /// circuit, its bit strings.
    pub fn values(&self, party: Party) -> u64 {
        let n = self.spec.cards();
        match self.subject {
            Subject::Biased(biased) => strings(biased.choices(self.spec).into_iter().sum()),
            Subject::Shuffle(algorithm) => match algorithm.construction() {
                Construction::Routed(_) => arrangements(n, n),
                Construction::Additive(_) => product(&additive::seeds(self.spec, party)),
            },
        }
    }

    /// The number of fixed values of a party, or [`u64::MAX`] if it exceeds 64 bits. The fixed
    /// values are its [values](Self::values) or, with a check, all bit strings that it can enter.
    pub fn fixed_values(&self, party: Party) -> u64 {
        match self.subject {
            Subject::Shuffle(algorithm) if self.checked => {
                let computed = Computed::of(self.spec.cards(), self.spec.draw(), algorithm);
                let computed = computed.expect("the bounds have been checked");
                strings(match party {
                    Party::Garbler => computed.garbler_inputs,
                    Party::Evaluator => computed.evaluator_inputs,
                })
            }
            _ => self.values(party),
        }
    }

    /// The number of draws: n (n - 1) … (n - m + 1), or [`u64::MAX`] if it exceeds 64 bits.
    pub fn draws(&self) -> u64 {
        arrangements(self.spec.cards(), self.spec.draw())
    }

    /// Builds the circuit and enumerates all values of one party.
    ///
    /// # Errors
    /// When that party has more than [`MAX_VALUES`](Self::MAX_VALUES) values.
    pub fn over(&self, honest: Party) -> Result<Rows, TooManyValues> {
        let values = self.values(honest);
        if values > Self::MAX_VALUES {
            return Err(TooManyValues { party: honest });
        }
        let source = match self.subject {
            Subject::Shuffle(_) if self.checked => {
                Source::Shuffle(ShuffleCircuit::build_checked(self.spec))
            }
            Subject::Shuffle(_) => Source::Shuffle(ShuffleCircuit::build(self.spec)),
            Subject::Biased(biased) => {
                let circuit = biased.circuit(self.spec.cards(), self.spec.draw());
                Source::Bits(circuit.expect("the bounds have been checked"))
            }
        };
        let mut lanes = Vec::new();
        for first in (0..values).step_by(64) {
            let mut words = Vec::new();
            for (lane, value) in (first..values.min(first + 64)).enumerate() {
                let bits = source.bits(honest, value);
                words.resize(bits.len(), 0);
                for (word, bit) in words.iter_mut().zip(bits) {
                    *word |= u64::from(bit) << lane;
                }
            }
            lanes.push(words);
        }
        Ok(Rows {
            enumeration: *self,
            honest,
            source,
            values,
            lanes,
        })
    }
}

/// The circuit, with the conversion of a number to input bits of a party.
enum Source {
    Shuffle(ShuffleCircuit),
    Bits(Circuit),
}

impl Source {
    fn circuit(&self) -> &Circuit {
        match self {
            Self::Shuffle(shuffle) => shuffle.circuit(),
            Self::Bits(circuit) => circuit,
        }
    }

    /// The input bits of value number `value`, from 0. Seeds and permutations are in lexicographic
    /// order.
    fn bits(&self, party: Party, value: u64) -> Vec<bool> {
        match self {
            Self::Bits(_) => self.any_bits(party, value),
            Self::Shuffle(shuffle) => {
                let (spec, seeds) = (shuffle.spec(), shuffle.seeds(party));
                let values = match spec.algorithm().construction() {
                    Construction::Routed(_) => {
                        let permutation = arrangement(spec.cards(), spec.cards(), value);
                        permutation.into_iter().map(u64::from).collect()
                    }
                    Construction::Additive(_) => digits(seeds, value),
                };
                let randomness = Randomness::from_values(shuffle, party, &values);
                randomness.expect("the values are in range").bits().to_vec()
            }
        }
    }

    /// The input bits of a party that encode `number`, lowest first.
    fn any_bits(&self, party: Party, number: u64) -> Vec<bool> {
        let bits = self.circuit().inputs()[party as usize] as u32;
        (0..bits)
            .map(|place| number.checked_shr(place).unwrap_or(0) & 1 == 1)
            .collect()
    }

    /// The number of the output value that holds whether each party's input is in range, if there
    /// is one.
    fn validity(&self) -> Option<usize> {
        match self {
            Self::Shuffle(shuffle) => shuffle.validity(),
            Self::Bits(_) => None,
        }
    }
}

/// All values of an honest party, to be evaluated against any value of the other party.
pub struct Rows {
    enumeration: Enumeration,
    honest: Party,
    source: Source,
    values: u64,
    /// The input bits, for 64 values at a time.
    lanes: Vec<Vec<u64>>,
}

/// The reason why a draw is not uniform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counterexample {
    /// The first draw in lexicographic order, and the next draw that does not occur equally often.
    Differ(Outcome, Outcome),
    /// An outcome that is not a draw: a card appears twice or does not exist.
    NoDraw(Outcome),
    /// The check is wrong for this number of values of the honest party: it reports these values as
    /// out of range, or it refuses the fixed value with these values but not with the other values.
    Refused(u64),
}

/// The drawn cards, in order, and how often they occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The cards, in the order in which they are drawn.
    pub cards: Vec<u32>,
    /// The number of the honest party's values that lead to these cards.
    pub times: u64,
}

impl Rows {
    /// Evaluates the circuit on all values of the honest party, for value number `fixed` of the
    /// other party. Returns how often each draw occurred: 0 if the check refuses the fixed value.
    ///
    /// # Errors
    /// When two draws did not occur equally often, or when the check is wrong.
    ///
    /// # Panics
    /// Panics if the other party has no such value.
    pub fn against(&self, fixed: u64) -> Result<u64, Counterexample> {
        let other = self.honest.other();
        assert!(
            fixed < self.enumeration.fixed_values(other),
            "a value number of the {other}"
        );
        let (mut draws, refused) = self.evaluate(fixed);
        if self.is_refused(refused)? {
            return Ok(0);
        }
        draws.sort_unstable();
        let counts: Vec<(u64, u64)> = draws
            .chunk_by(|a, b| a == b)
            .map(|equal| (equal[0], equal.len() as u64))
            .collect();
        self.judge(&counts)
    }

    /// Whether the check refuses the fixed value. `refused` holds, for each party, the number of
    /// the honest party's values for which the check reports that party's input as out of range.
    fn is_refused(&self, refused: ByParty<u64>) -> Result<bool, Counterexample> {
        match (refused[self.honest], refused[self.honest.other()]) {
            (0, 0) => Ok(false),
            (0, all) if all == self.values => Ok(true),
            (0, some) => Err(Counterexample::Refused(some)),
            (blamed, _) => Err(Counterexample::Refused(blamed)),
        }
    }

    /// The outcomes for all values of the honest party. Also, for each party, the number of these
    /// values for which the check reports that party's input as out of range.
    fn evaluate(&self, fixed: u64) -> (Vec<u64>, ByParty<u64>) {
        let other = self.honest.other();
        let fixed = if self.enumeration.checked {
            self.source.any_bits(other, fixed)
        } else {
            self.source.bits(other, fixed)
        };
        let fixed = fixed
            .into_iter()
            .map(|bit| if bit { u64::MAX } else { 0 })
            .collect();
        let mut inputs = match self.honest {
            Party::Garbler => vec![Vec::new(), fixed],
            Party::Evaluator => vec![fixed, Vec::new()],
        };
        let mut draws = Vec::with_capacity(64 * self.lanes.len());
        let mut refused = ByParty::default();
        let mut left = self.values;
        for lanes in &self.lanes {
            inputs[self.honest as usize].clone_from(lanes);
            let outputs = self.source.circuit().evaluate_lanes(&inputs);
            let mut outputs = outputs.expect("the inputs are those of this circuit");
            let used = left.min(64) as u32;
            if let Some(validity) = self.source.validity() {
                for (party, valid) in Party::BOTH.into_iter().zip(outputs.remove(validity)) {
                    refused[party] += u64::from((!valid << (64 - used)).count_ones());
                }
            }
            draws.extend_from_slice(&packed(&outputs)[..used as usize]);
            left -= u64::from(used);
        }
        (draws, refused)
    }

    /// Checks the outcomes that occurred, in ascending order, with their counts.
    fn judge(&self, counts: &[(u64, u64)]) -> Result<u64, Counterexample> {
        let (n, m) = (self.enumeration.spec.cards(), self.enumeration.spec.draw());
        let outcome = |&(packed, times): &(u64, u64)| Outcome {
            cards: self.unpacked(packed),
            times,
        };
        if let Some(count) = counts
            .iter()
            .find(|(packed, _)| !is_draw(&self.unpacked(*packed), n))
        {
            return Err(Counterexample::NoDraw(outcome(count)));
        }
        let times = counts[0].1;
        let all = self.enumeration.draws();
        if counts.len() as u64 == all && counts.iter().all(|&(_, other)| other == times) {
            return Ok(times);
        }
        // Not all draws occurred equally often: find the first two whose counts differ.
        let mut counted = counts.iter().peekable();
        let mut all = (0..all).map(|number| {
            let cards = arrangement(n, m, number);
            match counted.next_if(|(packed, _)| self.unpacked(*packed) == cards) {
                Some(count) => outcome(count),
                None => Outcome { cards, times: 0 },
            }
        });
        let first = all.next().expect("at least one draw");
        let second = all.find(|outcome| outcome.times != first.times);
        Err(Counterexample::Differ(
            first,
            second.expect("some draw differs"),
        ))
    }

    /// The cards of an outcome.
    fn unpacked(&self, packed: u64) -> Vec<u32> {
        let (bits, draw) = (
            self.enumeration.spec.word_bits(),
            self.enumeration.spec.draw(),
        );
        (0..draw)
            .map(|place| (packed >> ((draw - 1 - place) * bits)) as u32 & ((1 << bits) - 1))
            .collect()
    }
}

/// The cards of each of 64 lanes as one number, the first card in the highest bits. They fit into
/// 64 bits: with at most [`Enumeration::MAX_VALUES`] values, few cards are drawn or the deck is
/// small.
fn packed(outputs: &[Vec<u64>]) -> [u64; 64] {
    let mut draws = [0; 64];
    for bits in outputs.iter().flat_map(|word| word.iter().rev()) {
        for (lane, draw) in draws.iter_mut().enumerate() {
            *draw = *draw << 1 | bits >> lane & 1;
        }
    }
    draws
}

fn is_draw(cards: &[u32], n: usize) -> bool {
    (0..cards.len())
        .all(|place| (cards[place] as usize) < n && !cards[..place].contains(&cards[place]))
}

#[cfg(test)]
mod tests;
