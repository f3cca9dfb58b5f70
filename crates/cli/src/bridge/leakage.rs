//! `bridge leakage`: what one sheet alone reveals about the deal.

mod picture;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use dealerless_bridge::leakage::{Answer, Estimate, Findings, Question, STEPS, study};
use dealerless_bridge::sheets::Scheme;
use dealerless_lab::plot::Picture;
use serde::Serialize;

use super::sheets::scheme;
use crate::latex::{self, Cell};
use crate::output::{count, grid, lines, say, show, show_json};
use crate::progress::Progress;
use crate::whole_file;

/// Measures what the second sheet alone reveals about the deal.
///
/// The first sheet reveals nothing, because it is drawn without the deal. From the second sheet the
/// command guesses who has a card, and which card, suit or rank is at a place of the pack. Half of
/// the samples train the guesses. The other half count how often the guesses are right.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bridge leakage\n  \
    dealerless bridge leakage --scheme published,thirteen --csv leaks.csv\n  \
    dealerless bridge leakage --picture leaks.svg")]
pub(crate) struct Args {
    /// Schemes to measure, separated by commas [default: all].
    #[arg(long, value_name = "SCHEME", value_delimiter = ',', value_parser = scheme(),
          hide_default_value = true, default_values = Scheme::ALL.map(Scheme::name))]
    scheme: Vec<Scheme>,
    /// Boards drawn for each scheme.
    #[arg(long, value_name = "NUMBER", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u32).range(1000..=1_000_000_000))]
    samples: u32,
    /// Seed of the samples: the same number gives the same result.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Also write the rate for every card, place and pair of places as CSV; - is standard output.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also draw the rates into this file, whose name ends in .svg, .png or .pdf; - is standard
    /// output, as SVG.
    #[arg(long, value_name = "FILE", alias = "svg")]
    picture: Option<PathBuf>,
    /// Print the rates as a table for LaTeX, with the rules of the package booktabs.
    #[arg(long, conflicts_with = "json")]
    latex: bool,
    /// Print a JSON object for each scheme.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    scheme: &'static str,
    movements: usize,
    samples: u32,
    seed: u64,
    owner: Rate,
    most: Vec<Most>,
}

/// A rate with its confidence interval, and the rate by chance.
#[derive(Serialize)]
struct Rate {
    rate: f64,
    low: f64,
    high: f64,
    chance: f64,
}

impl Rate {
    fn of(question: Question, estimate: &Estimate) -> Rate {
        Rate {
            rate: estimate.rate,
            low: estimate.low,
            high: estimate.high,
            chance: question.chance(),
        }
    }
}

/// The card, place or pair of places that reveals most.
#[derive(Serialize)]
struct Most {
    question: &'static str,
    of: String,
    #[serde(flatten)]
    rate: Rate,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let files = [args.csv.as_deref(), args.picture.as_deref()];
    let on_output = |path: &&Path| whole_file::is_standard_output(path);
    let outputs = files.into_iter().flatten().filter(on_output).count();
    ensure!(
        outputs + usize::from(args.json || args.latex) <= 1,
        "only one of --csv -, --picture -, --latex and --json can use standard output: give files for the others"
    );
    whole_file::check_output(files[0], &["csv", "txt"], &[])?;
    whole_file::check_output(files[1], &Picture::ENDINGS, &[])?;
    let progress = Progress::begin(STEPS * args.scheme.len(), "steps");
    let step = || progress.step();
    let findings: Vec<Findings> = (args.scheme.iter())
        .map(|scheme| study(*scheme, args.samples, args.seed, &step))
        .collect();
    drop(progress);
    if let Some(path) = &args.csv {
        write(path, csv(&findings).as_bytes())?;
    }
    if let Some(path) = &args.picture {
        write(path, &picture::draw(&findings, path)?)?;
    }
    if args.json {
        for found in &findings {
            show_json("bridge leakage", &report(found, args.seed))?;
        }
    } else if args.latex {
        show(&latex_table(&findings))?;
    } else if outputs == 0 {
        show(&screen(&findings))?;
    }
    Ok(())
}

/// Writes a file or standard output.
fn write(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let written = whole_file::write_output(Some(path), |file| file.write_all(content))?;
    if let Some(path) = written {
        say(&format!("Wrote {}.", path.display()));
    }
    Ok(())
}

fn report(found: &Findings, seed: u64) -> Report {
    let most = |answer: &Answer| Most {
        question: answer.question.name(),
        of: answer.of.clone(),
        rate: Rate::of(answer.question, &answer.rate),
    };
    Report {
        scheme: found.scheme.name(),
        movements: found.scheme.movements(),
        samples: found.samples,
        seed,
        owner: Rate::of(Question::Owner, &found.owner),
        most: found.most.iter().map(most).collect(),
    }
}

/// A rate in per cent, with half of the width of its confidence interval.
fn per_cent(rate: &Estimate) -> String {
    let half = (rate.high - rate.low) / 2.0;
    format!("{:.2}±{:.2}", 100.0 * rate.rate, 100.0 * half)
}

/// The rates of each scheme in per cent, after the rates by chance.
fn latex_table(findings: &[Findings]) -> String {
    let mut header = vec!["scheme"];
    header.extend(Question::ALL.map(Question::name));
    let per_cent = |rate: f64| Cell::Decimal(format!("{:.2}", 100.0 * rate));
    let row = |name: &str, rates: &mut dyn Iterator<Item = f64>| {
        let mut row = vec![Cell::Text(name.into())];
        row.extend(rates.map(per_cent));
        row
    };
    let mut rows = vec![row(
        "by chance",
        &mut Question::ALL.into_iter().map(Question::chance),
    )];
    for found in findings {
        let most = found.most[1..].iter().map(|answer| answer.rate.rate);
        let mut rates = std::iter::once(found.owner.rate).chain(most);
        rows.push(row(found.scheme.name(), &mut rates));
    }
    latex::table("bridge leakage", &header, &rows)
}

fn screen(findings: &[Findings]) -> String {
    let mut grid = grid();
    let chance = |question: Question| format!("{:.2}", 100.0 * question.chance());
    let mut header = vec!["scheme".to_owned(), "owner".into()];
    header.extend(
        Question::ALL[1..]
            .iter()
            .map(|question| question.name().into()),
    );
    grid.set_header(header);
    let mut row = vec!["by chance".to_owned()];
    row.extend(Question::ALL.map(chance));
    grid.add_row(row);
    for found in findings {
        let mut row = vec![found.scheme.name().to_owned(), per_cent(&found.owner)];
        row.extend(found.most[1..].iter().map(|answer| per_cent(&answer.rate)));
        grid.add_row(row);
    }
    let samples = findings.first().map_or(0, |found| found.samples);
    let moves = |found: &Findings| format!("{} {}", found.scheme.name(), found.scheme.movements());
    let moves: Vec<String> = findings.iter().map(moves).collect();
    let text = format!(
        "How often a guess from the second sheet alone is right, in per cent, with a 95 % interval; {} \
         boards for each scheme. Owner: who has a card, over all cards. Card, suit, rank: what is at the \
         place that reveals most. Same-suit: how often the cards at two places have the same suit, for \
         the pair that differs most from chance. Cards put down for a board: {}.",
        count(samples.into()),
        moves.join(", ")
    );
    format!("{}\n\n{}", grid.trim_fmt(), lines(&text))
}

fn csv(findings: &[Findings]) -> String {
    let mut csv = "scheme,samples,question,of,rate,low,high,chance\n".to_owned();
    for found in findings {
        for Answer { question, of, rate } in &found.answers {
            let Estimate { rate, low, high } = rate;
            csv.push_str(&format!(
                "{},{},{},{of},{rate:.6},{low:.6},{high:.6},{:.6}\n",
                found.scheme.name(),
                found.samples,
                question.name(),
                question.chance()
            ));
        }
    }
    csv
}
