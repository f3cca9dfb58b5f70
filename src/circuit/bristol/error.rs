//! Errors of netlists.

use std::io;

/// An error in a netlist, with its line.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of the netlist: {kind}")]
pub struct NetlistError {
    /// The line number, from 1. If the file ends too early, the number of its last line plus 1.
    pub line: u64,
    /// The error in this line.
    pub kind: NetlistErrorKind,
}

/// The kinds of errors in a line of a netlist.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetlistErrorKind {
    /// The reader failed.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line is longer than [`MAX_LINE`](super::MAX_LINE).
    #[error("longer than {} bytes", super::MAX_LINE)]
    LongLine,
    /// A byte is not ASCII.
    #[error("not plain ASCII text")]
    NotAscii,
    /// The file ends where a line was expected.
    #[error("expected {expected}, found the end of the file")]
    Truncated {
        /// The expected content of the line.
        expected: &'static str,
    },
    /// The file continues after the last gate.
    #[error("there are more lines than the {gates} gates declared")]
    Trailing {
        /// The number of gates declared.
        gates: u64,
    },
    /// A line has fewer fields than the counts in it require.
    #[error("a field is missing")]
    MissingField,
    /// A line has more fields than the counts in it allow.
    #[error("too many fields")]
    ExtraField,
    /// A field is not a decimal number.
    #[error("expected a decimal number")]
    NotANumber,
    /// A number does not fit into 64 bits.
    #[error("the number is too large")]
    Overflow,
    /// The header declares more gates, wires or values than a file of this size can hold.
    #[error("{declared} {what} declared, but a file of this size may have at most {limit}")]
    Implausible {
        /// `gates`, `wires` or `values without bits`.
        what: &'static str,
        /// The number declared.
        declared: u64,
        /// The maximum number for a file of this size.
        limit: u64,
    },
    /// The input or output values have more bits than there are wires.
    #[error("the {what} have more bits than there are wires ({wires})")]
    TooFewWires {
        /// `input values` or `output values`.
        what: &'static str,
        /// The number of wires declared.
        wires: usize,
    },
    /// A gate has an unknown operation.
    #[error("unknown operation {name:?}; expected XOR, AND, OR, INV, NOT, EQ, EQW or MAND")]
    UnknownOperation {
        /// The beginning of its name.
        name: String,
    },
    /// A gate has too few or too many inputs or outputs.
    #[error("a gate of this kind cannot have {ins} inputs and {outs} outputs")]
    Arity {
        /// The number of inputs stated.
        ins: u64,
        /// The number of outputs stated.
        outs: u64,
    },
    /// A gate refers to a wire that does not exist.
    #[error("wire {wire} does not exist: the netlist has {wires} wires, numbered from 0")]
    OutOfRange {
        /// The number of the wire.
        wire: u64,
        /// The number of wires declared.
        wires: usize,
    },
    /// A gate reads a wire that is not set yet.
    #[error("wire {wire} is read before it is set")]
    Unset {
        /// The number of the wire.
        wire: u64,
    },
    /// A gate sets a wire that is an input or has already been set.
    #[error("wire {wire} is set twice")]
    SetTwice {
        /// The number of the wire.
        wire: u64,
    },
    /// The operand of `EQ` is not 0 or 1.
    #[error("EQ takes the constant 0 or 1, not {given}")]
    NotABit {
        /// The operand.
        given: u64,
    },
    /// The circuit is larger than a [`Builder`](crate::circuit::Builder) can hold.
    #[error("the circuit is too large")]
    TooLarge,
    /// An output is not set by any gate.
    #[error("output wire {wire} is never set")]
    UnsetOutput {
        /// The number of the wire.
        wire: usize,
    },
}
