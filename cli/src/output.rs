//! Writing to the terminal, and numbers as people read them.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context;
use comfy_table::{LineStyle, Table, TableStyle};
use serde::Serialize;

/// Writes lines to standard output, which is what the user asked for.
///
/// # Errors
/// When nobody reads them any more, for example because a pipe was closed.
pub(crate) fn show(text: &str) -> anyhow::Result<()> {
    writeln!(io::stdout().lock(), "{text}").context("cannot write to standard output")
}

/// Writes one JSON object to standard output, on a line.
///
/// # Errors
/// Those of [`show`].
pub(crate) fn show_json(object: &impl Serialize) -> anyhow::Result<()> {
    show(&serde_json::to_string(object)?)
}

/// Writes lines to standard error. If nobody reads them, that is no reason to stop.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// An empty table whose only line is below the header.
pub(crate) fn grid() -> Table {
    const STYLE: TableStyle =
        TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut grid = Table::new();
    grid.load_style(STYLE);
    grid
}

/// A number with a comma between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of bytes, with three digits or four.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if number < 1000 {
        return format!("{number} B");
    }
    let mut value = number as f64 / 1000.0;
    let mut unit = 0;
    // From here on it would be rounded to 1000.0.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A duration in milliseconds, to the microsecond.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let counts = [0, 999, 1000, 12_345, 1_234_567].map(count);
        assert_eq!(counts, ["0", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn bytes_have_the_unit_that_keeps_them_short() {
        let sizes = [0, 999, 1000, 59_456, 999_949, 999_950, 2_500_000_000].map(bytes);
        assert_eq!(
            sizes,
            [
                "0 B", "999 B", "1.0 kB", "59.5 kB", "999.9 kB", "1.0 MB", "2.5 GB"
            ]
        );
    }
}
