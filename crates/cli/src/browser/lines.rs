//! The output of a program, stored for pages that connect later.

use std::collections::VecDeque;

use hyper::body::Bytes;

/// The maximum number of stored bytes: about ten thousand events of poker.
const MOST: usize = 8 << 20;
/// The maximum number of bytes in a chunk for a page.
const CHUNK: usize = 64 << 10;
/// The beginning of the event that reports who takes which seat.
pub(super) const SEATED: &[u8] = br#"{"event":"seated""#;
/// The beginnings of events that a page needs to know what is played. The last event of each kind
/// is always kept.
const KEPT: [&[u8]; 4] = [
    br#"{"event":"invite""#,
    br#"{"event":"listening""#,
    br#"{"event":"between-matches""#,
    SEATED,
];

/// Lines with their line endings, numbered from 0.
#[derive(Default)]
pub(super) struct Lines {
    /// The last line of each kind in [`KEPT`] that was dropped from `lines`.
    head: [Option<Bytes>; KEPT.len()],
    lines: VecDeque<Bytes>,
    /// The number of the first line in `lines`.
    first: u64,
    bytes: usize,
}

impl Lines {
    /// Adds a line, and drops old lines beyond the limit.
    pub(super) fn push(&mut self, line: Bytes) {
        self.bytes += line.len();
        self.lines.push_back(line);
        while self.bytes > MOST {
            let Some(old) = self.lines.pop_front() else {
                break;
            };
            self.bytes -= old.len();
            self.first += 1;
            if let Some(kind) = KEPT.iter().position(|kind| old.starts_with(kind)) {
                self.head[kind] = Some(old);
            }
        }
    }

    /// A chunk of lines from line `number` on, and the number of the line after the chunk. If line
    /// `number` was dropped, the chunk begins with the kept lines in `head`. `None` if there are no
    /// such lines.
    pub(super) fn from(&self, number: u64) -> Option<(Bytes, u64)> {
        let mut chunk = Vec::new();
        if number < self.first {
            self.head
                .iter()
                .flatten()
                .for_each(|line| chunk.extend_from_slice(line));
        }
        let mut next = number.max(self.first);
        let skipped = usize::try_from(next - self.first).unwrap_or(usize::MAX);
        for line in self.lines.iter().skip(skipped) {
            if !chunk.is_empty() && chunk.len() + line.len() > CHUNK {
                break;
            }
            chunk.extend_from_slice(line);
            next += 1;
        }
        (!chunk.is_empty()).then(|| (chunk.into(), next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &Lines) -> Vec<u8> {
        let (mut all, mut number) = (Vec::new(), 0);
        while let Some((chunk, next)) = lines.from(number) {
            assert!(next > number && chunk.len() <= CHUNK);
            all.extend_from_slice(&chunk);
            number = next;
        }
        all
    }

    #[test]
    fn a_page_gets_every_line_once_in_order() {
        let mut lines = Lines::default();
        assert_eq!(lines.from(0), None);
        let mut written = Vec::new();
        for number in 0..20_000 {
            let line = format!("{{\"event\":\"chose\",\"turn\":{number}}}\n");
            written.extend_from_slice(line.as_bytes());
            lines.push(line.into());
        }
        assert!(all(&lines) == written);
        assert_eq!(lines.from(20_000), None);
    }

    #[test]
    fn storage_is_bounded_and_keeps_the_seated_event() {
        let mut lines = Lines::default();
        for number in 0..3 {
            lines.push(format!("{{\"event\":\"seated\",\"seat\":{number}}}\n").into());
        }
        let notice = |number: usize| {
            let text = "x".repeat(30_000);
            format!("{{\"event\":\"notice\",\"text\":\"{text}{number:03}\"}}\n")
        };
        for number in 0..1000 {
            lines.push(notice(number).into());
        }
        // The number of last lines that are stored.
        let places = MOST / notice(0).len();
        let mut kept = "{\"event\":\"seated\",\"seat\":2}\n".to_owned();
        kept.extend((1000 - places..1000).map(notice));
        assert!(all(&lines) == kept.into_bytes());
        // A page that has received the first five lines continues with the first stored line.
        let (_, next) = lines.from(5).unwrap();
        assert!(next > 700);
    }
}
