//! Where a run keeps what it holds for each wire.

use super::gates::{Gate, Gates, Output, Wire};
use super::party::Party;

/// The place of each wire in the lists of a run.
///
/// A wire needs its place from the gate that sets it until the last gate that reads it. Then another
/// wire may have it, so that a list is as long as there are wires at once, and not as all of them. An
/// input is set before all gates, and an output is read after all of them.
///
/// An AND that a party owns reads nothing: its owner enters the output. So a wire that only such gates
/// need has no place of its own. They may set their outputs later than the gates around them, before
/// the first gate that reads these. The other gates come one after the other.
pub(crate) struct Slots {
    of_wire: Vec<u32>,
    count: usize,
}

impl Slots {
    /// A place for each wire, by its number. That of no gate is [`Places::NOBODYS`]: a gate reads wires
    /// of a lower number.
    #[cfg(feature = "internals")]
    pub(crate) fn for_each_wire(wires: usize) -> Self {
        let wires = 0..wires as u32;
        Slots {
            count: wires.len(),
            of_wire: wires.collect(),
        }
    }

    /// The slots of the wires of `gates`, given the owner of each wire: no more than wires that are held at once.
    /// Linear in the number of gates.
    ///
    /// # Panics
    /// If nothing reads the output of a joint AND. A circuit keeps only gates that an output needs, and
    /// what reads a joint wire is joint. With another circuit the passes over the gates would count its
    /// joint ANDs differently.
    pub(super) fn of_owned(gates: Gates<'_>, owners: &[Option<Party>]) -> Self {
        let mut places = Places::new(gates.wires());
        for output in gates.outputs.iter().flatten() {
            if let Output::Wire(wire) = *output {
                places.give(wire);
            }
        }
        for (gate, wire) in gates.last_to_first() {
            if places.take_back(wire).is_none() {
                let is_joint_and = matches!(gate, Gate::And(..)) && owners[wire.index()].is_none();
                assert!(!is_joint_and, "nothing reads a joint AND");
                continue;
            }
            match gate {
                Gate::And(..) if owners[wire.index()].is_some() => {}
                Gate::And(a, b) | Gate::Xor(a, b) => {
                    places.give(a);
                    places.give(b);
                }
                Gate::Not(a) => {
                    places.give(a);
                }
            }
        }
        Slots {
            count: places.count(),
            of_wire: places.of_wire,
        }
    }

    /// How many places there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The place of a wire.
    #[inline]
    pub(crate) fn of(&self, wire: usize) -> usize {
        self.of_wire[wire] as usize
    }

    /// The place of a gate's output, if anything reads it.
    #[inline]
    pub(crate) fn of_output(&self, wire: usize) -> Option<usize> {
        match self.of_wire[wire] {
            Places::NOBODYS => None,
            slot => Some(slot as usize),
        }
    }
}

/// Hands out places to wires, from the last gate to the first: so a wire's last reader is the first that
/// is met.
pub(super) struct Places {
    of_wire: Vec<u32>,
    free: Vec<u32>,
    count: u32,
}

impl Places {
    /// The place of all wires that nothing reads.
    pub(super) const NOBODYS: u32 = 0;

    /// No wire has a place of its own.
    pub(super) fn new(wires: usize) -> Self {
        Places {
            of_wire: vec![Self::NOBODYS; wires],
            free: Vec::new(),
            count: Self::NOBODYS + 1,
        }
    }

    /// The place of a wire that is read. It gets one if it has none.
    pub(super) fn give(&mut self, wire: Wire) -> u32 {
        let place = &mut self.of_wire[wire.index()];
        if *place == Self::NOBODYS {
            *place = self.free.pop().unwrap_or_else(|| {
                self.count += 1;
                self.count - 1
            });
        }
        *place
    }

    /// The place of a wire at the gate that sets it: before this gate others may have it. None if nothing
    /// reads the wire.
    pub(super) fn take_back(&mut self, wire: Wire) -> Option<u32> {
        let place = self.of(wire);
        if place == Self::NOBODYS {
            return None;
        }
        self.free.push(place);
        Some(place)
    }

    /// The place of a wire.
    pub(super) fn of(&self, wire: Wire) -> u32 {
        self.of_wire[wire.index()]
    }

    /// How many places there are.
    pub(super) fn count(&self) -> usize {
        self.count as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Builder, Circuit, Ownership, bristol};
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

    /// Runs a circuit in the slots, with the number of a wire on each. Gates that nobody needs are left
    /// out.
    fn assert_that_every_gate_finds_its_operands(circuit: &Circuit, ownership: &Ownership) {
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
    fn every_gate_and_output_finds_its_wires_in_as_few_places_as_are_live_at_once() {
        let mut places = [0, 0];
        for algorithm in Algorithm::ALL {
            let shuffle = ShuffleCircuit::build_checked(Spec::new(13, 5, algorithm).unwrap());
            let circuit = shuffle.circuit();
            let of_nobody = Ownership::of(circuit, [None, None]);
            let owned = Ownership::of(circuit, Party::BOTH.map(Some));
            for ownership in [&of_nobody, &owned] {
                assert_that_every_gate_finds_its_operands(circuit, ownership);
            }
            // And the place of what nothing reads.
            let live = (circuit.structure(None).live_wires).expect("of a whole circuit");
            assert!(of_nobody.slots(circuit).count() <= 1 + live);
            assert!(owned.slots(circuit).count() <= of_nobody.slots(circuit).count());
            for (places, ownership) in places.iter_mut().zip([&of_nobody, &owned]) {
                *places += ownership.slots(circuit).count();
            }
        }
        // What only the gates of one party need has none.
        assert!(places[1] < places[0]);
    }

    #[test]
    fn gates_that_nothing_reads_are_in_no_circuit_that_is_built_or_read() {
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
            assert_that_every_gate_finds_its_operands(&circuit, &ownership);
        }
    }

    #[test]
    #[should_panic(expected = "nothing reads a joint AND")]
    fn a_circuit_with_a_joint_and_that_nothing_reads_is_not_run() {
        let mut builder = Builder::new(&[1, 1]);
        let both = builder.and(builder.input(0)[0], builder.input(1)[0]);
        let mut circuit = builder.build(vec![vec![both]]);
        circuit.outputs.clear();
        Ownership::of(&circuit, Party::BOTH.map(Some)).slots(&circuit);
    }
}
