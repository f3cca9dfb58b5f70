//! The tokens of a PBN file.
//!
//! Comments are skipped, and so are the tables and auctions below tags. Lines that begin with `%`
//! are also skipped, except `% EXPORT`.

use super::error::{Fault, ReadError};
use super::text::{latin, lines};

/// A token of a PBN file. Only the tokens that the reader of boards needs are distinguished.
pub(super) enum Token {
    /// The line `% EXPORT`, which marks the file as strict export format.
    Export,
    /// An empty line, which ends a game.
    EmptyLine,
    /// A tag.
    Tag {
        /// The name of the tag.
        name: String,
        /// The value, without the quotes.
        value: String,
    },
}

/// An unfinished comment or tag, with the number of its first line.
enum Open {
    Comment(usize),
    Tag(usize, Parts),
}

/// The parts of a tag that have been read. White space may separate all parts, also line ends
/// (PBN 2.1, section 3.3).
#[derive(Default)]
struct Parts {
    name: Option<String>,
    value: Option<String>,
}

impl Parts {
    /// Reads the missing parts from a line. Returns the text after the tag, or `None` if the tag
    /// continues in the next line.
    ///
    /// # Errors
    /// [`Fault::Tag`] if the tag is malformed.
    fn read<'a>(&mut self, line: &'a [u8]) -> Result<Option<&'a [u8]>, Fault> {
        let mut rest = line.trim_ascii_start();
        while !rest.is_empty() {
            if self.name.is_none() {
                let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let end = rest.iter().position(|byte| !is_name(byte));
                let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
                if name.is_empty() {
                    return Err(Fault::Tag);
                }
                self.name = Some(latin(name));
                rest = after;
            } else if self.value.is_none() {
                let (value, after) = quoted(rest).ok_or(Fault::Tag)?;
                self.value = Some(value);
                rest = after;
            } else {
                return rest.strip_prefix(b"]").map(Some).ok_or(Fault::Tag);
            }
            rest = rest.trim_ascii_start();
        }
        Ok(None)
    }

    fn tag(self) -> Token {
        Token::Tag {
            name: self.name.unwrap_or_default(),
            value: self.value.unwrap_or_default(),
        }
    }
}

/// Calls `take` with each token and its line.
///
/// # Errors
/// Any error of `take`, [`Fault::Tag`], or [`Fault::Comment`].
pub(super) fn read(
    text: &[u8],
    mut take: impl FnMut(usize, Token) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut open = None;
    for (number, line) in lines(text) {
        let is_escaped = line.starts_with(b"%") && !matches!(open, Some(Open::Comment(_)));
        if is_escaped {
            if line[1..].trim_ascii().eq_ignore_ascii_case(b"EXPORT") {
                take(number, Token::Export)?;
            }
            continue;
        }
        match open {
            None if line.trim_ascii().is_empty() => take(number, Token::EmptyLine)?,
            Some(Open::Tag(begun, _)) if line.trim_ascii().is_empty() => {
                return Err(Fault::Tag.in_line(begun));
            }
            before => open = read_line(number, line, before, &mut take)?,
        }
    }
    match open {
        Some(Open::Comment(begun)) => Err(Fault::Comment.in_line(begun)),
        Some(Open::Tag(begun, _)) => Err(Fault::Tag.in_line(begun)),
        None => Ok(()),
    }
}

/// Reads a line. `open` continues from the line before. Returns the comment or tag that continues in
/// the next line.
fn read_line(
    number: usize,
    line: &[u8],
    mut open: Option<Open>,
    take: &mut impl FnMut(usize, Token) -> Result<(), ReadError>,
) -> Result<Option<Open>, ReadError> {
    let mut rest = line;
    loop {
        match open.take() {
            Some(Open::Comment(begun)) => {
                let Some(end) = rest.iter().position(|byte| *byte == b'}') else {
                    return Ok(Some(Open::Comment(begun)));
                };
                rest = &rest[end + 1..];
            }
            Some(Open::Tag(begun, mut parts)) => {
                let after = parts.read(rest).map_err(|fault| fault.in_line(begun))?;
                let Some(after) = after else {
                    return Ok(Some(Open::Tag(begun, parts)));
                };
                take(begun, parts.tag())?;
                rest = after;
            }
            None => (),
        }
        let Some((first, after)) = rest.split_first() else {
            return Ok(None);
        };
        rest = match first {
            b';' => return Ok(None),
            // A quoted text in a table may contain any of these characters.
            b'"' => quoted(rest).map_or(&[], |(_, rest)| rest),
            _ => after,
        };
        open = match first {
            b'{' => Some(Open::Comment(number)),
            b'[' => Some(Open::Tag(number, Parts::default())),
            _ => None,
        };
    }
}

/// Parses a quoted string. Returns its value and the text after it. A backslash escapes the next
/// byte, which is a quote or a backslash according to the standard.
fn quoted(text: &[u8]) -> Option<(String, &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let mut value = Vec::new();
    let mut bytes = text.iter().enumerate();
    while let Some((place, byte)) = bytes.next() {
        match byte {
            b'"' => return Some((latin(&value), &text[place + 1..])),
            b'\\' => value.push(*bytes.next()?.1),
            byte => value.push(*byte),
        }
    }
    None
}
