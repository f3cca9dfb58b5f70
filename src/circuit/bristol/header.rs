//! The header of a netlist: the numbers of gates and wires, and the number of bits of each value.

use std::io::BufRead;

use super::lines::{Fields, Lines, check_fields, number};
use super::{Format, NetlistErrorKind as Kind};
use crate::circuit::Builder;

/// A file of any size may declare up to this many gates, wires, and values without bits.
const ALWAYS_PLAUSIBLE: u64 = 1 << 16;

/// The minimum number of bytes per wire in a file that names each wire and has more than
/// [`ALWAYS_PLAUSIBLE`] wires: nearly every number has at least five digits and a space.
const BYTES_PER_WIRE: u64 = 5;

/// The declarations in the first lines of a netlist.
pub(super) struct Header {
    pub(super) format: Format,
    pub(super) gates: u64,
    pub(super) wires: usize,
    /// The number of bits of each input value.
    pub(super) inputs: Vec<usize>,
    /// The number of bits of each output value.
    pub(super) outputs: Vec<usize>,
}

impl Header {
    /// Reads the header of a file of at most `size` bytes, in the given `format`, or in either
    /// format if it is `None`.
    pub(super) fn read(
        lines: &mut Lines<impl BufRead>,
        size: u64,
        format: Option<Format>,
    ) -> Result<Self, Kind> {
        let (gates, wires) = read_sizes(lines.next("the number of gates and of wires")?, size)?;
        let expected = match format {
            Some(Format::Old) => "the widths of both inputs and of the output",
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

/// Recognises the format of a file by the rule of [`Format`]. The current line must be the second
/// line.
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

/// Reads the numbers of gates and wires, and checks that a file of `size` bytes can hold them.
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

/// Reads the width of each value, and checks that the sum is at most the number of wires.
fn read_widths(mut fields: Fields, what: &'static str, wires: usize) -> Result<Vec<usize>, Kind> {
    let count = number(fields.next().ok_or(Kind::MissingField)?)?;
    let mut left = Wires::new(what, wires);
    let widths = fields
        .map(|field| left.take(number(field)?))
        .collect::<Result<Vec<_>, _>>()?;
    check_fields(count, widths.len())?;
    // Each value is a list in memory, for both parties and for each step of a run. A value without
    // bits takes only two bytes of the file, and no circuit needs many such values.
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

/// Reads the widths of both parties' input values and of the only output value.
fn read_old_widths(fields: Fields, wires: usize) -> Result<(Vec<usize>, Vec<usize>), Kind> {
    let widths: Vec<u64> = fields.take(4).map(number).collect::<Result<_, _>>()?;
    check_fields(3, widths.len())?;
    let mut inputs = Wires::new(INPUTS, wires);
    let inputs = vec![inputs.take(widths[0])?, inputs.take(widths[1])?];
    let outputs = vec![Wires::new(OUTPUTS, wires).take(widths[2])?];
    Ok((inputs, outputs))
}

/// Counts the wires that no value has been assigned to.
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

    /// Assigns `width` wires to a value.
    fn take(&mut self, width: u64) -> Result<usize, Kind> {
        let (what, wires) = (self.what, self.wires);
        let left = self.left.checked_sub(width);
        self.left = left.ok_or(Kind::TooFewWires { what, wires })?;
        Ok(width as usize)
    }
}
