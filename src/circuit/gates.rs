//! Wires and gates, and passes over a list of gates.

/// A wire of a circuit, by number. The input bits are the first wires; one wire for each gate
/// follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wire(pub(super) u32);

impl Wire {
    /// The wire with this number.
    ///
    /// # Panics
    /// Panics if the number is above [`Builder::MAX_NODES`](super::Builder::MAX_NODES).
    pub fn new(index: usize) -> Self {
        assert!(index <= super::Builder::MAX_NODES, "too many wires");
        Wire(index as u32)
    }

    /// The number of the wire, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A gate, with the wires that it reads. Gate number `g` sets wire `input_bits + g`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Exclusive or: free when garbled.
    Xor(Wire, Wire),
    /// And: the gate that determines the cost of a circuit.
    And(Wire, Wire),
    /// Negation: free when garbled.
    Not(Wire),
}

/// One bit of an output value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A bit that does not depend on the inputs.
    Const(bool),
    /// The bit on a wire. The wire may be an input and may be output more than once.
    Wire(Wire),
}

/// The inputs, gates and outputs of a circuit.
#[derive(Clone, Copy)]
pub(super) struct Gates<'a> {
    /// The number of bits of each input value.
    pub(super) inputs: &'a [usize],
    /// The gates; gate number `g` sets wire `input_bits + g`.
    pub(super) list: &'a [Gate],
    /// The output values, each a word of bits.
    pub(super) outputs: &'a [Vec<Output>],
}

impl<'a> Gates<'a> {
    /// The total number of bits of all input values.
    pub(super) fn input_bits(self) -> usize {
        self.inputs.iter().sum()
    }

    /// The number of wires: input bits plus gates.
    pub(super) fn wires(self) -> usize {
        self.input_bits() + self.list.len()
    }

    /// The gates with the wires that they set, from the last to the first.
    pub(super) fn last_to_first(self) -> impl Iterator<Item = (Gate, Wire)> + use<'a> {
        let wires = (0..self.wires()).rev().map(Wire::new);
        self.list.iter().rev().copied().zip(wires)
    }
}
