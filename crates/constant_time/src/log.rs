//! The parser for valgrind's reports.

use std::path::Path;

/// A branch or an address that depends on a secret.
pub(crate) struct Report {
    /// The description, in valgrind's words.
    pub(crate) what: String,
    /// The stack, from the innermost function outwards, including inlined functions.
    pub(crate) frames: Vec<Frame>,
}

/// A frame of a stack: a line of a source file. It has no function name, because valgrind does not
/// always know the names of inlined functions.
pub(crate) struct Frame {
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

impl Frame {
    /// Parses a line such as
    /// `by 0x1BC472: dealerless::ot::base::Sender::finish (/a/path/src/ot/base.rs:298)`
    fn parse(line: &str) -> Option<Frame> {
        let frame = (line.strip_prefix("at 0x")).or(line.strip_prefix("by 0x"))?;
        let (_, place) = frame.rsplit_once(" (")?;
        let (file, number) = place.strip_suffix(')')?.rsplit_once(':')?;
        Some(Frame {
            file: file.into(),
            line: number.parse().ok()?,
        })
    }

    /// The trimmed lines of the file up to this line, in reverse order.
    fn lines_upwards(&self) -> Vec<String> {
        let source = std::fs::read_to_string(Path::new(&self.file)).unwrap_or_default();
        let mut lines: Vec<String> = (source.lines().take(self.line))
            .map(|line| line.trim().into())
            .collect();
        lines.reverse();
        lines
    }

    /// The trimmed text of this line.
    pub(crate) fn text(&self) -> String {
        self.lines_upwards().into_iter().next().unwrap_or_default()
    }

    /// Whether this line is in the function with the given name.
    pub(crate) fn is_in(&self, name: &str) -> bool {
        let head = |line: &String| {
            let (before, after) = line.split_once("fn ")?;
            let is_head = before.is_empty() || before.starts_with("pub");
            is_head.then(|| after.starts_with(&format!("{name}(")))
        };
        self.lines_upwards().iter().find_map(head) == Some(true)
    }
}

/// Parses all reports of a log. A place is reported once for each distinct stack.
pub(crate) fn parse(log: &str) -> Vec<Report> {
    let mut reports: Vec<Report> = Vec::new();
    let mut open = false;
    for line in log.lines() {
        // Every line of valgrind's output starts with `==PID== `.
        let Some((_, line)) = (line.strip_prefix("==")).and_then(|rest| rest.split_once("=="))
        else {
            continue;
        };
        let line = line.trim();
        if line.contains("uninitialised") {
            reports.push(Report {
                what: line.into(),
                frames: Vec::new(),
            });
            open = true;
        } else if line.is_empty() {
            open = false;
        } else if let (true, Some(report)) = (open, reports.last_mut()) {
            report.frames.extend(Frame::parse(line));
        }
    }
    reports.retain(|report| !report.frames.is_empty());
    reports
}
