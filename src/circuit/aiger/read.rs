//! Reads AIGER files from untrusted sources.

use std::io::{BufRead, Read};

use super::ascii;
use super::names::Names;
use super::source::{Source, fields, number};
use super::{Aig, AigerError, AigerErrorKind as Kind, Encoding};
use crate::circuit::Builder;

/// A file of any size may declare up to this many variables, inputs, outputs and ANDs.
const ALWAYS_PLAUSIBLE: u64 = 1 << 16;

impl Aig {
    /// Reads an AIGER file of at most `size` bytes, in either [`Encoding`]. Later bytes are
    /// ignored.
    ///
    /// Memory is linear in `size`, whatever the file declares. For this reason, a file that
    /// declares more than 2^16 variables must have a byte for each.
    ///
    /// # Errors
    /// When the reader fails, when the file is not in the [format](super), or when the circuit is
    /// not combinational. The error names the line, or the byte in the binary part of a file.
    pub fn read(mut reader: impl BufRead, size: u64) -> Result<Self, AigerError> {
        read_file(&mut reader, size)
    }

    /// Reads an AIGER file from memory.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    pub fn parse(file: &[u8]) -> Result<Self, AigerError> {
        Self::read(file, file.len() as u64)
    }
}

/// Not generic, so it is optimised like this crate, and not like the crate of the caller.
fn read_file(reader: &mut dyn BufRead, size: u64) -> Result<Aig, AigerError> {
    let mut source = Source::new(Read::take(reader, size));
    read_parts(&mut source, size).map_err(|kind| AigerError {
        position: source.position(),
        kind,
    })
}

fn read_parts(source: &mut Source<impl BufRead>, size: u64) -> Result<Aig, Kind> {
    let header = Header::read(source, size)?;
    let (gates, outputs) = match header.encoding {
        Encoding::Ascii => ascii::read_body(source, &header)?,
        Encoding::Binary => read_binary_body(source, &header)?,
    };
    let (input_names, output_names) = read_names(source, header.inputs, outputs.len())?;
    Ok(Aig {
        inputs: header.inputs,
        gates,
        outputs,
        input_names,
        output_names,
    })
}

/// The numbers in the first line.
pub(super) struct Header {
    encoding: Encoding,
    /// The maximum variable.
    pub(super) maximum: u32,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) ands: usize,
}

/// The parts of a sequential circuit, whose numbers follow those of a combinational one.
const PROPERTIES: [&str; 4] = [
    "bad state properties",
    "invariant constraints",
    "justice properties",
    "fairness constraints",
];

impl Header {
    fn read(source: &mut Source<impl BufRead>, size: u64) -> Result<Self, Kind> {
        let line = source.next_line()?.unwrap_or_default();
        let encoding = Encoding::of(line).ok_or(Kind::NotAiger)?;
        let mut fields = fields(&line[Encoding::MAGIC..]);
        let mut next = || number(fields.next().ok_or(Kind::MissingField)?);
        let [maximum, inputs, latches, outputs, ands] =
            [next()?, next()?, next()?, next()?, next()?];
        if latches > 0 {
            return Err(Kind::Unsupported { what: "latches" });
        }
        for what in PROPERTIES {
            if fields.next().map(number).transpose()?.unwrap_or(0) > 0 {
                return Err(Kind::Unsupported { what });
            }
        }
        if fields.next().is_some() {
            return Err(Kind::ExtraField);
        }
        for (what, declared) in [
            ("variables", maximum),
            ("inputs", inputs),
            ("outputs", outputs),
            ("ANDs", ands),
        ] {
            let (declared, limit) = (u64::from(declared), u64::max(size, ALWAYS_PLAUSIBLE));
            if declared > limit {
                return Err(Kind::Implausible {
                    what,
                    declared,
                    limit,
                });
            }
        }
        let header = Header {
            encoding,
            maximum,
            inputs: inputs as usize,
            outputs: outputs as usize,
            ands: ands as usize,
        };
        header.check_variables()?;
        Ok(header)
    }

    fn check_variables(&self) -> Result<(), Kind> {
        let [maximum, inputs, outputs, ands] = [
            u64::from(self.maximum),
            self.inputs as u64,
            self.outputs as u64,
            self.ands as u64,
        ];
        let variables = inputs + ands;
        let fits = match self.encoding {
            Encoding::Ascii => variables <= maximum,
            Encoding::Binary => variables == maximum,
        };
        if !fits {
            return Err(Kind::Variables { maximum, variables });
        }
        // A netlist has at most one wire for each input, AND and output, and for the NOT of each
        // input and AND. A builder has a constant, the inputs, and some nodes for each AND.
        let per_and = u64::max(2, Builder::MAX_NODES_PER_AND as u64);
        if 1 + 2 * inputs + per_and * ands + outputs > Builder::MAX_NODES as u64 {
            return Err(Kind::TooLarge);
        }
        Ok(())
    }

    /// Checks that a literal belongs to a variable up to the maximum.
    pub(super) fn check_range(&self, literal: u32) -> Result<u32, Kind> {
        let maximum = self.maximum;
        if literal / 2 > maximum {
            return Err(Kind::OutOfRange { literal, maximum });
        }
        Ok(literal)
    }
}

/// The operands of the ANDs, in an order in which each AND follows its operands, and the outputs.
/// All are literals in the numbering of an [`Aig`].
pub(super) type Body = (Vec<[u32; 2]>, Vec<u32>);

fn read_binary_body(source: &mut Source<impl BufRead>, header: &Header) -> Result<Body, Kind> {
    // The lists grow with the lines and bytes present, whatever the header declares.
    let mut outputs = Vec::new();
    for _ in 0..header.outputs {
        let [literal] = source.numbers("an output")?;
        outputs.push(header.check_range(literal)?);
    }
    source.begin_binary();
    let mut gates = Vec::new();
    for gate in 0..header.ands {
        source.begin();
        let literal = 2 * (1 + header.inputs + gate) as u32;
        let larger = below(literal, source.difference()?)?;
        let smaller = below(larger, source.difference()?)?;
        if larger == literal {
            return Err(Kind::Difference);
        }
        gates.push([larger, smaller]);
    }
    Ok((gates, outputs))
}

/// The literal that is `difference` below another.
fn below(literal: u32, difference: u32) -> Result<u32, Kind> {
    literal.checked_sub(difference).ok_or(Kind::Difference)
}

/// Reads the names of inputs and outputs, until a comment or the end of the file.
fn read_names(
    source: &mut Source<impl BufRead>,
    inputs: usize,
    outputs: usize,
) -> Result<(Names, Names), Kind> {
    let mut names = (Names::new("input", inputs), Names::new("output", outputs));
    while let Some(line) = source.next_line()? {
        let names = match line.first() {
            Some(b'i') => &mut names.0,
            Some(b'o') => &mut names.1,
            // There are no constraints, whose names would also begin with a c.
            Some(b'c') => break,
            _ => return Err(Kind::NotASymbol),
        };
        let space = line.iter().position(|&byte| byte == b' ');
        let space = space.ok_or(Kind::NotASymbol)?;
        let place = number(&line[1..space]).map_err(|_| Kind::NotASymbol)?;
        names.set(place, &line[space + 1..])?;
    }
    Ok(names)
}
