//! The header of a netlist: its sizes, and the shape of its values.

use std::io::BufRead;

use super::lines::{Fields, Lines, check_fields, number};
use super::{Format, NetlistErrorKind as Kind};
use crate::circuit::Builder;

/// However small a file is, it may declare this many gates and wires, and values without bits.
const ALWAYS_PLAUSIBLE: u64 = 1 << 16;

/// A file with more wires than [`ALWAYS_PLAUSIBLE`] that names each of them has at least so many
/// bytes per wire: nearly every number has five digits or more, and a space.
const BYTES_PER_WIRE: u64 = 5;

/// What the first lines of a netlist declare.
pub(super) struct Header {
    pub(super) format: Format,
    pub(super) gates: u64,
    pub(super) wires: usize,
    /// The bits of each input value.
    pub(super) inputs: Vec<usize>,
    /// The bits of each output value.
    pub(super) outputs: Vec<usize>,
}

impl Header {
    /// Reads the header of a file of at most `size` bytes, in a format or in either.
    pub(super) fn read(
        lines: &mut Lines<impl BufRead>,
        size: u64,
        format: Option<Format>,
    ) -> Result<Self, Kind> {
        let (gates, wires) = read_sizes(lines.next("the number of gates and of wires")?, size)?;
        let expected = match format {
            Some(Format::Old) => "the bits of both inputs and of the output",
            _ => "the input values",
        };
        lines.next(expected)?;
        let format = match format {
            Some(format) => format,
            None => recognise(lines)?,
        };
        let (inputs, outputs) = match format {
            Format::Fashion => {
                let inputs = read_widths(lines.fields()?, INPUTS, wires)?;
                let outputs = lines.next("the output values")?;
                (inputs, read_widths(outputs, OUTPUTS, wires)?)
            }
            Format::Old => read_old_widths(lines.fields()?, wires)?,
        };
        Ok(Header {
            format,
            gates,
            wires,
            inputs,
            outputs,
        })
    }
}

const INPUTS: &str = "input values";
const OUTPUTS: &str = "output values";

/// The format of a file, of which the second line is held. [`Format`] says by which rule.
fn recognise(lines: &mut Lines<impl BufRead>) -> Result<Format, Kind> {
    if lines.fields()?.count() != 3 {
        return Ok(Format::Fashion);
    }
    let third = lines.look_ahead()?.trim_ascii_end();
    let is_gate = third.last().is_some_and(u8::is_ascii_alphabetic);
    Ok(if is_gate {
        Format::Old
    } else {
        Format::Fashion
    })
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
    let mut left = Wires::new(what, wires);
    let widths = fields
        .map(|field| left.take(number(field)?))
        .collect::<Result<Vec<_>, _>>()?;
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

/// The bits of both parties' input values, and of the one output value.
fn read_old_widths(fields: Fields, wires: usize) -> Result<(Vec<usize>, Vec<usize>), Kind> {
    let widths: Vec<u64> = fields.take(4).map(number).collect::<Result<_, _>>()?;
    check_fields(3, widths.len())?;
    let mut inputs = Wires::new(INPUTS, wires);
    let inputs = vec![inputs.take(widths[0])?, inputs.take(widths[1])?];
    let outputs = vec![Wires::new(OUTPUTS, wires).take(widths[2])?];
    Ok((inputs, outputs))
}

/// The wires that are left for values.
struct Wires {
    what: &'static str,
    wires: usize,
    left: u64,
}

impl Wires {
    fn new(what: &'static str, wires: usize) -> Self {
        let left = wires as u64;
        Wires { what, wires, left }
    }

    /// Takes the given number away.
    fn take(&mut self, width: u64) -> Result<usize, Kind> {
        let (what, wires) = (self.what, self.wires);
        let left = self.left.checked_sub(width);
        self.left = left.ok_or(Kind::TooFewWires { what, wires })?;
        Ok(width as usize)
    }
}
