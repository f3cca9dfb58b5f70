//! The rows of `--json`, `--csv` and `--latex`, one per circuit.

use dealerless_command_line::latex::{self, Cell};
use dealerless_command_line::output::{csv_cell, show, show_json};
use serde::Serialize;
use serde_json::Value;

use super::super::entry::{Built, Counts, Entry};
use super::deals::Deal;
use super::netlists::NetlistEntry;

/// The object of `--json` for one deck and draw, or for one file.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    #[serde(flatten)]
    source: Source<'a>,
    rows: Vec<Row<'a>>,
}

/// The origin of circuits.
#[derive(Serialize)]
#[serde(untagged)]
enum Source<'a> {
    Deal { cards: usize, draw: usize },
    File { file: &'a str, format: String },
}

impl Source<'_> {
    /// The name of a circuit: the name of the file, or of the shuffle.
    fn circuit(&self, row: &Row<'_>) -> String {
        match self {
            Source::File { file, .. } => (*file).to_owned(),
            Source::Deal { .. } => {
                let name = row.algorithm.unwrap_or_default();
                format!("{name}{}", if row.checked { "+check" } else { "" })
            }
        }
    }
}

/// One circuit.
#[derive(Serialize)]
struct Row<'a> {
    /// The shuffle; null for the circuit of a file.
    algorithm: Option<&'static str>,
    /// Whether the circuit serves only as a comparison.
    comparison: bool,
    /// Whether the circuit also checks that the seeds are in range.
    checked: bool,
    #[serde(flatten)]
    counts: &'a Counts,
}

impl<'a> Report<'a> {
    pub(super) fn of_deal(deal: &'a Deal) -> Self {
        let (cards, draw) = (deal.cards, deal.draw);
        Report {
            source: Source::Deal { cards, draw },
            rows: deal.entries.iter().flat_map(Row::of).collect(),
        }
    }

    pub(super) fn of_netlist(entry: &'a NetlistEntry) -> Self {
        let row = Row {
            algorithm: None,
            comparison: false,
            checked: false,
            counts: &entry.counts,
        };
        Report {
            source: Source::File {
                file: &entry.file,
                format: entry.format.to_string(),
            },
            rows: vec![row],
        }
    }
}

impl<'a> Row<'a> {
    /// The circuit without the check, followed by the circuit with the check.
    fn of(entry: &'a Entry) -> impl Iterator<Item = Self> {
        let row = |checked, counts| Row {
            algorithm: Some(entry.name),
            comparison: entry.comparison,
            checked,
            counts,
        };
        let checked = entry.checked.as_ref().map(|counts| row(true, counts));
        std::iter::once(row(false, &entry.unchecked)).chain(checked)
    }
}

/// Writes each report as an object on one line.
pub(super) fn show_lines(reports: &[Report]) -> anyhow::Result<()> {
    let mut reports = reports.iter();
    reports.try_for_each(|report| show_json("circuit stats", report))
}

/// The columns of the table for LaTeX. Columns that are empty for all circuits are omitted.
const LATEX_COLUMNS: [&str; 11] = [
    "circuit",
    "cards",
    "drawn",
    "AND",
    "joint AND",
    "XOR",
    "NOT",
    "AND depth",
    "input bits",
    "output bits",
    "bytes garbled",
];

/// Writes the table for LaTeX, with a row for each circuit.
pub(super) fn show_latex(reports: &[Report]) -> anyhow::Result<()> {
    let rows = reports.iter().flat_map(|report| {
        let rows = report.rows.iter();
        rows.map(|row| latex_cells(&report.source, row))
    });
    let rows: Vec<Vec<Cell>> = rows.collect();
    show(&latex::table("circuit stats", &LATEX_COLUMNS, &rows))
}

fn latex_cells(source: &Source<'_>, row: &Row<'_>) -> Vec<Cell> {
    let counts = row.counts;
    let count = |number: Option<usize>| Cell::count(number.map(|number| number as u64));
    let gates = |number: Option<usize>| match number {
        Some(number) if !counts.exact => Cell::About(number as u64),
        number => count(number),
    };
    let built = |get: fn(&Built) -> usize| count(counts.built.as_ref().map(get));
    let (cards, draw) = match source {
        Source::Deal { cards, draw } => (Some(*cards), Some(*draw)),
        Source::File { .. } => (None, None),
    };
    let inputs = match &counts.built {
        Some(built) => Some(built.input_bits.iter().sum()),
        None => counts
            .garbler_inputs
            .zip(counts.evaluator_inputs)
            .map(|(g, e)| g + e),
    };
    vec![
        Cell::Text(source.circuit(row)),
        count(cards),
        count(draw),
        gates(Some(counts.and)),
        gates(counts.joint_and),
        built(|built| built.xor),
        built(|built| built.not),
        built(|built| built.and_depth),
        count(inputs),
        count(Some(counts.outputs)),
        count(Some(counts.half_gate_bytes)),
    ]
}

/// The columns of the CSV. The first five identify the circuit of a shuffle; the last names any circuit.
const COLUMNS: [&str; 31] = [
    "cards",
    "draw",
    "algorithm",
    "comparison",
    "checked",
    "and",
    "xor",
    "not",
    "gates",
    "and_depth",
    "garbler_inputs",
    "evaluator_inputs",
    "outputs",
    "half_gate_bytes",
    "joint_and",
    "garbler_and",
    "evaluator_and",
    "run_and",
    "depth",
    "widest_layer",
    "mean_layer",
    "live_wires",
    "copies",
    "dead",
    "digest",
    "file",
    "format",
    "computed",
    "exact",
    "malicious_bytes",
    "circuit",
];

/// Writes the column names, and a row for each circuit.
pub(super) fn show_csv(reports: &[Report]) -> anyhow::Result<()> {
    let mut lines = vec![COLUMNS.join(",")];
    for report in reports {
        let source = serde_json::to_value(&report.source)?;
        for row in &report.rows {
            let circuit = Value::String(report.source.circuit(row));
            let row = serde_json::to_value(row)?;
            lines.push(
                COLUMNS
                    .map(|name| match name {
                        "circuit" => cell(Some(&circuit)),
                        name => cell(source.get(name).or_else(|| row.get(name))),
                    })
                    .join(","),
            );
        }
    }
    show(&lines.join("\n"))
}

/// Formats a value; an absent value is an empty cell.
fn cell(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => csv_cell(text),
        Some(value) => value.to_string(),
    }
}
