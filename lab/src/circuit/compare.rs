//! `circuit compare`: whether two netlists compute the same.

use std::path::PathBuf;

use dealerless::circuit::bristol::{Difference, Netlist};
use dealerless_program::failure::AnswerIsNo;
use dealerless_program::output::{show, show_json};
use serde::Serialize;

use super::answer::Answer;
use super::netlist_file::FormatArgs;
use super::values::ValueArgs;

/// Says whether two netlists compute the same, or on which input they first differ.
///
/// Up to 24 input bits all inputs are tried, which is a proof.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit compare adder.txt smaller.txt\n  \
    dealerless circuit compare a.txt b.txt.gz --trials 1000000 --seed 7 --json\n\n\
    With more than 24 input bits, or with --trials, inputs are chosen: all zeros, all\n\
    ones, a single one at each place (of up to 4096), and TRIALS at random. What these\n\
    do not find may still be there, and the answer says how rare it must be. Inputs that\n\
    a netlist is not meant for, such as seeds out of range, are tried like all others.\n\n\
    Exit codes: 0 no difference was found, 1 wrong usage, files that are no netlists,\n\
    or values of other sizes, 4 the netlists differ.")]
pub struct Args {
    /// A netlist: Bristol Fashion or the format of old, plain or gzip; - is standard input.
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The other netlist.
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Random inputs to try, also where all inputs could be tried [default: 65536].
    #[arg(long, value_name = "TRIALS", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    trials: Option<u64>,
    /// The seed of the random inputs, if any are tried [default: a fresh one].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    values: ValueArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let first = args.format.read_shown(&args.first)?;
    let second = args.format.read_shown(&args.second)?;
    let answer = Answer::find([&first, &second], args.trials, args.seed)?;
    let netlists = [&first, &second];
    let difference = match answer.difference() {
        Some(difference) => Some(Told::new(difference, netlists, args.values)?),
        None => None,
    };
    if args.json {
        let report = Report {
            files: [&args.first, &args.second].map(|path| path.display().to_string()),
            answer: answer.report(),
            difference: difference.as_ref(),
        };
        show_json("circuit compare", &report)?;
    } else {
        show(&answer.say())?;
        if let Some(told) = &difference {
            show(&told.say(args))?;
        }
    }
    match difference {
        Some(_) => Err(AnswerIsNo("the netlists differ").into()),
        None => Ok(()),
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    files: [String; 2],
    #[serde(flatten)]
    answer: super::answer::Report,
    /// Absent if none was found.
    difference: Option<&'a Told>,
}

/// A difference, with what the netlists make of it.
#[derive(Serialize)]
struct Told {
    inputs: Vec<String>,
    /// Of the first netlist.
    first: Vec<String>,
    /// Of the second.
    second: Vec<String>,
}

impl Told {
    fn new(
        difference: &Difference,
        netlists: [&Netlist; 2],
        values: ValueArgs,
    ) -> anyhow::Result<Self> {
        let texts = |words: Vec<Vec<bool>>| words.iter().map(|word| values.show(word)).collect();
        let inputs = |netlist: &Netlist| -> Vec<Vec<bool>> {
            let mut bits = difference.input.iter().copied();
            let widths = netlist.inputs().iter();
            widths
                .map(|&width| bits.by_ref().take(width).collect())
                .collect()
        };
        let [first, second] = netlists;
        Ok(Told {
            first: texts(first.evaluate(&inputs(first))?),
            second: texts(second.evaluate(&inputs(second))?),
            inputs: texts(inputs(first)),
        })
    }

    fn say(&self, args: &Args) -> String {
        let list = |name: &str, values: &[String]| -> String {
            let lines = (1..).zip(values);
            lines
                .map(|(number, value)| format!("\n  {name} {number}: {value}"))
                .collect()
        };
        let outputs =
            |path: &PathBuf, values| format!("\n{}{}", path.display(), list("output", values));
        format!(
            "{}{}{}",
            list("input", &self.inputs).trim_start_matches('\n'),
            outputs(&args.first, &self.first),
            outputs(&args.second, &self.second)
        )
    }
}
