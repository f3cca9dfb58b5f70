//! Two netlists as one list of gates, and its simulation.

use dealerless::circuit::bristol::{Netlist, Operation};

use super::literal::Literal;

/// A gate on places of a [`Network`].
#[derive(Clone, Copy)]
pub(super) struct Gate {
    pub(super) and: bool,
    pub(super) a: Literal,
    pub(super) b: Literal,
}

/// Two netlists with common inputs.
///
/// The nodes of its literals are *places*. Place 0 is the constant 0. Then come the input bits, and
/// then the gates of the first and of the second netlist. Only XORs and ANDs that an output needs
/// have a place: negations and copies are part of literals.
pub(super) struct Network {
    pub(super) inputs: usize,
    gates: Vec<Gate>,
    /// For each netlist, the places of its gates. They are ordered by the number of ANDs on the
    /// longest path to the gate, and grouped by this number.
    pub(super) layers: [Vec<Vec<u32>>; 2],
    /// The output bits of each netlist.
    pub(super) outputs: [Vec<Literal>; 2],
}

impl Network {
    pub(super) fn new(netlists: [&Netlist; 2]) -> Self {
        let mut network = Network {
            inputs: netlists[0].inputs().iter().sum(),
            gates: Vec::new(),
            layers: [Vec::new(), Vec::new()],
            outputs: [Vec::new(), Vec::new()],
        };
        for (side, netlist) in netlists.into_iter().enumerate() {
            network.add(side, netlist);
        }
        network
    }

    fn add(&mut self, side: usize, netlist: &Netlist) {
        let needed = needed(netlist);
        let mut literals = vec![Literal::ZERO; netlist.wires()];
        for (input, literal) in literals.iter_mut().take(self.inputs).enumerate() {
            *literal = Literal::positive(1 + input);
        }
        let first = self.places();
        let mut depths: Vec<u32> = Vec::new();
        for step in netlist.steps() {
            let wire = step.sets.index();
            if !needed[wire] {
                continue;
            }
            let on = |wire: dealerless::circuit::Wire| literals[wire.index()];
            let (and, a, b) = match step.operation {
                Operation::Xor(a, b) => (false, on(a), on(b)),
                Operation::And(a, b) => (true, on(a), on(b)),
                Operation::Not(a) => {
                    literals[wire] = on(a).negate_if(true);
                    continue;
                }
                Operation::Copy(a) => {
                    literals[wire] = on(a);
                    continue;
                }
                Operation::Const(bit) => {
                    literals[wire] = Literal::ZERO.negate_if(bit);
                    continue;
                }
            };
            let place = self.places();
            literals[wire] = Literal::positive(place);
            let depth = |operand: Literal| {
                let gate = operand.node().checked_sub(first);
                gate.map_or(0, |gate| depths[gate])
            };
            let depth = depth(a).max(depth(b)) + u32::from(and);
            depths.push(depth);
            let layers = &mut self.layers[side];
            if layers.len() <= depth as usize {
                layers.resize(depth as usize + 1, Vec::new());
            }
            layers[depth as usize].push(place as u32);
            self.gates.push(Gate { and, a, b });
        }
        self.outputs[side] = literals.split_off(netlist.first_output());
    }

    pub(super) fn places(&self) -> usize {
        1 + self.inputs + self.gates.len()
    }

    /// The gate on a place that is not a constant or an input.
    pub(super) fn gate(&self, place: usize) -> Gate {
        self.gates[place - 1 - self.inputs]
    }

    /// The values on all places, for 64 inputs at once.
    pub(super) fn simulate(&self, inputs: &[u64]) -> Vec<u64> {
        let mut values = Vec::with_capacity(self.places());
        values.push(0);
        values.extend_from_slice(inputs);
        for gate in &self.gates {
            let (a, b) = (value(&values, gate.a), value(&values, gate.b));
            values.push(if gate.and { a & b } else { a ^ b });
        }
        values
    }

    /// The first of 64 inputs on which the outputs differ, given the values on all places.
    pub(super) fn differing_lane(&self, values: &[u64]) -> Option<u32> {
        let [first, second] = &self.outputs;
        let pairs = first.iter().zip(second);
        let differ = pairs.fold(0, |differ, (&a, &b)| {
            differ | (value(values, a) ^ value(values, b))
        });
        (differ != 0).then(|| differ.trailing_zeros())
    }
}

fn value(values: &[u64], literal: Literal) -> u64 {
    values[literal.node()] ^ u64::from(literal.negated()).wrapping_neg()
}

/// For each wire, whether an output needs it.
fn needed(netlist: &Netlist) -> Vec<bool> {
    let mut needed = vec![false; netlist.wires()];
    needed[netlist.first_output()..].fill(true);
    for step in netlist.steps().iter().rev() {
        if needed[step.sets.index()] {
            for wire in step.operation.reads() {
                needed[wire.index()] = true;
            }
        }
    }
    needed
}
