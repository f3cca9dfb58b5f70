//! Where a run keeps what it holds for each wire.

use crate::circuit::{Circuit, Gate, Output};

/// The place of each wire in the lists of a run.
///
/// A wire needs its place from the gate that sets it until the last gate that reads it. Then another
/// wire may have it, so that a list is as long as there are wires at once, and not as all of them. An
/// input is set before all gates, and an output is read after all of them.
///
/// This holds for gates one after the other, and for those of a layer in any order: none of these
/// sets what another one reads.
pub(super) struct Slots {
    of_wire: Vec<u32>,
    count: usize,
}

impl Slots {
    /// A place for each wire, by its number. What takes no time to make pays for a small circuit.
    pub(super) fn for_each_wire(circuit: &Circuit) -> Self {
        let wires = 0..circuit.wires() as u32;
        Slots {
            count: wires.len(),
            of_wire: wires.collect(),
        }
    }

    /// No more places than wires that are held at once. Linear in the number of gates.
    pub(super) fn for_live_wires(circuit: &Circuit) -> Self {
        /// Of a wire that nothing reads.
        const NOBODYS: u32 = 0;
        let (mut free, mut count) = (Vec::new(), NOBODYS + 1);
        let mut of_wire = vec![NOBODYS; circuit.wires()];
        let mut place = |slot: &mut u32, free: &mut Vec<u32>| {
            if *slot == NOBODYS {
                *slot = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
            }
        };
        for output in circuit.outputs().iter().flatten() {
            if let Output::Wire(wire) = output {
                place(&mut of_wire[wire.index()], &mut free);
            }
        }
        // From the last gate to the first: a wire's last reader is the first that is met.
        let inputs = circuit.input_bits();
        for (number, gate) in circuit.gates().iter().enumerate().rev() {
            let set = of_wire[inputs + number];
            if set != NOBODYS {
                free.push(set);
            }
            let (a, b) = match *gate {
                Gate::And(a, b) | Gate::Xor(a, b) => (a, b),
                Gate::Not(a) => (a, a),
            };
            for wire in [a, b] {
                place(&mut of_wire[wire.index()], &mut free);
            }
        }
        Slots {
            of_wire,
            count: count as usize,
        }
    }

    /// How many places there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The place of a wire.
    #[inline]
    pub(super) fn of(&self, wire: usize) -> usize {
        self.of_wire[wire] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

    /// Runs a circuit in the slots, with the number of a wire on each.
    fn assert_that_every_gate_finds_its_operands(circuit: &Circuit, slots: &Slots) {
        let mut held = vec![usize::MAX; slots.count()];
        for wire in 0..circuit.input_bits() {
            held[slots.of(wire)] = wire;
        }
        for (gate, wire) in circuit.gates().iter().zip(circuit.input_bits()..) {
            match *gate {
                Gate::And(a, b) | Gate::Xor(a, b) => {
                    assert_eq!(held[slots.of(a.index())], a.index());
                    assert_eq!(held[slots.of(b.index())], b.index());
                }
                Gate::Not(a) => assert_eq!(held[slots.of(a.index())], a.index()),
            }
            held[slots.of(wire)] = wire;
        }
        for output in circuit.outputs().iter().flatten() {
            if let Output::Wire(wire) = *output {
                assert_eq!(held[slots.of(wire.index())], wire.index());
            }
        }
    }

    #[test]
    fn every_gate_and_output_finds_its_wires_in_as_few_places_as_are_live_at_once() {
        for algorithm in Algorithm::ALL {
            let shuffle = ShuffleCircuit::build_checked(Spec::new(13, 5, algorithm).unwrap());
            let circuit = shuffle.circuit();
            let all = Slots::for_each_wire(circuit);
            assert_eq!(all.count(), circuit.wires());
            assert_that_every_gate_finds_its_operands(circuit, &all);
            let few = Slots::for_live_wires(circuit);
            assert_that_every_gate_finds_its_operands(circuit, &few);
            // And the place of what nothing reads.
            let live = circuit
                .structure(None)
                .live_wires
                .expect("of a whole circuit");
            assert!(few.count() <= 1 + live);
        }
    }
}
