//! `bridge convert`: a file of boards in another format.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use dealerless_bridge::Board;
use dealerless_bridge::formats::{Format, WriteError, split};
use serde::Serialize;

use super::board_file;
use crate::output::{count, say, show_json};
use crate::whole_file;

/// Writes a file of boards in another format.
///
/// A format is known by the end of a file's name, such as .pbn, or is named with --from and --to. A
/// board has the dealer and the vulnerability of its number: a file that says otherwise is refused.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:\n  \
    dealerless bridge convert set.pbn set.dlm\n  \
    dealerless bridge convert set.pbn set.lin --to lin-bbo\n  \
    dealerless bridge convert session.txt set.dlm --from pbn --to dlmblind\n  \
    dealerless bridge convert long.pbn set.dup --split\n\n\
    What the formats are for:\n  \
    pbn       most bridge programs; the one to keep\n  \
    lin       as Big Deal writes it; lin-bbo as Bridge Base Online does\n  \
    dlm       the Duplimate, a dealing machine; dlmblind hides all boards there\n  \
    dup       the same of older programs; dupblind hides board 1\n  \
    csv       spreadsheets\n  \
    the others: other programs, some of them old\n\n\
    All formats are written, and those listed at --from are read. These hold no board\n\
    numbers: {}. Boards read from a file without numbers get 1 and so on. DUP counts\n\
    its boards from 1.\n\n\
    DLM and DUP end at board 99. --split writes a longer set into OUT-1, OUT-2 and so\n\
    on: boards 1 to 96, then 97 to 192 as 1 to 96. Dealer and vulnerability stay, as\n\
    they repeat after 16 boards.\n\n\
    Exit codes: 0 fine, 1 wrong usage, a file that cannot be read or written, or a\n\
    file at OUT.", board_file::names(|format| !format.holds_numbers()).join(", ")))]
pub(crate) struct Args {
    /// The file of boards.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write, which must not be there yet; - is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format of IN [default: by the end of its name].
    #[arg(long, value_name = "FORMAT", value_parser = board_file::parser(Format::is_readable))]
    from: Option<Format>,
    /// The format of OUT [default: by the end of its name].
    #[arg(long, value_name = "FORMAT", value_parser = board_file::parser(|_| true))]
    to: Option<Format>,
    /// Write several files if the format ends at board 99 and the boards do not.
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
}

/// A file that was written.
#[derive(Serialize)]
struct Written {
    file: String,
    boards: usize,
    first: u32,
    last: u32,
    /// Whether the file says the numbers of its boards.
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

    fn said(&self) -> String {
        let (file, boards) = (&self.file, count(self.boards as u64));
        let (first, last) = (self.first, self.last);
        format!("Wrote {file}: {boards} boards, {first} to {last}.")
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    ensure!(
        !args.json || !whole_file::is_standard_output(&args.output),
        "--json takes standard output: give a file as OUT"
    );
    let from = board_file::given_or_by_suffix(args.from, "--from", &args.input)?;
    let to = board_file::given_or_by_suffix(args.to, "--to", &args.output)?;
    let boards = board_file::read(&args.input, from)?;
    let mut set = vec![(args.output.clone(), boards.clone())];
    if args.split && to.is_for_machines() {
        set = pieces(&args.output, &boards)?;
    }
    let mut files = Vec::new();
    for (path, boards) in set {
        let bytes = to.write(&boards).map_err(explained)?;
        files.push((path, boards, bytes));
    }
    for (path, ..) in &files {
        check_free(path)?;
    }
    board_file::say_if_counted(&args.input, from, &boards);
    let mut written = Vec::new();
    for (path, boards, bytes) in files {
        let file = Written::new(&path, &boards, to);
        if whole_file::write_output(Some(&path), |file| file.write_all(&bytes))?.is_some() {
            say(&file.said());
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
        file: args.input.display().to_string(),
        from: from.name(),
        to: to.name(),
        boards: boards.len(),
        written,
    };
    show_json("bridge convert", &report)
}

/// The files of a long set, and what goes into each.
fn pieces(path: &Path, boards: &[Board]) -> anyhow::Result<Vec<(PathBuf, Vec<Board>)>> {
    let sets = split(boards)?;
    if sets.len() == 1 {
        return Ok(vec![(path.to_owned(), boards.to_vec())]);
    }
    let stem = path
        .file_stem()
        .filter(|_| !whole_file::is_standard_output(path));
    let stem = stem.context("several files need a name: give OUT")?;
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

/// What can be done about boards that a format does not hold.
fn explained(error: WriteError) -> anyhow::Error {
    match error {
        WriteError::TooHigh { .. } => {
            anyhow::anyhow!("{error}. --split writes several files")
        }
        error => error.into(),
    }
}

/// Refuses to write over a file.
fn check_free(path: &Path) -> anyhow::Result<()> {
    if whole_file::is_standard_output(path) {
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => bail!("{} is a folder", path.display()),
        Ok(found) => ensure!(
            !found.is_file(),
            "{} is there already, and is not written over: name another file, or remove it",
            path.display()
        ),
        // What is wrong with it comes up when it is written.
        Err(_) => (),
    }
    Ok(())
}

/// What happens to numbers that a file does not say.
fn unnumbered(boards: &[Board]) -> &'static str {
    let counted = (1..)
        .zip(boards)
        .all(|(number, board)| board.number == number);
    match counted {
        true => "It holds no board numbers: who reads it counts from 1, as they are numbered here.",
        false => {
            "It does not say these numbers: who reads it counts from 1, so boards get other numbers, \
             dealers and vulnerabilities."
        }
    }
}
