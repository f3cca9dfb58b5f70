//! How many ANDs a shuffle takes, told before its circuit is built, and which shuffle takes fewest.

use super::construction::Construction;
use super::network::Composed;
use super::{Algorithm, Spec, SpecError, additive, range_check};
use crate::circuit::Party;

impl Spec {
    /// About how many ANDs the circuit has, with a check of the inputs or without. Nothing is built
    /// for it.
    ///
    /// It is exact for networks of switches, and mostly within one per cent for the others. A
    /// network of 4 096 cards takes a third of a second, and all else less than a millisecond.
    pub fn estimated_ands(self, checked: bool) -> usize {
        match self.algorithm().construction() {
            // Switches need no check.
            Construction::Routed(copies) => Composed::new(self, copies).cost(),
            Construction::Additive(additive) => {
                let check = || {
                    let seeds = |party| additive::seeds(self, party);
                    range_check::cost([&seeds(Party::Garbler), &seeds(Party::Evaluator)])
                };
                (additive.cost)(self) + if checked { check() } else { 0 }
            }
        }
    }
}

impl Algorithm {
    /// The algorithm whose circuit has the fewest ANDs, with a check of the inputs or without, by
    /// [`Spec::estimated_ands`]. Where two algorithms cost nearly the same, this may be the second
    /// best.
    ///
    /// # Errors
    /// As [`Spec::new`].
    pub fn cheapest(cards: usize, draw: usize, checked: bool) -> Result<Self, SpecError> {
        let mut cheapest = (usize::MAX, Self::ALL[0]);
        for algorithm in Self::ALL {
            let ands = Spec::new(cards, draw, algorithm)?.estimated_ands(checked);
            if ands < cheapest.0 {
                cheapest = (ands, algorithm);
            }
        }
        Ok(cheapest.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shuffle::ShuffleCircuit;

    #[test]
    fn estimates_are_close_to_the_circuits() {
        for algorithm in Algorithm::ALL {
            let (too_low, too_high) = match algorithm.construction() {
                Construction::Routed(_) => (0.0, 0.0),
                // Fisher-Yates is the cheapest nowhere, and its estimate is on the safe side.
                Construction::Additive(_) if algorithm == Algorithm::FisherYates => (-0.01, 0.04),
                Construction::Additive(_) => (-0.01, 0.01),
            };
            for (n, m) in [
                (2, 1),
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
                for (checked, circuit) in [
                    (false, ShuffleCircuit::build(spec)),
                    (true, ShuffleCircuit::build_checked(spec)),
                ] {
                    let ands = circuit.circuit().ands();
                    let estimate = spec.estimated_ands(checked);
                    let error = (estimate as f64 - ands as f64) / ands.max(1) as f64;
                    assert!(
                        (too_low..=too_high).contains(&error),
                        "{algorithm} {m} of {n}: {estimate}, not {ands}"
                    );
                }
            }
        }
    }
}
