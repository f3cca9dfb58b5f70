//! A netlist as it is written.

use std::fmt;
use std::str::FromStr;

use crate::circuit::evaluate::{InputError, as_bits, as_lanes, check_shape};
use crate::circuit::{Bit, Builder, Circuit, Wire};

/// How a netlist is written.
///
/// The second line of the old format has three numbers, and a gate follows, which ends with a name. In
/// the Bristol Fashion a third line of numbers follows. So the two can be told apart, except where
/// a netlist has no gates; that is taken for the Bristol Fashion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// The Bristol Fashion, of 2019.
    Fashion,
    /// The format before it: one output value, and an input value of each of two parties. That of
    /// the second may have no bits.
    Old,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Fashion => "fashion",
            Format::Old => "old",
        })
    }
}

/// A name that is not that of a [`Format`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the formats are fashion and old")]
pub struct UnknownFormat;

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        match name {
            "fashion" => Ok(Format::Fashion),
            "old" => Ok(Format::Old),
            _ => Err(UnknownFormat),
        }
    }
}

/// What one gate of a netlist does. A `MAND` is as many gates as it has results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::circuit) enum Operation {
    Xor(Wire, Wire),
    And(Wire, Wire),
    Not(Wire),
    /// `EQW`.
    Copy(Wire),
    /// `EQ`.
    Const(bool),
}

impl Operation {
    /// The wires that it reads.
    pub(in crate::circuit) fn reads(self) -> impl Iterator<Item = Wire> {
        let (first, second) = match self {
            Operation::Xor(a, b) | Operation::And(a, b) => (Some(a), Some(b)),
            Operation::Not(a) | Operation::Copy(a) => (Some(a), None),
            Operation::Const(_) => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A gate of a netlist, and the wire that it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::circuit) struct Step {
    pub(in crate::circuit) operation: Operation,
    pub(in crate::circuit) sets: Wire,
}

/// A netlist as it is written: every gate, in the order of the file.
///
/// Each gate reads wires that are set before it, and sets a wire that nothing else sets.
#[derive(Clone)]
pub struct Netlist {
    pub(super) format: Format,
    pub(super) inputs: Vec<usize>,
    pub(super) outputs: Vec<usize>,
    pub(super) wires: usize,
    pub(super) steps: Vec<Step>,
}

impl Netlist {
    /// The format in which it was read.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The number of bits of each input value.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The number of bits of each output value.
    pub fn outputs(&self) -> &[usize] {
        &self.outputs
    }

    /// The number of gates, in the count of which a `MAND` is as many as it has results.
    pub fn gates(&self) -> usize {
        self.steps.len()
    }

    /// The circuit that a [`Builder`] makes of it: constants are folded, equal gates shared, dead
    /// gates dropped, and the rest put in layers. It has no more AND gates than the netlist.
    pub fn circuit(&self) -> Circuit {
        let mut builder = Builder::new(&self.inputs);
        let mut bits: Vec<Bit> = Vec::with_capacity(self.wires);
        bits.extend(builder.input_bits());
        bits.resize(self.wires, Bit::ZERO);
        for step in &self.steps {
            let on = |wire: Wire| bits[wire.index()];
            bits[step.sets.index()] = match step.operation {
                Operation::Xor(a, b) => builder.xor(on(a), on(b)),
                Operation::And(a, b) => builder.and(on(a), on(b)),
                Operation::Not(a) => builder.not(on(a)),
                Operation::Copy(a) => on(a),
                Operation::Const(bit) => Bit::from(bit),
            };
        }
        let mut outputs = bits.split_off(self.first_output()).into_iter();
        let words = self.outputs.iter();
        let words = words.map(|&width| outputs.by_ref().take(width).collect());
        let words = words.collect();
        drop(bits);
        builder.build(words)
    }

    /// Evaluates the netlist on one input, gate by gate as it is written.
    ///
    /// # Errors
    /// When the number of values, or of the bits of one, is not that of [`inputs`](Self::inputs).
    pub fn evaluate(&self, inputs: &[Vec<bool>]) -> Result<Vec<Vec<bool>>, InputError> {
        let inputs = as_lanes(inputs);
        check_shape(&self.inputs, &inputs)?;
        let mut lanes = self.lanes();
        let mut outputs = lanes.evaluate(inputs.iter().flatten().copied()).iter();
        let words = self.outputs.iter();
        Ok(words
            .map(|&width| as_bits(outputs.by_ref().take(width)))
            .collect())
    }

    /// An evaluator of 64 inputs at once.
    pub(super) fn lanes(&self) -> Lanes<'_> {
        Lanes {
            netlist: self,
            wires: vec![0; self.wires],
        }
    }

    pub(in crate::circuit) fn wires(&self) -> usize {
        self.wires
    }

    pub(in crate::circuit) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The wire of the first output bit; the others follow it.
    pub(in crate::circuit) fn first_output(&self) -> usize {
        self.wires - self.outputs.iter().sum::<usize>()
    }
}

impl fmt::Debug for Netlist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Netlist")
            .field("format", &self.format)
            .field("inputs", &self.inputs)
            .field("outputs", &self.outputs)
            .field("gates", &self.steps.len())
            .finish_non_exhaustive()
    }
}

/// Evaluates a netlist on 64 inputs at once: bit `i` of each `u64` belongs to the `i`-th evaluation.
/// It keeps the memory of the wires from one evaluation to the next.
pub(super) struct Lanes<'n> {
    netlist: &'n Netlist,
    wires: Vec<u64>,
}

impl Lanes<'_> {
    /// The output bits of all values, given the input bits of all values.
    pub(super) fn evaluate(&mut self, inputs: impl Iterator<Item = u64>) -> &[u64] {
        let wires = &mut self.wires;
        for (wire, input) in wires.iter_mut().zip(inputs) {
            *wire = input;
        }
        for step in &self.netlist.steps {
            wires[step.sets.index()] = match step.operation {
                Operation::Xor(a, b) => wires[a.index()] ^ wires[b.index()],
                Operation::And(a, b) => wires[a.index()] & wires[b.index()],
                Operation::Not(a) => !wires[a.index()],
                Operation::Copy(a) => wires[a.index()],
                Operation::Const(bit) => u64::from(bit).wrapping_neg(),
            };
        }
        &wires[self.netlist.first_output()..]
    }
}
