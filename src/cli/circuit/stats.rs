//! `circuit stats`: what each shuffle costs.

use std::iter;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use comfy_table::{CellAlignment, Table};
use dealerless::shuffle::{Algorithm, ShuffleCircuit, Spec};
use serde::Serialize;

use crate::cli::output::{bytes, count, grid, show, show_json};

/// Bytes of garbled tables for an AND gate: two blocks, as half gates.
const HALF_GATE_BYTES: usize = 32;

/// Shows the size of the shuffle circuits.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit stats\n  \
    dealerless circuit stats --cards 52 --draw 9 --algorithm fisher-yates --json")]
pub(crate) struct Args {
    /// Cards in the deck.
    #[arg(long, value_name = "N", default_value_t = 52)]
    cards: usize,
    /// Cards drawn from it [default: all].
    #[arg(long, value_name = "M")]
    draw: Option<usize>,
    /// Which shuffle.
    #[arg(long, value_name = "ALGORITHM", default_value = "all", value_parser = choice())]
    algorithm: Choice,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values, with a line of names first.
    #[arg(long)]
    csv: bool,
}

/// Which algorithms are counted.
#[derive(Clone)]
enum Choice {
    One(Algorithm),
    All,
}

fn choice() -> impl TypedValueParser<Value = Choice> {
    let names = iter::once("all").chain(Algorithm::ALL.map(Algorithm::name));
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "all" => Ok(Choice::All),
        name => name.parse().map(Choice::One),
    })
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    cards: usize,
    draw: usize,
    rows: Vec<Row>,
}

/// One circuit.
#[derive(Serialize)]
struct Row {
    algorithm: &'static str,
    /// Whether the circuit also checks that the seeds are in range.
    checked: bool,
    and: usize,
    xor: usize,
    not: usize,
    and_depth: usize,
    /// Bits.
    garbler_inputs: usize,
    /// Bits.
    evaluator_inputs: usize,
    /// Bits.
    outputs: usize,
    half_gate_bytes: usize,
}

impl Row {
    fn count(algorithm: Algorithm, cards: usize, draw: usize) -> anyhow::Result<Self> {
        let shuffle = ShuffleCircuit::build(Spec::new(cards, draw, algorithm)?);
        let stats = shuffle.circuit().stats();
        Ok(Row {
            algorithm: algorithm.name(),
            checked: false,
            and: stats.and,
            xor: stats.xor,
            not: stats.not,
            and_depth: stats.and_depth,
            garbler_inputs: stats.inputs[0],
            evaluator_inputs: stats.inputs[1],
            outputs: stats.outputs.iter().sum(),
            half_gate_bytes: HALF_GATE_BYTES * stats.and,
        })
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (cards, draw) = (args.cards, args.draw.unwrap_or(args.cards));
    let algorithms = match args.algorithm {
        Choice::One(algorithm) => vec![algorithm],
        Choice::All => Algorithm::ALL.to_vec(),
    };
    let rows = algorithms
        .into_iter()
        .map(|algorithm| Row::count(algorithm, cards, draw))
        .collect::<anyhow::Result<Vec<Row>>>()?;
    if args.json {
        show_json(&Report { cards, draw, rows })
    } else if args.csv {
        show(&csv(cards, draw, &rows))
    } else {
        show(&format!(
            "{} of {} cards:\n\n{}\n\n\
             Inputs (garbler's and evaluator's) and outputs in bits; garbled: half gates.",
            count(draw as u64),
            count(cards as u64),
            table(&rows).trim_fmt()
        ))
    }
}

fn csv(cards: usize, draw: usize, rows: &[Row]) -> String {
    let mut lines = vec![
        "cards,draw,algorithm,checked,and,xor,not,and_depth,\
         garbler_inputs,evaluator_inputs,outputs,half_gate_bytes"
            .to_owned(),
    ];
    lines.extend(rows.iter().map(|row| {
        format!(
            "{cards},{draw},{},{},{},{},{},{},{},{},{},{}",
            row.algorithm,
            row.checked,
            row.and,
            row.xor,
            row.not,
            row.and_depth,
            row.garbler_inputs,
            row.evaluator_inputs,
            row.outputs,
            row.half_gate_bytes,
        )
    }));
    lines.join("\n")
}

fn table(rows: &[Row]) -> Table {
    let mut grid = grid();
    grid.set_header([
        "algorithm",
        "AND",
        "XOR",
        "NOT",
        "AND\ndepth",
        "inputs\n(g + e)",
        "outputs",
        "garbled",
    ]);
    for row in rows {
        let number = |value: usize| count(value as u64);
        grid.add_row([
            row.algorithm.to_owned(),
            number(row.and),
            number(row.xor),
            number(row.not),
            number(row.and_depth),
            format!(
                "{} + {}",
                number(row.garbler_inputs),
                number(row.evaluator_inputs)
            ),
            number(row.outputs),
            bytes(row.half_gate_bytes as u64),
        ]);
    }
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    grid
}
