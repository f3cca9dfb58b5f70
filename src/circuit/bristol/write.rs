//! Writes netlists.

use std::io::{self, BufWriter, Write};

use super::{Netlist, Operation, Step};
use crate::circuit::gates::Gates;
use crate::circuit::{Circuit, Output, Wire};

/// Writes a circuit as a netlist. The same circuit gives the same bytes.
///
/// The gates are written in layer order and set their output wires directly. Some outputs have no
/// gate of their own: constants, inputs, and repetitions of other outputs. Such outputs are set by
/// an `EQ` or `EQW` after the gates. [Reading](super::read()) the netlist returns a circuit with
/// the same digest.
///
/// # Errors
/// Those of the writer.
pub fn write(circuit: &Circuit, writer: impl Write) -> io::Result<()> {
    Netlist::from(circuit).write(writer)
}

impl Netlist {
    /// Writes the netlist in Bristol Fashion: the gates in their order, with their wire numbers.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, writer: impl Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        let size = [self.gates(), self.wires()];
        write_header(&mut out, size, self.inputs(), self.outputs())?;
        for &step in self.steps() {
            write_step(&mut out, step)?;
        }
        out.flush()
    }
}

/// Writes the lines before the gates; `size` is the number of gates and the number of wires.
pub(in crate::circuit) fn write_header(
    out: &mut impl Write,
    size: [usize; 2],
    inputs: &[usize],
    outputs: &[usize],
) -> io::Result<()> {
    writeln!(out, "{} {}", size[0], size[1])?;
    write_widths(out, inputs)?;
    write_widths(out, outputs)?;
    writeln!(out)
}

/// Writes the line of a gate.
pub(in crate::circuit) fn write_step(
    out: &mut impl Write,
    Step { operation, sets }: Step,
) -> io::Result<()> {
    let c = sets.index();
    match operation {
        Operation::Xor(a, b) => writeln!(out, "2 1 {} {} {c} XOR", a.index(), b.index()),
        Operation::And(a, b) => writeln!(out, "2 1 {} {} {c} AND", a.index(), b.index()),
        Operation::Not(a) => writeln!(out, "1 1 {} {c} INV", a.index()),
        Operation::Copy(a) => writeln!(out, "1 1 {} {c} EQW", a.index()),
        Operation::Const(bit) => writeln!(out, "1 1 {} {c} EQ", u8::from(bit)),
    }
}

/// Writes a line with the number of values and the width of each.
fn write_widths(out: &mut impl Write, widths: &[usize]) -> io::Result<()> {
    write!(out, "{}", widths.len())?;
    for width in widths {
        write!(out, " {width}")?;
    }
    writeln!(out)
}

/// The numbers of the wires in the file, where the outputs come last.
pub(super) struct Numbering {
    /// For each wire of the circuit, its number in the file.
    pub(super) numbers: Vec<Wire>,
    /// Outputs without a gate of their own, each with its wire in the file.
    pub(super) copies: Vec<(Output, Wire)>,
    /// The number of wires in the file.
    pub(super) wires: usize,
}

impl Numbering {
    pub(super) fn new(gates: Gates) -> Self {
        let input_bits = gates.input_bits();
        let outputs = || gates.outputs.iter().flatten().copied().enumerate();

        // For each gate, the position of its first output among all output bits.
        let mut place = vec![None; gates.list.len()];
        let mut copied = Vec::new();
        for (position, output) in outputs() {
            if let Output::Wire(wire) = output
                && let Some(gate) = wire.index().checked_sub(input_bits)
                && place[gate].is_none()
            {
                place[gate] = Some(position);
            } else {
                copied.push((output, position));
            }
        }

        let inner = place.iter().filter(|place| place.is_none()).count();
        let first_output = input_bits + inner;
        let mut next_inner = input_bits..;
        let mut numbers: Vec<Wire> = (0..input_bits).map(Wire::new).collect();
        for place in place {
            numbers.push(Wire::new(match place {
                Some(position) => first_output + position,
                None => next_inner.next().expect("the range is unbounded"),
            }));
        }
        Numbering {
            numbers,
            copies: copied
                .into_iter()
                .map(|(output, position)| (output, Wire::new(first_output + position)))
                .collect(),
            wires: first_output + outputs().count(),
        }
    }
}
