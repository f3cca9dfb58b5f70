//! The gates that a party computes alone.

use super::gates::{Gate, Gates, Wire};
use super::party::{ByParty, Party};
use super::slots::Places;

/// The AND gates of one owner and the free gates that they need. Each wire is stored in a numbered
/// *place*. A place is reused after the last gate that reads its wire, so there are only as many
/// places as wires that are held at once.
#[derive(Default)]
pub(crate) struct OwnGates {
    /// The place of each input.
    inputs: Vec<Wire>,
    /// The gates, with places as operands, and the place of each gate's output.
    gates: Vec<(Gate, Wire)>,
    places: usize,
}

impl OwnGates {
    /// The gates of both parties, given the owner of each wire.
    pub(super) fn of_both(gates: Gates<'_>, owners: &[Option<Party>]) -> ByParty<Self> {
        let mut places = ByParty::from_fn(|_| Places::new(gates.wires()));
        let mut own = ByParty::<Self>::default();
        for (gate, wire) in gates.last_to_first() {
            if let Some(owner) = owners[wire.index()] {
                own[owner].add_before(&mut places[owner], gate, wire);
            }
        }
        let inputs = (0..gates.input_bits()).map(Wire::new);
        for (wire, owner) in inputs.zip(owners) {
            if let Some(owner) = *owner {
                own[owner].inputs.push(Wire(places[owner].of(wire)));
            }
        }
        for party in Party::BOTH {
            own[party].gates.reverse();
            own[party].gates.shrink_to_fit();
            own[party].places = places[party].count();
        }
        own
    }

    /// Adds a gate that runs before all gates added so far. Skips a free gate if none of these
    /// gates reads `wire`, its output.
    fn add_before(&mut self, places: &mut Places, gate: Gate, wire: Wire) {
        let is_and = matches!(gate, Gate::And(..));
        let set = places.release(wire);
        if set.is_none() && !is_and {
            return;
        }
        let mut read = |wire| Wire(places.assign(wire));
        let gate = match gate {
            Gate::Xor(a, b) => Gate::Xor(read(a), read(b)),
            Gate::And(a, b) => Gate::And(read(a), read(b)),
            Gate::Not(a) => Gate::Not(read(a)),
        };
        let set = Wire(set.unwrap_or(Places::UNREAD));
        self.gates.push((gate, set));
    }

    /// The place of each bit of the owner's input values, in order. All bits that no gate here
    /// reads share one place.
    pub(crate) fn inputs(&self) -> &[Wire] {
        &self.inputs
    }

    /// The gates in order, with places as operands, and the place of each gate's output.
    pub(crate) fn gates(&self) -> &[(Gate, Wire)] {
        &self.gates
    }

    /// The number of places.
    pub(crate) fn places(&self) -> usize {
        self.places
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Circuit, Ownership};
    use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};

    /// Runs the owner's gates with the number of the wire stored in each place, and checks that
    /// each gate reads its operands.
    fn assert_gates_read_their_operands(circuit: &Circuit, owner: Party) {
        let ownership = Ownership::of(circuit, Party::BOTH.map(Some));
        let own = ownership.own_gates(owner);
        let mut held = vec![None; own.places()];
        for (place, wire) in own.inputs().iter().zip(ownership.inputs(owner)) {
            held[place.index()] = Some(Wire(*wire));
        }
        let mut all = circuit.gates().iter().zip(circuit.input_bits()..);
        let mut products = Vec::new();
        for (gate, set) in own.gates() {
            let on = |place: Wire| held[place.index()].expect("the place is set before it is read");
            let gate = match *gate {
                Gate::Xor(a, b) => Gate::Xor(on(a), on(b)),
                Gate::And(a, b) => Gate::And(on(a), on(b)),
                Gate::Not(a) => Gate::Not(on(a)),
            };
            let (_, wire) =
                (all.find(|(other, _)| **other == gate)).expect("a gate of the circuit");
            if matches!(gate, Gate::And(..)) {
                products.push(wire as u32);
            }
            held[set.index()] = Some(Wire::new(wire));
        }
        assert_eq!(products, ownership.products(owner));
    }

    #[test]
    fn owner_computes_its_and_gates_from_their_operands() {
        for algorithm in Algorithm::ALL {
            let shuffle = ShuffleCircuit::build_checked(Spec::new(13, 5, algorithm).unwrap());
            for owner in Party::BOTH {
                assert_gates_read_their_operands(shuffle.circuit(), owner);
            }
        }
    }
}
