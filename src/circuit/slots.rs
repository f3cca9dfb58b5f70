//! The storage slots of wires in a run of a circuit.

use super::gates::{Gate, Gates, Output, Wire};
use super::party::Party;

/// The storage place of each wire: its index in the lists of labels and shares that a run holds.
///
/// A wire needs its place from the gate that sets it until the last gate that reads it. After that,
/// another wire may use the place. A list is therefore only as long as the number of wires held at
/// once. An input is set before the first gate, and an output is read after the last gate.
///
/// An AND that a party owns reads no places, since the owner enters the output of the AND. So a
/// wire that only such ANDs read has no place of its own. A run may set the output of such an AND
/// later than those of the gates around it, but before the first gate that reads it. All other
/// gates run in order.
pub(crate) struct Slots {
    of_wire: Vec<u32>,
    count: usize,
}

impl Slots {
    /// Uses the number of each wire as its place. No output of a gate has place 0
    /// ([`Places::UNREAD`]), since every gate reads a wire with a lower number.
    #[cfg(feature = "internals")]
    pub(crate) fn for_each_wire(wires: usize) -> Self {
        let wires = 0..wires as u32;
        Slots {
            count: wires.len(),
            of_wire: wires.collect(),
        }
    }

    /// The places of the wires of `gates`, given the owner of each wire. There are only as many
    /// places as wires that are held at once. Linear in the number of gates.
    ///
    /// # Panics
    /// Panics if nothing reads the output of a joint AND. This cannot happen in a
    /// [`Circuit`](super::Circuit): it has only gates that an output needs, and every gate that
    /// reads a joint wire is joint. Otherwise, the passes over the gates would disagree on the
    /// number of joint ANDs.
    pub(super) fn of_owned(gates: Gates<'_>, owners: &[Option<Party>]) -> Self {
        let mut places = Places::new(gates.wires());
        for output in gates.outputs.iter().flatten() {
            if let Output::Wire(wire) = *output {
                places.assign(wire);
            }
        }
        for (gate, wire) in gates.last_to_first() {
            if places.release(wire).is_none() {
                let is_joint_and = matches!(gate, Gate::And(..)) && owners[wire.index()].is_none();
                assert!(!is_joint_and, "nothing reads a joint AND");
                continue;
            }
            match gate {
                Gate::And(..) if owners[wire.index()].is_some() => {}
                Gate::And(a, b) | Gate::Xor(a, b) => {
                    places.assign(a);
                    places.assign(b);
                }
                Gate::Not(a) => {
                    places.assign(a);
                }
            }
        }
        Slots {
            count: places.count(),
            of_wire: places.of_wire,
        }
    }

    /// The number of places.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The place of a wire.
    #[inline]
    pub(crate) fn of(&self, wire: usize) -> usize {
        self.of_wire[wire] as usize
    }

    /// The place of a gate's output, or `None` if nothing reads it.
    #[inline]
    pub(crate) fn of_output(&self, wire: usize) -> Option<usize> {
        match self.of_wire[wire] {
            Places::UNREAD => None,
            slot => Some(slot as usize),
        }
    }
}

/// Assigns places to wires, from the last gate to the first. The first gate found that reads a wire
/// is therefore the last one to run.
pub(super) struct Places {
    of_wire: Vec<u32>,
    free: Vec<u32>,
    count: u32,
}

impl Places {
    /// The shared place of all wires that nothing reads.
    pub(super) const UNREAD: u32 = 0;

    /// Creates a state where no wire has a place of its own.
    pub(super) fn new(wires: usize) -> Self {
        Places {
            of_wire: vec![Self::UNREAD; wires],
            free: Vec::new(),
            count: Self::UNREAD + 1,
        }
    }

    /// The place of a wire that a gate or output reads. Assigns a place if the wire has none.
    pub(super) fn assign(&mut self, wire: Wire) -> u32 {
        let place = &mut self.of_wire[wire.index()];
        if *place == Self::UNREAD {
            *place = self.free.pop().unwrap_or_else(|| {
                self.count += 1;
                self.count - 1
            });
        }
        *place
    }

    /// Releases the place of a wire at the gate that sets it: before this gate, other wires may use
    /// the place. Returns `None` if nothing reads the wire.
    pub(super) fn release(&mut self, wire: Wire) -> Option<u32> {
        let place = self.of(wire);
        if place == Self::UNREAD {
            return None;
        }
        self.free.push(place);
        Some(place)
    }

    /// The place of a wire.
    pub(super) fn of(&self, wire: Wire) -> u32 {
        self.of_wire[wire.index()]
    }

    /// The number of places.
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Builder, Circuit, Ownership, bristol};
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

    /// Runs a circuit with the number of the wire stored in each place, and checks that each gate
    /// reads its operands. Skips gates whose output has no place.
    fn assert_gates_read_their_operands(circuit: &Circuit, ownership: &Ownership) {
        let slots = ownership.slots(circuit);
        let mut held = vec![usize::MAX; slots.count()];
        for wire in 0..circuit.input_bits() {
            held[slots.of(wire)] = wire;
        }
        for (gate, wire) in circuit.gates().iter().zip(circuit.input_bits()..) {
            let is_owned = ownership.wires()[wire].is_some();
            let Some(set) = slots.of_output(wire) else {
                assert!(is_owned);
                continue;
            };
            let read = match *gate {
                Gate::And(..) if is_owned => vec![],
                Gate::And(a, b) | Gate::Xor(a, b) => vec![a, b],
                Gate::Not(a) => vec![a],
            };
            for wire in read {
                assert_eq!(held[slots.of(wire.index())], wire.index());
            }
            held[set] = wire;
        }
        for output in circuit.outputs().iter().flatten() {
            if let Output::Wire(wire) = *output {
                assert_eq!(held[slots.of(wire.index())], wire.index());
            }
        }
    }

    #[test]
    fn gates_and_outputs_read_the_right_wires_from_few_places() {
        let mut places = [0, 0];
        for algorithm in Algorithm::ALL {
            let shuffle = ShuffleCircuit::build_checked(Spec::new(13, 5, algorithm).unwrap());
            let circuit = shuffle.circuit();
            let of_nobody = Ownership::of(circuit, [None, None]);
            let owned = Ownership::of(circuit, Party::BOTH.map(Some));
            for ownership in [&of_nobody, &owned] {
                assert_gates_read_their_operands(circuit, ownership);
            }
            // The 1 is the shared place of all wires that nothing reads.
            let live =
                (circuit.structure(None).live_wires).expect("the circuit was not built in slices");
            assert!(of_nobody.slots(circuit).count() <= 1 + live);
            assert!(owned.slots(circuit).count() <= of_nobody.slots(circuit).count());
            for (places, ownership) in places.iter_mut().zip([&of_nobody, &owned]) {
                *places += ownership.slots(circuit).count();
            }
        }
        // Wires that only the gates of one party need have no place.
        assert!(places[1] < places[0]);
    }

    #[test]
    fn circuits_built_or_read_have_no_dead_gates() {
        let mut builder = Builder::new(&[2, 2]);
        let [a, b] = [0, 1].map(|value| builder.input(value));
        let read = builder.and(a[0], b[0]);
        let dead = builder.and(a[1], b[1]);
        builder.and(dead, read);
        let built = builder.build(vec![vec![read]]);
        let netlist = "2 4\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n2 1 0 1 3 XOR\n";
        let read = bristol::read(netlist.as_bytes(), netlist.len() as u64).unwrap();
        for (circuit, ands) in [(built, 1), (read, 0)] {
            let ownership = Ownership::of(&circuit, Party::BOTH.map(Some));
            assert_eq!(ownership.joint_ands().len(), ands);
            assert_gates_read_their_operands(&circuit, &ownership);
        }
    }

    #[test]
    #[should_panic(expected = "nothing reads a joint AND")]
    fn circuit_with_an_unread_joint_and_is_rejected() {
        let mut builder = Builder::new(&[1, 1]);
        let both = builder.and(builder.input(0)[0], builder.input(1)[0]);
        let mut circuit = builder.build(vec![vec![both]]);
        circuit.outputs.clear();
        Ownership::of(&circuit, Party::BOTH.map(Some)).slots(&circuit);
    }
}
