//! A shuffle as a circuit, with the meaning of its wires.

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::construction::{Additive, Construction};
use super::network::{self, Composed};
use super::randomness::{self, Randomness, Seed, SeedError, check_permutation};
use super::{Encoding, Spec, additive, range_check};
use crate::circuit::{Bit, Builder, Circuit, Party};
use crate::uniform;

/// The circuit of a [`Spec`].
///
/// Input value 0 is the garbler's seeds and value 1 the evaluator's, one seed after the other, each
/// with its least significant bit first. The outputs are m values of w bits, the drawn cards; and,
/// if the circuit is checked, [one more value](Self::validity).
#[derive(Clone, Debug)]
pub struct ShuffleCircuit {
    plan: Plan,
    circuit: Circuit,
}

/// The data from which a circuit is recorded.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    spec: Spec,
    checked: bool,
    garbler: Vec<Seed>,
    evaluator: Vec<Seed>,
    method: Method,
}

/// A construction, prepared for one spec.
#[derive(Clone, Debug)]
enum Method {
    Additive(&'static Additive),
    Routed(Box<Composed>),
}

impl ShuffleCircuit {
    /// Records the circuit, in time linear in its gates.
    ///
    /// The same spec always gives the same circuit, so two parties who agree on a spec agree on its
    /// [`digest`](Circuit::digest).
    pub fn build(spec: Spec) -> Self {
        Self::record(spec, false)
    }

    /// As [`build`](Self::build), with the additional output value [`validity`](Self::validity).
    /// For sessions in which a party may enter arbitrary inputs.
    pub fn build_checked(spec: Spec) -> Self {
        Self::record(spec, true)
    }

    fn record(spec: Spec, checked: bool) -> Self {
        let plan = Plan::new(spec, checked);
        let mut builder = Builder::new(&plan.inputs());
        let outputs = plan.record(&mut builder);
        Self {
            circuit: builder.build(outputs),
            plan,
        }
    }

    /// The spec of the shuffle.
    pub fn spec(&self) -> Spec {
        self.plan.spec
    }

    /// Whether the circuit checks that each party's input is a possible result of
    /// [`sample`](Self::sample).
    pub fn is_checked(&self) -> bool {
        self.plan.checked
    }

    /// The number, from 0, of an output value of two bits: whether the garbler's input is in range,
    /// and whether the evaluator's is. Each bit depends only on that party's input, so both may be
    /// opened.
    ///
    /// `None` if the circuit is not checked, or if every input of its shape is in range.
    pub fn validity(&self) -> Option<usize> {
        self.plan.validity()
    }

    /// The circuit itself.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The seeds of a party, in the order of its input wires.
    pub fn seeds(&self, party: Party) -> &[Seed] {
        self.plan.seeds(party)
    }

    /// Draws a party's secret, exactly uniform: each seed below its modulus, or the permutation
    /// that its switches apply.
    ///
    /// Seeds are sampled in constant time except for rejected words. Permutations are not: sampling
    /// and routing make memory accesses that depend on the permutation, which other processes on
    /// the same machine may observe.
    pub fn sample(&self, party: Party, rng: &mut impl CryptoRng) -> Randomness {
        match &self.plan.method {
            Method::Additive(_) => Randomness::sample(self.seeds(party), rng),
            Method::Routed(networks) => {
                let permutation = uniform::permutation(self.plan.spec.cards(), || rng.next_u64());
                let permutation = Zeroizing::new(permutation);
                Randomness::from_bits(networks.route(party, &permutation))
            }
        }
    }

    /// Encodes a party's secret from the caller: one value for each of [`seeds`](Self::seeds), or
    /// the permutation as n values if they are [switches](Encoding::Switches).
    pub(super) fn encode(&self, party: Party, values: &[u64]) -> Result<Randomness, SeedError> {
        match &self.plan.method {
            Method::Additive(_) => Randomness::encode(self.seeds(party), values),
            Method::Routed(networks) => {
                check_permutation(self.plan.spec.cards(), values.iter().copied())?;
                let permutation: Vec<u32> = values.iter().map(|&value| value as u32).collect();
                let permutation = Zeroizing::new(permutation);
                Ok(Randomness::from_bits(networks.route(party, &permutation)))
            }
        }
    }

    /// The cards encoded by the output bits, in the order in which they were drawn.
    ///
    /// The outputs must be those of this circuit. If a party's seeds were out of range, the cards
    /// may be outside the deck or repeated.
    pub fn decode(&self, outputs: &[Vec<bool>]) -> Vec<u32> {
        outputs
            .iter()
            .take(self.plan.spec.draw())
            .map(|word| (word.iter().rev()).fold(0, |card, &bit| card << 1 | u32::from(bit)))
            .collect()
    }
}

impl Plan {
    pub(super) fn new(spec: Spec, checked: bool) -> Self {
        let method = match spec.algorithm().construction() {
            Construction::Additive(additive) => Method::Additive(additive),
            Construction::Routed(copies) => Method::Routed(Box::new(Composed::new(spec, copies))),
        };
        let [garbler, evaluator] = Party::BOTH.map(|party| match &method {
            Method::Additive(_) => additive::seeds(spec, party),
            Method::Routed(networks) => vec![switches(spec, networks.switches(party))],
        });
        Self {
            spec,
            checked,
            garbler,
            evaluator,
            method,
        }
    }

    pub(super) fn spec(&self) -> Spec {
        self.spec
    }

    /// Whether the shuffle is recorded draw by draw.
    pub(super) fn is_additive(&self) -> bool {
        matches!(self.method, Method::Additive(_))
    }

    pub(super) fn seeds(&self, party: Party) -> &[Seed] {
        match party {
            Party::Garbler => &self.garbler,
            Party::Evaluator => &self.evaluator,
        }
    }

    /// The number of bits of each input value.
    pub(super) fn inputs(&self) -> Vec<usize> {
        Party::BOTH
            .map(|party| self.seeds(party).iter().map(|seed| seed.bits).sum())
            .to_vec()
    }

    /// The number of the output value that holds whether the inputs are in range, if there is one.
    pub(super) fn validity(&self) -> Option<usize> {
        let seeds = [self.garbler.as_slice(), &self.evaluator];
        (self.checked && range_check::is_needed(seeds)).then_some(self.spec.draw())
    }

    /// Records the circuit and returns its output values.
    pub(super) fn record(&self, b: &mut Builder) -> Vec<Vec<Bit>> {
        let mut outputs = match &self.method {
            Method::Additive(additive) => (additive.record)(b, self.spec),
            Method::Routed(networks) => networks.record(b),
        };
        if self.validity().is_some() {
            b.forget_others(outputs.iter_mut().flatten());
            outputs.push(range_check::validity(b, [&self.garbler, &self.evaluator]));
        }
        outputs
    }
}

impl Randomness {
    /// The seeds of a party from the caller: one value for each of [`ShuffleCircuit::seeds`]. For a
    /// seed of [`Encoding::Switches`], the permutation: one value per card.
    ///
    /// This is for tests, enumeration and known answers; players
    /// [`sample`](ShuffleCircuit::sample).
    ///
    /// # Errors
    /// When the number of values is wrong, when a value is not below its modulus, or when a value
    /// of a permutation appears twice.
    pub fn from_values(
        shuffle: &ShuffleCircuit,
        party: Party,
        values: &[u64],
    ) -> Result<Self, SeedError> {
        shuffle.encode(party, values)
    }
}

/// The definition of a shuffle: the m drawn cards, given the plaintext seeds of both parties. A
/// party's seeds are one value for each of [`ShuffleCircuit::seeds`], or one value per card for
/// switches.
///
/// # Errors
/// When the number of a party's values is wrong, when a value is not below its modulus, or when a
/// value of a permutation appears twice.
pub fn plaintext(spec: Spec, garbler: &[u64], evaluator: &[u64]) -> Result<Vec<u32>, SeedError> {
    match spec.algorithm().construction() {
        Construction::Additive(definition) => {
            for (party, values) in [(Party::Garbler, garbler), (Party::Evaluator, evaluator)] {
                randomness::check(&additive::seeds(spec, party), values)?;
            }
            let indices = additive::indices(spec, garbler, evaluator);
            Ok((definition.plaintext)(spec, &indices))
        }
        Construction::Routed(_) => {
            for values in [garbler, evaluator] {
                check_permutation(spec.cards(), values.iter().copied())?;
            }
            Ok(network::plaintext(spec, garbler, evaluator))
        }
    }
}

/// The seed of a party whose copy of a network has the given number of switches.
fn switches(spec: Spec, switches: usize) -> Seed {
    Seed {
        bits: switches,
        modulus: spec.cards() as u64,
        encoding: Encoding::Switches,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shuffle::Algorithm;

    fn shuffle(cards: usize, draw: usize, algorithm: Algorithm) -> ShuffleCircuit {
        ShuffleCircuit::build(Spec::new(cards, draw, algorithm).unwrap())
    }

    #[test]
    fn draws_take_one_seed_per_party_except_for_the_last_card() {
        for algorithm in [Algorithm::FisherYates, Algorithm::Bubble] {
            for (n, m, draws) in [(52, 9, 9), (52, 51, 51), (52, 52, 51), (2, 1, 1), (2, 2, 1)] {
                let shuffle = shuffle(n, m, algorithm);
                let parties = [Party::Garbler, Party::Evaluator];
                for (value, party) in parties.into_iter().enumerate() {
                    let seeds = shuffle.seeds(party);
                    let moduli: Vec<_> = seeds.iter().map(|seed| seed.modulus).collect();
                    let expected: Vec<_> = (0..draws).map(|i| n as u64 - i).collect();
                    assert_eq!(moduli, expected);
                    let bits: usize = seeds.iter().map(|seed| seed.bits).sum();
                    assert_eq!(bits, shuffle.circuit().inputs()[value]);
                }
            }
        }
    }

    #[test]
    fn evaluator_enters_seeds_minus_the_modulus() {
        let shuffle = shuffle(52, 1, Algorithm::Bubble);
        let seed = |bits, encoding| Seed {
            bits,
            modulus: 52,
            encoding,
        };
        assert_eq!(shuffle.seeds(Party::Garbler), [seed(6, Encoding::Unsigned)]);
        assert_eq!(
            shuffle.seeds(Party::Evaluator),
            [seed(7, Encoding::MinusModulus)]
        );
    }

    #[test]
    fn same_spec_gives_the_same_circuit() {
        for algorithm in Algorithm::ALL {
            let digest = || shuffle(20, 20, algorithm).circuit().digest();
            assert_eq!(digest(), digest());
        }
    }

    #[test]
    fn cards_are_decoded_least_significant_bit_first() {
        let shuffle = shuffle(52, 2, Algorithm::FisherYates);
        let word = |card: u32| (0..6).map(|bit| card >> bit & 1 == 1).collect();
        assert_eq!(shuffle.decode(&[word(1), word(50)]), [1, 50]);
    }
}
