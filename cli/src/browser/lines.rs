//! What a program has said, kept for pages that come later.

use std::collections::VecDeque;

use hyper::body::Bytes;

/// So many bytes are kept: some ten thousand events of poker.
const MOST: usize = 8 << 20;
/// So many bytes are given to a page at once.
const CHUNK: usize = 64 << 10;
/// How the event begins that tells who sits where.
pub(super) const SEATED: &[u8] = br#"{"event":"seated""#;
/// Events without which a page would not know what is played: the last of each is kept in any case.
const KEPT: [&[u8]; 3] = [br#"{"event":"invite""#, br#"{"event":"listening""#, SEATED];

/// Lines, each with its end, numbered from 0.
#[derive(Default)]
pub(super) struct Lines {
    /// The last line of each kind in [`KEPT`] that has left `lines`.
    head: [Option<Bytes>; KEPT.len()],
    lines: VecDeque<Bytes>,
    /// The number of the first of them.
    first: u64,
    bytes: usize,
}

impl Lines {
    /// Adds a line. Old ones are forgotten if they are too many.
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

    /// What comes from the line of this number on, as much as is given at once; and the number of the
    /// line behind it. If that line is forgotten, what is kept in any case comes first.
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
    fn a_page_gets_every_line_once_and_in_order() {
        let mut lines = Lines::default();
        assert_eq!(lines.from(0), None);
        let mut said = Vec::new();
        for number in 0..20_000 {
            let line = format!("{{\"event\":\"chose\",\"turn\":{number}}}\n");
            said.extend_from_slice(line.as_bytes());
            lines.push(line.into());
        }
        assert!(all(&lines) == said);
        assert_eq!(lines.from(20_000), None);
    }

    #[test]
    fn what_is_kept_is_bounded_and_who_sits_there_is_not_forgotten() {
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
        // As many of the last as there is room for.
        let places = MOST / notice(0).len();
        let mut kept = "{\"event\":\"seated\",\"seat\":2}\n".to_owned();
        kept.extend((1000 - places..1000).map(notice));
        assert!(all(&lines) == kept.into_bytes());
        // A page that had the first lines goes on where it can.
        let (_, next) = lines.from(5).unwrap();
        assert!(next > 700);
    }
}
