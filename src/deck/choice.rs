//! The choice of the shuffle for a session.

use std::fmt;
use std::str::FromStr;

use crate::mpc::Security;
use crate::shuffle::{Algorithm, ShuffleCircuit, Spec, SpecError};

/// A user's choice: an algorithm, or `auto`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `auto`: the [cheapest](Algorithm::cheapest) algorithm.
    Cheapest,
    /// The given algorithm.
    Given(Algorithm),
}

impl Choice {
    /// The shuffle of a session that draws `draw` out of `cards` cards. Two parties with the same
    /// arguments get the same spec.
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn spec(self, cards: usize, draw: usize) -> Result<Spec, SpecError> {
        let algorithm = match self {
            Self::Cheapest => Algorithm::cheapest(cards, draw)?,
            Self::Given(algorithm) => algorithm,
        };
        Spec::new(cards, draw, algorithm)
    }
}

/// The shuffle circuit for a session of this security. It includes a check of the seeds if the peer
/// may enter arbitrary inputs.
pub fn circuit(spec: Spec, security: Security) -> ShuffleCircuit {
    if checks_seeds(security) {
        ShuffleCircuit::build_checked(spec)
    } else {
        ShuffleCircuit::build(spec)
    }
}

/// Whether the circuits of a session check the seeds.
pub(super) fn checks_seeds(security: Security) -> bool {
    match security {
        Security::SemiHonest => false,
        Security::Malicious => true,
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

/// The error for a name that is neither `auto` nor an [`Algorithm`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown algorithm {0:?}; use one of auto, {known}", known = Algorithm::ALL.map(Algorithm::name).join(", "))]
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpc::Demand;

    #[test]
    fn choices_are_parsed_by_name() {
        for name in ["auto", "fisher-yates", "lehmer"] {
            let choice: Choice = name.parse().unwrap();
            assert_eq!(choice.to_string(), name);
        }
        let error = "riffle".parse::<Choice>().unwrap_err().to_string();
        assert!(error.ends_with("bitonic, odd-even, waksman"));
    }

    #[test]
    fn given_algorithm_is_used_and_bounds_are_checked() {
        let bubble = Choice::Given(Algorithm::Bubble).spec(52, 9);
        assert_eq!(bubble, Spec::new(52, 9, Algorithm::Bubble));
        let (draw, cards) = (53, 52);
        let refused = Choice::Cheapest.spec(cards, draw);
        assert_eq!(refused, Err(SpecError::Draw { draw, cards }));
    }

    #[test]
    fn auto_selects_the_circuit_with_the_fewest_garbled_ands() {
        for draw in (1..=30).chain([52]) {
            let garbled = |algorithm| {
                let spec = Spec::new(52, draw, algorithm).unwrap();
                Demand::of(circuit(spec, Security::Malicious).circuit()).ands
            };
            let chosen = Choice::Cheapest.spec(52, draw).unwrap().algorithm();
            let cost = garbled(chosen);
            for other in Algorithm::ALL {
                assert!(cost <= garbled(other), "{draw} of 52: {chosen} or {other}");
            }
            let is_network = matches!(chosen, Algorithm::Waksman);
            assert_eq!(is_network, draw >= 16, "{draw} of 52: {chosen}");
        }
    }
}
