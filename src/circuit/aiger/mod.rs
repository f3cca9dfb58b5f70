//! Reads and writes And-Inverter Graphs in the format AIGER, which Yosys, ABC and other tools of
//! logic synthesis read and write.
//!
//! Biere, [The AIGER And-Inverter Graph (AIG) Format Version
//! 20071012](https://fmv.jku.at/aiger/FORMAT.aiger), defines an ASCII and a binary encoding.
//! Biere, Heljanko and Wieringa, [AIGER 1.9 and
//! Beyond](https://fmv.jku.at/papers/BiereHeljankoWieringa-FMV-TR-11-2.pdf), 2011, add properties.
//! Only combinational circuits are supported: latches and properties are errors.
//!
//! ```text
//! aag M I L O A        the maximum variable; the numbers of inputs, latches, outputs and ANDs
//! 2                    an input
//! 6                    an output
//! 6 4 3                an AND: literal 6 is the AND of literals 4 and 3
//! i0 a[0]              the name of input 0
//! c                    a comment, until the end of the file
//! ```
//!
//! Variable v has the literals 2v and 2v + 1; an odd literal is a negation. Literals 0 and 1 are
//! the constants. In the binary encoding the header begins with `aig`. The inputs are variables 1
//! to I and the ANDs follow, so only the outputs are lines. An AND is two differences, of its own
//! literal and the larger operand and of the two operands, each in groups of seven bits, the least
//! significant first. In the ASCII encoding, ANDs may come in any order.
//!
//! An [`Aig`] is a graph as read. [`Aig::netlist`] recovers the XORs and groups bits into values,
//! and [`write()`] writes a netlist.
//!
//! ```
//! use dealerless::circuit::aiger::{self, Aig, Encoding};
//!
//! // The XOR of two inputs.
//! let text = b"aag 5 2 0 1 3\n2\n4\n10\n6 4 2\n8 5 3\n10 9 7\ni0 a\ni1 b\no0 sum\n";
//! let netlist = Aig::parse(text)?.netlist(None, None)?;
//! assert_eq!((netlist.inputs(), netlist.outputs()), (&[1, 1][..], &[1][..]));
//! assert_eq!(netlist.structure(None).and, 0);
//! assert_eq!(netlist.structure(None).xor, 1);
//!
//! let mut written = Vec::new();
//! aiger::write(&netlist, Encoding::Ascii, &mut written)?;
//! assert!(written.starts_with(b"aag 5 2 0 1 3\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ascii;
mod error;
mod graph;
mod names;
mod read;
mod source;
#[cfg(test)]
mod tests;
mod write;

pub use error::{AigerError, AigerErrorKind, Position};
pub use graph::Aig;
pub(super) use names::Names;
pub use write::write;

/// The two encodings of AIGER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Text, with `aag` in the header. The names of files end in `.aag`.
    Ascii,
    /// Binary gates, with `aig` in the header. The names of files end in `.aig`.
    Binary,
}

impl Encoding {
    /// The number of bytes from which [`of`](Self::of) recognises a file.
    pub const MAGIC: usize = 4;

    /// Recognises the encoding of a file by its first [`MAGIC`](Self::MAGIC) bytes. Returns `None`
    /// if the file is not AIGER. No netlist in a format of [`bristol`](super::bristol) begins with
    /// these bytes.
    pub fn of(first_bytes: &[u8]) -> Option<Self> {
        match first_bytes.get(..Self::MAGIC)? {
            b"aag " => Some(Encoding::Ascii),
            b"aig " => Some(Encoding::Binary),
            _ => None,
        }
    }
}
