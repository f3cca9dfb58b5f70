//! Puts the gates that a builder has recorded into layer order.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{Bit, Node, Operation};
use super::digest::digest;
use super::record::LastOwnership;
use super::{Circuit, Gate, Layer, Output, Wire};

/// Drops the gates that no output needs, orders the remaining gates by AND-depth, and adds the NOT
/// gates for negated outputs. Linear in the number of gates.
///
/// Gates of the same layer and kind keep the order in which they were recorded.
pub(super) fn lay_out(
    inputs: Vec<usize>,
    operations: &[Operation],
    outputs: &[Vec<Bit>],
) -> Circuit {
    let input_bits = inputs.iter().sum();
    let nodes = Nodes::survey(input_bits, operations, outputs);
    let negated: BTreeSet<Node> = bits(outputs)
        .filter(|bit| bit.inverted() && bit.node() != Node::ZERO)
        .map(Bit::node)
        .collect();
    let layers = nodes.layers(operations, &negated);
    let (gates, wires, negations) = place(&nodes, operations, &negated, &layers);

    let outputs = outputs
        .iter()
        .map(|word| {
            word.iter()
                .map(|bit| match bit.node() {
                    Node::ZERO => Output::Const(bit.inverted()),
                    node if bit.inverted() => Output::Wire(negations[&node]),
                    node => Output::Wire(wires[node.index()]),
                })
                .collect()
        })
        .collect();
    let mut circuit = Circuit {
        inputs,
        input_bits,
        gates,
        layers,
        outputs,
        digest: [0; 32],
        ownership: LastOwnership::default(),
    };
    circuit.digest = digest(&circuit);
    circuit
}

fn bits(outputs: &[Vec<Bit>]) -> impl Iterator<Item = Bit> {
    outputs.iter().flatten().copied()
}

/// The properties of each node that are needed before the gates are placed.
struct Nodes {
    /// The number of nodes that are not gates: the constant and the input bits.
    leaves: usize,
    /// Whether an output needs the node.
    live: Vec<bool>,
    /// The largest number of ANDs on a path from an input to the node.
    depth: Vec<u32>,
}

impl Nodes {
    fn survey(input_bits: usize, operations: &[Operation], outputs: &[Vec<Bit>]) -> Self {
        let leaves = 1 + input_bits;
        let mut live = vec![false; leaves + operations.len()];
        for bit in bits(outputs) {
            live[bit.node().index()] = true;
        }
        for (gate, operation) in operations.iter().enumerate().rev() {
            if live[leaves + gate] {
                let (a, b) = operation.operands();
                live[a.index()] = true;
                live[b.index()] = true;
            }
        }

        let mut depth = vec![0; leaves];
        depth.reserve_exact(operations.len());
        for operation in operations {
            let (a, b) = operation.operands();
            let below = u32::max(depth[a.index()], depth[b.index()]);
            depth.push(below + u32::from(operation.is_and()));
        }
        Nodes {
            leaves,
            live,
            depth,
        }
    }

    /// The gates that at least one output needs, with their nodes.
    fn live_gates<'a>(
        &'a self,
        operations: &'a [Operation],
    ) -> impl Iterator<Item = (usize, Operation)> + 'a {
        (self.leaves..)
            .zip(operations.iter().copied())
            .filter(|&(node, _)| self.live[node])
    }

    /// The ranges of gate numbers of each layer. First counts the gates of each layer and kind, and
    /// then assigns consecutive ranges.
    fn layers(&self, operations: &[Operation], negated: &BTreeSet<Node>) -> Vec<Layer> {
        // Layer 0 exists even when it is empty.
        let mut sizes = vec![(0, 0)];
        for (node, operation) in self.live_gates(operations) {
            let depth = self.depth[node] as usize;
            if sizes.len() <= depth {
                sizes.resize(depth + 1, (0, 0));
            }
            let (ands, free) = &mut sizes[depth];
            *(if operation.is_and() { ands } else { free }) += 1;
        }
        for node in negated {
            sizes[self.depth[node.index()] as usize].1 += 1;
        }

        let mut end = 0;
        let mut range = |size| {
            let start = end;
            end += size;
            start..end
        };
        sizes
            .into_iter()
            .map(|(ands, free)| Layer {
                ands: range(ands),
                free: range(free),
            })
            .collect()
    }
}

/// Assigns each live gate the next number of its layer and kind. The negations come last in their
/// layers.
///
/// Returns the gates, the wire of each node, and the wires of the negated nodes.
fn place(
    nodes: &Nodes,
    operations: &[Operation],
    negated: &BTreeSet<Node>,
    layers: &[Layer],
) -> (Vec<Gate>, Vec<Wire>, BTreeMap<Node, Wire>) {
    const UNPLACED: Wire = Wire(u32::MAX);
    let input_bits = nodes.leaves - 1;
    let driven_by = |gate: usize| Wire((input_bits + gate) as u32);

    let mut wires = vec![UNPLACED; nodes.live.len()];
    for input in 0..input_bits {
        wires[1 + input] = Wire(input as u32);
    }
    // The gate numbers of each layer that are not assigned yet.
    let mut free_places = layers.to_vec();
    let end = layers.last().map_or(0, |layer| layer.free.end);
    let mut gates = vec![Gate::Not(UNPLACED); end];
    for (node, operation) in nodes.live_gates(operations) {
        let layer = &mut free_places[nodes.depth[node] as usize];
        let (a, b) = operation.operands();
        let (a, b) = (wires[a.index()], wires[b.index()]);
        let (place, gate) = match operation {
            Operation::And(..) => (layer.ands.next(), Gate::And(a, b)),
            Operation::Xor(..) => (layer.free.next(), Gate::Xor(a, b)),
        };
        let place = place.expect("a place was counted for each gate");
        gates[place] = gate;
        wires[node] = driven_by(place);
    }
    // Sorts the negated nodes by wire, so that a circuit that is written and read back has the same
    // layout.
    let mut negated: Vec<Node> = negated.iter().copied().collect();
    negated.sort_unstable_by_key(|node| wires[node.index()]);
    let negations = negated
        .into_iter()
        .map(|node| {
            let layer = &mut free_places[nodes.depth[node.index()] as usize];
            let place = layer.free.next();
            let place = place.expect("a place was counted for each negation");
            gates[place] = Gate::Not(wires[node.index()]);
            (node, driven_by(place))
        })
        .collect();
    (gates, wires, negations)
}
