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
    /// An empty line, which ends a board.
    EmptyLine,
    /// A tag.
    Tag {
        /// The name of the tag.
        name: String,
        /// The value, without the quotes.
        value: String,
    },
}

/// Calls `take` with each token and its line.
///
/// # Errors
/// Any error of `take`, [`Fault::Tag`], or [`Fault::Comment`].
pub(super) fn read(
    text: &[u8],
    mut take: impl FnMut(usize, Token) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    // Within a comment, the line in which the comment begins.
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

/// Reads a line that is not empty. Within a comment, `comment` is the line in which the comment
/// begins.
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
            // A quoted text in a table may contain any of these characters.
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

/// Parses a tag after its opening bracket. Returns the tag and the text after it.
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
