//! `bridge convert`: converts a file of boards to another format.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use dealerless_bridge::Board;
use dealerless_bridge::formats::{Format, WriteError, split};
use dealerless_seat::words::counted;
use serde::Serialize;

use super::board_file;
use crate::output::{say, show_json};
use crate::whole_file;

/// Converts a file of boards to another format.
///
/// The formats follow from the file extensions, such as .pbn, or are given with --from and --to.
/// The dealer and the vulnerability of a board follow from its number; a file that contradicts them
/// causes a warning.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:\n  \
    dealerless bridge convert set.pbn set.dlm\n  \
    dealerless bridge convert set.pbn set.lin --to lin-bbo\n  \
    dealerless bridge convert session.txt set.dlm --from pbn --to dlmblind\n  \
    dealerless bridge convert long.pbn set.dup --split\n\n\
    What the formats are for:\n  \
    pbn       most bridge programs; the recommended format\n  \
    big-deal  PBN as Big Deal writes it\n  \
    lin       as Big Deal writes it; lin-bbo as Bridge Base Online does\n  \
    dlm       the Duplimate, a dealing machine; dlmblind hides all boards there\n  \
    dup       the same for older programs; dupblind hides board 1\n  \
    csv       spreadsheets\n  \
    all other formats: other programs, some of them old\n\n\
    All formats can be written, and those listed at --from can be read. The following\n\
    formats have no board numbers: {}. Boards of a file without numbers are numbered\n\
    from 1. DUP numbers its boards from 1.\n\n\
    DLM and DUP end at board 99. --split writes a longer set to OUT-1, OUT-2 and so\n\
    on: boards 1 to 96, then 97 to 192 as 1 to 96. Dealer and vulnerability stay the\n\
    same, because they repeat every 16 boards.\n\n\
    Exit codes: 0 success, 1 wrong usage, a file that cannot be read or written, a\n\
    contradiction with --strict, or a file already at OUT.", board_file::names(|format| !format.holds_numbers()).join(", ")))]
pub(crate) struct Args {
    #[command(flatten)]
    input: board_file::Input,
    /// The file to write, which must not exist; - is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format of OUT [default: from its extension].
    #[arg(long, visible_alias = "as", value_name = "FORMAT", value_parser = board_file::parser(|_| true))]
    to: Option<Format>,
    /// Write several files if the format ends at board 99 and the set is longer.
    #[arg(long)]
    split: bool,
    /// Print one JSON object; OUT must be a file.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    file: String,
    from: &'a str,
    to: &'a str,
    boards: usize,
    written: Vec<Written>,
    #[serde(flatten)]
    read: board_file::Read,
}

/// A written file.
#[derive(Serialize)]
struct Written {
    file: String,
    boards: usize,
    first: u32,
    last: u32,
    /// Whether the file contains the numbers of its boards.
    numbered: bool,
}

impl Written {
    fn new(path: &Path, boards: &[Board], format: Format) -> Written {
        let [first, last] = [boards.first(), boards.last()];
        Written {
            file: path.display().to_string(),
            boards: boards.len(),
            first: first.map_or(0, |board| board.number),
            last: last.map_or(0, |board| board.number),
            numbered: format.says_numbers(boards),
        }
    }

    fn describe(&self) -> String {
        let (file, boards) = (&self.file, counted(self.boards as u64, "board"));
        let (first, last) = (self.first, self.last);
        format!("Wrote {file}: {boards}, {first} to {last}.")
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    ensure!(
        !args.json || !whole_file::is_standard_output(&args.output),
        "--json uses standard output: give a file as OUT"
    );
    let from = args.input.format()?;
    let to = board_file::given_or_by_suffix(args.to, "--to", &args.output)?;
    let reading = args.input.read()?;
    let boards = &reading.boards;
    let mut set = vec![(args.output.clone(), boards.clone())];
    if args.split && to.is_for_machines() {
        set = pieces(&args.output, boards)?;
    }
    let mut files = Vec::new();
    for (path, boards) in set {
        let bytes = to.write(&boards).map_err(explained)?;
        files.push((path, boards, bytes));
    }
    for (path, ..) in &files {
        check_free(path)?;
    }
    let mut written = Vec::new();
    for (path, boards, bytes) in files {
        let file = Written::new(&path, &boards, to);
        if whole_file::write_output(Some(&path), |file| file.write_all(&bytes))?.is_some() {
            say(&file.describe());
        }
        if !file.numbered {
            say(unnumbered(&boards));
        }
        written.push(file);
    }
    if !args.json {
        return Ok(());
    }
    let report = Report {
        file: args.input.path.display().to_string(),
        from: from.name(),
        to: to.name(),
        boards: boards.len(),
        written,
        read: board_file::Read::of(&reading),
    };
    show_json("bridge convert", &report)
}

/// The files of a long set, with their boards.
fn pieces(path: &Path, boards: &[Board]) -> anyhow::Result<Vec<(PathBuf, Vec<Board>)>> {
    let sets = split(boards)?;
    if sets.len() == 1 {
        return Ok(vec![(path.to_owned(), boards.to_vec())]);
    }
    let stem = path
        .file_stem()
        .filter(|_| !whole_file::is_standard_output(path));
    let stem = stem.context("several files cannot go to standard output: give a file as OUT")?;
    let named = (1..).zip(sets).map(|(number, boards)| {
        let mut name = stem.to_owned();
        name.push(format!("-{number}"));
        if let Some(suffix) = path.extension() {
            name.push(".");
            name.push(suffix);
        }
        (path.with_file_name(name), boards)
    });
    Ok(named.collect())
}

/// Adds advice to the error about a board number that is too high for the format.
fn explained(error: WriteError) -> anyhow::Error {
    match error {
        WriteError::TooHigh { .. } => {
            anyhow::anyhow!("{error}. --split writes several files")
        }
        error => error.into(),
    }
}

/// Refuses to overwrite a file.
fn check_free(path: &Path) -> anyhow::Result<()> {
    if whole_file::is_standard_output(path) {
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => bail!("{} is a folder", path.display()),
        Ok(found) => ensure!(
            !found.is_file(),
            "{} already exists and is not overwritten: give another file, or remove it",
            path.display()
        ),
        // Other errors are reported when the file is written.
        Err(_) => (),
    }
    Ok(())
}

/// A warning about the board numbers that a file does not contain.
fn unnumbered(boards: &[Board]) -> &'static str {
    let counted = (1..)
        .zip(boards)
        .all(|(number, board)| board.number == number);
    if counted {
        "The file has no board numbers: a program that reads it counts from 1, which gives the numbers here."
    } else {
        "The file does not contain these numbers: a program that reads it counts from 1, so the boards get \
             other numbers, dealers and vulnerabilities."
    }
}
