//! `circuit stats`: what circuits cost, those of others and our own.

mod deal_table;
mod deals;
mod netlists;
mod rows;
mod table;

use dealerless_program::output::show;

use self::deals::{Deal, DealArgs};
use self::netlists::{NetlistArgs, NetlistEntry};
use self::rows::Report;

/// Shows the size of netlists, and of the shuffle circuits.
///
/// With a FILE and none of --cards, --draw, --algorithm and --comparison, only netlists are counted.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit stats\n  \
    dealerless circuit stats --cards 52 --draw 9 --algorithm fisher-yates --json\n  \
    dealerless circuit stats --draw 1..52 --csv > sweep.csv\n  \
    dealerless circuit stats --cards 8,16,...,1024 --algorithm odd-even,waksman\n  \
    dealerless circuit stats --cards 65536 --draw 9,1000,65536\n  \
    dealerless circuit stats aes_128.txt sha256.txt.gz\n  \
    generate-my-circuit | dealerless circuit stats -\n  \
    dealerless circuit stats mine.txt --draw 9 --algorithm auto\n\n\
    N and M are lists of numbers and ranges: 5,9,20 or 1..52, which includes 52. Dots\n\
    between commas (.. or ... or …) go on by the same factor if that comes to the\n\
    number behind them, otherwise by the same step: 8,16,...,1024 doubles.\n\
    10,20,...,100 counts by tens. A sweep leaves out draws that its deck is too\n\
    small for.\n\n\
    A circuit is built and counted if it fits into --memory. Otherwise its AND gates\n\
    are computed, which is marked; so are all circuits of more than 4096 cards. With\n\
    --built it is built in slices, which takes little memory and may take minutes.\n\n\
    --csv prints a row for each circuit, and a shuffle with the check is a circuit of\n\
    its own. The last column, circuit, names it: cut, or cut+check.\n\n\
    Exit codes: 0 fine, 1 wrong usage, or a file that is no netlist: then the other\n\
    files are counted all the same.")]
pub struct Args {
    #[command(flatten)]
    netlists: NetlistArgs,
    #[command(flatten)]
    deals: DealArgs,
    /// Print one JSON object for each file, and for each deck and draw, on a line.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values, with a line of names first.
    #[arg(long)]
    csv: bool,
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
    if args.json || args.csv {
        let mut reports: Vec<Report> = netlists.iter().map(Report::of_netlist).collect();
        reports.extend(deals.iter().map(Report::of_deal));
        return if args.json {
            rows::show_lines(&reports)
        } else {
            rows::show_csv(&reports)
        };
    }
    show(&match netlists {
        [] => deal_table::screen(deals),
        netlists => table::screen(netlists, deals),
    })
}
