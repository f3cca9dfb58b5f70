//! `circuit plot`: the AND gates of every shuffle, as a picture.

mod crossings;
mod picture;
mod plan;

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;

use self::crossings::{Crossing, crossings};
use self::plan::{Plan, Sizes};
use super::selection::{self, Selection};
use super::sweep::{Draws, Numbers};
use crate::memory::MemoryArgs;
use crate::output::{count, say, show_json};
use crate::whole_file;

/// Draws the AND gates of every shuffle as SVG, with the points where the cheapest changes.
///
/// Marked too: where a switching network, which moves the whole deck, becomes cheaper than
/// fisher-yates and lehmer, which stop after the cards drawn.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit plot -o ands.svg\n  \
    dealerless circuit plot --cards 20 --json -o ands.svg\n  \
    dealerless circuit plot --against cards --cards 16,32,...,512 --draw 9 -o ands.svg\n\n\
    Lists of numbers are written as for circuit stats.")]
pub(crate) struct Args {
    /// What grows from left to right.
    #[arg(long, value_name = "WHAT", default_value = "draw")]
    against: Against,
    /// Cards in the deck; with --against cards a list [default: 52, or 4 to 256].
    #[arg(long, value_name = "N")]
    cards: Option<Numbers>,
    /// Cards drawn: a list; with --against cards a number, or all [default: all].
    #[arg(long, value_name = "M")]
    draw: Option<Draws>,
    /// Which shuffles, with commas between.
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', default_value = "all",
          value_parser = selection::parser())]
    algorithm: Vec<Selection>,
    #[command(flatten)]
    limit: MemoryArgs,
    /// The file to write; - is standard output [default: -].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the crossing points as one JSON object; -o FILE must be given.
    #[arg(long)]
    json: bool,
}

/// The horizontal axis.
#[derive(Clone, Copy, ValueEnum)]
enum Against {
    /// The cards drawn, from one deck.
    Draw,
    /// The cards of the deck.
    Cards,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    file: String,
    crossings: &'a [Crossing],
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    whole_file::check_json(args.json, args.output.as_deref())?;
    let plan = Plan::of(args)?;
    let mut sizes = Sizes::count(&plan);
    let crossings = crossings(&plan, &mut sizes);
    let svg = picture::draw(&plan, &mut sizes, &crossings)?;
    drop(sizes);
    let output = args.output.as_deref();
    let Some(path) = whole_file::write_output(output, |file| file.write_all(svg.as_bytes()))?
    else {
        return Ok(());
    };
    say(&format!("Wrote {}.", path.display()));
    if args.json {
        show_json(
            "circuit plot",
            &Report {
                file: path.display().to_string(),
                crossings: &crossings,
            },
        )?;
    }
    Ok(())
}

fn number(number: usize) -> String {
    count(number as u64)
}
