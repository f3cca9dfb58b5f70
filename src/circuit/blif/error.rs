//! Errors of BLIF files.

use std::io;

/// An error in a BLIF file, with its line.
#[derive(Debug, thiserror::Error)]
#[error("line {line} of the BLIF file: {kind}")]
pub struct BlifError {
    /// The line number, from 1.
    pub line: u64,
    /// The error in this line.
    pub kind: BlifErrorKind,
}

/// The kinds of errors in a BLIF file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BlifErrorKind {
    /// The reader failed.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The circuit has latches.
    #[error("latches are not supported: the circuit must be combinational")]
    Latch,
    /// A command other than `.model`, `.inputs`, `.outputs`, `.names` and `.end`.
    #[error("{command:?} is not supported; flatten the circuit to .names, for example with ABC")]
    Unsupported {
        /// The beginning of the command.
        command: String,
    },
    /// The file has several models.
    #[error("the file has several models; flatten it to one, for example with ABC")]
    SeveralModels,
    /// The file has no `.outputs`.
    #[error("there are no outputs: the file ends too early, or has no .outputs")]
    NoOutputs,
    /// A line that is not part of a function.
    #[error("expected a command, such as .names")]
    NoFunction,
    /// A line of a function does not have a value for each input, and the value of the function.
    #[error("expected {inputs} of 0, 1 and -, and then the value 0 or 1")]
    Line {
        /// The number of inputs.
        inputs: usize,
    },
    /// The lines of a function have different values.
    #[error("a function lists the inputs for 1 or those for 0, not both")]
    MixedValues,
    /// `.names` without a signal.
    #[error("the name of a signal is missing")]
    MissingName,
    /// A signal is defined twice, or an input is defined.
    #[error("the signal {name:?} is defined twice")]
    DefinedTwice {
        /// The beginning of its name.
        name: String,
    },
    /// A signal is used but not defined.
    #[error("the signal {name:?} is not defined")]
    Undefined {
        /// The beginning of its name.
        name: String,
    },
    /// A signal depends on itself.
    #[error("this signal depends on itself")]
    Cycle,
    /// The circuit is larger than a [`Builder`](crate::circuit::Builder) can hold.
    #[error("the circuit is too large")]
    TooLarge,
}
