//! The record of a circuit.

use std::fmt;
use std::ops::Range;

use super::ownership::LastOwnership;

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

/// The gates of one AND-depth, as two consecutive ranges of gate numbers.
///
/// An AND of layer d reads wires of earlier layers only, so all of them may be garbled as one
/// batch. The free gates after them read wires of earlier layers, of these ANDs, and of free gates
/// before them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// AND gates only; none in layer 0.
    pub ands: Range<usize>,
    /// XOR and NOT gates only, in topological order.
    pub free: Range<usize>,
}

/// A Boolean circuit, in layer order, without dead gates.
///
/// Made by a [`Builder`](super::Builder) and immutable: every wire that a gate or an output names
/// exists, and every gate reads wires of a lower number only.
#[derive(Clone)]
pub struct Circuit {
    pub(super) inputs: Vec<usize>,
    pub(super) input_bits: usize,
    pub(super) gates: Vec<Gate>,
    pub(super) layers: Vec<Layer>,
    pub(super) outputs: Vec<Vec<Output>>,
    pub(super) digest: [u8; 32],
    pub(super) ownership: LastOwnership,
}

impl Circuit {
    /// The number of bits of each input value.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The number of bits of all input values together. They are the first wires, value after
    /// value, the least significant bit of each first.
    pub fn input_bits(&self) -> usize {
        self.input_bits
    }

    /// The gates, in layer order. Gate `g` drives wire `input_bits + g`.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The layers, by AND-depth from 0. Together they are all gates, in order.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The output values, each a word of bits, least significant first.
    pub fn outputs(&self) -> &[Vec<Output>] {
        &self.outputs
    }

    /// The number of wires: input bits and gates.
    pub fn wires(&self) -> usize {
        self.input_bits + self.gates.len()
    }

    /// The number of AND gates.
    pub fn ands(&self) -> usize {
        self.layers.iter().map(|layer| layer.ands.len()).sum()
    }

    /// The number of bits of all output values together.
    pub fn output_bits(&self) -> usize {
        self.outputs.iter().map(Vec::len).sum()
    }

    /// The number of output bits that are not constants.
    pub fn output_wires(&self) -> usize {
        let is_wire = |output: &&Output| matches!(output, Output::Wire(_));
        self.outputs.iter().flatten().filter(is_wire).count()
    }

    /// The BLAKE3 digest of the record: two circuits have the same one only if they have the same
    /// inputs, gates and outputs in the same order.
    ///
    /// It is BLAKE3 in its key-derivation mode, with the context string `dealerless circuit v1`,
    /// over: the number of input values and the bits of each; the number of gates, and for each a
    /// byte (0 XOR, 1 AND, 2 NOT) and the wires that it reads; the number of output values, and
    /// for each its number of bits and for each bit a byte (0 zero, 1 one, 2 a wire, which
    /// follows). Counts are 8 bytes and wires 4, little-endian.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

impl fmt::Debug for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Circuit")
            .field("inputs", &self.inputs)
            .field("gates", &self.gates.len())
            .field("ands", &self.ands())
            .field("layers", &self.layers.len())
            .field("outputs", &self.outputs.len())
            .finish_non_exhaustive()
    }
}
