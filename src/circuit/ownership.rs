//! Who could compute each wire of a circuit alone.

use super::{ByParty, Circuit, Gate, Party, Wire};

/// Which wires depend on the inputs of one party only, its *owner*.
///
/// A wire that depends on inputs of both parties, or on an input that neither of them knows, has no
/// owner: it is *joint*.
pub struct Ownership {
    wires: Vec<Option<Party>>,
    joint_ands: Vec<u32>,
    gates: ByParty<Vec<Gate>>,
    products: ByParty<Vec<usize>>,
}

impl Ownership {
    /// That of a circuit, given who knows each input value. Linear in the number of gates.
    ///
    /// # Panics
    /// When there is not one owner for each input value.
    pub fn of(circuit: &Circuit, inputs: impl IntoIterator<Item = Option<Party>>) -> Self {
        let mut wires = Vec::with_capacity(circuit.wires());
        for (owner, &bits) in inputs.into_iter().zip(circuit.inputs()) {
            wires.extend(std::iter::repeat_n(owner, bits));
        }
        assert_eq!(wires.len(), circuit.input_bits(), "an owner for each value");
        // The number of each wire among those of its owner.
        let mut counts = ByParty::<usize>::default();
        let mut own = Vec::with_capacity(circuit.wires());
        let mut count = |owner: Option<Party>| {
            let Some(owner) = owner else {
                return Wire::new(0);
            };
            counts[owner] += 1;
            Wire::new(counts[owner] - 1)
        };
        own.extend(wires.iter().map(|&owner| count(owner)));
        let mut joint_ands = Vec::new();
        let mut gates = ByParty::<Vec<Gate>>::default();
        let mut products = ByParty::<Vec<usize>>::default();
        for (number, gate) in circuit.gates().iter().enumerate() {
            let owner = match *gate {
                Gate::Not(a) => wires[a.index()],
                Gate::Xor(a, b) | Gate::And(a, b) => {
                    let (a, b) = (wires[a.index()], wires[b.index()]);
                    if a == b { a } else { None }
                }
            };
            let is_and = matches!(gate, Gate::And(..));
            match owner {
                None if is_and => joint_ands.push(number as u32),
                None => {}
                Some(owner) => {
                    gates[owner].push(match *gate {
                        Gate::Xor(a, b) => Gate::Xor(own[a.index()], own[b.index()]),
                        Gate::And(a, b) => Gate::And(own[a.index()], own[b.index()]),
                        Gate::Not(a) => Gate::Not(own[a.index()]),
                    });
                    if is_and {
                        products[owner].push(wires.len());
                    }
                }
            }
            wires.push(owner);
            own.push(count(owner));
        }
        Ownership {
            wires,
            joint_ands,
            gates,
            products,
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

    /// The gates of an owner, free ones too, in their order. Their wires are numbered by themselves: the
    /// owner's inputs first, and then one for each of these gates.
    pub fn gates(&self, owner: Party) -> &[Gate] {
        &self.gates[owner]
    }

    /// The output wires of the AND gates of an owner, in the order of the gates.
    pub fn products(&self, owner: Party) -> &[usize] {
        &self.products[owner]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{AndsByOwner, Builder};

    #[test]
    fn a_wire_belongs_to_the_party_whose_inputs_alone_it_depends_on() {
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
    fn the_ands_of_each_owner_are_those_that_the_structure_counts() {
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
