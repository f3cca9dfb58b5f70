//! The lines of a file, and the fields of a line.

use std::io::{BufRead, Read, Take};
use std::mem;
use std::str::SplitAsciiWhitespace;

use super::{MAX_LINE, NetlistErrorKind as Kind};

/// The fields of a line, with white space between them.
pub(super) type Fields<'a> = SplitAsciiWhitespace<'a>;

/// The lines of a file that are not blank, of which two are held at most.
pub(super) struct Lines<R> {
    reader: Take<R>,
    line: Vec<u8>,
    /// The number of the line held, from 1.
    pub(super) number: u64,
    ahead: Option<Ahead>,
}

/// A line that was looked at before its turn. It is empty at the end of the file.
struct Ahead {
    line: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: Take<R>) -> Self {
        Lines {
            reader,
            line: Vec::new(),
            number: 0,
            ahead: None,
        }
    }

    /// Goes to the next line that is not blank. False at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool, Kind> {
        if let Some(ahead) = self.ahead.take() {
            self.line = ahead.line;
            self.number = ahead.number;
            return Ok(!self.line.is_empty());
        }
        loop {
            self.number += 1;
            self.line.clear();
            let length = (&mut self.reader)
                .take(MAX_LINE + 1)
                .read_until(b'\n', &mut self.line)?;
            if length as u64 > MAX_LINE {
                return Err(Kind::LongLine);
            }
            if length == 0 {
                return Ok(false);
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The line after the one held, which stays the one held. Empty at the end of the file.
    pub(super) fn look_ahead(&mut self) -> Result<&[u8], Kind> {
        let line = mem::take(&mut self.line);
        let number = self.number;
        self.advance()?;
        let ahead = Ahead {
            line: mem::replace(&mut self.line, line),
            number: mem::replace(&mut self.number, number),
        };
        Ok(&self.ahead.insert(ahead).line)
    }

    /// The fields of the next line, which is there to say what is `expected`.
    pub(super) fn next(&mut self, expected: &'static str) -> Result<Fields<'_>, Kind> {
        if !self.advance()? {
            return Err(Kind::Truncated { expected });
        }
        self.fields()
    }

    /// The fields of the line held.
    pub(super) fn fields(&self) -> Result<Fields<'_>, Kind> {
        match str::from_utf8(&self.line) {
            Ok(line) if line.is_ascii() => Ok(line.split_ascii_whitespace()),
            _ => Err(Kind::NotAscii),
        }
    }
}

/// A field that is a number: decimal digits and nothing else.
pub(super) fn number(field: &str) -> Result<u64, Kind> {
    if !field.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Kind::NotANumber);
    }
    field.parse().map_err(|_| Kind::Overflow)
}

/// Whether so many fields came as were announced.
pub(super) fn check_fields(expected: u64, given: usize) -> Result<(), Kind> {
    match (given as u64).cmp(&expected) {
        std::cmp::Ordering::Less => Err(Kind::MissingField),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(Kind::ExtraField),
    }
}
