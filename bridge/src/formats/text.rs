//! Lines of a text that may be anything.

use super::error::{Fault, ReadError};

/// The most bytes of a line that is read: the PBN standard allows 255, and other programs write
/// whole auctions and comments into a line of LIN.
pub(super) const MAX_LINE: usize = 1 << 16;

/// The text without a mark of UTF-8 at its beginning, if no line of it is too long, and no byte of it is
/// zero, as in UTF-16 and in files that are no texts.
///
/// # Errors
/// [`Fault::LongLine`] and [`Fault::ZeroByte`].
pub(super) fn checked(bytes: &[u8]) -> Result<&[u8], ReadError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
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

/// The lines with their numbers, without their ends: CR LF, LF, or CR as of old. CR CR LF is one end too:
/// programs make it of CR LF that write files for Windows twice.
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

/// How many lines end in a part of a text, which does not end within the end of a line.
pub(super) fn ends(part: &[u8]) -> usize {
    lines(part).count() - 1
}

/// Bytes as characters of Latin-1.
pub(super) fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// The most digits of a number, zeros before it included.
const MAX_DIGITS: usize = 20;

/// A number of nothing but digits.
pub(super) fn number(bytes: &[u8]) -> Option<u32> {
    let digits = (1..=MAX_DIGITS).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(bytes).ok().filter(|_| digits)?;
    text.parse().ok()
}
