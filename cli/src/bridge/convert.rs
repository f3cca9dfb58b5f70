//! `bridge convert`: a file of boards in another format.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless::bridge::Board;
use dealerless::bridge::formats::{Format, WriteError, split};

use crate::output::{count, say};
use crate::whole_file;

/// Writes a file of boards in another format.
///
/// Files are read in PBN, LIN, DLM, DUP and BRI. Their boards have the dealer and the vulnerability
/// of their numbers; a file that says otherwise is refused.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge convert set.pbn set.lin\n  \
    dealerless bridge convert session.txt set.dlm --from pbn --to dlmblind\n  \
    dealerless bridge convert long.pbn set.dup --split\n\n\
    DLM and DUP end at board 99. --split writes a longer set into OUT-1, OUT-2 and so\n\
    on: boards 1 to 96, then 97 to 192 as 1 to 96. Dealer and vulnerability stay, as\n\
    they repeat after 16 boards.\n\n\
    BRI, DGE, BER, BHG and RZD hold no numbers, and DUP counts its boards from 1.\n\
    Boards read from BRI get the numbers from 1 on.\n\n\
    Exit codes: 0 fine, 1 wrong usage, a file that cannot be read or written, or a\n\
    file at OUT.")]
pub(crate) struct Args {
    /// The file of boards.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write, which must not be there yet; - is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The format of IN [default: by the end of its name].
    #[arg(long, value_name = "FORMAT", value_parser = format(Format::is_readable))]
    from: Option<Format>,
    /// The format of OUT [default: by the end of its name].
    #[arg(long, value_name = "FORMAT", value_parser = format(|_| true))]
    to: Option<Format>,
    /// Write several files if the format ends at board 99 and the boards do not.
    #[arg(long)]
    split: bool,
}

/// Parses the name of a format, and lists them in the help.
fn format(which: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.into_iter().filter(|format| which(*format));
    let names: Vec<&str> = formats.map(Format::name).collect();
    PossibleValuesParser::new(names)
        .try_map(|name| Format::named(&name).ok_or("this is no format of boards"))
}

/// The most bytes of a file of boards: enough for 200 000 boards in PBN.
const MOST: u64 = 64 << 20;

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let from = args
        .from
        .map_or_else(|| by_suffix(&args.input, "--from"), Ok)?;
    let to = args
        .to
        .map_or_else(|| by_suffix(&args.output, "--to"), Ok)?;
    let input = args.input.display();
    let bytes = read(&args.input)?;
    let boards = from.read(&bytes).with_context(|| input.to_string())?;
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
    if from == Format::Bri {
        let last = boards.len();
        say(&format!(
            "{input} holds no board numbers: its boards get 1 to {last}."
        ));
    }
    for (path, boards, bytes) in files {
        let written = whole_file::write_output(Some(&path), |file| file.write_all(&bytes))?;
        if let Some(path) = written {
            say(&wrote(path, &boards));
        }
        if !to.says_numbers(&boards) {
            say(unnumbered(&boards));
        }
    }
    Ok(())
}

/// The bytes of a file of boards.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(cannot)?;
    let length = file.take(MOST + 1).read_to_end(&mut bytes);
    let length = length.with_context(cannot)?;
    ensure!(
        length as u64 <= MOST,
        "{} is too large: a file of boards has at most {} MiB",
        path.display(),
        MOST >> 20
    );
    Ok(bytes)
}

/// The format that the end of a name says.
fn by_suffix(path: &Path, option: &str) -> anyhow::Result<Format> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    suffix.and_then(Format::of_suffix).with_context(|| {
        let path = path.display();
        format!("the name {path} does not end like a format of boards: name one with {option}")
    })
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

fn wrote(path: &Path, boards: &[Board]) -> String {
    let [first, last] = [boards.first(), boards.last()].map(|board| board.map_or(0, |b| b.number));
    let count = count(boards.len() as u64);
    format!(
        "Wrote {}: {count} boards, {first} to {last}.",
        path.display()
    )
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
