//! Where the bits of a run come from, and what each party enters.

use super::{Demand, Input, Run};
use crate::circuit::{ByParty, Circuit, Gate, Ownership, Party};
use crate::crypto::{SecretBit, SecretVec};

/// What a run takes from each party.
///
/// A party enters its inputs, and the outputs of the AND gates that it owns: it computes these in the
/// clear.
pub(super) struct InputLayout<'a, S> {
    circuit: &'a Circuit,
    /// Who could compute each wire alone.
    pub(super) owners: Ownership,
    /// The wires whose bits each party enters: inputs, then products, each in order.
    pub(super) entered: ByParty<Vec<usize>>,
    /// The wires whose bits are outputs of earlier runs, with this party's parts of these bits.
    pub(super) shared: Vec<(usize, &'a S)>,
}

impl<'a, S> InputLayout<'a, S> {
    pub(super) fn new(run: &Run<'a, S>) -> Self {
        let mut entered = ByParty::<Vec<usize>>::default();
        let mut shared = Vec::new();
        let mut wire = 0;
        for (input, bits) in run.inputs.iter().zip(run.circuit.inputs()) {
            let wires = wire..wire + bits;
            wire = wires.end;
            match *input {
                Input::By(owner) => entered[owner].extend(wires),
                Input::Shared(bits) => shared.extend(wires.zip(bits)),
            }
        }
        let owners = run.ownership();
        for owner in Party::BOTH {
            entered[owner].extend(owners.products(owner));
        }
        InputLayout {
            circuit: run.circuit,
            owners,
            entered,
            shared,
        }
    }

    /// The preprocessing that the run uses up.
    pub(super) fn demand(&self) -> Demand {
        Demand::of_run(self.circuit, &self.owners, |party| {
            self.entered[party].len() - self.owners.products(party).len()
        })
    }

    /// The wires whose bits a party enters: the garbler's, then the evaluator's.
    pub(super) fn all_entered(&self) -> impl Iterator<Item = usize> {
        let wires = Party::BOTH.map(|party| self.entered[party].iter().copied());
        wires.into_iter().flatten()
    }

    /// The bits that `me` enters, given its inputs.
    pub(super) fn enter(&self, me: Party, inputs: &[bool]) -> SecretVec<SecretBit> {
        let mut wires = SecretVec::<SecretBit>::zeros(self.circuit.wires());
        for (&wire, &input) in self.entered[me].iter().zip(inputs) {
            wires[wire] = SecretBit::hidden(input);
        }
        for (gate, wire) in self.circuit.gates().iter().zip(self.circuit.input_bits()..) {
            if self.owners.wires()[wire] == Some(me) {
                wires[wire] = match *gate {
                    Gate::Xor(a, b) => wires[a.index()] ^ wires[b.index()],
                    Gate::And(a, b) => wires[a.index()] & wires[b.index()],
                    Gate::Not(a) => !wires[a.index()],
                };
            }
        }
        self.entered[me].iter().map(|&wire| wires[wire]).collect()
    }
}
