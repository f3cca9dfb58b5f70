//! One party's secret contribution to a shuffle, and its encoding as input bits.

use std::fmt;

use rand::CryptoRng;
use zeroize::Zeroizing;

use crate::uniform;

/// The encoding of a seed's value v as bits, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// v itself.
    Unsigned,
    /// v - modulus, which is negative, in two's complement. The circuit adds the other party's
    /// seed. If the sum is negative, the circuit adds the modulus back.
    MinusModulus,
    /// A permutation of `0..modulus` instead of a number. The bits are the control bits, in order,
    /// of the switches of a network that applies it: 1 if a switch exchanges its lines. (In the
    /// garbler's copy of the network, some switches exchange blocks of cards.) Any control bits
    /// give a permutation, so no value is out of range.
    ///
    /// A party has one seed of this kind, for all switches of its copy of the network. The
    /// permutation is of all n cards, even if the copy has only the switches that the drawn cards
    /// need.
    Switches,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Unsigned => "unsigned",
            Self::MinusModulus => "minus-modulus",
            Self::Switches => "switches",
        })
    }
}

/// The shape of one seed. Its value is a number below `modulus` or, for [`Encoding::Switches`], a
/// permutation of `0..modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed {
    /// The number of input wires: at most 64 for a number, including its sign; one per switch for a
    /// permutation.
    pub bits: usize,
    /// The bound of the values, at least 2. For switches, the number of cards.
    pub modulus: u64,
    /// The encoding of the value on the wires.
    pub encoding: Encoding,
}

impl Seed {
    fn encode(self, value: u64) -> impl Iterator<Item = bool> {
        let word = match self.encoding {
            Encoding::Unsigned => value,
            Encoding::MinusModulus => value.wrapping_sub(self.modulus),
            Encoding::Switches => unreachable!("permutations are routed by their network"),
        };
        (0..self.bits).map(move |bit| word >> bit & 1 == 1)
    }
}

/// The reason why values are not valid seeds of a party. Contains positions and bounds, never a
/// secret value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// The number of values differs from the number of seeds.
    #[error("expected {expected} seeds, found {found}")]
    Count {
        /// The number of seeds of the party.
        expected: usize,
        /// The number of values given.
        found: usize,
    },
    /// A value is not below the modulus of its seed.
    #[error("seed {seed} must be below {modulus}")]
    Range {
        /// The number of the seed, from 0.
        seed: usize,
        /// The modulus of this seed.
        modulus: u64,
    },
    /// A value appears twice in a permutation.
    #[error("value {place} of the permutation repeats an earlier one")]
    Repeated {
        /// The number of the value, from 0.
        place: usize,
    },
}

/// Checks that there is one value for each seed, and that each value is below the modulus of its
/// seed.
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

/// Checks that values are a permutation of `0..n`.
pub(super) fn check_permutation(
    n: usize,
    values: impl ExactSizeIterator<Item = u64>,
) -> Result<(), SeedError> {
    if values.len() != n {
        return Err(SeedError::Count {
            expected: n,
            found: values.len(),
        });
    }
    let mut seen = Zeroizing::new(vec![false; n]);
    for (place, value) in values.enumerate() {
        let Some(seen) = usize::try_from(value).ok().and_then(|v| seen.get_mut(v)) else {
            return Err(SeedError::Range {
                seed: place,
                modulus: n as u64,
            });
        };
        if std::mem::replace(seen, true) {
            return Err(SeedError::Repeated { place });
        }
    }
    Ok(())
}

/// The secret seeds of one party for one shuffle, as the input bits of its circuit.
///
/// The seeds of both parties together determine the order of the deck. A party's seeds are wiped on
/// drop and never printed. There is no `Clone`: seeds used in two shuffles would make their decks
/// dependent.
pub struct Randomness {
    bits: Zeroizing<Vec<bool>>,
}

impl Randomness {
    /// Uniform values for `seeds`, each drawn by exact rejection sampling.
    pub(super) fn sample(seeds: &[Seed], rng: &mut impl CryptoRng) -> Self {
        let values = (seeds.iter()).map(|seed| uniform::below(seed.modulus, || rng.next_u64()));
        Self::encode_seeds(seeds, values)
    }

    /// The given values for `seeds`, none of which may be [`Encoding::Switches`].
    pub(super) fn encode(seeds: &[Seed], values: &[u64]) -> Result<Self, SeedError> {
        check(seeds, values)?;
        Ok(Self::encode_seeds(seeds, values.iter().copied()))
    }

    /// The given control bits of switches.
    pub(super) fn from_bits(bits: Zeroizing<Vec<bool>>) -> Self {
        Self { bits }
    }

    fn encode_seeds(seeds: &[Seed], values: impl Iterator<Item = u64>) -> Self {
        // Allocate all bits at once: a growing vector leaves copies behind that nobody wipes.
        let mut bits = Vec::with_capacity(seeds.iter().map(|seed| seed.bits).sum());
        for (seed, value) in seeds.iter().zip(values) {
            bits.extend(seed.encode(value));
        }
        Self {
            bits: Zeroizing::new(bits),
        }
    }

    /// The bits for this party's input wires, in order.
    pub fn bits(&self) -> &[bool] {
        &self.bits
    }
}

impl fmt::Debug for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Randomness({} secret bits)", self.bits.len())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::{TryCryptoRng, TryRng};

    use super::*;
    use crate::circuit::Party;
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

    fn shuffle(cards: usize, draw: usize) -> ShuffleCircuit {
        ShuffleCircuit::build(Spec::new(cards, draw, Algorithm::FisherYates).unwrap())
    }

    /// An RNG that counts up.
    struct Counter(u64);

    impl TryRng for Counter {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.try_next_u64()? as u32)
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            self.0 += 1;
            Ok(self.0 - 1)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            for byte in bytes {
                *byte = self.try_next_u64()? as u8;
            }
            Ok(())
        }
    }

    impl TryCryptoRng for Counter {}

    #[test]
    fn seeds_are_written_least_significant_bit_first() {
        let shuffle = shuffle(5, 2);
        let bits = |party, values: &[u64]| {
            let randomness = Randomness::from_values(&shuffle, party, values).unwrap();
            let bits = randomness.bits().iter();
            bits.map(|&bit| if bit { '1' } else { '0' })
                .collect::<String>()
        };
        // 4 and 2, in 3 and 2 bits.
        assert_eq!(bits(Party::Garbler, &[4, 2]), "00101");
        // 4 - 5 = -1 and 2 - 4 = -2, in 4 and 3 bits.
        assert_eq!(bits(Party::Evaluator, &[4, 2]), "1111011");
    }

    #[test]
    fn invalid_seed_values_are_rejected() {
        let shuffle = shuffle(52, 2);
        let refusal = |values: &[u64]| {
            Randomness::from_values(&shuffle, Party::Evaluator, values)
                .map(drop)
                .unwrap_err()
        };
        let count = |found| SeedError::Count { expected: 2, found };
        assert_eq!(refusal(&[51]), count(1));
        assert_eq!(refusal(&[51, 50, 0]), count(3));
        let range = |seed, modulus| SeedError::Range { seed, modulus };
        assert_eq!(refusal(&[52, 50]), range(0, 52));
        assert_eq!(refusal(&[51, u64::MAX]), range(1, 51));
        assert!(Randomness::from_values(&shuffle, Party::Evaluator, &[51, 50]).is_ok());
    }

    #[test]
    fn values_that_are_not_a_permutation_are_rejected() {
        let check = |values: &[u64]| check_permutation(3, values.iter().copied());
        let count = |found| Err(SeedError::Count { expected: 3, found });
        let range = |seed| Err(SeedError::Range { seed, modulus: 3 });
        assert_eq!(check(&[0, 1]), count(2));
        assert_eq!(check(&[2, 1, 0, 0]), count(4));
        assert_eq!(check(&[0, 3, 1]), range(1));
        assert_eq!(check(&[0, 1, u64::MAX]), range(2));
        assert_eq!(check(&[1, 2, 1]), Err(SeedError::Repeated { place: 2 }));
        assert_eq!(check(&[1, 2, 0]), Ok(()));
    }

    #[test]
    fn debug_output_hides_the_bits() {
        let shuffle = shuffle(52, 2);
        let randomness = shuffle.sample(Party::Garbler, &mut Counter(7));
        assert_eq!(format!("{randomness:?}"), "Randomness(12 secret bits)");
    }
}
