//! The cost of a circuit.

use super::{Circuit, Gate};

/// The size of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// AND gates, which determine the cost of garbling.
    pub and: usize,
    /// XOR gates.
    pub xor: usize,
    /// NOT gates.
    pub not: usize,
    /// The largest number of AND gates on a path from an input to an output.
    pub and_depth: usize,
    /// The number of bits of each input value.
    pub inputs: Vec<usize>,
    /// The number of bits of each output value.
    pub outputs: Vec<usize>,
}

impl Circuit {
    /// Counts the gates by kind. Linear in the number of gates.
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
