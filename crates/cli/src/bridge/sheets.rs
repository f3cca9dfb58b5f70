//! `bridge sheets`: two sheets with which two people deal hands that neither of them knows.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless_bridge::sheets::{
    BoardSheets, Dealer, Page, Scheme, curtain_cards, records, sheet, uniform_deal,
};
use dealerless_bridge::{Board, Deal};
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use serde::Serialize;

use crate::output::{lines, say, show_json};
use crate::whole_file;

/// Writes two paper sheets with which two people deal hands that neither of them knows.
///
/// For each board one dealer sorts the pack and deals it into piles, and the other deals the piles
/// to the four hands. Each dealer does the first half of some boards and the second half of others.
/// The folder gets a sheet for each dealer, curtain cards and hand records, as text and as HTML to
/// print. Nobody may look at more than one sheet, or at the cards and records, before the boards
/// are played.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge sheets --boards 24 -o evening\n  \
    dealerless bridge sheets --deals deals.txt --first 25 -o evening\n\n\
    See docs/bridge.md in the repository for what each scheme reveals to the owner of\n\
    one sheet, and why `thirteen` reveals nothing.")]
pub(crate) struct Args {
    #[command(flatten)]
    source: Source,
    /// The number of the first board.
    #[arg(long, value_name = "NUMBER", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=9999))]
    first: u32,
    /// The scheme by which the first sheets are drawn.
    #[arg(long, value_name = "SCHEME", default_value = Scheme::Thirteen.name(), value_parser = scheme())]
    scheme: Scheme,
    /// The folder for the files; created if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Print a JSON object, which reveals nothing about the deals.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    folder: String,
    scheme: &'a str,
    movements: usize,
    boards: usize,
    first: u32,
    files: Vec<String>,
}

/// The source of the deals.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Source {
    /// Draw this many deals, all equally likely.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=MOST as i64))]
    boards: Option<u32>,
    /// Read the deals, one a line, such as N:AKQ.432... and so on; - is standard input.
    #[arg(long, value_name = "FILE")]
    deals: Option<PathBuf>,
}

/// The maximum number of boards in a set.
const MOST: u32 = 1000;
/// The size limit of a list of deals, in bytes.
const LONGEST: u64 = 1 << 20;

/// A parser of the names of schemes, which lists them in the help.
pub(super) fn scheme() -> impl TypedValueParser<Value = Scheme> {
    PossibleValuesParser::new(Scheme::ALL.map(Scheme::name)).map(|name| {
        let mut all = Scheme::ALL.into_iter();
        all.find(|scheme| scheme.name() == name)
            .unwrap_or(Scheme::Thirteen)
    })
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let rng = &mut UnwrapErr(SysRng);
    let deals = match &args.source {
        Source {
            deals: Some(path), ..
        } => read(path)?,
        source => (0..source.boards.unwrap_or_default())
            .map(|_| uniform_deal(rng))
            .collect(),
    };
    let boards = (args.first..).zip(deals);
    let boards: Vec<Board> = boards
        .map(|(number, deal)| Board { number, deal })
        .collect();
    let mut sheets = Vec::new();
    for board in &boards {
        let drawn = BoardSheets::draw(board, args.scheme, rng);
        // Nobody can check a sheet before it is used, so the program checks it.
        ensure!(
            drawn.follow() == Ok(board.deal),
            "the sheets of board {} do not produce its deal",
            board.number
        );
        sheets.push(drawn);
    }
    std::fs::create_dir_all(&args.output)
        .with_context(|| format!("cannot create {}", args.output.display()))?;
    let files = write(&args.output, &boards, &sheets)?;
    let folder = args.output.display();
    let count = match boards.len() {
        1 => "1 board".to_owned(),
        boards => format!("{boards} boards"),
    };
    say(&lines(&format!(
        "Wrote the sheets of {count} to {folder}: dealer-1 for one dealer, dealer-2 for the other, \
         curtain-cards for after the deal, and records for after the play; each as .txt and .html."
    )));
    if args.json {
        let report = Report {
            folder: folder.to_string(),
            scheme: args.scheme.name(),
            movements: args.scheme.movements(),
            boards: boards.len(),
            first: args.first,
            files: files
                .iter()
                .map(|file| file.display().to_string())
                .collect(),
        };
        show_json("bridge sheets", &report)?;
    }
    Ok(())
}

/// Writes the eight files without overwriting any, and returns their names.
fn write(folder: &Path, boards: &[Board], sheets: &[BoardSheets]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (page, ending) in [(Page::Text, "txt"), (Page::Html, "html")] {
        for (name, text) in [
            ("dealer-1", sheet(page, Dealer::One, sheets)),
            ("dealer-2", sheet(page, Dealer::Two, sheets)),
            ("curtain-cards", curtain_cards(page, boards)),
            ("records", records(page, boards)),
        ] {
            let path = folder.join(format!("{name}.{ending}"));
            ensure!(
                !path.exists(),
                "{} already exists: it may be for boards that are still to be played",
                path.display()
            );
            files.push((path, text));
        }
    }
    for (path, text) in &files {
        whole_file::write_private(path, text.as_bytes())?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

/// Reads the deals of a file.
fn read(path: &Path) -> anyhow::Result<Vec<Deal>> {
    let name = if whole_file::is_standard_output(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let deals = if whole_file::is_standard_output(path) {
        deals(io::stdin().lock())
    } else {
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        deals(BufReader::new(file))
    };
    deals.with_context(|| format!("cannot read the deals of {name}"))
}

/// Parses a deal from each line that is not empty.
fn deals(source: impl BufRead) -> anyhow::Result<Vec<Deal>> {
    let mut deals = Vec::new();
    let mut text = Vec::new();
    source.take(LONGEST + 1).read_to_end(&mut text)?;
    ensure!(
        text.len() as u64 <= LONGEST,
        "the list is larger than a mebibyte"
    );
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        let line = std::str::from_utf8(line)
            .with_context(|| format!("line {number} is not text"))?
            .trim();
        if line.is_empty() {
            continue;
        }
        if deals.len() == MOST as usize {
            bail!("line {number}: a set has at most {MOST} boards");
        }
        let deal: Deal = line.parse().with_context(|| format!("line {number}"))?;
        deals.push(deal);
    }
    ensure!(!deals.is_empty(), "there are no deals");
    Ok(deals)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAL: &str = "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98";

    #[test]
    fn deals_are_read_one_a_line() {
        let read = deals(format!("{DEAL}\r\n\n{DEAL}").as_bytes()).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[1].to_string(), DEAL);
    }

    #[test]
    fn an_invalid_list_of_deals_is_refused_with_the_line() {
        let refused = |text: &[u8]| format!("{:#}", deals(text).unwrap_err());
        assert_eq!(refused(b""), "there are no deals");
        let twice = format!("{DEAL}\n\n{}", DEAL.replace("J2", "Q2"));
        assert!(refused(twice.as_bytes()).starts_with("line 3: the card SQ appears twice"));
        assert!(refused(b"\n\xff\n").starts_with("line 2 is not text"));
        let many = format!("{DEAL}\n").repeat(1001);
        assert_eq!(
            refused(many.as_bytes()),
            "line 1001: a set has at most 1000 boards"
        );
        let long = vec![b' '; LONGEST as usize + 1];
        assert!(refused(&long).contains("larger than a mebibyte"));
    }

    #[test]
    fn hostile_lines_are_refused_with_the_line_and_without_control_characters() {
        let refused = |line: &str| {
            let text = format!("{DEAL}\n{line}\n");
            format!("{:#}", deals(text.as_bytes()).unwrap_err())
        };
        let cards = |more: &str| DEAL.replace("N:J2", &format!("N:{more}J2"));
        for (line, wrong) in [
            (cards("K"), "appears twice"),
            (cards("JJ"), "appears twice"),
            (DEAL.replace("N:J2", "N:J"), "12 cards"),
            (cards("\u{1b}[2J"), "is not a rank"),
            (cards("\0"), "is not a rank"),
            (cards("♠"), "is not a rank"),
            (cards("10"), "is not a rank"),
            (DEAL.replace("N:", "\u{feff}N:"), "line 2"),
            (DEAL.replace(' ', "\t"), "line 2"),
            (DEAL.replace('.', ""), "line 2"),
            (format!("{DEAL} {DEAL}"), "line 2"),
            (DEAL[..40].into(), "line 2"),
            (":".repeat(100_000), "line 2"),
            (format!("N:{}", " ".repeat(100_000) + "."), "line 2"),
            (format!("N:{}", ".".repeat(100_000)), "line 2"),
            (cards(&"A".repeat(100_000)), "appears twice"),
        ] {
            let error = refused(&line);
            assert!(
                error.starts_with("line 2: ") && error.contains(wrong),
                "{error}"
            );
            assert!(!error.contains(|c: char| c.is_control()), "{error:?}");
            assert!(error.len() < 200, "{error}");
        }
    }
}
