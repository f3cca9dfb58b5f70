//! `circuit prove`: proves by counting draws that a shuffle is uniform.

mod named;
mod netlist;
mod options;
mod report;

use std::path::PathBuf;

use self::named::{Named, Question};
use self::netlist::NetlistArgs;

/// Proves by enumeration that a shuffle is uniform, or refutes it.
///
/// For each value that one party may enter, the circuit is evaluated on all values of the other,
/// honest party, and each draw is counted. If all draws occur equally often, no matter which party
/// is honest, then the shuffle is uniform as soon as one party is honest.
///
/// The shuffle is a netlist of any origin, FILE, or one of ours, --algorithm. The values of a
/// netlist are the bits of a party's inputs, or those in the ranges of --range.
///
/// A value of --algorithm is a party's seeds or permutation; in the two known mistakes, it is the
/// party's bits. With --checked, the fixed values are all bits that a party can enter, including
/// seeds out of range. Each fixed value must either be rejected whatever the honest party enters, or
/// make all draws occur equally often.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit prove --algorithm cut --cards 5 --draw 3\n  \
    dealerless circuit prove --algorithm cut --cards 4 --checked\n  \
    dealerless circuit prove --algorithm bubble-fair-bits --cards 4\n  \
    dealerless circuit prove shuffle.txt\n  \
    dealerless circuit prove shuffle.txt --owner g,e,d --cards 8\n  \
    dealerless circuit prove seeds.txt --range g:5,4,3 --range e:-5,-4,-3\n  \
    dealerless circuit prove old.txt --outputs 5*c3,v1 --honest g --seed 7\n\n\
    bubble-fair-bits and fisher-yates-xor-modulo are known mistakes. If there are too\n\
    many pairs of values for --limit, only some values are fixed: for --algorithm\n\
    evenly spaced in their order, for a netlist at random. The table shows how many.\n\n\
    The report on a netlist says which outputs were read as cards, and which say\n\
    whether the inputs are valid: values of the same size are cards, and a first or\n\
    last value of one or two bits, smaller than a card, is the validity if it checks\n\
    the input of each party separately. If the outputs can be read in several ways,\n\
    the ways are listed, and --outputs must name one. Draws of invalid inputs are not\n\
    counted: the draw must be uniform over the valid inputs of the honest party,\n\
    unless all of them are rejected. A deck that is an input is known to both parties\n\
    and holds the cards 0, 1, and so on.\n\n\
    An honest party enters fair bits, unless its numbers have ranges. A netlist that\n\
    does not check its inputs can be uniform for numbers below 52, and not for all\n\
    bits of these numbers; so give it the ranges. --range g:52,51/8 stands for two\n\
    numbers of the garbler, below 52 in 6 bits and below 51 in 8 bits; -52 stands for\n\
    a number from -52 to -1 in two's complement, here of 7 bits. The least significant\n\
    bit of a number is on its first wire.\n\n\
    Ctrl-C ends the count and shows what was counted.\n\n\
    Exit codes: 0 uniform, 1 wrong usage, outputs with several readings, or too many\n\
    values to decide, 4 not uniform, 130 ended by Ctrl-C.")]
pub struct Args {
    /// Netlist to examine, in Bristol Fashion, the older Bristol format, AIGER or BLIF, plain or
    /// gzip; - is standard input.
    #[arg(
        value_name = "FILE",
        required_unless_present = "algorithm",
        conflicts_with = "algorithm"
    )]
    file: Option<PathBuf>,
    /// Shuffle to examine, instead of a netlist.
    #[arg(long, value_name = "ALGORITHM", value_parser = named::subject(), requires = "cards")]
    algorithm: Option<Named>,
    /// Cards in the deck, numbered from 0 [default for a netlist: the cards that occur].
    #[arg(long, value_name = "N")]
    cards: Option<usize>,
    /// Cards drawn from the deck, for --algorithm [default: all].
    #[arg(long, value_name = "M", requires = "algorithm")]
    draw: Option<usize>,
    /// Use the circuit that checks whether inputs are in range, and fix arbitrary bits. For a
    /// netlist, fix arbitrary bits even if the numbers of a party have ranges.
    #[arg(long)]
    checked: bool,
    /// Maximum number of evaluations of the circuit [default: 50000000; for a netlist 1000000000].
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,
    #[command(flatten)]
    netlist: NetlistArgs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The default of `--limit` with `--algorithm`.
const LIMIT: u64 = 50_000_000;

/// The default of `--limit` for a netlist.
const NETLIST_LIMIT: u64 = 1_000_000_000;

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let (Some(algorithm), Some(cards)) = (args.algorithm, args.cards) {
        return named::run(&Question {
            algorithm,
            cards,
            draw: args.draw.unwrap_or(cards),
            checked: args.checked,
            limit: args.limit.unwrap_or(LIMIT),
            json: args.json,
        });
    }
    netlist::run(&netlist::Question {
        file: args.file.as_deref().expect("clap requires a file"),
        options: &args.netlist,
        cards: args.cards,
        checked: args.checked,
        limit: args.limit.unwrap_or(NETLIST_LIMIT),
        json: args.json,
    })
}
