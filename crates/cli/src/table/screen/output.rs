//! The output of a screen: lines, and on a terminal the row in which the person types.
//!
//! The terminal echoes typed characters and passes whole lines to the program, so the program does
//! not know what follows the prompt. New lines are therefore written above the row of the prompt,
//! and the typed text stays in place.

use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use crate::output::{columns_of, harmless};
use crate::table::cards::harmless_in_colour;

/// A function that returns the width of a terminal.
pub(crate) type Columns = fn() -> usize;

/// The output of a screen.
pub(super) struct Output {
    to: Box<dyn Write + Send>,
    /// The width of a terminal whose rows can be overwritten.
    columns: Option<Columns>,
    /// Whether the cursor is in the row of the prompt, which is the last row.
    prompted: bool,
    /// Whether the next output replaces the row above the prompt, or without a prompt the last row.
    passing: bool,
}

const SAVE: &str = "\x1b7";
const RESTORE: &str = "\x1b8";
const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const INSERT_ROW: &str = "\x1b[L";
const CLEAR_ROW: &str = "\r\x1b[K";
const PROMPT: &str = "> ";

impl Output {
    pub(super) fn new(to: Box<dyn Write + Send>, columns: Option<Columns>) -> Self {
        Output {
            to,
            columns,
            prompted: false,
            passing: false,
        }
    }

    /// Whether rows can be overwritten.
    pub(super) fn is_live(&self) -> bool {
        self.columns.is_some()
    }

    /// Writes lines.
    pub(super) fn lines(&mut self, text: &str) -> io::Result<()> {
        let text = &harmless_in_colour(text);
        let columns = self.columns.map_or(0, |columns| columns());
        let fits = text.split('\n').all(|row| columns_of(row) <= columns);
        let written = if self.prompted && fits {
            text.split('\n').map(|row| self.above_prompt(row)).collect()
        } else {
            // A row that wraps would overwrite the prompt.
            let prompt = if self.prompted { PROMPT } else { "" };
            format!("{}{text}\n{prompt}", self.cleared())
        };
        self.passing = false;
        self.write(&written)
    }

    /// Writes a line that the next output replaces, if rows can be overwritten.
    pub(super) fn passing(&mut self, text: &str) -> io::Result<()> {
        let Some(columns) = self.columns else {
            return self.lines(text);
        };
        let row = cut(&harmless(text), columns().saturating_sub(1));
        let written = if self.prompted {
            self.above_prompt(&row)
        } else {
            format!("{CLEAR_ROW}{row}")
        };
        self.passing = true;
        self.write(&written)
    }

    /// Shows the prompt if it is not shown. A pipe gets no prompt.
    pub(super) fn prompt(&mut self) -> io::Result<()> {
        if !self.is_live() || self.prompted {
            return self.to.flush();
        }
        self.prompted = true;
        let end = if self.passing { "\n" } else { "" };
        self.write(&format!("{end}{PROMPT}"))
    }

    /// Notes that a line was typed, so that the terminal has ended the row of the prompt.
    pub(super) fn typed(&mut self) {
        (self.prompted, self.passing) = (false, false);
    }

    /// Removes the prompt and the passing row, so that the next output begins a line.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let cleared = self.cleared();
        (self.prompted, self.passing) = (false, false);
        self.write(&cleared)
    }

    /// Writes a row above the prompt: in place of the passing row if there is one, otherwise as a
    /// new row. If the prompt is in the terminal's bottom row, a new row scrolls the screen and
    /// `DOWN` has no effect. The cursor ends in the row of the prompt in either case.
    fn above_prompt(&mut self, row: &str) -> String {
        if std::mem::take(&mut self.passing) {
            format!("{SAVE}{UP}{CLEAR_ROW}{row}{RESTORE}")
        } else {
            format!("{SAVE}\n{UP}{INSERT_ROW}\r{row}{RESTORE}{DOWN}")
        }
    }

    /// Clears the row of the prompt and the passing row, and moves to the beginning of the upper
    /// row.
    fn cleared(&self) -> String {
        match (self.prompted, self.passing) {
            (true, true) => format!("{CLEAR_ROW}{UP}{CLEAR_ROW}"),
            (false, false) => String::new(),
            _ => CLEAR_ROW.to_owned(),
        }
    }

    /// Writes `text` in one piece, so that no echoed character comes in between.
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())?;
        self.to.flush()
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // It does not matter any more if the terminal cannot be written to.
        let _ = self.end();
    }
}

/// The longest prefix of a text without colours that fits into `columns` columns.
fn cut(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_are_not_cut_in_half() {
        assert_eq!([cut("甲乙", 3), cut("abc", 2)], ["甲", "ab"]);
    }
}
