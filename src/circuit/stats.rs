//! What a circuit costs.

use super::{Circuit, Gate};

/// The size of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// AND gates: what garbling costs.
    pub and: usize,
    /// XOR gates.
    pub xor: usize,
    /// NOT gates.
    pub not: usize,
    /// The most AND gates on a path from an input to an output.
    pub and_depth: usize,
    /// The bits of each input value.
    pub inputs: Vec<usize>,
    /// The bits of each output value.
    pub outputs: Vec<usize>,
}

impl Circuit {
    /// Counts the gates by kind. Linear in their number.
    pub fn stats(&self) -> Stats {
        let count = |kind: fn(&Gate) -> bool| self.gates.iter().filter(|gate| kind(gate)).count();
        Stats {
            and: self.ands(),
            xor: count(|gate| matches!(gate, Gate::Xor(..))),
            not: count(|gate| matches!(gate, Gate::Not(_))),
            and_depth: self.layers.len() - 1,
            inputs: self.inputs.clone(),
            outputs: self.outputs.iter().map(Vec::len).collect(),
        }
    }
}
