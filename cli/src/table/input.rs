//! What is typed, or written by a program: lines, whatever comes.

use std::io::{self, BufRead, Read};

/// The longest line. A proposal of as many cards as there may be is a tenth of it.
pub(crate) const LONGEST: usize = 32 << 10;

/// A line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedLine {
    /// A line, without its end. What is not UTF-8 is replaced: no command has it.
    Text(String),
    /// A line that was too long. All of it was skipped.
    TooLong,
}

/// Reads the next line, and never keeps more than the longest one. None if the input has ended.
pub(crate) fn next_line(input: &mut impl BufRead) -> Option<TypedLine> {
    let mut bytes = Vec::new();
    let most = LONGEST as u64 + 1;
    let read = (&mut *input).take(most).read_until(b'\n', &mut bytes);
    match (read, bytes.last()) {
        (Err(_), _) | (Ok(0), _) => None,
        (_, Some(b'\n')) => Some(TypedLine::Text(text(&bytes))),
        _ if bytes.len() > LONGEST => skip_line(input).ok().map(|()| TypedLine::TooLong),
        // The last line need not have an end.
        _ => Some(TypedLine::Text(text(&bytes))),
    }
}

fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_end_matches(['\n', '\r']).to_owned()
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        let long = "a".repeat(10 * LONGEST);
        let just = "b".repeat(LONGEST - 1);
        let all = format!("one\r\n{long}\n{just}\n\nlast");
        let mut input = BufReader::with_capacity(100, all.as_bytes());
        let mut next = || next_line(&mut input);
        let text = |text: &str| Some(TypedLine::Text(text.into()));
        assert_eq!(next(), text("one"));
        assert_eq!(next(), Some(TypedLine::TooLong));
        assert_eq!(next(), text(&just));
        assert_eq!(next(), text(""));
        assert_eq!(next(), text("last"));
        assert_eq!(next(), None);
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        assert_eq!(
            next_line(&mut &b"a\xffb\n"[..]),
            Some(TypedLine::Text("a\u{fffd}b".into()))
        );
    }
}
