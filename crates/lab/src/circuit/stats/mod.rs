//! `circuit stats`: the size of netlists and of built-in shuffles.

mod deal_table;
mod deals;
mod netlists;
mod rows;
mod table;

use dealerless_command_line::output::show;

use self::deals::{Deal, DealArgs};
use self::netlists::{NetlistArgs, NetlistEntry};
use self::rows::Report;

/// Shows the size of netlists, and of the shuffle circuits.
///
/// If a FILE is given, shuffles are counted only if an option selects them, such as --cards, --draw
/// or --algorithm.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit stats\n  \
    dealerless circuit stats --cards 52 --draw 9 --algorithm fisher-yates --json\n  \
    dealerless circuit stats --draw 1..52 --csv > sweep.csv\n  \
    dealerless circuit stats --draw 9,52 --latex > table.tex\n  \
    dealerless circuit stats --cards 8,16,...,1024 --algorithm odd-even,waksman\n  \
    dealerless circuit stats --cards 65536 --draw 9,1000,65536\n  \
    dealerless circuit stats aes_128.txt sha256.txt.gz\n  \
    generate-my-circuit | dealerless circuit stats -\n  \
    dealerless circuit stats mine.txt --draw 9 --algorithm auto\n\n\
    N and M are lists of numbers and inclusive ranges: 5,9,20 or 1..52. Dots between\n\
    commas (.. or ... or …) continue a sequence by the same factor if that reaches the\n\
    number after them, otherwise by the same step: 8,16,...,1024 doubles, and\n\
    10,20,...,100 counts by tens. A sweep skips draws that are larger than the deck.\n\n\
    A circuit is built and counted if it fits into --memory. Otherwise, and for more\n\
    than 4096 cards, the number of its AND gates is computed and marked as computed.\n\
    With --built, a circuit that does not fit is built in slices, which takes little\n\
    memory but may take minutes.\n\n\
    --csv prints a row for each circuit. A shuffle with the range check has its own row.\n\
    The last column, circuit, names the circuit: cut, or cut+check. --latex prints the\n\
    columns that a paper compares, with the rules of the package booktabs.\n\n\
    Exit codes: 0 success, 1 wrong usage, or an invalid netlist; the other files are\n\
    still counted.")]
pub struct Args {
    #[command(flatten)]
    netlists: NetlistArgs,
    #[command(flatten)]
    deals: DealArgs,
    /// Print one JSON object per line, for each file and for each deck and draw.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values, with column names on the first line.
    #[arg(long)]
    csv: bool,
    /// Print a table for LaTeX.
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    latex: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (netlists, counted) = args.netlists.count();
    let deals = if !args.netlists.any() || args.deals.any() {
        args.deals.count()?
    } else {
        Vec::new()
    };
    if !netlists.is_empty() || !deals.is_empty() {
        show_all(args, &netlists, &deals)?;
    }
    counted
}

fn show_all(args: &Args, netlists: &[NetlistEntry], deals: &[Deal]) -> anyhow::Result<()> {
    if args.json || args.csv || args.latex {
        let mut reports: Vec<Report> = netlists.iter().map(Report::of_netlist).collect();
        reports.extend(deals.iter().map(Report::of_deal));
        return if args.json {
            rows::show_lines(&reports)
        } else if args.csv {
            rows::show_csv(&reports)
        } else {
            rows::show_latex(&reports)
        };
    }
    show(&match netlists {
        [] => deal_table::screen(deals),
        netlists => table::screen(netlists, deals),
    })
}
