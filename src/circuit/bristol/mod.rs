//! Reads and writes circuits in the text format Bristol Fashion. Also reads the older Bristol
//! format.
//!
//! Archer, Abril, Lu, Maene, Mertens, Sijacic and Smart define Bristol Fashion on the page
//! ["Bristol Fashion" MPC circuits](https://nigelsmart.github.io/MPC-Circuits/):
//!
//! ```text
//! GATES WIRES
//! INPUT-VALUES BITS BITS …
//! OUTPUT-VALUES BITS BITS …
//!
//! INS OUTS IN… OUT… OPERATION
//! …
//! ```
//!
//! The first line has the numbers of gates and wires. The next two lines describe the input values
//! and the output values: the number of values, and the number of bits of each value. Each further
//! line is a gate: the numbers of its input and output wires, these wires, and the operation.
//!
//! Wires are numbered from 0. The first wires are the bits of the input values, and the last wires
//! are the bits of the output values. Each value begins with its least significant bit. A gate
//! reads only wires that are set before it, and no wire is set twice. The operations are:
//!
//! | operation | line | result |
//! |---|---|---|
//! | `XOR` | `2 1 a b c XOR` | c = a ^ b |
//! | `AND` | `2 1 a b c AND` | c = a & b |
//! | `OR` | `2 1 a b c OR` | c = a \| b, read as !(!a & !b): an AND and three negations |
//! | `INV`, `NOT` | `1 1 a c INV` | c = !a |
//! | `EQ` | `1 1 0 c EQ` | c = 0; `1 1 1 c EQ`: c = 1 |
//! | `EQW` | `1 1 a c EQW` | c = a |
//! | `MAND` | `4 2 a b c d e f MAND` | e = a & c and f = b & d; a line with n ANDs begins with `2n n` |
//!
//! A comment begins with `#` or `//`, ends with its line, and may contain any bytes. The reader
//! skips comments and blank lines. The definition has no comments, and the readers of several other
//! programs refuse them anywhere: the writer writes only a blank line after the header.
//!
//! [`Format`] describes how the reader recognises the older format. The header of the older format
//! has two lines: `GATES WIRES`, and `N1 N2 N3`. `N1` and `N2` are the numbers of bits of the two
//! parties' input values, and `N3` is the number of bits of the only output value. The format
//! defines gate lines as above, but only with `XOR`, `AND` and `INV`.
//!
//! ```
//! use dealerless::circuit::bristol;
//!
//! let netlist = b"1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n";
//! let circuit = bristol::parse(netlist)?;
//! assert_eq!(circuit.ands(), 1);
//!
//! let mut written = Vec::new();
//! bristol::write(&circuit, &mut written)?;
//! assert_eq!(written, netlist);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod error;
mod header;
mod lines;
mod netlist;
mod read;
mod write;

pub use compare::{
    COUNTING, CompareError, Difference, Inputs, check_shapes, first_difference, inputs_tried,
};
pub use error::{NetlistError, NetlistErrorKind};
pub use netlist::{Format, Netlist, Operation, Step, UnknownFormat, WidthsError};
pub use read::{MAX_LINE, parse, read, read_as};
pub use write::write;
pub(in crate::circuit) use write::{write_header, write_step};
