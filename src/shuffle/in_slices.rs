//! Circuits of shuffles that are too large to hold in memory.

use std::io::{self, Write};

use super::Spec;
use super::randomness::Seed;
use super::shuffle_circuit::Plan;
use crate::circuit::{Party, Sliced, Structure};

/// The minimum number of gates in a slice.
const SLICE: usize = 1 << 20;

/// A shuffle whose circuit is built in slices: the gates of each slice are counted or written, and
/// then forgotten.
///
/// Building takes memory for the deck and for one slice, regardless of the number of drawn cards.
/// The circuit computes the same function as that of [`ShuffleCircuit`](super::ShuffleCircuit) and
/// has the same number of ANDs. But its gates are in the order in which they are recorded, not in
/// layer order, so the two have different digests. A netlist that was written in slices is put into
/// layer order when it is [read](crate::circuit::bristol::read()).
#[derive(Clone, Debug)]
pub struct InSlices {
    plan: Plan,
    slice: usize,
}

impl InSlices {
    /// A shuffle, with or without the check that both parties' inputs are in range. Does not build
    /// the circuit yet.
    ///
    /// `None` if the algorithm is a network: its circuit is small and is built as a whole.
    pub fn new(spec: Spec, checked: bool) -> Option<Self> {
        let plan = Plan::new(spec, checked);
        plan.is_additive()
            .then_some(InSlices { plan, slice: SLICE })
    }

    /// The seeds of a party, in the order of its input wires.
    pub fn seeds(&self, party: Party) -> &[Seed] {
        self.plan.seeds(party)
    }

    /// The number of the output value, from 0, that holds whether the inputs are in range: see
    /// [`ShuffleCircuit::validity`](super::ShuffleCircuit::validity).
    pub fn validity(&self) -> Option<usize> {
        self.plan.validity()
    }

    /// Builds the circuit and counts its gates. After each slice, calls `progress` with the number
    /// of ANDs so far.
    pub fn structure(&self, progress: impl FnMut(usize)) -> Structure {
        self.with_circuit(|circuit| circuit.structure(&Party::BOTH, progress))
    }

    /// Builds the circuit and writes it as a Bristol Fashion netlist. The first line contains the
    /// number of gates, so they must be counted first: `structure` is the result of
    /// [`structure`](Self::structure).
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(
        &self,
        structure: &Structure,
        writer: impl Write,
        progress: impl FnMut(usize),
    ) -> io::Result<()> {
        let spec = self.plan.spec();
        let mut outputs = vec![spec.word_bits(); spec.draw()];
        outputs.extend(self.validity().map(|_| Party::BOTH.len()));
        self.with_circuit(|circuit| circuit.write(structure, &outputs, writer, progress))
    }

    fn with_circuit<T>(&self, then: impl FnOnce(&Sliced) -> T) -> T {
        then(&Sliced {
            inputs: self.plan.inputs(),
            least: self.slice,
            record: &|builder| self.plan.record(builder),
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::circuit::{Circuit, bristol};
    use crate::shuffle::{Algorithm, ShuffleCircuit};

    const ADDITIVE: [Algorithm; 4] = [
        Algorithm::FisherYates,
        Algorithm::Bubble,
        Algorithm::Lehmer,
        Algorithm::Cut,
    ];

    fn both(cards: usize, draw: usize, algorithm: Algorithm, slice: usize) -> (InSlices, Circuit) {
        let spec = Spec::new(cards, draw, algorithm).unwrap();
        let checked = ShuffleCircuit::build_checked(spec);
        let mut in_slices = InSlices::new(spec, true).unwrap();
        in_slices.slice = slice;
        (in_slices, checked.circuit().clone())
    }

    #[test]
    fn networks_are_not_built_in_slices() {
        for algorithm in Algorithm::ALL {
            let in_slices = InSlices::new(Spec::new(8, 8, algorithm).unwrap(), false);
            assert_eq!(in_slices.is_some(), ADDITIVE.contains(&algorithm));
        }
    }

    /// The structure, without the fields that are only known for a whole circuit.
    fn whole(circuit: &Circuit) -> Structure {
        let mut structure = circuit.structure(Some(&Party::BOTH));
        structure.live_wires = None;
        structure
    }

    #[test]
    fn circuit_in_slices_has_the_structure_of_the_whole() {
        for algorithm in ADDITIVE {
            let small = (2..=24).flat_map(|n| (1..=n).map(move |m| (n, m)));
            let large = [
                (31, 31),
                (33, 25),
                (52, 9),
                (52, 51),
                (64, 64),
                (65, 33),
                (130, 97),
            ];
            for (cards, draw) in small.chain(large) {
                let (in_slices, circuit) = both(cards, draw, algorithm, 0);
                let structure = in_slices.structure(|_| ());
                let mut expected = whole(&circuit);
                if algorithm == Algorithm::Bubble {
                    // Some XORs of neighbours are recorded again in a later slice.
                    let more = structure.xor - expected.xor;
                    assert!(more <= cards, "{draw} of {cards}: {more}");
                    (expected.xor, expected.depth) = (structure.xor, structure.depth);
                }
                assert_eq!(structure, expected, "{algorithm} {draw} of {cards}");
            }
        }
    }

    #[test]
    fn netlist_written_in_slices_matches_the_definition() {
        let mut rng = StdRng::seed_from_u64(11);
        for algorithm in ADDITIVE {
            for (cards, draw, slice) in [(7, 7, 0), (20, 11, 50), (40, 40, 1000), (52, 9, SLICE)] {
                let (in_slices, circuit) = both(cards, draw, algorithm, slice);
                let mut netlist = Vec::new();
                let structure = in_slices.structure(|_| ());
                in_slices.write(&structure, &mut netlist, |_| ()).unwrap();
                let read = bristol::parse(&netlist).unwrap();
                assert_eq!(read.ands(), circuit.ands(), "{algorithm} {draw} of {cards}");
                for _ in 0..20 {
                    // Includes inputs that are out of range.
                    let inputs: Vec<Vec<bool>> = (circuit.inputs().iter())
                        .map(|&bits| (0..bits).map(|_| rng.random()).collect())
                        .collect();
                    assert_eq!(read.evaluate(&inputs), circuit.evaluate(&inputs));
                }
            }
        }
    }

    #[test]
    fn full_disk_is_reported_as_an_error() {
        let (in_slices, circuit) = both(40, 40, Algorithm::FisherYates, 0);
        let error = in_slices.write(&whole(&circuit), Full, |_| ());
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    /// A writer to a full disk.
    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
}
