//! Reading a netlist, which anybody may have written.

use std::io::{BufRead, Read, Take};
use std::str::SplitAsciiWhitespace;

use super::{NetlistError, NetlistErrorKind as Kind};
use crate::circuit::{Bit, Builder, Circuit};

/// The longest line that is read, in bytes: room for a `MAND` of half a million ANDs.
pub const MAX_LINE: u64 = 1 << 24;

/// However small a file is, it may declare this many gates and wires, and values without bits.
const ALWAYS_PLAUSIBLE: u64 = 1 << 16;

/// A file with more wires than [`ALWAYS_PLAUSIBLE`] that names each of them has at least so many
/// bytes per wire: nearly every number has five digits or more, and a space.
const BYTES_PER_WIRE: u64 = 5;

/// Reads a netlist of at most `size` bytes, line by line. Later bytes are not looked at.
///
/// A [`Builder`] makes the circuit: gates that repeat others, or that no output needs, are not in
/// it.
///
/// Memory is linear in `size`, whatever the file declares: about 2 bytes per byte of a usual file,
/// and about 30 at most. So a file of more than 2^16 wires must be large enough to name each of
/// them, and a line has at most 2^16 values without bits.
///
/// # Errors
/// When the reader fails, or the netlist is not in the [format](super). The error names the line.
pub fn read(reader: impl BufRead, size: u64) -> Result<Circuit, NetlistError> {
    let mut lines = Lines::new(reader.take(size));
    read_netlist(&mut lines, size).map_err(|kind| NetlistError {
        line: lines.number,
        kind,
    })
}

/// Reads a netlist from memory.
///
/// # Errors
/// Those of [`read`].
pub fn parse(netlist: &[u8]) -> Result<Circuit, NetlistError> {
    read(netlist, netlist.len() as u64)
}

fn read_netlist(lines: &mut Lines<impl BufRead>, size: u64) -> Result<Circuit, Kind> {
    let (gates, wires) = read_sizes(lines.next("the number of gates and of wires")?, size)?;
    let inputs = read_widths(lines.next("the input values")?, "input values", wires)?;
    let outputs = read_widths(lines.next("the output values")?, "output values", wires)?;
    let mut netlist = Netlist::new(&inputs, wires);
    for _ in 0..gates {
        netlist.read_gate(lines.next("a gate")?)?;
    }
    if lines.advance()? {
        return Err(Kind::Trailing { gates });
    }
    netlist.finish(&outputs)
}

/// The numbers of gates and of wires, neither beyond what a file of `size` bytes can hold.
fn read_sizes(mut fields: Fields, size: u64) -> Result<(u64, usize), Kind> {
    let mut read_size = |what, plausible| {
        let declared = number(fields.next().ok_or(Kind::MissingField)?)?;
        let limit = u64::max(plausible, ALWAYS_PLAUSIBLE);
        if declared > limit {
            return Err(Kind::Implausible {
                what,
                declared,
                limit,
            });
        }
        Ok(declared)
    };
    let (gates, wires) = (
        read_size("gates", size)?,
        read_size("wires", size / BYTES_PER_WIRE)?,
    );
    if fields.next().is_some() {
        return Err(Kind::ExtraField);
    }
    match usize::try_from(wires) {
        Ok(wires) if wires < Builder::MAX_NODES => Ok((gates, wires)),
        _ => Err(Kind::TooLarge),
    }
}

/// The bits of each value, together at most as many as there are wires.
fn read_widths(mut fields: Fields, what: &'static str, wires: usize) -> Result<Vec<usize>, Kind> {
    let count = number(fields.next().ok_or(Kind::MissingField)?)?;
    let mut widths = Vec::new();
    let mut left = wires as u64;
    for field in fields {
        let width = number(field)?;
        left = left
            .checked_sub(width)
            .ok_or(Kind::TooFewWires { what, wires })?;
        widths.push(width as usize);
    }
    check_fields(count, widths.len())?;
    // Each value is a list in memory, at both parties and at each step of a run. A value without
    // bits takes two bytes of the file only, and nobody needs many.
    let empty = widths.iter().filter(|&&width| width == 0).count() as u64;
    if empty > ALWAYS_PLAUSIBLE {
        return Err(Kind::Implausible {
            what: "values without bits",
            declared: empty,
            limit: ALWAYS_PLAUSIBLE,
        });
    }
    Ok(widths)
}

fn check_fields(expected: u64, given: usize) -> Result<(), Kind> {
    match (given as u64).cmp(&expected) {
        std::cmp::Ordering::Less => Err(Kind::MissingField),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(Kind::ExtraField),
    }
}

/// A field that is a number: decimal digits and nothing else.
fn number(field: &str) -> Result<u64, Kind> {
    if !field.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Kind::NotANumber);
    }
    field.parse().map_err(|_| Kind::Overflow)
}

/// The wires as the file numbers them, while the circuit is built.
struct Netlist {
    builder: Builder,
    wires: Vec<Option<Bit>>,
    /// The wires of the current gate, kept from line to line for their memory only.
    operands: Vec<u64>,
    /// The bits that the current gate sets, kept for their memory only.
    results: Vec<Bit>,
}

impl Netlist {
    fn new(inputs: &[usize], wires: usize) -> Self {
        let builder = Builder::new(inputs);
        let mut bits = Vec::with_capacity(wires);
        bits.extend(builder.input_bits().map(Some));
        bits.resize(wires, None);
        Netlist {
            builder,
            wires: bits,
            operands: Vec::new(),
            results: Vec::new(),
        }
    }

    fn read_gate(&mut self, mut fields: Fields) -> Result<(), Kind> {
        let ins = number(fields.next().ok_or(Kind::MissingField)?)?;
        let outs = number(fields.next().ok_or(Kind::MissingField)?)?;
        let operation = fields.next_back().ok_or(Kind::MissingField)?;
        self.operands.clear();
        for field in fields {
            self.operands.push(number(field)?);
        }
        check_fields(ins.saturating_add(outs), self.operands.len())?;

        // All operands are read before a result is set: the ANDs of a MAND are simultaneous.
        self.results.clear();
        match (operation, ins, outs) {
            ("XOR", 2, 1) => {
                self.make_room(1)?;
                let (a, b) = (self.operand(0)?, self.operand(1)?);
                self.results.push(self.builder.xor(a, b));
            }
            ("AND", 2, 1) => self.and(1)?,
            ("MAND", ins, outs @ 1..) if outs.checked_mul(2) == Some(ins) => {
                self.and(outs as usize)?;
            }
            ("INV" | "NOT", 1, 1) => {
                let a = self.operand(0)?;
                self.results.push(self.builder.not(a));
            }
            ("EQ", 1, 1) => self.results.push(match self.operands[0] {
                0 => Bit::ZERO,
                1 => Bit::ONE,
                given => return Err(Kind::NotABit { given }),
            }),
            ("EQW", 1, 1) => {
                let a = self.operand(0)?;
                self.results.push(a);
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
            self.results.push(self.builder.and(a, b));
        }
        Ok(())
    }

    /// The builder panics when it is full, and a file must not bring it there.
    fn make_room(&self, nodes: usize) -> Result<(), Kind> {
        if nodes > Builder::MAX_NODES - self.builder.nodes() {
            return Err(Kind::TooLarge);
        }
        Ok(())
    }

    fn operand(&mut self, operand: usize) -> Result<Bit, Kind> {
        let wire = self.operands[operand];
        self.wire(wire)?.ok_or(Kind::Unset { wire })
    }

    /// Sets the wires after the first `ins` operands to the results.
    fn set(&mut self, ins: usize) -> Result<(), Kind> {
        for i in 0..self.results.len() {
            let (wire, result) = (self.operands[ins + i], self.results[i]);
            if self.wire(wire)?.replace(result).is_some() {
                return Err(Kind::SetTwice { wire });
            }
        }
        Ok(())
    }

    fn wire(&mut self, wire: u64) -> Result<&mut Option<Bit>, Kind> {
        let wires = self.wires.len();
        usize::try_from(wire)
            .ok()
            .and_then(|index| self.wires.get_mut(index))
            .ok_or(Kind::OutOfRange { wire, wires })
    }

    fn finish(self, outputs: &[usize]) -> Result<Circuit, Kind> {
        let mut wire = self.wires.len() - outputs.iter().sum::<usize>();
        let mut words = Vec::with_capacity(outputs.len());
        for &width in outputs {
            let word = self.wires[wire..wire + width]
                .iter()
                .zip(wire..)
                .map(|(bit, wire)| bit.ok_or(Kind::UnsetOutput { wire }))
                .collect::<Result<Vec<Bit>, Kind>>()?;
            words.push(word);
            wire += width;
        }
        drop(self.wires);
        Ok(self.builder.build(words))
    }
}

/// The fields of a line, with white space between them.
type Fields<'a> = SplitAsciiWhitespace<'a>;

/// The lines of a file, of which one is held at a time.
struct Lines<R> {
    reader: Take<R>,
    line: Vec<u8>,
    /// The number of the line held, from 1.
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn new(reader: Take<R>) -> Self {
        Lines {
            reader,
            line: Vec::new(),
            number: 0,
        }
    }

    /// Goes to the next line that is not blank. False at the end of the file.
    fn advance(&mut self) -> Result<bool, Kind> {
        loop {
            self.number += 1;
            self.line.clear();
            let length = (&mut self.reader)
                .take(MAX_LINE + 1)
                .read_until(b'\n', &mut self.line)?;
            if length as u64 > MAX_LINE {
                return Err(Kind::LongLine);
            }
            if length == 0 {
                return Ok(false);
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The fields of the next line that is not blank, which is there to say what is `expected`.
    fn next(&mut self, expected: &'static str) -> Result<Fields<'_>, Kind> {
        if !self.advance()? {
            return Err(Kind::Truncated { expected });
        }
        match str::from_utf8(&self.line) {
            Ok(line) if line.is_ascii() => Ok(line.split_ascii_whitespace()),
            _ => Err(Kind::NotAscii),
        }
    }
}
