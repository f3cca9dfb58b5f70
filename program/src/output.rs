//! Writing to the terminal, and numbers as people read them.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context;
use comfy_table::{ColumnConstraint, LineStyle, Table, TableStyle};
use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Nobody reads standard output any more: it is a pipe whose other end was closed, as by `head`.
#[derive(Debug, thiserror::Error)]
#[error("nobody reads standard output any more")]
pub struct NobodyReads;

/// Lets `write` write to standard output, which carries what the user asked for.
///
/// # Errors
/// [`NobodyReads`], and what else keeps the text from being written.
pub fn to_standard_output(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    written(write(&mut output).and_then(|()| output.flush()))
}

/// How it went to write to standard output.
///
/// # Errors
/// [`NobodyReads`], and what else keeps the text from being written.
pub fn written(outcome: io::Result<()>) -> anyhow::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(NobodyReads.into()),
        outcome => outcome.context("cannot write to standard output"),
    }
}

/// Writes lines to standard output.
///
/// # Errors
/// Those of [`to_standard_output`].
pub fn show(text: &str) -> anyhow::Result<()> {
    to_standard_output(|output| writeln!(output, "{text}"))
}

/// The version of the objects that [`show_json`] writes. A change that breaks a program gets a new one.
const VERSION: u32 = 1;

/// What a command reports to a program.
#[derive(Serialize)]
struct Report<'a, T> {
    version: u32,
    command: &'a str,
    #[serde(flatten)]
    report: &'a T,
}

/// Writes what a command reports to standard output: one JSON object, on a line. A command that
/// reports many things alike writes a line for each.
///
/// # Errors
/// Those of [`show`].
pub fn show_json(command: &str, report: &impl Serialize) -> anyhow::Result<()> {
    show(&json_line(command, report)?)
}

/// The line that [`show_json`] writes.
///
/// # Errors
/// When the report cannot be written as JSON.
pub fn json_line(command: &str, report: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&Report {
        version: VERSION,
        command,
        report,
    })?)
}

/// Writes an event of a match to standard output, as JSON on a line.
///
/// # Errors
/// Those of [`show`].
pub fn show_event(event: &impl Serialize) -> anyhow::Result<()> {
    show(&serde_json::to_string(event)?)
}

/// Writes lines to standard error. If nobody reads them, that is no reason to stop.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// An empty table whose only line is below the header.
pub fn grid() -> Table {
    const STYLE: TableStyle =
        TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut grid = Table::new();
    grid.load_style(STYLE);
    grid
}

/// Columns of a screen.
const SCREEN: usize = 80;

/// Hides columns of a table until it fits the screen: the first that can be spared first. Gives the
/// names of those that are hidden.
pub fn fit(grid: &mut Table, spared: &[(usize, &'static str)]) -> Vec<&'static str> {
    let is_wide = |grid: &Table| {
        let text = grid.trim_fmt();
        text.lines().any(|line| line.width() > SCREEN)
    };
    let mut hidden = Vec::new();
    for &(place, name) in spared {
        if !is_wide(grid) {
            break;
        }
        if let Some(column) = grid.column_mut(place).filter(|column| !column.is_hidden()) {
            column.set_constraint(ColumnConstraint::Hidden);
            hidden.push(name);
        }
    }
    hidden
}

/// A cell of comma-separated values, in quotes if it would be taken for more than one.
pub fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// A text without its middle if it has more than `longest` characters: what tells names apart is often
/// at the end.
pub fn shortened(text: &str, longest: usize) -> String {
    let text: Vec<char> = text.chars().collect();
    if text.len() <= longest {
        return text.into_iter().collect();
    }
    let (head, tail) = (&text[..longest / 2], &text[text.len() - longest / 2..]);
    head.iter().chain(&['…']).chain(tail).collect()
}

/// Breaks a text into lines that fit the screen.
pub fn lines(text: &str) -> String {
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let width = word.width();
        if column > 0 && column + 1 + width > SCREEN {
            lines.push('\n');
            column = 0;
        } else if column > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += width;
    }
    lines
}

/// A number with a comma between thousands.
pub fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// A number of bytes, in the unit that keeps it short.
pub fn bytes(number: u64) -> String {
    DecimalBytes(number).to_string()
}

/// A duration in milliseconds, to the microsecond.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
