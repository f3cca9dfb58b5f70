//! Circuits as text: Bristol Fashion and the older format.
//!
//! Bristol Fashion is the format of Archer, Abril, Lu, Maene, Mertens, Sijacic and Smart, "Bristol
//! Fashion" MPC circuits (<https://nigelsmart.github.io/MPC-Circuits/>):
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
//! Input values are the first wires and output values are the last ones, each with its least
//! significant bit first. A gate reads wires that are already set, and sets each of its outputs
//! once:
//!
//! | operation | line | sets |
//! |---|---|---|
//! | `XOR` | `2 1 a b c XOR` | c = a ^ b |
//! | `AND` | `2 1 a b c AND` | c = a & b |
//! | `INV`, `NOT` | `1 1 a c INV` | c = !a |
//! | `EQ` | `1 1 0 c EQ` | c = the constant 0 or 1 |
//! | `EQW` | `1 1 a c EQW` | c = a |
//! | `MAND` | `4 2 a b c d e f MAND` | e = a & c and f = b & d; any number of ANDs |
//!
//! In any line, a comment begins with `#` or `//` and ends at the end of the line. It may contain
//! any bytes. Comments, blank lines and a UTF-8 byte order mark at the beginning of the file are
//! skipped when reading, and never written.
//!
//! The older format can also be read; [`Format`] describes how it is recognised. The header of the
//! older format has two lines, `GATES WIRES` and `N1 N2 N3`: the numbers of bits of the first
//! party's input value, of the second party's input value and of the output value. The gate lines
//! are as above, but only `XOR`, `AND` and `INV` exist.
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

pub use compare::{CompareError, Difference, Inputs, first_difference, inputs_tried};
pub use error::{NetlistError, NetlistErrorKind};
pub use netlist::{Format, Netlist, UnknownFormat};
pub(in crate::circuit) use netlist::{Operation, Step};
pub use read::{MAX_LINE, parse, read, read_as};
pub use write::write;
pub(in crate::circuit) use write::{write_copy, write_gate, write_header};
