//! Which algorithm to take: a given one, or the cheapest.

use std::fmt;
use std::str::FromStr;

use super::construction::Construction;
use super::{Algorithm, ShuffleCircuit, Spec, SpecError};
use super::{additive, range_check};
use crate::circuit::Party;

/// What a user asks for: an algorithm, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `auto`: the cheapest for the number of cards and of draws.
    Cheapest,
    /// This one.
    Given(Algorithm),
}

impl Choice {
    /// The spec of a shuffle by the algorithm chosen; `checked` as in [`Algorithm::cheapest`].
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn spec(self, cards: usize, draw: usize, checked: bool) -> Result<Spec, SpecError> {
        let algorithm = match self {
            Self::Cheapest => Algorithm::cheapest(cards, draw, checked)?,
            Self::Given(algorithm) => algorithm,
        };
        Spec::new(cards, draw, algorithm)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cheapest => f.pad("auto"),
            Self::Given(algorithm) => algorithm.fmt(f),
        }
    }
}

/// A name that is neither `auto` nor that of an [`Algorithm`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no algorithm {0:?}; there are auto, {known}", known = Algorithm::ALL.map(Algorithm::name).join(", "))]
pub struct UnknownChoice(String);

impl FromStr for Choice {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name == "auto" {
            return Ok(Self::Cheapest);
        }
        let algorithm = name.parse().map_err(|_| UnknownChoice(name.to_owned()))?;
        Ok(Self::Given(algorithm))
    }
}

impl Algorithm {
    /// The algorithm whose circuit has the fewest ANDs, with a check of the inputs or without.
    ///
    /// The Waksman circuit is built to be counted, which takes a second for 4 096 cards; the ANDs of
    /// the others are estimated, mostly to within one per cent. Where two algorithms cost nearly
    /// the same, this may be the second best.
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn cheapest(cards: usize, draw: usize, checked: bool) -> Result<Self, SpecError> {
        let mut cheapest = (usize::MAX, Self::ALL[0]);
        for algorithm in Self::ALL {
            match estimate(Spec::new(cards, draw, algorithm)?, checked) {
                Some(ands) if ands < cheapest.0 => cheapest = (ands, algorithm),
                _ => {}
            }
        }
        Ok(cheapest.1)
    }
}

/// About how many ANDs the circuit has; none for an algorithm that is never the cheapest.
fn estimate(spec: Spec, checked: bool) -> Option<usize> {
    match spec.algorithm() {
        // Its ANDs have a closed form for powers of two only.
        Algorithm::Waksman => Some(ShuffleCircuit::build(spec).circuit().ands()),
        // For any number of lines they have at least as many switches as a Waksman network.
        Algorithm::Bitonic | Algorithm::OddEven => None,
        _ => spec.estimated_ands(checked),
    }
}

impl Spec {
    /// About how many ANDs the circuit has, with a check of the inputs or without, mostly to within
    /// one per cent; nothing is built for it.
    ///
    /// None for the networks of switches, which are small: even of 4 096 cards they have less than
    /// four million.
    pub fn estimated_ands(self, checked: bool) -> Option<usize> {
        let cards = match self.algorithm().construction() {
            Construction::Additive(additive) => (additive.cost)(self),
            Construction::Routed(_) => return None,
        };
        let seeds = [Party::Garbler, Party::Evaluator].map(|party| additive::seeds(self, party));
        Some(match checked {
            true => cards + range_check::cost([&seeds[0], &seeds[1]]),
            false => cards,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_read_by_its_name() {
        for name in ["auto", "fisher-yates", "lehmer"] {
            let choice: Choice = name.parse().unwrap();
            assert_eq!(choice.to_string(), name);
        }
        let error = "riffle".parse::<Choice>().unwrap_err().to_string();
        assert!(error.ends_with("bitonic, odd-even, waksman"));
        let spec = Choice::Given(Algorithm::Bubble).spec(52, 9, false).unwrap();
        assert_eq!(spec, Spec::new(52, 9, Algorithm::Bubble).unwrap());
        assert_eq!(
            Choice::Cheapest.spec(52, 53, false).unwrap_err(),
            SpecError::Draw {
                draw: 53,
                cards: 52
            }
        );
    }

    #[test]
    fn estimates_are_close_to_the_circuits() {
        for algorithm in Algorithm::ALL {
            // Fisher-Yates is the cheapest nowhere, and its estimate is on the safe side.
            let too_high = match algorithm {
                Algorithm::FisherYates => 0.04,
                _ => 0.01,
            };
            for (n, m) in [
                (20, 7),
                (52, 5),
                (52, 9),
                (52, 30),
                (52, 52),
                (64, 20),
                (75, 75),
                (130, 41),
            ] {
                let spec = Spec::new(n, m, algorithm).unwrap();
                if estimate(spec, false).is_none() {
                    continue;
                }
                for (checked, circuit) in [
                    (false, ShuffleCircuit::build(spec)),
                    (true, ShuffleCircuit::build_checked(spec)),
                ] {
                    let ands = circuit.circuit().ands();
                    let estimate = estimate(spec, checked).expect("an estimate");
                    let error = estimate as f64 / ands as f64 - 1.0;
                    assert!(
                        (-0.01..too_high).contains(&error),
                        "{algorithm} {m} of {n}: {:.2} % from {ands}",
                        100.0 * error
                    );
                }
            }
        }
    }
}
