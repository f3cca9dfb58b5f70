//! The arguments of `bench`.

use std::path::PathBuf;

use clap::ValueEnum;
use dealerless::mpc::{STATISTICAL_SECURITY, Security};
use dealerless_program::arguments::{TimeoutArgs, address};
use dealerless_program::memory::MemoryArgs;

use super::link::LinkArgs;
use crate::circuit::owners::Owner;
use crate::circuit::selection::{self, Selection};
use crate::circuit::sweep::{Draws, Numbers};

/// Measures what shuffles, or any circuits, cost: setup, preprocessing, online.
///
/// Both parties run in this process, a thread each, over a real TCP connection, unless --listen or
/// --connect is given. A time lasts from a common start until the later party has finished.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless bench\n  \
    dealerless bench --algorithm bubble --draw 52 --pool 16 --json\n  \
    dealerless bench --draw 1..52 --algorithm all --csv -o time.svg > time.csv\n  \
    dealerless bench --netlist mine.txt --algorithm cut --draw 9 --rtt 50ms\n  \
    dealerless bench --listen 0.0.0.0:5252     and, on the other machine,\n  \
    dealerless bench --connect HOST:5252\n\n\
    Lists of numbers are written as for circuit stats. What is measured takes turns,\n\
    round by round (in groups of 64). The first round and the first setup warm the\n\
    caches: they are in no figure, and in --rounds-csv. Setup is measured on as many\n\
    new sessions as rounds, and at most five. Ctrl-C and errors show what is measured\n\
    until then.\n\n\
    The pool is what a malicious session makes ahead for so many runs at once, less\n\
    what earlier rounds have left over; a semi-honest session needs none. Bytes and\n\
    flights are both ways. Bytes are a mean, as they may have two values that take\n\
    turns. Flights in a row waited for each other. Quartiles are between the figures,\n\
    as in R and NumPy. A netlist gets random inputs each round, and opens its outputs\n\
    to both; a shuffle ends with the sealed deck.\n\n\
    --rtt and --bandwidth delay the bytes within the program: each way, bytes leave at\n\
    the bandwidth, and arrive half a round trip later. No packets, no loss, no slow\n\
    start; and no deadline, unless --timeout sets one. Between two machines both need\n\
    the same options, and the time of the network comes on top.\n\n\
    Exit codes: 0 fine, 1 wrong usage or a local fault, 2 the peer failed a check,\n\
    disagreed or aborted, 3 the connection was lost or timed out, 130 Ctrl-C.")]
pub struct Args {
    /// Cards in the deck: a list.
    #[arg(long, value_name = "N", default_value = "52")]
    pub(super) cards: Numbers,
    /// Cards drawn from it: a list, or all.
    #[arg(long, value_name = "M", default_value = "all")]
    pub(super) draw: Draws,
    /// How the deck is shuffled, with commas between [default: auto].
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', value_parser = selection::parser())]
    pub(super) algorithm: Vec<Selection>,
    /// Measure a Bristol Fashion netlist; again for more. Shuffles only if --algorithm is given.
    #[arg(long, value_name = "FILE")]
    pub(super) netlist: Vec<PathBuf>,
    /// Whose each input value of the netlists is, for example g,e,g.
    #[arg(
        long,
        value_name = "OWNERS",
        value_delimiter = ',',
        requires = "netlist"
    )]
    pub(super) owner: Vec<Owner>,
    /// Runs that the pool is filled for at once, with commas between.
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1", value_parser = one_or_more)]
    pub(super) pool: Vec<u32>,
    /// How often the pool is filled and used up.
    #[arg(long, value_name = "R", default_value = "15", value_parser = one_or_more)]
    pub(super) rounds: u32,
    #[command(flatten)]
    pub(super) line: LinkArgs,
    /// Wait for the other party at this address, and garble.
    #[arg(long, value_name = "ADDRESS", value_parser = address, conflicts_with = "connect")]
    pub(super) listen: Option<String>,
    /// Connect to the other party at this address, and evaluate.
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(super) connect: Option<String>,
    #[command(flatten)]
    pub(super) limit: MemoryArgs,
    /// What to be protected against: malicious, semi-honest, or both with a comma.
    #[arg(
        long,
        value_name = "SECURITY",
        value_delimiter = ',',
        default_value = "malicious"
    )]
    pub(super) security: Vec<Security>,
    /// Bits of statistical security of a malicious session, 40 to 80; for both parties the same.
    #[arg(long, value_name = "BITS", default_value_t = STATISTICAL_SECURITY, value_parser = statistical)]
    pub(super) statistical_security: u8,
    #[command(flatten)]
    pub(super) timeout: TimeoutArgs,
    /// Print JSON, an object on a line for each row; everything else goes to standard error.
    #[arg(long)]
    pub(super) json: bool,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    /// Write every round to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(super) rounds_csv: Option<PathBuf>,
    /// Draw a picture of a sweep into this file, as SVG; - is standard output.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// What grows upwards in the picture.
    #[arg(long, value_name = "WHAT", default_value = "time", requires = "output")]
    pub(super) plot: Upwards,
}

/// The vertical axis of a picture. All are of pool and online together.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Upwards {
    /// The median time.
    Time,
    /// The bytes, both ways.
    Bytes,
    /// AND gates a second.
    AndsPerSecond,
}

fn statistical(text: &str) -> Result<u8, String> {
    (text.parse().ok().filter(|bits| (40..=80).contains(bits)))
        .ok_or_else(|| "a whole number from 40 to 80 is needed".into())
}

fn one_or_more(text: &str) -> Result<u32, String> {
    (text.parse().ok().filter(|&number| number > 0))
        .ok_or_else(|| format!("a whole number from 1 to {} is needed", u32::MAX))
}
