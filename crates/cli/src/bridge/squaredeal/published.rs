//! Comparison of published files of boards with the sets.

use std::convert::Infallible;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dealerless_bridge::formats::Format;
use dealerless_bridge::squaredeal::{Compared, ComparedBoard, Comparison, Published, Set};
use serde::Serialize;

use super::sets::{Announced, each, line, write_left_out};
use super::verdict::Checked;
use crate::bridge::board_file;
use crate::output::{count, lines};

/// The maximum number of rows that people see about a file.
const SHOWN: usize = 40;

/// Published files of boards, with their names and formats.
pub(super) struct Files {
    names: Vec<(PathBuf, Format)>,
    boards: Vec<Published>,
}

impl Files {
    /// Reads the files.
    pub(super) fn read(named: &[(PathBuf, Format)]) -> anyhow::Result<Files> {
        let mut files = Vec::new();
        for (path, format) in named {
            let reading = board_file::read(path, *format, true)?;
            // Big Deal numbers the boards of each DUP file from 1, also in later sets.
            let is_counted = *format == Format::Dup && reading.boards[0].number == 1;
            let stem = path.file_stem().unwrap_or_default();
            files.push(Published {
                name: stem.to_string_lossy().into_owned(),
                is_numbered: reading.is_numbered && !is_counted,
                boards: reading.boards,
            });
        }
        Ok(Files {
            names: named.to_vec(),
            boards: files,
        })
    }

    /// Searches all sets for the boards, and reports the results. Returns whether all boards agree.
    pub(super) fn compare(
        self,
        checked: &Checked<'_>,
        later: Announced,
        json: Option<&str>,
        output: &mut dyn Write,
    ) -> io::Result<bool> {
        let mut comparison = Comparison::default();
        self.boards
            .into_iter()
            .for_each(|file| comparison.add(file));
        let mut left_out = Vec::new();
        for set in [Set::Original, Set::Reserve] {
            let taken = each(checked, later, set, |_, session| {
                comparison.take(&session);
                Ok::<(), Infallible>(())
            });
            left_out = taken.unwrap_or_default();
        }
        let mut agrees = true;
        for ((path, format), compared) in self.names.iter().zip(comparison.finish()) {
            agrees &= compared.agrees();
            match json {
                Some(command) => {
                    let report = FileReport::new(path, *format, &compared);
                    writeln!(output, "{}", line(command, &report)?)?;
                }
                None => writeln!(output, "{}", describe(path, &compared))?,
            }
        }
        write_left_out(&left_out, json, output)?;
        Ok(agrees)
    }
}

/// A file in the output of `--json`.
#[derive(Serialize)]
struct FileReport<'a> {
    file: String,
    format: &'static str,
    /// The set with the name of the file.
    named: Option<&'a str>,
    agrees: bool,
    compared: Vec<BoardReport<'a>>,
    missing: &'a [u32],
}

#[derive(Serialize)]
struct BoardReport<'a> {
    board: u32,
    agrees: bool,
    /// The set that contains the deal.
    set: Option<&'a str>,
    /// The number of the deal in that set.
    number: Option<u32>,
}

impl<'a> FileReport<'a> {
    fn new(path: &Path, format: Format, compared: &'a Compared) -> FileReport<'a> {
        let boards = compared.boards.iter().map(|board| BoardReport {
            board: board.number,
            agrees: board.agrees,
            set: board.origin.as_ref().map(|(set, _)| &**set),
            number: board.origin.as_ref().map(|(_, number)| *number),
        });
        FileReport {
            file: path.display().to_string(),
            format: format.name(),
            named: compared.set.as_deref(),
            agrees: compared.agrees(),
            compared: boards.collect(),
            missing: &compared.missing,
        }
    }
}

/// The results for a file as text: the boards that agree, and the origin of each other board.
fn describe(path: &Path, compared: &Compared) -> String {
    let boards = &compared.boards;
    let agree = boards.iter().filter(|board| board.agrees).count() as u64;
    let all = count(boards.len() as u64);
    let how = match &compared.set {
        Some(set) => format!("compared with {set}"),
        None => "no set has this name, so all sets were searched".to_owned(),
    };
    let name = path.display();
    let head = format!("{name}: {} of {all} boards agree ({how}).", count(agree));
    let mut rows = vec![head];
    let groups: Vec<&[ComparedBoard]> = boards.chunk_by(is_one_row).collect();
    rows.extend(groups.iter().take(SHOWN).map(|group| row(group)));
    if groups.len() > SHOWN {
        rows.push(format!("  and {} more rows", groups.len() - SHOWN));
    }
    if !compared.missing.is_empty() {
        let missing = ranges(&compared.missing);
        rows.push(lines(&format!(
            "Boards of the set that are not in the file: {missing}"
        )));
    }
    rows.join("\n")
}

/// Whether two consecutive boards share a row.
fn is_one_row(a: &ComparedBoard, b: &ComparedBoard) -> bool {
    let is_next = a.number.checked_add(1) == Some(b.number);
    let is_alike = match (&a.origin, &b.origin) {
        (None, None) => true,
        (Some((set, there)), Some((other, next))) => {
            set == other && there.checked_add(1) == Some(*next)
        }
        _ => false,
    };
    is_next && is_alike && a.agrees == b.agrees
}

/// The row of a group of boards, which is not empty.
fn row(group: &[ComparedBoard]) -> String {
    let numbers = span(group[0].number, group.len());
    match &group[0].origin {
        Some((set, _)) if group[0].agrees => format!("  {numbers:>9}  agree: {set}"),
        Some((set, there)) => {
            let there = span(*there, group.len());
            format!("  {numbers:>9}  DIFFER: in {set} this is {there}")
        }
        None => format!("  {numbers:>9}  DIFFER: in no set"),
    }
}

/// A range of `count` numbers.
fn span(first: u32, count: usize) -> String {
    match count {
        1 => first.to_string(),
        count => format!("{first}-{}", first as usize + count - 1),
    }
}

/// Ascending numbers, as ranges.
fn ranges(numbers: &[u32]) -> String {
    let groups = numbers.chunk_by(|a, b| a + 1 == *b);
    let groups: Vec<String> = groups.map(|group| span(group[0], group.len())).collect();
    groups.join(", ")
}
