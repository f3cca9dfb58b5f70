//! What is wrong with a file, and in which line.

use super::{MAX_BYTES, MAX_SESSIONS, MAX_TEXT};

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadLine {
    /// Its number, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file goes on after the most bytes that one has.
    #[error("the file is too large: it has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// A line of a description with another beginning.
    #[error("it begins with none of TN, DI, DV, SN, KH and #")]
    Tag,
    /// The tag stood there before.
    #[error("{0} stands there twice")]
    Twice(&'static str),
    /// A hash that is written otherwise.
    #[error("KH is followed by 64 digits 0 to 9 and a to f")]
    Hash,
    /// A phase with fewer parts.
    #[error("SN is followed by SESSIONS:BOARDS:PREFIX:DESCRIPTION")]
    Phase,
    /// A prefix or a description that is too long.
    #[error("a prefix or a description has at most {MAX_TEXT} bytes")]
    LongText,
    /// An invalid number of sessions, or one that is too large.
    #[error("the sessions of a phase are a number from 0 to {MAX_SESSIONS}")]
    Sessions,
    /// More sessions than a file may have.
    #[error("all phases together have at most {MAX_SESSIONS} sessions")]
    TooManySessions,
    /// Boards that are written otherwise.
    #[error("boards are ?, or a number, or ranges LOW-HIGH with commas between them")]
    Boards,
    /// Boards that are too many, or whose numbers are too large.
    #[error("a set has at most 100 boards, with numbers from 1 to 9999")]
    TooManyBoards,
    /// A line of keys that is written otherwise.
    #[error("a line of keys is PHASE,SESSION:KEY, with numbers as 7 and not as 07")]
    KeyLine,
    /// A key with something else in it.
    #[error("a key is made of the letters A to Z, a to z and the digits")]
    Key,
    /// A second key.
    #[error("phase {0} session {1} has two keys")]
    TwoKeys(u32, u32),
}

impl Problem {
    /// The error that this is the problem of the line at this place, from 0 on.
    pub(super) fn at(self, place: usize) -> BadLine {
        BadLine {
            line: place + 1,
            problem: self,
        }
    }
}

/// The lines of a file, without their ends, LF or CR LF.
///
/// # Errors
/// [`Problem::TooLarge`], with the line that goes too far.
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

/// A number in decimal digits, without a sign and without zeros before it.
pub(super) fn number(text: &str) -> Option<u32> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let is_short = text == "0" || !text.starts_with('0');
    (is_plain && is_short).then(|| text.parse().ok()).flatten()
}
