//! The lines and the numbers of untrusted text.

use super::error::{Fault, MAX_LINE, ReadError};

/// Removes a UTF-8 byte order mark and the mark of DOS for the end of a file, and checks the lines of
/// a text.
///
/// # Errors
/// [`Fault::LongLine`] for a line that is too long, and [`Fault::ZeroByte`] for a zero byte, as in
/// UTF-16 and in binary files.
pub(super) fn checked(bytes: &[u8]) -> Result<&[u8], ReadError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_end = |byte: &u8| *byte == 0x1a || byte.is_ascii_whitespace();
    let end = text
        .iter()
        .rposition(|byte| !is_end(byte))
        .map_or(0, |place| place + 1);
    let mark = text[end..].iter().position(|byte| *byte == 0x1a);
    let text = &text[..mark.map_or(text.len(), |mark| end + mark)];
    for (number, line) in lines(text) {
        if line.len() > MAX_LINE {
            return Err(Fault::LongLine.in_line(number));
        }
        if line.contains(&0) {
            return Err(Fault::ZeroByte.in_line(number));
        }
    }
    Ok(text)
}

/// The lines of a text with their numbers, without line ends. A line end is CR LF, LF, or a single
/// CR as on old systems. CR CR LF is also a single line end: some programs produce it by
/// replacing the LF of CR LF with CR LF.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut rest = Some(text);
    let lines = std::iter::from_fn(move || {
        let text = rest?;
        let Some(place) = text.iter().position(|byte| matches!(byte, b'\r' | b'\n')) else {
            rest = None;
            return Some(text);
        };
        let (line, end) = text.split_at(place);
        rest = Some(match end {
            [b'\r', b'\r', b'\n', after @ ..] | [b'\r', b'\n', after @ ..] => after,
            end => &end[1..],
        });
        Some(line)
    });
    (1..).zip(lines)
}

/// The number of line ends in `part`. `part` must not end between the CR and the LF of a line end.
pub(super) fn ends(part: &[u8]) -> usize {
    lines(part).count() - 1
}

/// Decodes bytes as Latin-1.
pub(super) fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// The maximum number of digits of a number, including leading zeros.
const MAX_DIGITS: usize = 20;

/// Parses a number that consists only of digits.
pub(super) fn number(bytes: &[u8]) -> Option<u32> {
    let digits = (1..=MAX_DIGITS).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(bytes).ok().filter(|_| digits)?;
    text.parse().ok()
}
