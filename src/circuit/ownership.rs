//! The party that could compute each wire of a circuit alone.

use std::iter;
use std::sync::OnceLock;

use super::gates::{Gate, Gates};
use super::own_gates::OwnGates;
use super::party::{ByParty, Party};
use super::slots::Slots;

/// The *owner* of each wire of a circuit: the only party on whose inputs the wire depends.
///
/// A wire that depends on inputs of both parties, or on an input that neither of them knows, has no
/// owner. Such a wire is *joint*.
pub struct Ownership {
    /// The owner of each input value.
    pub(super) of_values: Vec<Option<Party>>,
    wires: Vec<Option<Party>>,
    joint_ands: Vec<u32>,
    inputs: ByParty<Vec<u32>>,
    products: ByParty<Vec<u32>>,
    own_gates: ByParty<OwnGates>,
    slots: OnceLock<Slots>,
}

impl Ownership {
    /// The ownership of the wires of `gates`, given the party that knows each input value.
    ///
    /// # Panics
    /// Panics if there is not exactly one owner for each input value.
    pub(super) fn of_gates(gates: Gates<'_>, of_values: Vec<Option<Party>>) -> Self {
        let count = gates.inputs.len();
        assert_eq!(of_values.len(), count, "one owner for each value");
        let mut wires = Vec::with_capacity(gates.wires());
        for (&owner, &bits) in of_values.iter().zip(gates.inputs) {
            wires.extend(iter::repeat_n(owner, bits));
        }
        let mut inputs = ByParty::<Vec<u32>>::default();
        for (wire, owner) in (0..).zip(&wires) {
            if let Some(owner) = *owner {
                inputs[owner].push(wire);
            }
        }
        let mut joint_ands = Vec::new();
        let mut products = ByParty::<Vec<u32>>::default();
        for (number, gate) in (0..).zip(gates.list) {
            let owner = match *gate {
                Gate::Not(a) => wires[a.index()],
                Gate::Xor(a, b) | Gate::And(a, b) => {
                    let (a, b) = (wires[a.index()], wires[b.index()]);
                    if a == b { a } else { None }
                }
            };
            match (gate, owner) {
                (Gate::And(..), None) => joint_ands.push(number),
                (Gate::And(..), Some(owner)) => products[owner].push(wires.len() as u32),
                _ => {}
            }
            wires.push(owner);
        }
        Ownership {
            of_values,
            joint_ands,
            inputs,
            products,
            own_gates: OwnGates::of_both(gates, &wires),
            wires,
            slots: OnceLock::new(),
        }
    }

    /// The owner of each wire.
    pub fn wires(&self) -> &[Option<Party>] {
        &self.wires
    }

    /// The AND gates without an owner, by number, in the order of the gates.
    pub fn joint_ands(&self) -> &[u32] {
        &self.joint_ands
    }

    /// The wires of the input values of `owner`, in order.
    pub fn inputs(&self, owner: Party) -> &[u32] {
        &self.inputs[owner]
    }

    /// The output wires of the AND gates that `owner` owns, in the order of the gates.
    pub fn products(&self, owner: Party) -> &[u32] {
        &self.products[owner]
    }

    /// The gates that compute the [products](Self::products) of `owner` from its inputs.
    pub(crate) fn own_gates(&self, owner: Party) -> &OwnGates {
        &self.own_gates[owner]
    }

    /// The storage slots of the wires in a run of `gates`, which must be the gates that this
    /// ownership was computed for. Computed at the first call.
    pub(super) fn slots_of(&self, gates: Gates<'_>) -> &Slots {
        debug_assert_eq!(
            gates.wires(),
            self.wires.len(),
            "the ownership is that of these gates"
        );
        (self.slots).get_or_init(|| Slots::of_owned(gates, &self.wires))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{AndsByOwner, Builder};

    #[test]
    fn wire_that_depends_on_one_party_belongs_to_it() {
        let mut builder = Builder::new(&[2, 2, 2]);
        let [a, b, shared] = [0, 1, 2].map(|value| builder.input(value));
        let of_a = builder.and(a[0], a[1]);
        let of_b = builder.and(b[0], b[1]);
        let of_nobody = builder.and(shared[0], shared[1]);
        let not_a = builder.not(of_a);
        let twice = builder.and(not_a, a[0]);
        let both = builder.and(of_a, of_b);
        let sum = builder.xor(twice, of_nobody);
        let circuit = builder.build(vec![vec![not_a, of_b, of_nobody, twice, both, sum]]);
        let inputs = [Some(Party::Garbler), Some(Party::Evaluator), None];
        let ownership = Ownership::of(&circuit, inputs);
        let owners: Vec<Option<Party>> = (circuit.outputs()[0].iter())
            .map(|output| match output {
                crate::circuit::Output::Wire(wire) => ownership.wires()[wire.index()],
                crate::circuit::Output::Const(_) => panic!("no output is constant"),
            })
            .collect();
        let [a, b, nobody] = inputs;
        assert_eq!(owners, [a, b, nobody, a, nobody, nobody]);
        assert_eq!(ownership.products(Party::Garbler).len(), 2);
        assert_eq!(ownership.products(Party::Evaluator).len(), 1);
        assert_eq!(ownership.joint_ands().len(), 2);
    }

    #[test]
    fn ands_of_each_owner_match_the_structure() {
        use crate::shuffle::{Algorithm, ShuffleCircuit, Spec};
        for algorithm in Algorithm::ALL {
            let circuit = ShuffleCircuit::build_checked(Spec::new(13, 5, algorithm).unwrap());
            let circuit = circuit.circuit();
            let ownership = Ownership::of(circuit, Party::BOTH.map(Some));
            let counted = AndsByOwner {
                joint: ownership.joint_ands().len(),
                garbler: ownership.products(Party::Garbler).len(),
                evaluator: ownership.products(Party::Evaluator).len(),
                nobody: 0,
            };
            let structure = circuit.structure(Some(&Party::BOTH));
            assert_eq!(structure.ands_by_owner, Some(counted), "{algorithm}");
        }
    }
}
