//! `bridge records`: hand records and curtain cards for a file of boards.

use std::path::{Path, PathBuf};

use dealerless_bridge::sheets::{Page, curtain_cards, records};
use serde::Serialize;

use super::board_file;
use crate::output::{say, show_json};
use crate::whole_file;

/// Writes hand records of a file of boards, for use after the play, or curtain cards.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge records set.pbn\n  \
    dealerless bridge records set.pbn -o records.html\n  \
    dealerless bridge records set.pbn --curtain-cards -o cards.html\n\n\
    A name that ends in .html or .htm gives pages to print on A4 from a browser. A\n\
    name that ends in .txt, or has no extension, gives text. An additional .gz\n\
    compresses the file.")]
pub(crate) struct Args {
    #[command(flatten)]
    input: board_file::Input,
    /// Write a card for each hand, with which players check the cards in their pockets.
    #[arg(long)]
    curtain_cards: bool,
    /// The file to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object; needs -o.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    file: String,
    boards: usize,
    curtain_cards: bool,
    #[serde(flatten)]
    read: board_file::Read,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    whole_file::check_json(args.json, args.output.as_deref())?;
    let endings = ["txt", "html", "htm"];
    whole_file::check_output(args.output.as_deref(), &endings, &[&args.input.path])?;
    let reading = args.input.read()?;
    let boards = &reading.boards;
    let page = page(args.output.as_deref());
    let text = if args.curtain_cards {
        curtain_cards(page, boards)
    } else {
        records(page, boards)
    };
    let fill = |file: &mut dyn std::io::Write| file.write_all(text.as_bytes());
    let Some(path) = whole_file::write_output(args.output.as_deref(), fill)? else {
        return Ok(());
    };
    let file = path.display().to_string();
    if args.json {
        let report = Report {
            file,
            boards: boards.len(),
            curtain_cards: args.curtain_cards,
            read: board_file::Read::of(&reading),
        };
        return show_json("bridge records", &report);
    }
    say(&format!("Wrote {file}."));
    Ok(())
}

/// HTML or text, according to the file extension.
fn page(path: Option<&Path>) -> Page {
    match path.and_then(whole_file::ending).as_deref() {
        Some("html" | "htm") => Page::Html,
        _ => Page::Text,
    }
}
