//! Output to the terminal, and the formatting of numbers for people.
//!
//! Names of files, labels and texts of other programs reach standard output and standard error only
//! through [`harmless`]. A test finds code that bypasses it.

use std::borrow::Cow;
use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anyhow::Context;
use comfy_table::{ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle};
use indicatif::{DecimalBytes, HumanCount};
use serde::Serialize;
use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthChar;

/// Standard output is a pipe, and its reader (`head`, for example) has closed the pipe.
#[derive(Debug, thiserror::Error)]
#[error("the reader of standard output has closed it")]
pub struct NobodyReads;

/// Escapes the characters of a text that control a terminal or change the order of the shown text, for
/// example as `\u001b`. Newlines and tabs stay. The escapes are those of JSON, and JSON has these characters
/// only in strings, so a line of JSON keeps its meaning.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let controls = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if controls(c) {
            write!(shown, "\\u{:04x}", u32::from(c)).expect("a string takes any text");
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Calls `write` with standard output, and flushes standard output. The bytes of a file stay as they are,
/// except on a terminal, whose text is [`harmless`].
///
/// # Errors
/// [`NobodyReads`], or any other error of writing.
pub fn to_standard_output(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    let is_terminal = output.is_terminal();
    written(write_to(&mut output, is_terminal, write).and_then(|()| output.flush()))
}

fn write_to(
    output: &mut dyn Write,
    is_terminal: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if !is_terminal {
        return write(output);
    }
    let mut bytes = Vec::new();
    write(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
    output.write_all(harmless(&text).as_bytes())
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
    to_standard_output(|output| writeln!(output, "{}", harmless(text)))
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

/// Writes text and a newline to standard error. Errors are ignored.
pub fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", harmless(text));
}

/// Returns an empty table whose only rule is below the header.
pub fn grid() -> Table {
    const STYLE: TableStyle =
        TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut grid = Table::new();
    grid.load_style(STYLE);
    grid
}

/// The maximum width of texts and tables, in columns. It is also their width if neither a terminal
/// nor `COLUMNS` determines one.
pub const MAX_WIDTH: usize = 80;

/// The width of texts and tables, in columns: the width of the terminal on standard output, or else
/// `COLUMNS`, at most [`MAX_WIDTH`]. Texts on standard error have this width, too.
pub fn width() -> usize {
    let terminal = terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    let set = || env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal.or_else(set).filter(|columns| *columns > 0);
    width.unwrap_or(MAX_WIDTH).min(MAX_WIDTH)
}

/// The width of a text in columns, not counting its colour codes.
pub fn columns_of(text: &str) -> usize {
    let mut columns = 0;
    let mut in_colour = false;
    for character in text.chars() {
        match (in_colour, character) {
            (false, '\x1b') => in_colour = true,
            (true, 'm') => in_colour = false,
            (true, _) => {}
            (false, _) => columns += character.width().unwrap_or(0),
        }
    }
    columns
}

/// Whether a line of the text is wider than `width`.
pub fn exceeds(text: &str, width: usize) -> bool {
    text.lines().any(|line| columns_of(line) > width)
}

/// Hides columns of a table until it fits [`width`]. `spared` lists the position and the name of
/// each column to hide, in order. If the table is still too wide, its cells are wrapped. Returns the
/// names of the hidden columns.
pub fn fit(grid: &mut Table, spared: &[(usize, &'static str)]) -> Vec<&'static str> {
    let width = width();
    let mut hidden = Vec::new();
    for &(place, name) in spared {
        if !exceeds(&grid.trim_fmt(), width) {
            break;
        }
        if let Some(column) = grid.column_mut(place).filter(|column| !column.is_hidden()) {
            column.set_constraint(ColumnConstraint::Hidden);
            hidden.push(name);
        }
    }
    if exceeds(&grid.trim_fmt(), width) {
        grid.set_content_arrangement(ContentArrangement::Dynamic);
        grid.set_width(u16::try_from(width).unwrap_or(u16::MAX));
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

/// Wraps the lines of a text to [`width`].
pub fn lines(text: &str) -> String {
    wrapped(text, width(), "")
}

/// Wraps the lines of a text to `width` columns. A line that continues another begins with `indent`.
/// A word that is longer than a line stays whole, so that an invite can be copied.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines = Vec::new();
    for whole in text.split('\n') {
        let mut line = String::new();
        // Whether the line has nothing but the indentation of a line that continues another.
        let mut begins = false;
        for (place, word) in whole.split(' ').enumerate() {
            let fits = columns_of(&line) + 1 + columns_of(word) <= width;
            if !fits && !word.is_empty() && !line.trim().is_empty() {
                lines.push(line.trim_end().to_owned());
                line = indent.to_owned();
                begins = true;
            } else if place > 0 && !begins {
                line.push(' ');
            }
            line.push_str(word);
            begins &= word.is_empty();
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_text_controls_no_terminal_and_json_keeps_its_meaning() {
        let hostile = "a\u{1b}]0;x\u{7}\r\u{7f}\u{9b}2J\u{202e}\u{2066}\tb\nä♥甲";
        let shown = "a\\u001b]0;x\\u0007\\u000d\\u007f\\u009b2J\\u202e\\u2066\tb\nä♥甲";
        assert_eq!(harmless(hostile), shown);
        let json = serde_json::to_string(hostile).unwrap();
        let line = harmless(&json).into_owned();
        assert!(
            !line.contains(|c: char| c.is_control() || c == '\u{202e}'),
            "{line}"
        );
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }

    #[test]
    fn the_bytes_of_a_file_change_on_a_terminal_only() {
        let file = b"a\x1b[2J\xff\r\n";
        let [mut pipe, mut terminal] = [Vec::new(), Vec::new()];
        write_to(&mut pipe, false, |output| output.write_all(file)).unwrap();
        assert_eq!(pipe, file);
        write_to(&mut terminal, true, |output| output.write_all(file)).unwrap();
        assert_eq!(terminal, "a\\u001b[2J\u{fffd}\n".as_bytes());
    }

    #[test]
    fn text_wraps_between_words_and_colours_have_no_width() {
        assert_eq!(wrapped("one two three", 7, ""), "one two\nthree");
        assert_eq!(
            wrapped("  name   ab cd\n\nnext", 9, "    "),
            "  name\n    ab cd\n\nnext"
        );
        assert_eq!(wrapped("  a    b", 80, "  "), "  a    b");
        assert_eq!(wrapped("one  two ", 3, ""), "one\ntwo");
        let invite = "x".repeat(200);
        assert_eq!(wrapped(&invite, 40, "  "), invite);
        assert_eq!(
            wrapped(&format!("run {invite}"), 40, ""),
            format!("run\n{invite}")
        );
        assert_eq!(columns_of("\x1b[91mA♥\x1b[0m"), 2);
        assert_eq!(columns_of("甲乙"), 4);
    }

    #[test]
    fn wide_tables_lose_columns_and_then_wrap() {
        let mut table = grid();
        table.add_row(["a".repeat(50), "b".repeat(50), "c ".repeat(50)]);
        assert_eq!(fit(&mut table, &[(1, "b")]), ["b"]);
        let text = table.trim_fmt();
        assert!(!exceeds(&text, MAX_WIDTH) && text.contains("aaa"), "{text}");
        assert!(!text.contains('b'), "{text}");
    }
}
