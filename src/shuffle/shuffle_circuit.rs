//! A shuffle as a circuit, with what its wires mean.

use rand::CryptoRng;

use super::randomness::{self, Randomness, Seed, SeedError};
use super::{Algorithm, Spec, additive, bubble, fisher_yates};
use crate::circuit::{Builder, Circuit, Party};

/// The circuit of a [`Spec`].
///
/// Input value 0 is the garbler's seeds and 1 the evaluator's, seed after seed, the least
/// significant bit of each first. The outputs are m values of w bits: the drawn cards.
#[derive(Clone, Debug)]
pub struct ShuffleCircuit {
    spec: Spec,
    circuit: Circuit,
    garbler: Vec<Seed>,
    evaluator: Vec<Seed>,
}

impl ShuffleCircuit {
    /// Records the circuit, in time linear in its gates.
    ///
    /// The same spec always gives the same circuit, so that two parties who agree on a spec agree
    /// on its [`digest`](Circuit::digest).
    pub fn build(spec: Spec) -> Self {
        let [garbler, evaluator] =
            [Party::Garbler, Party::Evaluator].map(|party| seeds(spec, party));
        let bits = |seeds: &[Seed]| seeds.iter().map(|seed| seed.bits).sum();
        let mut builder = Builder::new(&[bits(&garbler), bits(&evaluator)]);
        let cards = match spec.algorithm() {
            Algorithm::FisherYates => fisher_yates::record(&mut builder, spec),
            Algorithm::Bubble => bubble::record(&mut builder, spec),
        };
        Self {
            spec,
            circuit: builder.build(cards),
            garbler,
            evaluator,
        }
    }

    /// What is drawn, and how.
    pub fn spec(&self) -> Spec {
        self.spec
    }

    /// The circuit itself.
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The seeds of a party, in the order of its input wires.
    pub fn seeds(&self, party: Party) -> &[Seed] {
        match party {
            Party::Garbler => &self.garbler,
            Party::Evaluator => &self.evaluator,
        }
    }

    /// Draws a party's seeds: each uniform below its modulus, exactly.
    pub fn sample(&self, party: Party, rng: &mut impl CryptoRng) -> Randomness {
        Randomness::sample(self.seeds(party), rng)
    }

    /// The cards that the output bits name, in the order in which they were drawn.
    ///
    /// The outputs are those of this circuit. If a party's seeds were out of range the cards need
    /// not be cards of the deck, nor different ones.
    pub fn decode(&self, outputs: &[Vec<bool>]) -> Vec<u32> {
        let card =
            |word: &Vec<bool>| (word.iter().rev()).fold(0, |card, &bit| card << 1 | u32::from(bit));
        outputs.iter().map(card).collect()
    }
}

/// What a shuffle is by definition: the m drawn cards, given the seeds of both parties in the
/// clear, one value for each of [`ShuffleCircuit::seeds`].
///
/// # Errors
/// When the number of a party's values is wrong, or one is not below its modulus.
pub fn plaintext(spec: Spec, garbler: &[u64], evaluator: &[u64]) -> Result<Vec<u32>, SeedError> {
    randomness::check(&seeds(spec, Party::Garbler), garbler)?;
    randomness::check(&seeds(spec, Party::Evaluator), evaluator)?;
    let indices = additive::indices(spec, garbler, evaluator);
    Ok(match spec.algorithm() {
        Algorithm::FisherYates => fisher_yates::plaintext(spec, &indices),
        Algorithm::Bubble => bubble::plaintext(spec, &indices),
    })
}

fn seeds(spec: Spec, party: Party) -> Vec<Seed> {
    match spec.algorithm() {
        Algorithm::FisherYates | Algorithm::Bubble => additive::seeds(spec, party),
    }
}
