//! One party's secret contribution to a shuffle, and how it becomes input bits.

use std::fmt;

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::ShuffleCircuit;
use crate::circuit::Party;

/// How a seed's value v is written as bits, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// v itself.
    Unsigned,
    /// v - modulus, which is negative, in two's complement. The circuit then adds the other seed,
    /// and the sign of the sum says at once whether the modulus is to be added back.
    MinusModulus,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unsigned => "unsigned",
            Self::MinusModulus => "minus-modulus",
        })
    }
}

/// The shape of one seed: a number below `modulus`, and the input wires that carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    /// The input wires, with the sign if the encoding has one; at most 64.
    pub bits: usize,
    /// The values are `0..modulus`; at least 2.
    pub modulus: u64,
    /// How the value is written on the wires.
    pub encoding: Encoding,
}

impl Seed {
    fn encode(self, value: u64) -> impl Iterator<Item = bool> {
        let word = match self.encoding {
            Encoding::Unsigned => value,
            Encoding::MinusModulus => value.wrapping_sub(self.modulus),
        };
        (0..self.bits).map(move |bit| word >> bit & 1 == 1)
    }

    /// A uniform value: numbers of just enough bits, until one is below the modulus.
    ///
    /// How many are thrown away says nothing about the one that is kept.
    fn sample(self, rng: &mut impl CryptoRng) -> u64 {
        let mask = u64::MAX >> (self.modulus - 1).leading_zeros();
        loop {
            let value = rng.next_u64() & mask;
            if value < self.modulus {
                return value;
            }
        }
    }
}

/// Why values are not the seeds of a party. It tells places and bounds, never a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// The number of values is not the number of seeds.
    #[error("{expected} seeds are needed, {found} were given")]
    Count {
        /// The seeds of the party.
        expected: usize,
        /// The values that were given.
        found: usize,
    },
    /// A value is not below the modulus of its seed.
    #[error("seed {seed} must be below {modulus}")]
    Range {
        /// The place of the seed, from 0.
        seed: usize,
        /// The modulus of this seed.
        modulus: u64,
    },
}

/// Checks that `values` are in range, one for each of the `seeds`.
pub(super) fn check(seeds: &[Seed], values: &[u64]) -> Result<(), SeedError> {
    if values.len() != seeds.len() {
        return Err(SeedError::Count {
            expected: seeds.len(),
            found: values.len(),
        });
    }
    match (seeds.iter().zip(values)).position(|(seed, &value)| value >= seed.modulus) {
        Some(seed) => Err(SeedError::Range {
            seed,
            modulus: seeds[seed].modulus,
        }),
        None => Ok(()),
    }
}

/// The secret seeds of one party for one shuffle, as the input bits of its circuit.
///
/// Whoever knows both parties' seeds knows the order of the deck. They are wiped when this is
/// dropped, and never shown; there is no `Clone`, since seeds that enter two shuffles would tie
/// their decks together.
pub struct Randomness {
    bits: Zeroizing<Vec<bool>>,
}

impl Randomness {
    /// Uniform values for `seeds`, each drawn by exact rejection.
    pub(super) fn sample(seeds: &[Seed], rng: &mut impl CryptoRng) -> Self {
        Self::encode(seeds, seeds.iter().map(|seed| seed.sample(rng)))
    }

    /// The seeds of a party from the caller, one value for each of [`ShuffleCircuit::seeds`].
    ///
    /// For tests, enumeration and known answers; players [`sample`](ShuffleCircuit::sample).
    ///
    /// # Errors
    /// When the number of values is wrong, or one is not below its modulus.
    pub fn from_values(
        shuffle: &ShuffleCircuit,
        party: Party,
        values: &[u64],
    ) -> Result<Self, SeedError> {
        let seeds = shuffle.seeds(party);
        check(seeds, values)?;
        Ok(Self::encode(seeds, values.iter().copied()))
    }

    fn encode(seeds: &[Seed], values: impl Iterator<Item = u64>) -> Self {
        // Room for all bits at once: a vector that grows leaves copies behind that nobody wipes.
        let mut bits = Vec::with_capacity(seeds.iter().map(|seed| seed.bits).sum());
        for (seed, value) in seeds.iter().zip(values) {
            bits.extend(seed.encode(value));
        }
        Self {
            bits: Zeroizing::new(bits),
        }
    }

    /// The bits for this party's input wires, in their order.
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Randomness({} secret bits)", self.bits.len())
    }
}
