//! The slices of a run. A slice has a fixed number of joint AND gates; slices follow the order of
//! the gates. Each slice is preprocessed, garbled, evaluated and checked before the next one. So a
//! run of any length needs memory only for one slice and for the wires between slices.

use std::ops::Range;

use super::garbling::TABLE_BYTES;
use crate::circuit::{ByParty, Circuit, Ownership};
use crate::mpc::Demand;
use crate::mpc::walk::Part;
use crate::net::MAX_BACKLOG;

/// The number of joint AND gates in a slice; the last slice may have fewer. Both parties must use
/// the same slices, so this number is part of the protocol version.
pub(super) const SLICE_ANDS: usize = 1 << 15;

/// Sending the tables of a slice never waits in [`Channel::drain`](crate::net::Channel::drain), so
/// that an engine waits for its peer only when it receives.
const _: () = assert!(SLICE_ANDS * TABLE_BYTES < MAX_BACKLOG);

/// One of the slices of a run.
pub(super) struct Slice {
    pub(super) number: usize,
    pub(super) last: bool,
    /// All gates of the slice, including free gates.
    gates: Range<usize>,
    /// The joint AND gates, by their index among all joint AND gates.
    pub(super) ands: Range<usize>,
}

impl Slice {
    /// All slices of a circuit, with at most `ands` joint AND gates each. There is at least one
    /// slice.
    pub(super) fn all(circuit: &Circuit, owners: &Ownership, ands: usize) -> Vec<Self> {
        let joint = owners.joint_ands();
        let count = count(joint.len(), ands);
        let first_gate = |number| match number {
            0 => 0,
            number if number == count => circuit.gates().len(),
            number => joint[number * ands] as usize,
        };
        (0..count)
            .map(|number| Slice {
                number,
                last: number + 1 == count,
                gates: first_gate(number)..first_gate(number + 1),
                ands: and_range(number, joint.len(), ands),
            })
            .collect()
    }

    /// The part of the run's demand that this slice consumes. The first slice consumes the masks of
    /// the entered bits, and the last slice the masks of the outputs.
    pub(super) fn demand(&self, run: &Demand) -> Demand {
        Demand {
            ands: self.ands.len(),
            inputs: match self.number {
                0 => run.inputs,
                _ => ByParty::default(),
            },
            proofs: match self.number {
                0 => run.proofs,
                _ => ByParty::default(),
            },
            outputs: if self.last { run.outputs } else { 0 },
        }
    }

    /// The slice's part of the circuit.
    pub(super) fn part<'a>(&self, circuit: &'a Circuit, owners: &'a Ownership) -> Part<'a> {
        Part {
            circuit,
            owners,
            slots: owners.slots(circuit),
            gates: self.gates.clone(),
            ands: self.ands.clone(),
        }
    }

    /// The number of this slice of run number `run` in hashes, unique in the session.
    pub(super) fn number_in(&self, run: u64) -> u64 {
        /// No session has 2^40 runs. The highest bit is reserved for the direction.
        const RUN_BITS: u32 = 40;
        let slice = self.number as u64;
        debug_assert!(run < 1 << RUN_BITS && slice < 1 << (63 - RUN_BITS));
        slice << RUN_BITS | run
    }
}

/// The number of slices, at least one, if each slice has `ands` of the `joint` AND gates.
fn count(joint: usize, ands: usize) -> usize {
    joint.div_ceil(ands).max(1)
}

/// The joint AND gates of a slice.
fn and_range(number: usize, joint: usize, ands: usize) -> Range<usize> {
    number * ands..joint.min((number + 1) * ands)
}

/// For each slice of a run, its demand for joint AND gates and for masks of outputs.
pub(super) fn demands(run: &Demand) -> impl Iterator<Item = Demand> {
    let Demand { ands, outputs, .. } = *run;
    let count = count(ands, SLICE_ANDS);
    (0..count).map(move |number| Demand {
        ands: and_range(number, ands, SLICE_ANDS).len(),
        outputs: if number + 1 == count { outputs } else { 0 },
        ..Demand::default()
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::circuit::Party;
    use crate::crypto::TweakableHash;
    use crate::mpc::label::ZeroLabel;
    use crate::mpc::walk::{RunHash, walk};
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

    #[test]
    fn slices_partition_the_gates_and_the_demand_of_the_run() {
        let shuffle = ShuffleCircuit::build(Spec::new(13, 5, Algorithm::Waksman).unwrap());
        let circuit = shuffle.circuit();
        let owners = Ownership::of(circuit, Party::BOTH.map(Some));
        let run = Demand::of(circuit);
        for ands in [1, 2, 7, run.ands - 1, run.ands, SLICE_ANDS] {
            let slices = Slice::all(circuit, &owners, ands);
            assert_eq!(slices.len(), run.ands.div_ceil(ands));
            let (mut gates, mut joint, mut used) = (0, 0, Demand::default());
            for (number, slice) in slices.iter().enumerate() {
                assert_eq!(
                    (slice.number, slice.last),
                    (number, number + 1 == slices.len())
                );
                assert_eq!((slice.gates.start, slice.ands.start), (gates, joint));
                assert!(slice.ands.len() == ands || slice.last);
                assert_eq!(
                    owners
                        .joint_ands()
                        .iter()
                        .filter(|gate| slice.gates.contains(&(**gate as usize)))
                        .count(),
                    slice.ands.len()
                );
                (gates, joint) = (slice.gates.end, slice.ands.end);
                let Demand {
                    ands,
                    inputs,
                    proofs,
                    outputs,
                } = slice.demand(&run);
                used.ands += ands;
                used.outputs += outputs;
                for party in Party::BOTH {
                    used.inputs[party] += inputs[party];
                    used.proofs[party] += proofs[party];
                }
            }
            assert_eq!((gates, joint, used), (circuit.gates().len(), run.ands, run));
        }
    }

    #[test]
    fn slice_numbers_are_unique_and_the_first_equals_the_run_number() {
        let slice = |number| Slice {
            number,
            last: false,
            gates: 0..0,
            ands: 0..0,
        };
        let runs = [0, 1, 2, (1 << 40) - 1];
        let slices = [0, 1, 2, (1 << 23) - 1];
        let mut numbers: Vec<u64> = (runs.iter())
            .flat_map(|&run| slices.map(|number| slice(number).number_in(run)))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), runs.len() * slices.len());
        assert!(numbers.iter().all(|number| number >> 63 == 0));
        assert!(runs.iter().all(|&run| slice(0).number_in(run) == run));
    }

    /// The hashes of the labels of all joint AND gates, computed in slices of `ands` gates.
    fn hashed(circuit: &Circuit, owners: &Ownership, ands: usize) -> Vec<[u8; 16]> {
        let slots = owners.slots(circuit);
        let hash = TweakableHash::with_key([4; 16]);
        let hashes = RunHash {
            hash: &hash,
            run: 3,
        };
        let mut wires = vec![ZeroLabel::default(); slots.count()];
        let mut hashed = Vec::new();
        for slice in Slice::all(circuit, owners, ands) {
            let walked: Result<(), Infallible> = walk(
                &slice.part(circuit, owners),
                &mut wires,
                |_| Some(ZeroLabel::default()),
                &hashes,
                |a, b| [a.0, b.0],
                |label| label,
                |_, [a, b]| {
                    hashed.extend([a.to_bytes(), b.to_bytes()]);
                    Ok(ZeroLabel(*a ^ *b))
                },
            );
            walked.expect("the walk cannot fail");
        }
        hashed
    }

    /// All input labels are equal here, so only the tweaks distinguish the first hashes.
    #[test]
    fn slicing_does_not_change_the_hashes_and_no_tweak_is_used_twice() {
        let shuffle = ShuffleCircuit::build(Spec::new(13, 5, Algorithm::Waksman).unwrap());
        let circuit = shuffle.circuit();
        let owners = Ownership::of(circuit, Party::BOTH.map(Some));
        let whole = hashed(circuit, &owners, SLICE_ANDS);
        assert_eq!(whole.len(), 2 * owners.joint_ands().len());
        let mut different = whole.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), whole.len());
        for ands in [1, 2, 7, 50] {
            assert_eq!(hashed(circuit, &owners, ands), whole);
        }
    }
}
