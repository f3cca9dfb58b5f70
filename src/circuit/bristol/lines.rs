//! The lines of a file, and the fields of a line.

use std::io::{BufRead, ErrorKind, Read, Take};
use std::mem;
use std::str::SplitAsciiWhitespace;

use super::{MAX_LINE, NetlistErrorKind as Kind};

/// The fields of a line, with white space between them.
pub(super) type Fields<'a> = SplitAsciiWhitespace<'a>;

/// The lines of a file, without comments and without blank lines. Only the current line and
/// possibly the next one are in memory.
pub(super) struct Lines<R> {
    reader: Take<R>,
    line: Vec<u8>,
    /// The number of the current line, from 1.
    pub(super) number: u64,
    ahead: Option<Ahead>,
}

/// The line after the current one, if it has been read ahead. `line` is empty at the end of the
/// file.
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

    /// Advances to the next line that is not blank. Returns false at the end of the file.
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
            cut_comment(&mut self.line);
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// Returns the line after the current one, without advancing. The result is empty at the end of
    /// the file.
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

    /// Reads the next line if it is a gate in the usual form: one result, single spaces between
    /// fields and nothing else. Otherwise consumes nothing and returns `None`. [`next`](Self::next)
    /// reads any line, but is slower.
    pub(super) fn next_plain_gate(&mut self) -> Result<Option<PlainGate>, Kind> {
        if self.ahead.is_some() {
            return Ok(None);
        }
        let text = match self.reader.fill_buf() {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::Interrupted => return Ok(None),
            Err(error) => {
                self.number += 1;
                return Err(error.into());
            }
        };
        let Some((gate, length)) = plain_gate(text) else {
            return Ok(None);
        };
        self.reader.consume(length);
        self.number += 1;
        Ok(Some(gate))
    }

    /// Advances to the next line and returns its fields. If there is no next line, fails with
    /// [`Kind::Truncated`], in which `expected` describes the line.
    pub(super) fn next(&mut self, expected: &'static str) -> Result<Fields<'_>, Kind> {
        if !self.advance()? {
            return Err(Kind::Truncated { expected });
        }
        self.fields()
    }

    /// The fields of the current line.
    pub(super) fn fields(&self) -> Result<Fields<'_>, Kind> {
        match str::from_utf8(&self.line) {
            Ok(line) if line.is_ascii() => Ok(line.split_ascii_whitespace()),
            _ => Err(Kind::NotAscii),
        }
    }
}

/// Truncates a line at the first `#` or `//`.
fn cut_comment(line: &mut Vec<u8>) {
    if let Some(start) =
        (0..line.len()).find(|at| line[*at] == b'#' || line[*at..].starts_with(b"//"))
    {
        line.truncate(start);
    }
}

/// A gate in the usual form: the wires that it reads, and last the wire that it sets.
pub(super) enum PlainGate {
    Xor([u64; 3]),
    And([u64; 3]),
    Not([u64; 2]),
    Copy([u64; 2]),
}

/// Parses the first line of `text` as a gate. Also returns the length of the line. Returns `None`
/// if the line is incomplete or not in the usual form.
fn plain_gate(text: &[u8]) -> Option<(PlainGate, usize)> {
    let (arity, fields) = text.split_at_checked(4)?;
    let (gate, rest) = match arity {
        b"2 1 " => {
            let (a, fields) = plain_number(fields)?;
            let (b, fields) = plain_number(fields)?;
            let (c, fields) = plain_number(fields)?;
            match fields.split_at_checked(4)? {
                (b"XOR\n", rest) => (PlainGate::Xor([a, b, c]), rest),
                (b"AND\n", rest) => (PlainGate::And([a, b, c]), rest),
                _ => return None,
            }
        }
        b"1 1 " => {
            let (a, fields) = plain_number(fields)?;
            let (c, fields) = plain_number(fields)?;
            match fields.split_at_checked(4)? {
                (b"INV\n" | b"NOT\n", rest) => (PlainGate::Not([a, c]), rest),
                (b"EQW\n", rest) => (PlainGate::Copy([a, c]), rest),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some((gate, text.len() - rest.len()))
}

/// Parses the number before the first space of `text`. Also returns the text after the space.
/// Returns `None` if there is no number, or if it has more digits than any wire number.
#[inline]
fn plain_number(text: &[u8]) -> Option<(u64, &[u8])> {
    const MAX_DIGITS: usize = 10;
    let mut number = 0;
    for (at, byte) in text.iter().take(MAX_DIGITS + 1).enumerate() {
        match byte {
            b'0'..=b'9' => number = 10 * number + u64::from(byte - b'0'),
            b' ' if at > 0 => return Some((number, &text[at + 1..])),
            _ => return None,
        }
    }
    None
}

/// Parses a field that is a number: decimal digits and nothing else.
pub(super) fn number(field: &str) -> Result<u64, Kind> {
    if !field.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Kind::NotANumber);
    }
    field.parse().map_err(|_| Kind::Overflow)
}

/// Checks that the number of fields is the number declared.
pub(super) fn check_fields(expected: u64, given: usize) -> Result<(), Kind> {
    match (given as u64).cmp(&expected) {
        std::cmp::Ordering::Less => Err(Kind::MissingField),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(Kind::ExtraField),
    }
}
