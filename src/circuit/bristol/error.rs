//! What can be wrong with a netlist.

use std::io;

/// A netlist cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of the netlist: {kind}")]
pub struct NetlistError {
    /// The line, from 1. If the file ends too early, it is the one after the last.
    pub line: u64,
    /// What is wrong there.
    pub kind: NetlistErrorKind,
}

/// What is wrong with a line of a netlist.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetlistErrorKind {
    /// The reader failed.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line is longer than [`MAX_LINE`](super::MAX_LINE).
    #[error("it is longer than {} bytes", super::MAX_LINE)]
    LongLine,
    /// A byte is not ASCII.
    #[error("it is not plain ASCII text")]
    NotAscii,
    /// The file ends where a line was expected.
    #[error("the file ends where {expected} should be")]
    Truncated {
        /// What the line would have been.
        expected: &'static str,
    },
    /// The file goes on after the last gate.
    #[error("there are more lines than the {gates} gates declared")]
    Trailing {
        /// The number of gates declared.
        gates: u64,
    },
    /// A line ends too early for the counts in it.
    #[error("a field is missing")]
    MissingField,
    /// A line goes on too long for the counts in it.
    #[error("there is a field too many")]
    ExtraField,
    /// A field is not a number.
    #[error("a field that should be a decimal number is none")]
    NotANumber,
    /// A number does not fit into 64 bits.
    #[error("a number is too large")]
    Overflow,
    /// More is declared than a file of this size can hold.
    #[error("it declares {declared} {what}, more than the {limit} that a file of this size may")]
    Implausible {
        /// Gates, wires, or values without bits.
        what: &'static str,
        /// How many there should be.
        declared: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The input or output values have more bits than there are wires.
    #[error("the {what} have more bits than there are wires ({wires})")]
    TooFewWires {
        /// Input values or output values.
        what: &'static str,
        /// The number of wires declared.
        wires: usize,
    },
    /// A gate has an unknown operation.
    #[error("it is none of XOR, AND, INV, NOT, EQ, EQW and MAND")]
    UnknownOperation,
    /// A gate has too few or too many inputs or outputs.
    #[error("a gate of this kind does not have {ins} inputs and {outs} outputs")]
    Arity {
        /// The number of inputs stated.
        ins: u64,
        /// The number of outputs stated.
        outs: u64,
    },
    /// A gate names a wire that does not exist.
    #[error("wire {wire} does not exist: there are {wires}, numbered from 0")]
    OutOfRange {
        /// The wire.
        wire: u64,
        /// The number of wires declared.
        wires: usize,
    },
    /// A gate reads a wire that is not set yet.
    #[error("wire {wire} is read before it is set")]
    Unset {
        /// The wire.
        wire: u64,
    },
    /// A gate sets a wire that is an input or was set before.
    #[error("wire {wire} is set for the second time")]
    SetTwice {
        /// The wire.
        wire: u64,
    },
    /// The operand of `EQ` is not a bit.
    #[error("EQ takes the constant 0 or 1, not {given}")]
    NotABit {
        /// The operand.
        given: u64,
    },
    /// The circuit is larger than a [`Builder`](crate::circuit::Builder) can hold.
    #[error("the circuit is too large")]
    TooLarge,
    /// No gate sets an output.
    #[error("the file ends and output wire {wire} has not been set")]
    UnsetOutput {
        /// The wire.
        wire: usize,
    },
}
