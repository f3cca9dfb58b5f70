//! Reading a netlist, which anybody may have written.

use std::io::BufRead;

use super::header::Header;
use super::lines::{Fields, Lines, check_fields, number};
use super::netlist::{Operation, Step};
use super::{Format, Netlist, NetlistError, NetlistErrorKind as Kind};
use crate::circuit::{Builder, Circuit, Wire};

/// The longest line that is read, in bytes: room for a `MAND` of half a million ANDs.
pub const MAX_LINE: u64 = 1 << 24;

/// Reads a netlist of at most `size` bytes, line by line, in either [`Format`]. Later bytes are not
/// looked at.
///
/// A [`Builder`] makes the circuit: gates that repeat others, or that no output needs, are not in
/// it. [`Netlist::read`] gives the gates as they are written.
///
/// Memory is linear in `size`, whatever the file declares: about 3 bytes per byte of a usual file,
/// and about 30 at most. So a file of more than 2^16 wires must be large enough to name each of
/// them, and a line has at most 2^16 values without bits.
///
/// # Errors
/// When the reader fails, or the netlist is not in the [format](super). The error names the line.
pub fn read(reader: impl BufRead, size: u64) -> Result<Circuit, NetlistError> {
    Ok(Netlist::read(reader, size, None)?.circuit())
}

/// Reads a netlist from memory.
///
/// # Errors
/// Those of [`read`].
pub fn parse(netlist: &[u8]) -> Result<Circuit, NetlistError> {
    read(netlist, netlist.len() as u64)
}

impl Netlist {
    /// Reads a netlist of at most `size` bytes as it is written, in the `format` or, without one, in
    /// whichever it is in. Later bytes are not looked at.
    ///
    /// Memory is linear in `size`, as for [`read`].
    ///
    /// # Errors
    /// Those of [`read`].
    pub fn read(
        reader: impl BufRead,
        size: u64,
        format: Option<Format>,
    ) -> Result<Self, NetlistError> {
        let mut lines = Lines::new(reader.take(size));
        read_netlist(&mut lines, size, format).map_err(|kind| NetlistError {
            line: lines.number,
            kind,
        })
    }

    /// Reads a netlist from memory as it is written.
    ///
    /// # Errors
    /// Those of [`read`].
    pub fn parse(netlist: &[u8], format: Option<Format>) -> Result<Self, NetlistError> {
        Self::read(netlist, netlist.len() as u64, format)
    }
}

fn read_netlist(
    lines: &mut Lines<impl BufRead>,
    size: u64,
    format: Option<Format>,
) -> Result<Netlist, Kind> {
    let header = Header::read(lines, size, format)?;
    let mut gates = Gates::new(&header);
    for _ in 0..header.gates {
        gates.read(lines.next("a gate")?)?;
    }
    if lines.advance()? {
        let gates = header.gates;
        return Err(Kind::Trailing { gates });
    }
    gates.finish(header)
}

/// The gates while they are read.
struct Gates {
    steps: Vec<Step>,
    /// Whether each wire is set.
    set: Vec<bool>,
    /// No fewer than the nodes of a builder that all this fills.
    nodes: usize,
    /// The wires of the current gate, kept from line to line for their memory only.
    operands: Vec<u64>,
    /// What the current gate does, kept for its memory only.
    operations: Vec<Operation>,
}

impl Gates {
    fn new(header: &Header) -> Self {
        let input_bits = header.inputs.iter().sum();
        let mut set = vec![false; header.wires];
        set[..input_bits].fill(true);
        Gates {
            // It grows with the lines that are there, whatever the header announces.
            steps: Vec::new(),
            set,
            nodes: 1 + input_bits,
            operands: Vec::new(),
            operations: Vec::new(),
        }
    }

    fn read(&mut self, mut fields: Fields) -> Result<(), Kind> {
        let ins = number(fields.next().ok_or(Kind::MissingField)?)?;
        let outs = number(fields.next().ok_or(Kind::MissingField)?)?;
        let operation = fields.next_back().ok_or(Kind::MissingField)?;
        self.operands.clear();
        for field in fields {
            self.operands.push(number(field)?);
        }
        check_fields(ins.saturating_add(outs), self.operands.len())?;

        // All operands are read before a result is set: the ANDs of a MAND are simultaneous.
        self.operations.clear();
        match (operation, ins, outs) {
            ("XOR", 2, 1) => {
                self.make_room(1)?;
                let (a, b) = (self.operand(0)?, self.operand(1)?);
                self.operations.push(Operation::Xor(a, b));
            }
            ("AND", 2, 1) => self.and(1)?,
            ("MAND", ins, outs @ 1..) if outs.checked_mul(2) == Some(ins) => {
                self.and(outs as usize)?;
            }
            ("INV" | "NOT", 1, 1) => {
                let a = self.operand(0)?;
                self.operations.push(Operation::Not(a));
            }
            ("EQ", 1, 1) => self.operations.push(match self.operands[0] {
                0 => Operation::Const(false),
                1 => Operation::Const(true),
                given => return Err(Kind::NotABit { given }),
            }),
            ("EQW", 1, 1) => {
                let a = self.operand(0)?;
                self.operations.push(Operation::Copy(a));
            }
            ("XOR" | "AND" | "MAND" | "INV" | "NOT" | "EQ" | "EQW", ..) => {
                return Err(Kind::Arity { ins, outs });
            }
            _ => return Err(Kind::UnknownOperation),
        }
        self.set(ins as usize)
    }

    /// Operand i with operand `count + i`, for each i below `count`.
    fn and(&mut self, count: usize) -> Result<(), Kind> {
        self.make_room(count.saturating_mul(Builder::MAX_NODES_PER_AND))?;
        for i in 0..count {
            let (a, b) = (self.operand(i)?, self.operand(count + i)?);
            self.operations.push(Operation::And(a, b));
        }
        Ok(())
    }

    /// A builder panics when it is full, and a file must not bring it there.
    fn make_room(&mut self, nodes: usize) -> Result<(), Kind> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > Builder::MAX_NODES {
            return Err(Kind::TooLarge);
        }
        Ok(())
    }

    fn operand(&self, operand: usize) -> Result<Wire, Kind> {
        let wire = self.operands[operand];
        let index = self.index(wire)?;
        if !self.set[index] {
            return Err(Kind::Unset { wire });
        }
        Ok(Wire::new(index))
    }

    /// Sets the wires after the first `ins` operands by the operations.
    fn set(&mut self, ins: usize) -> Result<(), Kind> {
        for i in 0..self.operations.len() {
            let (wire, operation) = (self.operands[ins + i], self.operations[i]);
            let index = self.index(wire)?;
            if std::mem::replace(&mut self.set[index], true) {
                return Err(Kind::SetTwice { wire });
            }
            let sets = Wire::new(index);
            self.steps.push(Step { operation, sets });
        }
        Ok(())
    }

    fn index(&self, wire: u64) -> Result<usize, Kind> {
        let wires = self.set.len();
        match usize::try_from(wire) {
            Ok(index) if index < wires => Ok(index),
            _ => Err(Kind::OutOfRange { wire, wires }),
        }
    }

    fn finish(self, header: Header) -> Result<Netlist, Kind> {
        let first_output = header.wires - header.outputs.iter().sum::<usize>();
        let unset = self.set[first_output..].iter().position(|set| !set);
        match unset {
            Some(place) => Err(Kind::UnsetOutput {
                wire: first_output + place,
            }),
            None => Ok(Netlist {
                format: header.format,
                inputs: header.inputs,
                outputs: header.outputs,
                wires: header.wires,
                steps: self.steps,
            }),
        }
    }
}
