//! `circuit stats`: what each shuffle costs.

use std::ops::Range;

use comfy_table::{CellAlignment, ColumnConstraint, Table};
use dealerless::shuffle::{Algorithm, Spec};
use serde::Serialize;

use super::entry::{Comparison, Entry, Size};
use super::selection::{self, Selection};
use super::sweep::{Draws, Numbers, pairs_to_count};
use crate::memory::MemoryArgs;
use crate::output::{bytes, count, grid, show, show_json};
use crate::progress::Progress;

/// Shows the size of the shuffle circuits.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit stats\n  \
    dealerless circuit stats --cards 52 --draw 9 --algorithm fisher-yates --json\n  \
    dealerless circuit stats --draw 1..52 --csv > sweep.csv\n  \
    dealerless circuit stats --cards 8,16,...,1024 --algorithm odd-even,waksman\n  \
    dealerless circuit stats --cards 65536 --draw 9,1000,65536\n\n\
    N and M are lists of numbers and ranges: 5,9,20 or 1..52, which includes 52. Dots\n\
    between commas (.. or ... or …) go on by the same factor if that comes to the\n\
    number behind them, otherwise by the same step: 8,16,...,1024 doubles.\n\
    10,20,...,100 counts by tens. A sweep leaves out draws that its deck is too\n\
    small for.\n\n\
    A circuit is built and counted if it fits into --memory. Otherwise its AND gates\n\
    are computed, which is marked; so are all circuits of more than 4096 cards.")]
pub(crate) struct Args {
    /// Cards in the deck.
    #[arg(long, value_name = "N", default_value = "52")]
    cards: Numbers,
    /// Cards drawn from it, or all.
    #[arg(long, value_name = "M", default_value = "all")]
    draw: Draws,
    /// Which shuffles, with commas between.
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', default_value = "all",
          value_parser = selection::parser())]
    algorithm: Vec<Selection>,
    /// Count also circuits that are never played with: known mistakes, and the classical way.
    #[arg(long)]
    comparison: bool,
    /// Build nothing: compute the AND gates.
    #[arg(long, conflicts_with = "comparison")]
    computed: bool,
    #[command(flatten)]
    limit: MemoryArgs,
    /// Print one JSON object for each deck and draw, on a line.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values, with a line of names first.
    #[arg(long)]
    csv: bool,
}

/// All shuffles for one deck and one draw.
struct Deal {
    cards: usize,
    draw: usize,
    entries: Vec<Entry>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let pairs = pairs_to_count(&args.cards, &args.draw)?;
    let deals = count_all(&pairs, args)?;
    if args.json {
        let mut reports = deals.iter().map(Report::of);
        reports.try_for_each(|report| show_json("circuit stats", &report))
    } else if args.csv {
        show(&csv(&deals))
    } else {
        show(&screen(&deals))
    }
}

/// Builds one circuit after the other, each dropped when it is counted. What would be too large is
/// computed.
///
/// # Errors
/// When a circuit that is only compared with is too large: before any is built.
fn count_all(pairs: &[(usize, usize)], args: &Args) -> anyhow::Result<Vec<Deal>> {
    let chosen =
        |&(cards, draw): &(usize, usize)| selection::algorithms(&args.algorithm, cards, draw);
    let chosen = pairs.iter().map(chosen).collect::<Result<Vec<_>, _>>()?;
    let comparisons: &[Comparison] = if args.comparison {
        &Comparison::ALL
    } else {
        &[]
    };
    for &(cards, draw) in pairs {
        for comparison in comparisons {
            let ands = (comparison.estimated_ands)(cards, draw);
            let name = comparison.name;
            args.limit.memory.check_ands(name, cards, draw, ands)?;
        }
    }
    let steps: usize = chosen
        .iter()
        .map(|list| list.len() + comparisons.len())
        .sum();
    let progress = Progress::begin(steps, "circuits");
    let mut deals = Vec::new();
    for (&(cards, draw), algorithms) in pairs.iter().zip(chosen) {
        let mut entries = Vec::new();
        for algorithm in algorithms {
            let entry = match is_built(args, cards, draw, algorithm) {
                true => Entry::of_shuffle(algorithm, cards, draw),
                false => Entry::computed(algorithm, cards, draw),
            };
            entries.push(entry?);
            progress.step();
        }
        for comparison in comparisons {
            entries.push(Entry::of_comparison(comparison, cards, draw)?);
            progress.step();
        }
        deals.push(Deal {
            cards,
            draw,
            entries,
        });
    }
    Ok(deals)
}

/// Whether a circuit is built to be counted.
fn is_built(args: &Args, cards: usize, draw: usize, algorithm: Algorithm) -> bool {
    let spec = Spec::new(cards, draw, algorithm);
    !args.computed && spec.is_ok_and(|spec| args.limit.memory.check_circuit(spec).is_ok())
}

/// The object of `--json` for one deck and draw.
#[derive(Serialize)]
struct Report<'a> {
    cards: usize,
    draw: usize,
    rows: Vec<Row<'a>>,
}

/// One circuit.
#[derive(Serialize)]
struct Row<'a> {
    algorithm: &'static str,
    /// Whether it is only compared with.
    comparison: bool,
    /// Whether the circuit also checks that the seeds are in range.
    checked: bool,
    #[serde(flatten)]
    size: &'a Size,
}

impl<'a> Report<'a> {
    fn of(deal: &'a Deal) -> Self {
        Report {
            cards: deal.cards,
            draw: deal.draw,
            rows: deal.entries.iter().flat_map(Row::of).collect(),
        }
    }
}

impl<'a> Row<'a> {
    /// The circuit without the check, then the one with it.
    fn of(entry: &'a Entry) -> impl Iterator<Item = Self> {
        let row = |checked, size| Row {
            algorithm: entry.name,
            comparison: entry.comparison,
            checked,
            size,
        };
        let checked = entry.checked.as_ref().map(|size| row(true, size));
        std::iter::once(row(false, &entry.unchecked)).chain(checked)
    }
}

fn csv(deals: &[Deal]) -> String {
    let mut lines = vec![
        "cards,draw,algorithm,comparison,checked,and,xor,not,gates,and_depth,\
         garbler_inputs,evaluator_inputs,outputs,half_gate_bytes,computed,exact"
            .to_owned(),
    ];
    for deal in deals {
        let Report { cards, draw, rows } = Report::of(deal);
        lines.extend(rows.iter().map(|row| {
            let size = row.size;
            let known =
                |count: Option<usize>| count.map_or(String::new(), |count| count.to_string());
            format!(
                "{cards},{draw},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
                row.algorithm,
                row.comparison,
                row.checked,
                size.and,
                known(size.xor),
                known(size.not),
                known(size.gates),
                known(size.and_depth),
                size.garbler_inputs,
                size.evaluator_inputs,
                size.outputs,
                size.half_gate_bytes,
                size.computed,
                size.exact,
            )
        }));
    }
    lines.join("\n")
}

/// One table, with a column that says the deck and the draw if there are several.
fn screen(deals: &[Deal]) -> String {
    let mut text = match deals {
        [deal] => format!("{}:\n\n", deal.name()),
        _ => String::new(),
    };
    text.push_str(&table(deals).trim_fmt());
    text.push_str(
        "\n\nAND+: with the check that both parties' inputs are in range; the other columns are\n\
         without it. Inputs (garbler's and evaluator's) and outputs in bits; garbled: half gates.",
    );
    let any = |is: fn(&Entry) -> bool| deals.iter().any(|deal| deal.entries.iter().any(is));
    if any(|entry| entry.unchecked.computed) {
        text.push_str("\n† Computed: the circuit was not built.");
    }
    if any(|entry| !entry.unchecked.exact) {
        text.push_str("\nabout: a few per cent too many at most.");
    }
    if any(|entry| entry.comparison) {
        text.push_str("\n* For comparison only: never played with.");
    }
    text
}

impl Deal {
    fn name(&self) -> String {
        let (cards, draw) = (count(self.cards as u64), count(self.draw as u64));
        format!("{draw} of {cards} cards")
    }
}

/// The columns that are empty if nothing was built, after that of the draw.
const OF_BUILT: Range<usize> = 3..7;

fn table(deals: &[Deal]) -> Table {
    let sweep = deals.len() > 1;
    let mut grid = grid();
    let mut header = vec![
        "algorithm",
        "AND",
        "AND+",
        "XOR",
        "NOT",
        "gates",
        "AND\ndepth",
        "inputs\n(g + e)",
        "outputs",
        "garbled",
    ];
    if sweep {
        header.insert(0, "draw");
    }
    grid.set_header(header);
    for deal in deals {
        for (place, entry) in deal.entries.iter().enumerate() {
            let mut row = cells(entry);
            if sweep {
                // Once for all its rows.
                let name = if place == 0 {
                    deal.name()
                } else {
                    String::new()
                };
                row.insert(0, name);
            }
            grid.add_row(row);
        }
    }
    for (place, column) in grid.column_iter_mut().enumerate() {
        if place > usize::from(sweep) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let is_known = |deal: &Deal| {
            deal.entries
                .iter()
                .any(|entry| entry.unchecked.xor.is_some())
        };
        if OF_BUILT.contains(&(place - usize::from(sweep && place > 0)))
            && !deals.iter().any(is_known)
        {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    grid
}

fn cells(entry: &Entry) -> Vec<String> {
    let number = |value: usize| count(value as u64);
    let known = |value: Option<usize>| value.map_or(String::new(), number);
    let ands = |size: &Size| match size.exact {
        true => number(size.and),
        false => format!("about {}", number(size.and)),
    };
    let size = &entry.unchecked;
    let mark = match (entry.comparison, size.computed) {
        (true, _) => " *",
        (false, true) => " †",
        (false, false) => "",
    };
    vec![
        format!("{}{mark}", entry.name),
        ands(size),
        entry.checked.as_ref().map_or(String::new(), ands),
        known(size.xor),
        known(size.not),
        known(size.gates),
        known(size.and_depth),
        format!(
            "{} + {}",
            number(size.garbler_inputs),
            number(size.evaluator_inputs)
        ),
        number(size.outputs),
        bytes(size.half_gate_bytes as u64),
    ]
}
