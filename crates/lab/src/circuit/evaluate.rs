//! `circuit evaluate`: evaluates a netlist in the clear.

use std::path::PathBuf;

use anyhow::ensure;
use dealerless::circuit::bristol::Netlist;
use dealerless_command_line::output::{show, show_json};
use serde::Serialize;

use super::netlist_file::FormatArgs;
use super::values::{self, Value, ValueArgs};

/// Evaluates a netlist in the clear, on one input.
#[derive(clap::Args)]
#[command(after_help = format!("Examples:\n  \
    dealerless circuit evaluate adder.txt --input 6,0x5 --output-format dec\n  \
    dealerless circuit evaluate adder.txt --input 0110 --input random --json\n\n\
    Give one VALUE for each input value that has bits, in order.\n\n{}\n\n\
    Exit codes: 0 success, 1 wrong usage, or an invalid netlist.", values::HELP))]
pub struct Args {
    /// Netlist in Bristol Fashion, the older Bristol format, AIGER or BLIF, plain or gzip; - is
    /// standard input.
    #[arg(value_name = "FILE")]
    netlist: PathBuf,
    /// Input values, separated by commas or each with its own --input.
    #[arg(long = "input", value_name = "VALUE", value_delimiter = ',')]
    inputs: Vec<String>,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    values: ValueArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    file: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let netlist = args.format.read_with_progress(&args.netlist)?;
    let values = read_inputs(&netlist, args)?;
    let inputs: Vec<Vec<bool>> = values.iter().map(|value| value.bits.to_vec()).collect();
    let outputs = netlist.evaluate(&inputs)?;
    let texts = |values: &[Vec<bool>]| -> Vec<String> {
        values.iter().map(|bits| args.values.show(bits)).collect()
    };
    let report = Report {
        file: args.netlist.display().to_string(),
        inputs: texts(&inputs),
        outputs: texts(&outputs),
    };
    if args.json {
        return show_json("circuit evaluate", &report);
    }
    // Show the inputs if one of them is random, since the user does not know a random input.
    if values.iter().any(|value| value.drawn) {
        for (number, input) in (1..).zip(&report.inputs) {
            show(&format!("input {number}: {input}"))?;
        }
    }
    for (number, output) in (1..).zip(&report.outputs) {
        show(&format!("output {number}: {output}"))?;
    }
    Ok(())
}

/// Reads a value of `--input` for each input value of the netlist. Those for input values without
/// bits may be omitted.
fn read_inputs(netlist: &Netlist, args: &Args) -> anyhow::Result<Vec<Value>> {
    let widths = netlist.inputs();
    let all = args.inputs.len() == widths.len();
    let given = widths.iter().filter(|&&bits| all || bits > 0).count();
    ensure!(
        args.inputs.len() == given,
        "the netlist has {given} input values, but --input gives {}",
        args.inputs.len()
    );
    let mut texts = args.inputs.iter();
    let mut inputs = Vec::with_capacity(widths.len());
    for (number, &bits) in (1..).zip(widths) {
        let text = if all || bits > 0 {
            texts.next().map_or("", String::as_str)
        } else {
            ""
        };
        let who = format!("input value {number}");
        inputs.push(args.values.read(text, bits, &who)?);
    }
    Ok(inputs)
}
