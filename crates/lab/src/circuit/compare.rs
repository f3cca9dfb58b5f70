//! `circuit compare`: checks whether two netlists are equivalent.

use std::path::PathBuf;
use std::time::Duration;

use dealerless::circuit::bristol::{Difference, Netlist};
use dealerless_command_line::failure::AnswerIsNo;
use dealerless_command_line::output::{show, show_json};
use serde::Serialize;

use super::answer::{Answer, Verdict};
use super::netlist_file::FormatArgs;
use super::values::ValueArgs;

/// Checks whether two netlists are equivalent, and shows the first input on which they differ.
///
/// With up to 24 input bits, all inputs are tried, which is a proof. With more, some inputs are
/// tried, and then a SAT solver searches for a proof or for an input on which they differ.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit compare adder.txt smaller.txt\n  \
    dealerless circuit compare a.txt b.txt.gz --trials 1000000 --seed 7 --json\n\n\
    With more than 24 input bits, or with --trials, only some inputs are tried: all\n\
    zeros, all ones, a single one at each position (with up to 4096 input bits), and\n\
    TRIALS random inputs. Invalid inputs, such as seeds out of range, are tried too.\n\
    If they show no difference, a SAT solver tries to prove equality. It\n\
    succeeds for circuits with much in common, such as a netlist before and after\n\
    `circuit optimise`. It may fail for two designs of a multiplier. Then the answer\n\
    is `undecided`, with exit code 4. It states how rare a difference must be, and how\n\
    many output bits are proved equal.\n\n\
    Exit codes: 0 equal for all inputs, or undecided with --accept-random, 1 wrong\n\
    usage, invalid netlists, or values of different widths, 4 the netlists differ, or\n\
    undecided.")]
pub struct Args {
    /// First netlist, in Bristol Fashion, the older Bristol format, AIGER or BLIF, plain or gzip; -
    /// is standard input.
    #[arg(value_name = "A")]
    first: PathBuf,
    /// Second netlist.
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Number of random inputs to try, even if all inputs could be tried [default: 65536].
    #[arg(long, value_name = "TRIALS", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    trials: Option<u64>,
    /// Seed of the random inputs [default: random].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// CPU time in seconds for the proof; 0 for no proof.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    seconds: u64,
    /// Exit with code 0 if the inputs that were tried show no difference, even without a proof.
    #[arg(long)]
    accept_random: bool,
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
    let first = args.format.read_with_progress(&args.first)?;
    let second = args.format.read_with_progress(&args.second)?;
    let limit = Duration::from_secs(args.seconds);
    let answer = Answer::find([&first, &second], args.trials, args.seed, limit)?;
    let netlists = [&first, &second];
    let difference = match answer.difference() {
        Some(difference) => Some(ShownDifference::new(difference, netlists, args.values)?),
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
        show(&answer.describe())?;
        if let Some(difference) = &difference {
            show(&difference.describe(args))?;
        }
    }
    match answer.verdict() {
        Verdict::Different => Err(AnswerIsNo("the netlists differ").into()),
        Verdict::Undecided if !args.accept_random => {
            Err(AnswerIsNo("it is not proved that the netlists are equal").into())
        }
        Verdict::Equal | Verdict::Undecided => Ok(()),
    }
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    files: [String; 2],
    #[serde(flatten)]
    answer: super::answer::Report,
    /// The first difference; absent if none was found.
    difference: Option<&'a ShownDifference>,
}

/// An input on which the netlists differ, with the outputs of both.
#[derive(Serialize)]
struct ShownDifference {
    inputs: Vec<String>,
    /// The outputs of the first netlist.
    first: Vec<String>,
    /// The outputs of the second netlist.
    second: Vec<String>,
}

impl ShownDifference {
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
        Ok(ShownDifference {
            first: texts(first.evaluate(&inputs(first))?),
            second: texts(second.evaluate(&inputs(second))?),
            inputs: texts(inputs(first)),
        })
    }

    fn describe(&self, args: &Args) -> String {
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
