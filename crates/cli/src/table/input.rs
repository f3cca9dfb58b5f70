//! Lines of input, typed by a person or written by a program.

use std::io::{self, BufRead, Read};

use dealerless_command_line::whole_file::mark_length;

/// The maximum length of a line, in bytes: ten times the length of the longest proposal.
pub(crate) const LONGEST: usize = 32 << 10;

/// A line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedLine {
    /// A line without its line ending. Invalid UTF-8 is replaced; no command contains it.
    Text(String),
    /// A line that was too long and was skipped as a whole.
    TooLong,
}

impl TypedLine {
    /// The line without a byte order mark, which the first line of a file may have.
    pub(super) fn without_mark(mut self) -> Self {
        if let TypedLine::Text(text) = &mut self {
            let mark = mark_length(text.as_bytes());
            text.drain(..mark);
        }
        self
    }
}

/// Reads the next line without buffering more than [`LONGEST`] bytes. Returns `None` at the end of
/// the input.
pub(crate) fn next_line(input: &mut impl BufRead) -> Option<TypedLine> {
    let mut bytes = Vec::new();
    let most = LONGEST as u64 + 1;
    let read = (&mut *input).take(most).read_until(b'\n', &mut bytes);
    match (read, bytes.last()) {
        (Err(_), _) | (Ok(0), _) => None,
        (_, Some(b'\n')) => Some(TypedLine::Text(text(&bytes))),
        _ if bytes.len() > LONGEST => skip_line(input).ok().map(|()| TypedLine::TooLong),
        // The last line may lack a line ending.
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
    fn overlong_line_is_skipped_and_the_next_line_is_read() {
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
    fn byte_order_mark_is_removed() {
        let line = |text: &str| TypedLine::Text(text.into());
        assert_eq!(line("\u{feff}{}").without_mark(), line("{}"));
        assert_eq!(line("{}\u{feff}").without_mark(), line("{}\u{feff}"));
        assert_eq!(TypedLine::TooLong.without_mark(), TypedLine::TooLong);
    }

    #[test]
    fn invalid_utf8_is_replaced() {
        assert_eq!(
            next_line(&mut &b"a\xffb\n"[..]),
            Some(TypedLine::Text("a\u{fffd}b".into()))
        );
    }
}
