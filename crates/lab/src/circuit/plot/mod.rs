//! `circuit plot`: draws the costs of the shuffles.

mod crossings;
mod curve;
mod guest;
mod plan;
mod points;
mod scene;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::ValueEnum;
use dealerless_command_line::memory::MemoryArgs;
use dealerless_command_line::output::{count, say, show_json};
use dealerless_command_line::whole_file;
use serde::Serialize;

use self::crossings::{Crossing, crossings};
use self::curve::Y;
use self::guest::{Guest, With};
use self::plan::{Plan, Sizes};
use self::points::PointsFile;
use self::scene::Scene;
use super::selection::{self, Selection};
use super::sweep::{Draws, Numbers};
use crate::plot::Picture;

/// Draws the costs of the shuffles as SVG, PNG or PDF, and marks where the cheapest shuffle changes.
///
/// It also marks where a switching network, which moves the whole deck, becomes cheaper than
/// fisher-yates and lehmer, which stop after the drawn cards.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit plot -o ands.svg\n  \
    dealerless circuit plot --cards 20 --json -o ands.svg\n  \
    dealerless circuit plot --against cards --cards 16,32,...,512 --draw 9 \\\n      \
    -o ands.svg\n  \
    dealerless circuit plot --checked --y joint-ands --comparison -o joint.png\n  \
    dealerless circuit plot --y malicious-bytes -o figure.pdf\n  \
    dealerless circuit plot --with mine.txt@9 --points ands.csv -o ands.svg\n\n\
    Lists of numbers have the same form as for circuit stats. If there are few points,\n\
    markers show the counted circuits. The vertical axis is logarithmic and omits 0.")]
pub struct Args {
    /// Quantity on the horizontal axis.
    #[arg(long, value_name = "WHAT", default_value = "draw")]
    against: Against,
    /// Cards in the deck; a list with --against cards [default: 52, or 4 to 256].
    #[arg(long, value_name = "N")]
    cards: Option<Numbers>,
    /// Cards drawn: a list, or with --against cards a number or all [default: all].
    #[arg(long, value_name = "M")]
    draw: Option<Draws>,
    /// Shuffle algorithms, separated by commas.
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', default_value = "all",
          value_parser = selection::parser())]
    algorithm: Vec<Selection>,
    /// Quantity on the vertical axis.
    #[arg(long, value_name = "WHAT", default_value = "ands")]
    y: Y,
    /// Plot the circuits of a malicious session, with the check that both inputs are in range; implied
    /// by --y malicious-bytes.
    #[arg(long)]
    checked: bool,
    /// Also plot circuits that are never used in a match: known mistakes, and the classical method.
    #[arg(long)]
    comparison: bool,
    /// Add a netlist, counted as written: as a horizontal line, or with @NUMBER as a point at this
    /// number on the horizontal axis. May be given several times.
    #[arg(long, value_name = "FILE[@NUMBER]")]
    with: Vec<With>,
    /// Also write the points to a file whose name ends in .csv or .json.
    #[arg(long, value_name = "FILE")]
    points: Option<PointsFile>,
    #[command(flatten)]
    limit: MemoryArgs,
    /// File to write: PDF if its name ends in .pdf, PNG if it ends in .png, SVG if it ends in .svg
    /// or has no extension; .gz after that compresses it. - is standard output [default: -].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the crossing points as one JSON object; requires -o FILE.
    #[arg(long)]
    json: bool,
}

/// The horizontal axis.
#[derive(Clone, Copy, ValueEnum)]
enum Against {
    /// The number of cards drawn, from one deck.
    Draw,
    /// The number of cards in the deck.
    Cards,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    file: String,
    points: Option<String>,
    y: Y,
    checked: bool,
    crossings: &'a [Crossing],
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let output = args.output.as_deref();
    whole_file::check_json(args.json, output)?;
    let read: Vec<&Path> = args.with.iter().map(With::path).collect();
    whole_file::check_output(output, &Picture::ENDINGS, &read)?;
    if let Some(points) = &args.points {
        whole_file::check_output(Some(points.path()), &PointsFile::ENDINGS, &read)?;
    }
    let plan = Plan::of(args)?;
    let guests = args
        .with
        .iter()
        .map(|with| Guest::read(with, plan.y, &plan));
    let guests = guests.collect::<anyhow::Result<Vec<_>>>()?;
    let mut sizes = Sizes::count(&plan);
    let crossings = crossings(&plan, &mut sizes);
    let scene = Scene::new(&plan, &mut sizes, &crossings, guests);
    drop(sizes);
    ensure!(
        !scene.is_empty(),
        "the plot would be empty: every requested circuit has 0 {}, which a logarithmic axis cannot show",
        plan.y.words().unit
    );
    let (picture, lines) = scene.picture();
    let picture = picture.file(output)?;
    if let Some(points) = &args.points {
        points.write(&plan, &lines)?;
        say(&format!("Wrote {}.", points.path().display()));
    }
    let Some(path) = whole_file::write_output(output, |file| file.write_all(&picture))? else {
        return Ok(());
    };
    say(&format!("Wrote {}.", path.display()));
    if args.json {
        show_json(
            "circuit plot",
            &Report {
                file: path.display().to_string(),
                points: (args.points.as_ref()).map(|points| points.path().display().to_string()),
                y: plan.y,
                checked: plan.checked,
                crossings: &crossings,
            },
        )?;
    }
    Ok(())
}

fn number(number: usize) -> String {
    count(number as u64)
}
