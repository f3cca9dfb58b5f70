//! Errors in descriptions and files of keys, with their lines.

use super::{MAX_BYTES, MAX_SESSIONS, MAX_TEXT};

/// The error of an invalid line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadLine {
    /// The line, counted from 1.
    pub line: usize,
    /// The kind of error.
    pub problem: Problem,
}

/// The kind of error in a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file is too large.
    #[error("the file is too large: it has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// A line of a description does not begin with a tag or `#`.
    #[error("the line must begin with TN, DI, DV, SN, KH or #")]
    Tag,
    /// A tag appears twice.
    #[error("{0} appears twice")]
    Twice(&'static str),
    /// A hash is malformed.
    #[error("KH must be followed by 64 hexadecimal digits, 0 to 9 and a to f")]
    Hash,
    /// A phase is malformed.
    #[error("SN must be followed by SESSIONS:BOARDS:PREFIX:DESCRIPTION")]
    Phase,
    /// A prefix or a description is too long.
    #[error("a prefix or a description may have at most {MAX_TEXT} bytes")]
    LongText,
    /// A number of sessions is invalid or too large.
    #[error("the number of sessions of a phase must be from 0 to {MAX_SESSIONS}")]
    Sessions,
    /// The phases have too many sessions.
    #[error("all phases together may have at most {MAX_SESSIONS} sessions")]
    TooManySessions,
    /// A list of boards is malformed.
    #[error("boards must be ?, a number, or ranges LOW-HIGH separated by commas")]
    Boards,
    /// A set has too many boards, or a board number is too large.
    #[error("a set may have at most 100 boards, with numbers from 1 to 9999")]
    TooManyBoards,
    /// A line of a file of keys is malformed.
    #[error("the line must be PHASE,SESSION:KEY, with numbers such as 7, not 07")]
    KeyLine,
    /// A key has an invalid character.
    #[error("a key must consist of letters A to Z and a to z, and digits")]
    Key,
    /// A session has two keys.
    #[error("phase {0} session {1} has two keys")]
    TwoKeys(u32, u32),
}

impl Problem {
    /// The error for this problem in line `place`, counted from 0.
    pub(super) fn at(self, place: usize) -> BadLine {
        BadLine {
            line: place + 1,
            problem: self,
        }
    }
}

/// Splits a file into lines. A line ends with LF or CR LF, which are removed.
///
/// # Errors
/// [`Problem::TooLarge`], with the line that exceeds the limit.
pub(super) fn lines(bytes: &[u8]) -> Result<Vec<&[u8]>, BadLine> {
    if let Some(fitting) = bytes.get(..MAX_BYTES).filter(|_| bytes.len() > MAX_BYTES) {
        let ends = fitting.iter().filter(|byte| **byte == b'\n').count();
        return Err(Problem::TooLarge.at(ends));
    }
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .collect())
}

/// Parses a decimal number without a sign and without leading zeros.
pub(super) fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = text == "0" || !text.starts_with('0');
    (is_plain && is_short).then(|| text.parse().ok()).flatten()
}
