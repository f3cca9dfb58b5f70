//! The tags of a PBN file, and what stands between them.
//!
//! Comments, lines that begin with `%`, and the tables and auctions below tags are skipped.

use super::error::{Fault, ReadError};
use super::text::{latin, lines};

/// What a reader of boards meets.
pub(super) enum Token {
    /// A line that says that the file is in the strict export format.
    Export,
    /// An empty line, which ends a board.
    EmptyLine,
    /// A tag.
    Tag {
        /// Its name.
        name: String,
        /// Its value, without the quotes.
        value: String,
    },
}

/// Hands each token to `take`, with its line.
///
/// # Errors
/// Those of `take`, and an invalid tag or comment.
pub(super) fn read(
    text: &[u8],
    mut take: impl FnMut(usize, Token) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    // The line in which an open comment began.
    let mut comment = None;
    for (number, line) in lines(text) {
        if comment.is_none() && line.starts_with(b"%") {
            if line[1..].trim_ascii().eq_ignore_ascii_case(b"EXPORT") {
                take(number, Token::Export)?;
            }
        } else if comment.is_none() && line.trim_ascii().is_empty() {
            take(number, Token::EmptyLine)?;
        } else {
            read_line(number, line, &mut comment, &mut take)?;
        }
    }
    match comment {
        Some(begun) => Err(Fault::Comment.in_line(begun)),
        None => Ok(()),
    }
}

/// Reads a line that is not empty.
fn read_line(
    number: usize,
    line: &[u8],
    comment: &mut Option<usize>,
    take: &mut impl FnMut(usize, Token) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut rest = line;
    loop {
        if comment.is_some() {
            let Some(end) = rest.iter().position(|byte| *byte == b'}') else {
                return Ok(());
            };
            *comment = None;
            rest = &rest[end + 1..];
        }
        let Some((first, after)) = rest.split_first() else {
            return Ok(());
        };
        match first {
            b';' => return Ok(()),
            b'{' => {
                *comment = Some(number);
                rest = after;
            }
            // A text in a table may hold any of these signs.
            b'"' => rest = quoted(rest).map_or(&[], |(_, rest)| rest),
            b'[' => {
                let (tag, after) = tag(after).ok_or_else(|| Fault::Tag.in_line(number))?;
                take(number, tag)?;
                rest = after;
            }
            _ => rest = after,
        }
    }
}

/// The tag whose bracket was read, and what comes after it.
fn tag(text: &[u8]) -> Option<(Token, &[u8])> {
    let text = text.trim_ascii_start();
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let (name, rest) = text.split_at(length);
    let (value, rest) = quoted(rest.trim_ascii_start())?;
    let rest = rest.trim_ascii_start().strip_prefix(b"]")?;
    let name = latin(name);
    (length > 0).then_some((Token::Tag { name, value }, rest))
}

/// What stands in quotes here, and what comes after; a backslash stands before a quote or a backslash that
/// is meant as such.
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
