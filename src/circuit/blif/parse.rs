//! The signals and functions of a file.

use std::collections::HashMap;
use std::io::BufRead;

use super::error::{BlifError, BlifErrorKind as Kind};
use super::table::Table;

/// The number of a signal.
pub(super) type Signal = usize;

/// The content of a file.
#[derive(Default)]
pub(super) struct Model {
    pub(super) inputs: Vec<Signal>,
    pub(super) outputs: Vec<Signal>,
    numbers: HashMap<Box<[u8]>, Signal>,
    names: Vec<Box<[u8]>>,
    /// Whether a `.model` has been read.
    has_begun: bool,
    /// The first line that names each signal.
    lines: Vec<u64>,
    /// For each signal, whether it is an input.
    is_input: Vec<bool>,
    /// The number of the function of each signal.
    defined_by: Vec<Option<usize>>,
    tables: Vec<Table>,
}

/// Commands for areas and delays, and the comments of Yosys.
const ANNOTATIONS: [&[u8]; 12] = [
    b".area",
    b".attr",
    b".cname",
    b".default_input_arrival",
    b".default_output_required",
    b".delay",
    b".input_arrival",
    b".output_required",
    b".param",
    b".wire",
    b".wire_load_slope",
    b".default_output_load",
];

/// The number of bytes of a name that an error shows.
const SHOWN: usize = 40;

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(SHOWN)]).into_owned()
}

impl Model {
    pub(super) fn read(mut reader: impl BufRead) -> Result<Self, BlifError> {
        let mut model = Model::default();
        let (mut number, mut line, mut is_open) = (0, Vec::new(), false);
        loop {
            let first = number + 1;
            let end = next_line(&mut reader, &mut line, &mut number)
                .and_then(|is_end| Ok(is_end || model.take(&line, first, &mut is_open)?));
            match end {
                Ok(false) => {}
                Ok(true) if model.outputs.is_empty() => {
                    return Err(BlifError {
                        line: first,
                        kind: Kind::NoOutputs,
                    });
                }
                Ok(true) => return model.checked(),
                Err(kind) => return Err(BlifError { line: first, kind }),
            }
        }
    }

    /// Checks that no input is defined by a function.
    fn checked(self) -> Result<Self, BlifError> {
        let defined = self
            .inputs
            .iter()
            .find_map(|&input| Some((input, self.defined_by[input]?)));
        match defined {
            None => Ok(self),
            Some((input, table)) => Err(BlifError {
                line: self.tables[table].line,
                kind: Kind::DefinedTwice {
                    name: shown(self.name(input)),
                },
            }),
        }
    }

    /// Takes a line. Returns whether it is the last one. `is_open` is whether lines of a function may
    /// follow.
    fn take(&mut self, line: &[u8], number: u64, is_open: &mut bool) -> Result<bool, Kind> {
        let mut fields = line
            .split(u8::is_ascii_whitespace)
            .filter(|field| !field.is_empty());
        let Some(first) = fields.next() else {
            return Ok(false);
        };
        if first[0] != b'.' {
            let table = self.tables.last_mut().filter(|_| *is_open);
            table.ok_or(Kind::NoFunction)?.push(first, fields)?;
            return Ok(false);
        }
        *is_open = false;
        match first {
            b".model" if std::mem::replace(&mut self.has_begun, true) => {
                return Err(Kind::SeveralModels);
            }
            b".model" => {}
            b".end" => return Ok(true),
            b".inputs" | b".input" => {
                for name in fields {
                    let signal = self.signal(name, number);
                    if std::mem::replace(&mut self.is_input[signal], true) {
                        return Err(Kind::DefinedTwice { name: shown(name) });
                    }
                    self.inputs.push(signal);
                }
            }
            b".outputs" | b".output" => {
                for name in fields {
                    let signal = self.signal(name, number);
                    self.outputs.push(signal);
                }
            }
            b".names" => {
                let mut signals: Vec<Signal> =
                    fields.map(|name| self.signal(name, number)).collect();
                let defined = signals.pop().ok_or(Kind::MissingName)?;
                if self.defined_by[defined]
                    .replace(self.tables.len())
                    .is_some()
                {
                    let name = shown(self.name(defined));
                    return Err(Kind::DefinedTwice { name });
                }
                self.tables.push(Table::new(number, signals));
                *is_open = true;
            }
            b".latch" | b".mlatch" => return Err(Kind::Latch),
            // They do not change the function.
            other if ANNOTATIONS.contains(&other) => {}
            other => {
                let command = shown(other);
                return Err(Kind::Unsupported { command });
            }
        }
        Ok(false)
    }

    /// The number of the signal with this name.
    fn signal(&mut self, name: &[u8], line: u64) -> Signal {
        if let Some(&signal) = self.numbers.get(name) {
            return signal;
        }
        let signal = self.names.len();
        self.numbers.insert(name.into(), signal);
        self.names.push(name.into());
        self.lines.push(line);
        self.is_input.push(false);
        self.defined_by.push(None);
        signal
    }

    pub(super) fn signals(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, signal: Signal) -> &[u8] {
        &self.names[signal]
    }

    /// The function of a signal that is not an input.
    pub(super) fn table(&self, signal: Signal) -> Result<&Table, BlifError> {
        let table = self.defined_by[signal].ok_or_else(|| BlifError {
            line: self.lines[signal],
            kind: Kind::Undefined {
                name: shown(self.name(signal)),
            },
        })?;
        Ok(&self.tables[table])
    }
}

/// Reads a line with its continuations, without comments. Counts the lines in `number`. Returns
/// whether the file has ended.
fn next_line(
    reader: &mut impl BufRead,
    line: &mut Vec<u8>,
    number: &mut u64,
) -> Result<bool, Kind> {
    line.clear();
    loop {
        let start = line.len();
        if reader.read_until(b'\n', line)? == 0 {
            return Ok(start == 0);
        }
        *number += 1;
        if let Some(comment) = line[start..].iter().position(|&byte| byte == b'#') {
            line.truncate(start + comment);
        }
        let end = start + line[start..].trim_ascii_end().len();
        line.truncate(end);
        if line.len() == start || line.last() != Some(&b'\\') {
            return Ok(false);
        }
        line.pop();
        line.push(b' ');
    }
}
