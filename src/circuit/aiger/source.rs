//! The lines and bytes of a file, with positions for errors.

use std::io::{BufRead, ErrorKind, Take};

use super::{AigerErrorKind as Kind, Position};

/// An AIGER file. Only the current line is in memory.
pub(super) struct Source<R> {
    reader: Take<R>,
    line: Vec<u8>,
    /// The number of lines read.
    lines: u64,
    /// The number of bytes read.
    bytes: u64,
    position: Position,
    /// Whether positions are bytes: after the lines of a binary file.
    binary: bool,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(reader: Take<R>) -> Self {
        Source {
            reader,
            line: Vec::new(),
            lines: 0,
            bytes: 0,
            position: Position::Line(1),
            binary: false,
        }
    }

    /// The position of the last line or AND read.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Sets the position for an error in a line that was read before.
    pub(super) fn set_line(&mut self, line: u64) {
        self.position = Position::Line(line);
    }

    /// Begins the binary part of the file.
    pub(super) fn begin_binary(&mut self) {
        self.binary = true;
    }

    /// Begins a line or an AND at the next byte.
    pub(super) fn begin(&mut self) {
        self.position = if self.binary {
            Position::Byte(self.bytes)
        } else {
            Position::Line(self.lines + 1)
        };
    }

    /// Reads the next line, without its line break. Returns `None` at the end of the file.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, Kind> {
        self.begin();
        self.line.clear();
        let length = self.reader.read_until(b'\n', &mut self.line)?;
        self.lines += 1;
        self.bytes += length as u64;
        if length == 0 {
            return Ok(None);
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// Reads the next line, which must consist of `N` numbers.
    pub(super) fn numbers<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u32; N], Kind> {
        let line = self.next_line()?.ok_or(Kind::Truncated { expected })?;
        let mut fields = fields(line);
        let mut numbers = [0; N];
        for place in &mut numbers {
            *place = number(fields.next().ok_or(Kind::MissingField)?)?;
        }
        if fields.next().is_some() {
            return Err(Kind::ExtraField);
        }
        Ok(numbers)
    }

    /// Reads a number in groups of seven bits, the least significant first. All groups but the last
    /// have the highest bit of their byte set.
    pub(super) fn difference(&mut self) -> Result<u32, Kind> {
        let mut difference = 0;
        for shift in (0..).step_by(7) {
            let byte = self.byte()?;
            let group = u64::from(byte & 0x7f);
            difference |= group << shift;
            // Five groups have 35 bits.
            if shift > 28 || difference > u64::from(u32::MAX) {
                return Err(Kind::Difference);
            }
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(difference as u32)
    }

    fn byte(&mut self) -> Result<u8, Kind> {
        loop {
            match self.reader.fill_buf() {
                Ok([]) => return Err(Kind::Truncated { expected: "an AND" }),
                Ok(&[byte, ..]) => {
                    self.reader.consume(1);
                    self.bytes += 1;
                    return Ok(byte);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The fields of a line, with white space between them.
pub(super) fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty())
}

/// Parses a field that is a number: decimal digits and nothing else.
pub(super) fn number(field: &[u8]) -> Result<u32, Kind> {
    match str::from_utf8(field) {
        Ok(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() => {
            digits.parse().map_err(|_| Kind::Overflow)
        }
        _ => Err(Kind::NotANumber),
    }
}
