//! Output to the terminal, and the formatting of numbers for people.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context;
use comfy_table::{ColumnConstraint, LineStyle, Table, TableStyle};
use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

/// Standard output is a pipe, and its reader (`head`, for example) has closed the pipe.
#[derive(Debug, thiserror::Error)]
#[error("the reader of standard output has closed it")]
pub struct NobodyReads;

/// Calls `write` with standard output, and flushes standard output.
///
/// # Errors
/// [`NobodyReads`], or any other error of writing.
pub fn to_standard_output(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    written(write(&mut output).and_then(|()| output.flush()))
}

/// Converts the result of writing to standard output.
///
/// # Errors
/// [`NobodyReads`], or any other error of writing.
pub fn written(outcome: io::Result<()>) -> anyhow::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(NobodyReads.into()),
        outcome => outcome.context("cannot write to standard output"),
    }
}

/// Writes text and a newline to standard output.
///
/// # Errors
/// Those of [`to_standard_output`].
pub fn show(text: &str) -> anyhow::Result<()> {
    to_standard_output(|output| writeln!(output, "{text}"))
}

/// The version of the objects that [`show_json`] writes. A breaking change increments the version.
const VERSION: u32 = 1;

/// The report of a command for other programs.
#[derive(Serialize)]
struct Report<'a, T> {
    version: u32,
    command: &'a str,
    #[serde(flatten)]
    report: &'a T,
}

/// Writes the report of a command to standard output, as one line of JSON. A command with many
/// similar reports writes one line for each.
///
/// # Errors
/// Those of [`show`].
pub fn show_json(command: &str, report: &impl Serialize) -> anyhow::Result<()> {
    show(&json_line(command, report)?)
}

/// Returns the line that [`show_json`] writes.
///
/// # Errors
/// If the report cannot be serialized as JSON.
pub fn json_line(command: &str, report: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(&Report {
        version: VERSION,
        command,
        report,
    })?)
}

/// Writes an event of a match to standard output, as one line of JSON.
///
/// # Errors
/// Those of [`show`].
pub fn show_event(event: &impl Serialize) -> anyhow::Result<()> {
    show(&serde_json::to_string(event)?)
}

/// Writes text and a newline to standard error. Errors are ignored.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Returns an empty table whose only rule is below the header.
pub fn grid() -> Table {
    const STYLE: TableStyle =
        TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut grid = Table::new();
    grid.load_style(STYLE);
    grid
}

/// The width of a screen, in columns.
const SCREEN: usize = 80;

/// Hides columns of a table until it fits the screen. `spared` lists the position and the name of
/// each column to hide, in order. Returns the names of the hidden columns.
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

/// Returns a cell of comma-separated values, quoted if needed.
pub fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// If a text has more than `longest` characters, replaces its middle with an ellipsis. The end is
/// kept, since names often differ only there.
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

/// Formats a number with a comma between thousands.
pub fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Formats a number of bytes in a suitable decimal unit.
pub fn bytes(number: u64) -> String {
    DecimalBytes(number).to_string()
}

/// Returns a duration in milliseconds, with microsecond resolution.
pub fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
