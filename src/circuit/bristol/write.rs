//! Writing a netlist.

use std::io::{self, BufWriter, Write};

use crate::circuit::{Circuit, Gate, Output, Wire};

/// Writes a circuit as a netlist. The same circuit gives the same bytes.
///
/// The gates come in layer order and drive their output wires directly. Some outputs have no gate of
/// their own: constants, inputs, and repetitions of other outputs. An `EQ` or `EQW` sets these, after
/// the gates. [Reading](super::read()) gives back a circuit of the same digest.
///
/// # Errors
/// Those of the writer.
pub fn write(circuit: &Circuit, writer: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    let numbering = Numbering::new(circuit);
    let gates = circuit.gates().len() + numbering.copies.len();
    writeln!(out, "{gates} {}", numbering.wires)?;
    write_widths(&mut out, circuit.inputs().iter().copied())?;
    write_widths(&mut out, circuit.outputs().iter().map(Vec::len))?;
    writeln!(out)?;

    for (gate, &operation) in circuit.gates().iter().enumerate() {
        let number = |wire: Wire| numbering.numbers[wire.index()];
        let c = numbering.numbers[circuit.input_bits() + gate];
        match operation {
            Gate::Xor(a, b) => writeln!(out, "2 1 {} {} {c} XOR", number(a), number(b)),
            Gate::And(a, b) => writeln!(out, "2 1 {} {} {c} AND", number(a), number(b)),
            Gate::Not(a) => writeln!(out, "1 1 {} {c} INV", number(a)),
        }?;
    }
    for &(output, c) in &numbering.copies {
        match output {
            Output::Const(bit) => writeln!(out, "1 1 {} {c} EQ", u8::from(bit)),
            Output::Wire(wire) => writeln!(out, "1 1 {} {c} EQW", numbering.numbers[wire.index()]),
        }?;
    }
    out.flush()
}

/// A line of the number of values, then of the bits of each.
fn write_widths(
    out: &mut impl Write,
    widths: impl ExactSizeIterator<Item = usize>,
) -> io::Result<()> {
    write!(out, "{}", widths.len())?;
    for width in widths {
        write!(out, " {width}")?;
    }
    writeln!(out)
}

/// The numbers of the wires in the file, where the outputs are the last.
struct Numbering {
    /// The number of each wire of the circuit.
    numbers: Vec<usize>,
    /// Outputs without a gate of their own, each with its number.
    copies: Vec<(Output, usize)>,
    /// The number of wires in the file.
    wires: usize,
}

impl Numbering {
    fn new(circuit: &Circuit) -> Self {
        let input_bits = circuit.input_bits();
        let outputs = || circuit.outputs().iter().flatten().copied().enumerate();

        // The place among all output bits of the first that each gate drives.
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
                None => next_inner.next().expect("an open range"),
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
