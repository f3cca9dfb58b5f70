//! Reads netlists from untrusted files.

use std::io::BufRead;

use super::header::Header;
use super::lines::{Fields, Lines, PlainGate, check_fields, number};
use super::netlist::{Building, Operation, Step};
use super::{Format, Netlist, NetlistError, NetlistErrorKind as Kind};
use crate::circuit::{Builder, Circuit, Wire};

/// The maximum length of a line, in bytes: room for a `MAND` of half a million ANDs.
pub const MAX_LINE: u64 = 1 << 24;

/// The number of characters of an unknown operation that an error shows.
const SHOWN: usize = 20;

/// Reads a netlist of at most `size` bytes, line by line, in either [`Format`]. Later bytes are
/// ignored.
///
/// A [`Builder`] creates the circuit, so it does not contain repeated gates or gates that no output
/// needs. [`Netlist::read`] returns the gates as written.
///
/// Memory is linear in `size`, whatever the file declares: about 3 bytes per byte of a usual file,
/// and about 30 at most. For this reason, a file that declares more than 2^16 wires must be large
/// enough to name each wire, and a line has at most 2^16 values without bits.
///
/// # Errors
/// When the reader fails, or when the netlist is not in the [format](super). The error names the
/// line.
pub fn read(reader: impl BufRead, size: u64) -> Result<Circuit, NetlistError> {
    Ok(read_as(reader, size, None)?.0)
}

/// Reads a netlist in the given `format`, or in either if it is `None`, as [`read`] does. Returns the
/// circuit, and the number of ORs in the file. This takes less memory than [`Netlist::read`], since
/// the gates are not kept as written.
///
/// # Errors
/// Those of [`read`].
pub fn read_as(
    reader: impl BufRead,
    size: u64,
    format: Option<Format>,
) -> Result<(Circuit, usize), NetlistError> {
    let (header, building) = read_file(reader, size, format, |header| {
        Building::new(&header.inputs, header.wires)
    })?;
    let ors = building.ors;
    Ok((building.finish(&header.outputs), ors))
}

/// Reads a netlist from memory.
///
/// # Errors
/// Those of [`read`].
pub fn parse(netlist: &[u8]) -> Result<Circuit, NetlistError> {
    read(netlist, netlist.len() as u64)
}

impl Netlist {
    /// Reads a netlist of at most `size` bytes as written, in the given `format`, or in either if
    /// it is `None`. Later bytes are ignored.
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
        let (header, written) = read_file(reader, size, format, |header| AsWritten {
            steps: Vec::new(),
            wires: header.wires,
            ors: 0,
        })?;
        let ors = written.ors;
        let (steps, wires) = written.finish(&header);
        Ok(Netlist {
            format: header.format,
            ors,
            wires,
            steps,
            inputs: header.inputs,
            outputs: header.outputs,
        })
    }

    /// Reads a netlist from memory as written.
    ///
    /// # Errors
    /// Those of [`read`].
    pub fn parse(netlist: &[u8], format: Option<Format>) -> Result<Self, NetlistError> {
        Self::read(netlist, netlist.len() as u64, format)
    }
}

/// A consumer of the gates of a netlist, one at a time.
pub(super) trait Sink {
    fn push(&mut self, step: Step);

    /// Sets a wire to the OR of two others.
    fn or(&mut self, operands: [Wire; 2], sets: Wire);
}

/// The gates of a file, with an OR as an AND of negations, which is negated. Each OR adds three wires
/// after those of the file.
struct AsWritten {
    steps: Vec<Step>,
    wires: usize,
    ors: usize,
}

impl AsWritten {
    const WIRES_PER_OR: usize = 3;

    fn add(&mut self, operation: Operation) -> Wire {
        let sets = Wire::new(self.wires);
        self.wires += 1;
        self.steps.push(Step { operation, sets });
        sets
    }

    /// The gates, and the number of wires. Renumbers the wires so that the outputs come last. An
    /// output that is an input becomes a copy.
    fn finish(mut self, header: &Header) -> (Vec<Step>, usize) {
        self.steps.shrink_to_fit();
        let added = self.wires - header.wires;
        if added == 0 {
            return (self.steps, header.wires);
        }
        let bits = |widths: &[usize]| widths.iter().sum::<usize>();
        let first_output = header.wires - bits(&header.outputs);
        let first_own = first_output.max(bits(&header.inputs));
        let copied = first_own - first_output;
        let number = |wire: usize| match wire {
            wire if wire < first_own => wire,
            wire if wire < header.wires => wire + added + copied,
            wire => wire - header.wires + first_own,
        };
        let numbers: Vec<Wire> = (0..self.wires)
            .map(|wire| Wire::new(number(wire)))
            .collect();
        for Step { operation, sets } in &mut self.steps {
            (*operation, *sets) = (operation.renumbered(&numbers), numbers[sets.index()]);
        }
        let copies = (first_output..first_own).map(|wire| Step {
            operation: Operation::Copy(Wire::new(wire)),
            sets: Wire::new(wire + added + copied),
        });
        self.steps.extend(copies);
        (self.steps, self.wires + copied)
    }
}

impl Sink for AsWritten {
    fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn or(&mut self, operands: [Wire; 2], sets: Wire) {
        self.ors += 1;
        let [a, b] = operands.map(|wire| self.add(Operation::Not(wire)));
        let neither = self.add(Operation::And(a, b));
        self.steps.push(Step {
            operation: Operation::Not(neither),
            sets,
        });
    }
}

/// Reads a file into the sink that `begin` creates for its header.
fn read_file<S: Sink>(
    reader: impl BufRead,
    size: u64,
    format: Option<Format>,
    begin: impl FnOnce(&Header) -> S,
) -> Result<(Header, S), NetlistError> {
    let mut lines = Lines::new(reader.take(size));
    read_lines(&mut lines, size, format, begin).map_err(|kind| NetlistError {
        line: lines.number,
        kind,
    })
}

fn read_lines<S: Sink>(
    lines: &mut Lines<impl BufRead>,
    size: u64,
    format: Option<Format>,
    begin: impl FnOnce(&Header) -> S,
) -> Result<(Header, S), Kind> {
    let header = Header::read(lines, size, format)?;
    // The sink grows with the lines present, whatever the header declares.
    let mut gates = Gates::new(&header, begin(&header));
    for _ in 0..header.gates {
        match lines.next_plain_gate()? {
            Some(gate) => gates.plain(&gate)?,
            None => gates.read(lines.next("a gate")?)?,
        }
    }
    if lines.advance()? {
        let gates = header.gates;
        return Err(Kind::Trailing { gates });
    }
    let sink = gates.finish(&header)?;
    Ok((header, sink))
}

/// The state while gates are read.
struct Gates<S> {
    sink: S,
    /// Whether each wire is set.
    set: Vec<bool>,
    /// An upper bound on the nodes of a builder that the gates are pushed into.
    nodes: usize,
    /// The number of wires, with those that are added for ORs.
    wires: usize,
    /// The wire numbers in the line of the current gate. A field only to reuse the memory.
    operands: Vec<u64>,
    /// The operations of the current gate: several for a `MAND`. A field only to reuse the memory.
    operations: Vec<Operation>,
}

impl<S: Sink> Gates<S> {
    fn new(header: &Header, sink: S) -> Self {
        let input_bits = header.inputs.iter().sum();
        let mut set = vec![false; header.wires];
        set[..input_bits].fill(true);
        Gates {
            sink,
            set,
            nodes: 1 + input_bits,
            wires: header.wires,
            operands: Vec::new(),
            operations: Vec::new(),
        }
    }

    fn plain(&mut self, gate: &PlainGate) -> Result<(), Kind> {
        let (operation, sets) = match *gate {
            PlainGate::Xor([a, b, sets]) => {
                self.make_room(1)?;
                (Operation::Xor(self.wire(a)?, self.wire(b)?), sets)
            }
            PlainGate::And([a, b, sets]) => {
                self.make_room(Builder::MAX_NODES_PER_AND)?;
                (Operation::And(self.wire(a)?, self.wire(b)?), sets)
            }
            PlainGate::Not([a, sets]) => (Operation::Not(self.wire(a)?), sets),
            PlainGate::Copy([a, sets]) => (Operation::Copy(self.wire(a)?), sets),
        };
        self.set_one(sets, operation)
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
            ("OR", 2, 1) => {
                self.make_room(Builder::MAX_NODES_PER_AND)?;
                self.wires += AsWritten::WIRES_PER_OR;
                // The inputs that are outputs may need copies.
                if self.wires + self.set.len() > Builder::MAX_NODES {
                    return Err(Kind::TooLarge);
                }
                let operands = [self.operand(0)?, self.operand(1)?];
                let sets = self.mark(self.operands[2])?;
                self.sink.or(operands, sets);
                return Ok(());
            }
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
            ("XOR" | "AND" | "OR" | "MAND" | "INV" | "NOT" | "EQ" | "EQW", ..) => {
                return Err(Kind::Arity { ins, outs });
            }
            (name, ..) => {
                let name = name.chars().take(SHOWN).collect();
                return Err(Kind::UnknownOperation { name });
            }
        }
        self.set(ins as usize)
    }

    /// Adds the AND of operands i and `count + i`, for each i below `count`.
    fn and(&mut self, count: usize) -> Result<(), Kind> {
        self.make_room(count.saturating_mul(Builder::MAX_NODES_PER_AND))?;
        for i in 0..count {
            let (a, b) = (self.operand(i)?, self.operand(count + i)?);
            self.operations.push(Operation::And(a, b));
        }
        Ok(())
    }

    /// Counts `nodes` more builder nodes. Fails before the builder is full, since a full builder
    /// panics.
    fn make_room(&mut self, nodes: usize) -> Result<(), Kind> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > Builder::MAX_NODES {
            return Err(Kind::TooLarge);
        }
        Ok(())
    }

    fn operand(&self, operand: usize) -> Result<Wire, Kind> {
        self.wire(self.operands[operand])
    }

    /// The wire with this number, for an operand. It must have been set.
    fn wire(&self, wire: u64) -> Result<Wire, Kind> {
        let index = self.index(wire)?;
        if !self.set[index] {
            return Err(Kind::Unset { wire });
        }
        Ok(Wire::new(index))
    }

    /// Sets the output wires of the current gate, which follow its `ins` input wires in `operands`.
    fn set(&mut self, ins: usize) -> Result<(), Kind> {
        for i in 0..self.operations.len() {
            let (wire, operation) = (self.operands[ins + i], self.operations[i]);
            self.set_one(wire, operation)?;
        }
        Ok(())
    }

    fn set_one(&mut self, wire: u64, operation: Operation) -> Result<(), Kind> {
        let sets = self.mark(wire)?;
        self.sink.push(Step { operation, sets });
        Ok(())
    }

    /// Marks the wire with this number as set.
    fn mark(&mut self, wire: u64) -> Result<Wire, Kind> {
        let index = self.index(wire)?;
        if std::mem::replace(&mut self.set[index], true) {
            return Err(Kind::SetTwice { wire });
        }
        Ok(Wire::new(index))
    }

    fn index(&self, wire: u64) -> Result<usize, Kind> {
        let wires = self.set.len();
        match usize::try_from(wire) {
            Ok(index) if index < wires => Ok(index),
            _ => Err(Kind::OutOfRange { wire, wires }),
        }
    }

    fn finish(self, header: &Header) -> Result<S, Kind> {
        let first_output = header.wires - header.outputs.iter().sum::<usize>();
        let unset = self.set[first_output..].iter().position(|set| !set);
        match unset {
            Some(place) => Err(Kind::UnsetOutput {
                wire: first_output + place,
            }),
            None => Ok(self.sink),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use rand::RngExt;

    use super::*;
    use crate::circuit::bristol::write;
    use crate::testing::circuits::random_circuit;
    use crate::testing::session::system_rng;

    /// The result of reading a file: its steps, or its error with the line number.
    fn outcome(text: &[u8]) -> Result<Vec<Step>, String> {
        let netlist = Netlist::parse(text, None).map_err(|error| error.to_string());
        let circuit = parse(text).map_err(|error| error.to_string());
        assert_eq!(
            netlist.as_ref().map(|netlist| netlist.circuit().digest()),
            circuit.as_ref().map(Circuit::digest)
        );
        netlist.map(|netlist| netlist.steps)
    }

    #[test]
    fn or_of_an_input_that_is_an_output_is_evaluated_as_written() {
        // The outputs are b and a | b.
        let netlist = b"1 3\n1 2\n1 2\n\n2 1 0 1 2 OR\n";
        outcome(netlist).expect("a netlist");
        let netlist = Netlist::parse(netlist, None).expect("a netlist");
        assert_eq!(netlist.ors(), 1);
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let outputs = netlist.evaluate(&[vec![a, b]]).expect("two bits");
            assert_eq!(outputs, [[b, a | b]]);
        }
    }

    #[test]
    fn trailing_blanks_and_comments_change_nothing() {
        let rng = &mut system_rng();
        let mut faults = 0;
        for _ in 0..3_000 {
            let mut text = Vec::new();
            write(&random_circuit(rng), &mut text).expect("memory");
            if rng.random() {
                let with_ors = String::from_utf8(text).expect("ASCII").replace("AND", "OR");
                text = with_ors.into_bytes();
            }
            // Replace some characters with other letters or digits.
            for _ in 0..rng.random_range(0..3) {
                let at = rng.random_range(0..text.len());
                if !text[at].is_ascii_whitespace() {
                    text[at] = b"0123456789ANDXORINVEQW"[rng.random_range(0..22)];
                }
            }
            let found = outcome(&text);
            for end in [&b" \n"[..], b"# 2 1 0 1 AND\n", b" // \xff # //\n"] {
                let longer = text.iter().flat_map(|byte| match byte {
                    b'\n' => end,
                    byte => slice::from_ref(byte),
                });
                let longer: Vec<u8> = longer.copied().collect();
                assert_eq!(
                    found,
                    outcome(&longer),
                    "{}",
                    String::from_utf8_lossy(&longer)
                );
            }
            faults += usize::from(found.is_err());
        }
        assert!((300..2_700).contains(&faults), "{faults} faults");
    }
}
