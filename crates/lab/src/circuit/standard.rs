//! `circuit standard`: writes the netlists of the standard decks, and a page that describes them.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use comfy_table::{CellAlignment, Table, presets};
use dealerless::circuit::bristol;
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use dealerless_command_line::output::{bytes, count, say, show_json};
use dealerless_command_line::whole_file;
use serde::Serialize;

use super::entry::Counts;

/// Writes the netlists of the standard decks and a README.md into a folder.
///
/// For each algorithm: 9, 20 and 52 of 52 cards, and 25 of 25. Files over 600 kB are not written,
/// but the README.md lists their digests too.
#[derive(clap::Args)]
#[command(after_help = "Example: dealerless circuit standard circuits")]
pub struct Args {
    /// Folder for the files; it is created if it does not exist.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Print the table as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Decks and draws, as (cards, drawn): hold'em for two, five-card draw for two, a whole deck, and
/// the full shuffle that papers compare.
const DEALS: [(usize, usize); 4] = [(52, 9), (52, 20), (52, 52), (25, 25)];

/// Larger files are not written, to keep a clone of the repository small.
const MAX_FILE_BYTES: usize = 600_000;

/// The template of the page.
const PAGE: &str = include_str!("standard.md");

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let folder = &args.folder;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let write = |name: &str, content: &[u8]| {
        whole_file::write(&folder.join(name), |file| file.write_all(content))
    };
    let mut files = Vec::new();
    for (cards, draw) in DEALS {
        for algorithm in Algorithm::ALL {
            let (file, netlist) = StandardFile::make(cards, draw, algorithm)?;
            if file.written {
                write(&file.file, &netlist)?;
            }
            files.push(file);
        }
    }
    write("README.md", page(&files).as_bytes())?;
    let written = files.iter().filter(|file| file.written);
    let total: usize = written.clone().map(|file| file.bytes).sum();
    say(&format!(
        "Wrote {} netlists into {}: {}.",
        written.count(),
        folder.display(),
        bytes(total as u64)
    ));
    if args.json {
        show_json("circuit standard", &Report { files: &files })?;
    }
    Ok(())
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    files: &'a [StandardFile],
}

/// A netlist of a standard deck.
#[derive(Serialize)]
struct StandardFile {
    file: String,
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    /// Whether the file is small enough to be written.
    written: bool,
    bytes: usize,
    /// The BLAKE3 digest of the file, in hexadecimal.
    blake3: String,
    #[serde(flatten)]
    counts: Counts,
}

impl StandardFile {
    fn make(cards: usize, draw: usize, algorithm: Algorithm) -> anyhow::Result<(Self, Vec<u8>)> {
        let shuffle = ShuffleCircuit::build(Spec::new(cards, draw, algorithm)?);
        let mut netlist = Vec::new();
        bristol::write(shuffle.circuit(), &mut netlist)?;
        let file = StandardFile {
            file: format!("{algorithm}-{draw}-of-{cards}.txt"),
            algorithm: algorithm.name(),
            cards,
            draw,
            written: netlist.len() <= MAX_FILE_BYTES,
            bytes: netlist.len(),
            blake3: blake3::hash(&netlist).to_string(),
            counts: Counts::of(shuffle.circuit()),
        };
        Ok((file, netlist))
    }
}

/// The README.md of the folder.
fn page(files: &[StandardFile]) -> String {
    let table = |written| table(files.iter().filter(|file| file.written == written));
    PAGE.replace("{files}", &table(true))
        .replace("{left out}", &table(false))
}

fn table<'a>(files: impl Iterator<Item = &'a StandardFile>) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["file", "AND", "XOR", "NOT", "AND depth", "bytes", "BLAKE3"]);
    for file in files {
        let number = |value: usize| count(value as u64);
        let counts = &file.counts;
        table.add_row([
            file.file.clone(),
            number(counts.and),
            counts.of_built(|built| number(built.xor)),
            counts.of_built(|built| number(built.not)),
            counts.of_built(|built| number(built.and_depth)),
            number(file.bytes),
            format!("`{}`", file.blake3),
        ]);
    }
    for column in table.column_iter_mut().skip(1).take(5) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}
