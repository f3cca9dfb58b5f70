//! Building in slices: a builder sends the recorded gates to a receiver in slices, and forgets
//! them.
//!
//! The code that records a circuit repeatedly calls [`Builder::forget_others`] with the bits that
//! are still in use. The builder then drops the gates of the slice that no bit in use needs, sends
//! the remaining gates, and forgets all nodes except the inputs and the bits in use. So it needs
//! memory for one slice only, not for the circuit.
//!
//! The builder keeps the forms of the nodes in use, so an XOR is not recorded again while its node
//! is in use. It does not keep the spans of ANDs: an AND that is recorded in two slices appears
//! twice. The gates of a bit in use are sent even if no output needs them in the end.

use std::collections::BTreeMap;
use std::sync::mpsc::SyncSender;

use super::{Bit, Builder, Node};
use crate::circuit::{Gate, Output, Wire};

/// Some gates of a circuit, in an order in which they can be evaluated.
///
/// Wires are numbered within the slice: first the inputs, then the wires carried over from the
/// previous slice, then one wire for each gate.
pub(in crate::circuit) struct Slice {
    pub(in crate::circuit) gates: Vec<Gate>,
    /// The wires that are carried over to the next slice, in ascending order. In the next slice,
    /// their numbers follow those of the inputs, in the same order.
    pub(in crate::circuit) carried: Vec<Wire>,
}

impl Slice {
    /// Converts a list with one entry for each wire of this slice to a list for the first wires of
    /// the next slice: the inputs and the carried wires.
    pub(in crate::circuit) fn carry<T: Copy>(&self, known: &mut Vec<T>, inputs: usize) {
        // The wires are in ascending order, so no entry is overwritten before it is read.
        for (place, wire) in self.carried.iter().enumerate() {
            known[inputs + place] = known[wire.index()];
        }
        known.truncate(inputs + self.carried.len());
    }
}

/// The state of a builder that sends its gates in slices.
pub(super) struct Slicer {
    slices: SyncSender<Slice>,
    /// The minimum number of operations in a slice.
    least: usize,
    /// Whether the receiver has been dropped. Nothing is recorded after that.
    abandoned: bool,
}

impl Builder {
    /// Creates a builder that sends its gates to `slices`, in slices of at least `least` gates.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub(in crate::circuit) fn in_slices(
        inputs: &[usize],
        least: usize,
        slices: SyncSender<Slice>,
    ) -> Self {
        let mut builder = Self::new(inputs);
        builder.slicer = Some(Slicer {
            slices,
            least,
            abandoned: false,
        });
        builder
    }

    /// Declares that the caller will use only the inputs, the bits `in_use` and bits derived from
    /// them.
    ///
    /// If the circuit is built in slices, this may renumber the bits `in_use`, and all other bits
    /// become invalid. Otherwise, this has no effect.
    pub(crate) fn forget_others<'a>(&mut self, in_use: impl IntoIterator<Item = &'a mut Bit>) {
        if self
            .slicer
            .as_ref()
            .is_some_and(|slicer| self.operations.len() >= slicer.least)
        {
            self.end_slice(&mut in_use.into_iter().collect::<Vec<_>>());
        }
    }

    /// Finishes a circuit that is built in slices. The output wires are numbered as if one more
    /// slice followed.
    pub(in crate::circuit) fn finish(mut self, mut outputs: Vec<Vec<Bit>>) -> Vec<Vec<Output>> {
        self.end_slice(&mut outputs.iter_mut().flatten().collect::<Vec<_>>());
        let negated = outputs.iter().flatten().filter(|bit| bit.inverted());
        let mut negations: BTreeMap<Node, Wire> = negated
            .filter(|bit| bit.node() != Node::ZERO)
            .map(|bit| (bit.node(), wire(bit.node())))
            .collect();
        let gates = negations.values().map(|&wire| Gate::Not(wire)).collect();
        for (place, wire) in negations.values_mut().enumerate() {
            *wire = Wire::new(self.leaves - 1 + place);
        }
        let carried = (self.input_bits..self.leaves - 1 + negations.len()).map(Wire::new);
        self.hand_over(Slice {
            gates,
            carried: carried.collect(),
        });
        outputs
            .iter()
            .map(|word| {
                word.iter()
                    .map(|bit| match bit.node() {
                        Node::ZERO => Output::Const(bit.inverted()),
                        node if bit.inverted() => Output::Wire(negations[&node]),
                        node => Output::Wire(wire(node)),
                    })
                    .collect()
            })
            .collect()
    }

    pub(super) fn is_abandoned(&self) -> bool {
        (self.slicer.as_ref()).is_some_and(|slicer| slicer.abandoned)
    }

    fn end_slice(&mut self, in_use: &mut [&mut Bit]) {
        let mut needed = vec![false; self.nodes()];
        for bit in &*in_use {
            needed[self.own(**bit).index()] = true;
        }
        let first = 1 + self.input_bits;
        let kept: Vec<usize> = (first..needed.len()).filter(|&node| needed[node]).collect();
        for (gate, operation) in self.operations.iter().enumerate().rev() {
            if needed[self.leaves + gate] {
                let (a, b) = operation.operands();
                needed[a.index()] = true;
                needed[b.index()] = true;
            }
        }
        let (gates, wires) = self.number(&needed);
        self.hand_over(Slice {
            gates,
            carried: kept.iter().map(|&node| wires[node]).collect(),
        });
        // The old numbers are no longer needed, so reuse their memory for the new numbers.
        let mut names = wires;
        for (place, &node) in kept.iter().enumerate() {
            names[node] = wire(Node((first + place) as u32));
        }
        for bit in in_use {
            if bit.node() != Node::ZERO {
                let node = Node(names[bit.node().index()].0 + 1);
                **bit = bit.renamed(node);
            }
        }
        self.keep(&kept);
    }

    /// The needed gates, and the wire of each node in this slice.
    fn number(&self, needed: &[bool]) -> (Vec<Gate>, Vec<Wire>) {
        let mut wires: Vec<Wire> = (0..self.leaves)
            .map(|node| Wire::new(node.saturating_sub(1)))
            .collect();
        wires.reserve_exact(self.operations.len());
        let mut gates = Vec::new();
        for (operation, &needed) in self.operations.iter().zip(&needed[self.leaves..]) {
            wires.push(Wire::new(self.leaves - 1 + gates.len()));
            if needed {
                let (a, b) = operation.operands();
                let (a, b) = (wires[a.index()], wires[b.index()]);
                gates.push(if operation.is_and() {
                    Gate::And(a, b)
                } else {
                    Gate::Xor(a, b)
                });
            }
        }
        (gates, wires)
    }

    /// Forgets all nodes except the constant, the inputs and the nodes in `kept`, which are moved
    /// to the places after the inputs.
    fn keep(&mut self, kept: &[usize]) {
        let first = 1 + self.input_bits;
        for (place, &node) in kept.iter().enumerate() {
            self.fingerprints[first + place] = self.fingerprints[node];
        }
        self.leaves = first + kept.len();
        self.fingerprints.truncate(self.leaves);
        self.operations.clear();
        self.spans.clear();
        self.forms.refill(&self.fingerprints);
    }

    fn hand_over(&mut self, slice: Slice) {
        if let Some(slicer) = &mut self.slicer {
            slicer.abandoned |= slicer.slices.send(slice).is_err();
        }
    }
}

/// The wire of a node at the beginning of a slice: an input or a carried node.
fn wire(node: Node) -> Wire {
    Wire::new(node.index() - 1)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    #[test]
    fn nothing_is_recorded_after_the_receiver_is_dropped() {
        for taken in [true, false] {
            let (sender, slices) = sync_channel(1);
            let _slices = taken.then_some(slices);
            let mut builder = Builder::in_slices(&[2, 1], 0, sender);
            let (x, y) = (builder.input(0), builder.input(1));
            let mut product = builder.and(x[0], x[1]);
            builder.forget_others([&mut product]);
            let nodes = builder.nodes();
            builder.and(product, y[0]);
            assert_eq!(builder.nodes() > nodes, taken);
        }
    }
}
