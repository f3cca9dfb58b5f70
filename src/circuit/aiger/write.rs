//! Writes AIGER files.

use std::io::{self, BufWriter, Write};

use super::Encoding;
use crate::circuit::Wire;
use crate::circuit::bristol::{Netlist, Operation};

/// Writes a netlist as an AIGER file. The same netlist gives the same bytes.
///
/// A XOR becomes three ANDs, from which [`Aig::netlist`](super::Aig::netlist) recovers it. A NOT, a
/// copy or a constant becomes a literal. The bits of the first input value have the names `in1[0]`,
/// `in1[1]` and so on, and those of the first output value `out1[0]` and so on. A value without
/// bits has no name, so it is missing when the file is read.
///
/// # Errors
/// Those of the writer.
pub fn write(netlist: &Netlist, encoding: Encoding, mut writer: impl Write) -> io::Result<()> {
    write_file(netlist, encoding, &mut writer)
}

/// Not generic, so it is optimised like this crate, and not like the crate of the caller.
fn write_file(netlist: &Netlist, encoding: Encoding, writer: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(writer);
    let mut literals = vec![0; netlist.wires()];
    let inputs = netlist.inputs().iter().sum::<usize>();
    let outputs = netlist.wires() - netlist.first_output();
    let mut ands = 0;
    for_each_and(netlist, &mut literals, |_| {
        ands += 1;
        Ok(())
    })?;

    let magic = match encoding {
        Encoding::Ascii => "aag",
        Encoding::Binary => "aig",
    };
    let maximum = inputs as u64 + ands;
    writeln!(out, "{magic} {maximum} {inputs} 0 {outputs} {ands}")?;
    if encoding == Encoding::Ascii {
        for literal in &literals[..inputs] {
            writeln!(out, "{literal}")?;
        }
    }
    for literal in &literals[netlist.first_output()..] {
        writeln!(out, "{literal}")?;
    }
    for_each_and(netlist, &mut literals, |[c, a, b]| match encoding {
        Encoding::Ascii => writeln!(out, "{c} {a} {b}"),
        Encoding::Binary => {
            write_difference(&mut out, c - a)?;
            write_difference(&mut out, a - b)
        }
    })?;
    write_names(&mut out, ["i", "in"], netlist.inputs())?;
    write_names(&mut out, ["o", "out"], netlist.outputs())?;
    out.flush()
}

/// Calls `and` for the ANDs in their order, each with its own literal, its larger operand and its
/// smaller operand. Sets the literals of all wires.
fn for_each_and(
    netlist: &Netlist,
    literals: &mut [u64],
    mut and: impl FnMut([u64; 3]) -> io::Result<()>,
) -> io::Result<()> {
    let inputs = netlist.inputs().iter().sum();
    let mut last = 0;
    let mut next = || {
        last += 2;
        last
    };
    literals[..inputs].fill_with(&mut next);
    let mut and = |a: u64, b: u64| {
        let c = next();
        and([c, a.max(b), a.min(b)])?;
        Ok::<u64, io::Error>(c)
    };
    for step in netlist.steps() {
        let on = |wire: Wire| literals[wire.index()];
        literals[step.sets.index()] = match step.operation {
            Operation::Xor(a, b) => {
                let (a, b) = (on(a), on(b));
                let both = and(a, b)?;
                let neither = and(a ^ 1, b ^ 1)?;
                and(both ^ 1, neither ^ 1)?
            }
            Operation::And(a, b) => and(on(a), on(b))?,
            Operation::Not(a) => on(a) ^ 1,
            Operation::Copy(a) => on(a),
            Operation::Const(bit) => u64::from(bit),
        };
    }
    Ok(())
}

/// Writes groups of seven bits, the least significant first. All groups but the last have the
/// highest bit of their byte set.
fn write_difference(out: &mut impl Write, mut difference: u64) -> io::Result<()> {
    while difference >= 0x80 {
        out.write_all(&[difference as u8 | 0x80])?;
        difference >>= 7;
    }
    out.write_all(&[difference as u8])
}

/// Writes the names of input or output bits: `letter` for the symbol table, and `name` with the
/// number of the value, from 1.
fn write_names(
    out: &mut impl Write,
    [letter, name]: [&str; 2],
    widths: &[usize],
) -> io::Result<()> {
    let mut bits = 0..;
    for (value, &width) in (1..).zip(widths) {
        for (index, bit) in (0..width).zip(&mut bits) {
            writeln!(out, "{letter}{bit} {name}{value}[{index}]")?;
        }
    }
    Ok(())
}
