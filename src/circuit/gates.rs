//! Wires and gates, and the passes over a list of gates.

/// A wire of a circuit, by number. The first wires are the input bits, and then each gate has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(pub(super) u32);

impl Wire {
    /// The wire of this number, which is below [`Builder::MAX_NODES`](super::Builder::MAX_NODES).
    pub(super) fn new(index: usize) -> Self {
        Wire(index as u32)
    }

    /// The number of the wire, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A gate, with the wires that it reads. Gate number `g` drives wire `input_bits + g`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Exclusive or: free when garbled.
    Xor(Wire, Wire),
    /// And: what a circuit costs.
    And(Wire, Wire),
    /// Negation: free when garbled.
    Not(Wire),
}

/// One bit of an output value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A bit that does not depend on the inputs.
    Const(bool),
    /// The bit on a wire, which may be an input and may be put out more than once.
    Wire(Wire),
}

/// The inputs, gates and outputs of a circuit.
#[derive(Clone, Copy)]
pub(super) struct Gates<'a> {
    /// The number of bits of each input value.
    pub(super) inputs: &'a [usize],
    /// The gates; gate number `g` drives wire `input_bits + g`.
    pub(super) list: &'a [Gate],
    /// The output values, each a word of bits.
    pub(super) outputs: &'a [Vec<Output>],
}

impl<'a> Gates<'a> {
    /// The number of bits of all input values together.
    pub(super) fn input_bits(self) -> usize {
        self.inputs.iter().sum()
    }

    /// The number of wires: input bits and gates.
    pub(super) fn wires(self) -> usize {
        self.input_bits() + self.list.len()
    }

    /// The gates with the wires that they set, from the last to the first.
    pub(super) fn last_to_first(self) -> impl Iterator<Item = (Gate, Wire)> + use<'a> {
        let wires = (0..self.wires()).rev().map(Wire::new);
        self.list.iter().rev().copied().zip(wires)
    }
}
