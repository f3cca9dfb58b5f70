//! Where the bits of each input wire of a run come from.

use super::{Input, Run};
use crate::circuit::{ByParty, Party};

/// The input wires of a run.
pub(super) struct InputLayout<'a, S> {
    /// The wires whose bits each party enters, in order.
    pub(super) entered: ByParty<Vec<usize>>,
    /// The wires whose bits are outputs of earlier runs, with this party's parts of these bits.
    pub(super) shared: Vec<(usize, &'a S)>,
}

impl<'a, S> InputLayout<'a, S> {
    pub(super) fn new(run: &Run<'a, S>) -> Self {
        let mut layout = InputLayout {
            entered: ByParty::default(),
            shared: Vec::new(),
        };
        let mut wire = 0;
        for (input, bits) in run.inputs.iter().zip(run.circuit.inputs()) {
            let wires = wire..wire + bits;
            wire = wires.end;
            match *input {
                Input::By(owner) => layout.entered[owner].extend(wires),
                Input::Shared(shared) => layout.shared.extend(wires.zip(shared)),
            }
        }
        layout
    }

    /// The wires whose bits a party enters: the garbler's, then the evaluator's.
    pub(super) fn all_entered(&self) -> impl Iterator<Item = usize> {
        let wires = Party::BOTH.map(|party| self.entered[party].iter().copied());
        wires.into_iter().flatten()
    }
}
