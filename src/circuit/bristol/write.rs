//! Writes netlists.

use std::io::{self, BufWriter, Write};

use crate::circuit::{Circuit, Gate, Output, Wire};

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
    let mut out = BufWriter::new(writer);
    let numbering = Numbering::new(circuit);
    let gates = circuit.gates().len() + numbering.copies.len();
    let outputs: Vec<usize> = circuit.outputs().iter().map(Vec::len).collect();
    write_header(
        &mut out,
        [gates, numbering.wires],
        circuit.inputs(),
        &outputs,
    )?;
    let numbers = &numbering.numbers;
    for (gate, &operation) in circuit.gates().iter().enumerate() {
        write_gate(
            &mut out,
            operation,
            numbers,
            numbers[circuit.input_bits() + gate],
        )?;
    }
    for &(output, number) in &numbering.copies {
        write_copy(&mut out, output, numbers, number)?;
    }
    out.flush()
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

/// Writes the line of a gate that sets wire `c` of the file. `numbers` holds the number of each
/// wire in the file.
pub(in crate::circuit) fn write_gate(
    out: &mut impl Write,
    gate: Gate,
    numbers: &[usize],
    c: usize,
) -> io::Result<()> {
    let number = |wire: Wire| numbers[wire.index()];
    match gate {
        Gate::Xor(a, b) => writeln!(out, "2 1 {} {} {c} XOR", number(a), number(b)),
        Gate::And(a, b) => writeln!(out, "2 1 {} {} {c} AND", number(a), number(b)),
        Gate::Not(a) => writeln!(out, "1 1 {} {c} INV", number(a)),
    }
}

/// Writes the line that sets wire `c` of the file to an output that has no gate of its own.
pub(in crate::circuit) fn write_copy(
    out: &mut impl Write,
    output: Output,
    numbers: &[usize],
    c: usize,
) -> io::Result<()> {
    match output {
        Output::Const(bit) => writeln!(out, "1 1 {} {c} EQ", u8::from(bit)),
        Output::Wire(wire) => writeln!(out, "1 1 {} {c} EQW", numbers[wire.index()]),
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
struct Numbering {
    /// For each wire of the circuit, its number in the file.
    numbers: Vec<usize>,
    /// Outputs without a gate of their own, each with its wire number in the file.
    copies: Vec<(Output, usize)>,
    /// The number of wires in the file.
    wires: usize,
}

impl Numbering {
    fn new(circuit: &Circuit) -> Self {
        let input_bits = circuit.input_bits();
        let outputs = || circuit.outputs().iter().flatten().copied().enumerate();

        // For each gate, the position of its first output among all output bits.
        let mut place = vec![None; circuit.gates().len()];
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
        let mut numbers: Vec<usize> = (0..input_bits).collect();
        for place in place {
            numbers.push(match place {
                Some(position) => first_output + position,
                None => next_inner.next().expect("the range is unbounded"),
            });
        }
        Numbering {
            numbers,
            copies: copied
                .into_iter()
                .map(|(output, position)| (output, first_output + position))
                .collect(),
            wires: first_output + outputs().count(),
        }
    }
}
