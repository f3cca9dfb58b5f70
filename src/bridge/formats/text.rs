//! Lines of a text that may be anything.

use super::error::{Fault, ReadError};

/// The most bytes of a line that is read: the PBN standard allows 255, and other programs write
/// whole auctions and comments into a line of LIN.
pub(super) const MAX_LINE: usize = 1 << 16;

/// The text without a mark of UTF-8 at its beginning, if no line of it is too long.
///
/// # Errors
/// [`Fault::LongLine`].
pub(super) fn checked(bytes: &[u8]) -> Result<&[u8], ReadError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match lines(text).find(|(_, line)| line.len() > MAX_LINE) {
        Some((number, _)) => Err(Fault::LongLine.in_line(number)),
        None => Ok(text),
    }
}

/// The lines with their numbers, without CR and LF at their ends.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    (1..).zip(lines)
}

/// Bytes as characters of Latin-1.
pub(super) fn latin(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// A number of nothing but digits.
pub(super) fn number(bytes: &[u8]) -> Option<u32> {
    let digits = !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(bytes).ok().filter(|_| digits)?;
    text.parse().ok()
}
