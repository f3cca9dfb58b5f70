//! The arguments of `bench`.

use std::path::PathBuf;

use clap::ValueEnum;
use dealerless::mpc::{EngineKind, STATISTICAL_SECURITY};
use dealerless_command_line::arguments::{TimeoutArgs, address};
use dealerless_command_line::memory::MemoryArgs;

use super::link::LinkArgs;
use crate::circuit::owners::Owner;
use crate::circuit::selection::{self, Selection};
use crate::circuit::sweep::{Draws, Numbers};

/// Measures setup, preprocessing and the online phase of shuffles or any other circuits.
///
/// Unless --listen or --connect is given, both parties run in this process, a thread each, over a
/// real TCP connection. Times run from a common start until the later party has finished.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bench\n  \
    dealerless bench --algorithm bubble --draw 52 --pool 16 --json\n  \
    dealerless bench --draw 1..52 --algorithm all --csv -o time.svg > time.csv\n  \
    dealerless bench --draw 9,20,52 --algorithm auto --latex > time.tex\n  \
    dealerless bench --netlist mine.txt --algorithm cut --draw 9 --rtt 50ms\n  \
    dealerless bench --deck verifiable --seats 6 --may-leave 1\n  \
    dealerless bench --listen 0.0.0.0:5252     and on the other machine\n  \
    dealerless bench --connect HOST:5252\n\n\
    Lists of numbers have the same form as for circuit stats. Configurations take turns,\n\
    round by round, in groups of up to 64. The first round and the first setup warm the\n\
    caches: no figure includes them, but --rounds-csv does. Setup is measured on one new\n\
    session per round, at most five. After Ctrl-C or an error, the completed rounds are\n\
    shown.\n\n\
    The pool is what a malicious session precomputes for the given number of runs, less\n\
    what earlier rounds left over. A semi-honest session needs no pool. Bytes and flights\n\
    count both directions. Bytes are a mean, since they may alternate between two values.\n\
    Flights in a row are the longest chain in which each flight waited for the one\n\
    before. Quartiles are interpolated as in R and NumPy.\n\
    A netlist gets random inputs in each round and opens its outputs to both parties; a\n\
    shuffle ends with the sealed deck.\n\n\
    --rtt and --bandwidth delay the bytes inside the program. In each direction, bytes\n\
    leave at the bandwidth and arrive half a round trip later. There are no packets, no\n\
    loss and no slow start. There is no deadline unless --timeout sets one. With two\n\
    machines, both need the same options, and the real network adds its own delay.\n\n\
    Exit codes: 0 success, 1 wrong usage or a local error, 2 the peer failed a check,\n\
    disagreed or aborted, 3 the connection was lost or timed out, 130 Ctrl-C.")]
pub struct Args {
    /// Cards in the deck, as a list.
    #[arg(long, value_name = "N", default_value = "52")]
    pub(super) cards: Numbers,
    /// Cards drawn from the deck, as a list or all.
    #[arg(long, value_name = "M", default_value = "all")]
    pub(super) draw: Draws,
    /// Shuffle algorithms, separated by commas [default: auto].
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', value_parser = selection::parser())]
    pub(super) algorithm: Vec<Selection>,
    /// Measure a netlist in Bristol Fashion or AIGER; may be repeated. Shuffles are then measured only if
    /// --algorithm is given.
    #[arg(long, value_name = "FILE")]
    pub(super) netlist: Vec<PathBuf>,
    /// Owner of each input value of the netlists, for example g,e,g.
    #[arg(
        long,
        value_name = "OWNERS",
        value_delimiter = ',',
        requires = "netlist"
    )]
    pub(super) owner: Vec<Owner>,
    /// Number of runs for which the pool is filled at once; several numbers are separated by
    /// commas.
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1", value_parser = one_or_more)]
    pub(super) pool: Vec<u32>,
    /// Number of times that the pool is filled and used up.
    #[arg(long, value_name = "R", default_value = "15", value_parser = one_or_more)]
    pub(super) rounds: u32,
    #[command(flatten)]
    pub(super) link: LinkArgs,
    /// Wait for the other party at this address, and garble.
    #[arg(long, value_name = "ADDRESS", value_parser = address, conflicts_with = "connect")]
    pub(super) listen: Option<String>,
    /// Connect to the other party at this address, and evaluate.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(super) connect: Option<String>,
    #[command(flatten)]
    pub(super) limit: MemoryArgs,
    /// Kind of adversary to protect against: malicious, semi-honest, or both separated by a comma.
    #[arg(
        long = "security",
        value_name = "SECURITY",
        value_delimiter = ',',
        default_value = "malicious"
    )]
    pub(super) engine: Vec<EngineKind>,
    /// Kind of deck [default: sealed]. A verifiable deck is for 2 to 10 seats, which all run in this process; --cards,
    /// --seats, --may-leave, --rounds and --json are its only other options.
    #[arg(
        long,
        value_name = "DECK",
        conflicts_with_all = [
            "draw", "algorithm", "netlist", "pool", "rtt", "listen", "connect", "engine",
            "statistical_security", "csv", "latex", "rounds_csv", "output",
        ]
    )]
    pub(super) deck: Option<DeckKind>,
    /// Number of seats of a verifiable deck.
    #[arg(long, value_name = "SEATS", default_value = "6", requires = "deck", value_parser = clap::value_parser!(u8).range(2..=10))]
    pub(super) seats: u8,
    /// Number of seats that may disappear: the others open the cards of a verifiable deck.
    #[arg(long, value_name = "K", default_value = "0", requires = "deck")]
    pub(super) may_leave: u8,
    /// Bits of statistical security of a malicious session, 40 to 80; must be equal for both
    /// parties.
    #[arg(long, value_name = "BITS", default_value_t = STATISTICAL_SECURITY, value_parser = statistical)]
    pub(super) statistical_security: u8,
    #[command(flatten)]
    pub(super) timeout: TimeoutArgs,
    /// Print a JSON object per row, each on its own line; other output goes to standard error.
    #[arg(long)]
    pub(super) json: bool,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Print a table for LaTeX, with the rules of the package booktabs.
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(super) latex: bool,
    /// Write the figures of every round to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(super) rounds_csv: Option<PathBuf>,
    /// Draw a sweep into this file, whose name ends in .svg, .png or .pdf; - is standard output, as
    /// SVG.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Quantity on the vertical axis of the picture.
    #[arg(long, value_name = "WHAT", default_value = "time", requires = "output")]
    pub(super) plot: Quantity,
}

/// The kind of deck that is measured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum DeckKind {
    /// A deck of two parties, dealt by a garbled circuit.
    Sealed,
    /// A deck of 2 to 10 seats, shuffled by each with a proof.
    Verifiable,
}

/// The quantity on the vertical axis, for the pool and the online phase together.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Quantity {
    /// Median time.
    Time,
    /// Bytes in both directions.
    Bytes,
    /// AND gates per second.
    AndsPerSecond,
}

fn statistical(text: &str) -> Result<u8, String> {
    (text.parse().ok().filter(|bits| (40..=80).contains(bits)))
        .ok_or_else(|| "expected a whole number from 40 to 80".into())
}

fn one_or_more(text: &str) -> Result<u32, String> {
    (text.parse().ok().filter(|&number| number > 0))
        .ok_or_else(|| format!("expected a whole number from 1 to {}", u32::MAX))
}
