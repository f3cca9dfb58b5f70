//! Errors of AIGER files.

use std::fmt;
use std::io;

/// An error in an AIGER file, with its position.
#[derive(Debug, thiserror::Error)]
#[error("{position} of the AIGER file: {kind}")]
pub struct AigerError {
    /// The position of the error.
    pub position: Position,
    /// The error at this position.
    pub kind: AigerErrorKind,
}

/// A position in an AIGER file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The line number, from 1. If the file ends too early, the number of its last line plus 1.
    Line(u64),
    /// The number of bytes before the AND or the symbol. Used after the lines of a binary file.
    Byte(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(line) => write!(f, "line {line}"),
            Position::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// The kinds of errors in an AIGER file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AigerErrorKind {
    /// The reader failed.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file does not begin with `aag` or `aig`.
    #[error("not AIGER: the first line must begin with `aag ` or `aig `")]
    NotAiger,
    /// The file ends too early.
    #[error("expected {expected}, found the end of the file")]
    Truncated {
        /// The expected content.
        expected: &'static str,
    },
    /// A line has too few numbers.
    #[error("a number is missing")]
    MissingField,
    /// A line has too many numbers.
    #[error("too many numbers")]
    ExtraField,
    /// A field is not a decimal number.
    #[error("expected a decimal number")]
    NotANumber,
    /// A number does not fit into 32 bits.
    #[error("the number is too large")]
    Overflow,
    /// The circuit has latches, or the file states properties.
    #[error("{what} are not supported: the circuit must be combinational")]
    Unsupported {
        /// `latches`, `bad state properties`, `invariant constraints`, `justice properties` or
        /// `fairness constraints`.
        what: &'static str,
    },
    /// The header declares more than a file of this size can hold.
    #[error("{declared} {what} declared, but a file of this size may have at most {limit}")]
    Implausible {
        /// `variables`, `inputs`, `outputs` or `ANDs`.
        what: &'static str,
        /// The number declared.
        declared: u64,
        /// The maximum number for a file of this size.
        limit: u64,
    },
    /// The maximum variable does not fit the numbers of inputs and ANDs.
    #[error("the maximum variable is {maximum}, but there are {variables} inputs and ANDs")]
    Variables {
        /// The maximum variable declared.
        maximum: u64,
        /// The number of inputs and ANDs.
        variables: u64,
    },
    /// The circuit is larger than a [`Builder`](crate::circuit::Builder) can hold.
    #[error("the circuit is too large")]
    TooLarge,
    /// A literal is above those of the maximum variable.
    #[error("literal {literal} is out of range: the maximum variable is {maximum}")]
    OutOfRange {
        /// The literal.
        literal: u32,
        /// The maximum variable declared.
        maximum: u32,
    },
    /// An input or an AND has a literal that is odd or 0.
    #[error("literal {literal} cannot be defined: it must be even and not 0")]
    NotAVariable {
        /// The literal.
        literal: u32,
    },
    /// A variable is defined twice.
    #[error("literal {literal} is defined twice")]
    DefinedTwice {
        /// The literal.
        literal: u32,
    },
    /// A literal is used, but its variable is not an input or an AND.
    #[error("literal {literal} is used, but its variable is not defined")]
    Undefined {
        /// The literal.
        literal: u32,
    },
    /// An AND depends on itself.
    #[error("this AND depends on itself")]
    Cycle,
    /// The binary encoding of an AND is invalid.
    #[error("invalid difference: the operands of an AND must be below its own literal")]
    Difference,
    /// A line after the ANDs is not a name or a comment.
    #[error("expected the name of an input or output (such as `i0 a`), or a comment (`c`)")]
    NotASymbol,
    /// A name belongs to an input or output that does not exist.
    #[error("a name for {what} {place}, but there are {count}, numbered from 0")]
    NoSuchBit {
        /// `input` or `output`.
        what: &'static str,
        /// The number of the input or output.
        place: u32,
        /// The number of inputs or outputs.
        count: usize,
    },
    /// An input or output is named twice.
    #[error("{what} {place} is named twice")]
    NamedTwice {
        /// `input` or `output`.
        what: &'static str,
        /// The number of the input or output.
        place: u32,
    },
}
