//! `circuit export`: a shuffle as a Bristol Fashion netlist.

use std::path::PathBuf;

use dealerless::circuit::Party;
use dealerless::deck::Choice;
use dealerless::shuffle::{Seed, ShuffleCircuit};
use serde::Serialize;

use super::netlist_file;
use crate::deck_args::algorithm;
use crate::memory::MemoryArgs;
use crate::output::{count, say, show_json};
use crate::progress::Progress;
use crate::whole_file;

/// Writes a shuffle as a Bristol Fashion netlist.
///
/// Input value 1 is the garbler's seeds and 2 the evaluator's.
///
/// The output is one word a drawn card, its least significant bit first.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit export --algorithm bubble --cards 52 --draw 9 -o hand.txt\n  \
    dealerless circuit export --algorithm bubble --cards 9 --draw 2 > small.txt\n  \
    dealerless circuit export --checked --algorithm cut --cards 52 --draw 9 \\\n      \
      -o run.txt\n\n\
    With --json standard output carries the layout of the wires. The inputs, in their\n\
    order: a seed is a value below its modulus, written as it is (unsigned), or less\n\
    the modulus in two's complement (minus-modulus), least significant bit first;\n\
    or it is the bits of the switches of a network (switches). The outputs: the words\n\
    of the drawn cards, and with --checked the number of the validity, from 0, of two\n\
    bits: whether the garbler's input is in range, and whether the evaluator's is. It\n\
    is absent (null) where no input is out of range, so that the circuits are one.")]
pub(crate) struct Args {
    /// How the deck is shuffled.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithm())]
    algorithm: Choice,
    /// Cards in the deck.
    #[arg(long, value_name = "N")]
    cards: usize,
    /// Cards drawn from it.
    #[arg(long, value_name = "M")]
    draw: usize,
    /// Write the circuit that a malicious session runs: it also says, in one more output value,
    /// whether each party's input is in range.
    #[arg(long)]
    checked: bool,
    /// The file to write; - is standard output [default: -].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    limit: MemoryArgs,
    /// Print the layout of the wires as one JSON object; -o FILE must be given.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Layout {
    file: String,
    algorithm: &'static str,
    cards: usize,
    draw: usize,
    checked: bool,
    garbler: Vec<SeedLayout>,
    evaluator: Vec<SeedLayout>,
    output: Words,
    /// The output value, from 0, that says whether the inputs are in range.
    validity: Option<usize>,
}

#[derive(Serialize)]
struct SeedLayout {
    bits: usize,
    modulus: u64,
    encoding: String,
}

#[derive(Serialize)]
struct Words {
    words: usize,
    bits: usize,
}

impl From<&Seed> for SeedLayout {
    fn from(seed: &Seed) -> Self {
        SeedLayout {
            bits: seed.bits,
            modulus: seed.modulus,
            encoding: seed.encoding.to_string(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    whole_file::check_json(args.json, args.output.as_deref())?;
    let spec = args.algorithm.spec(args.cards, args.draw)?;
    args.limit.memory.check_circuit(spec)?;
    let progress = Progress::of_building(spec);
    let shuffle = match args.checked {
        true => ShuffleCircuit::build_checked(spec),
        false => ShuffleCircuit::build(spec),
    };
    drop(progress);
    let Some(path) = netlist_file::write(shuffle.circuit(), args.output.as_deref())? else {
        return Ok(());
    };
    let stats = shuffle.circuit().stats();
    say(&format!(
        "Wrote {}: {} AND, {} XOR, {} NOT.",
        path.display(),
        count(stats.and as u64),
        count(stats.xor as u64),
        count(stats.not as u64)
    ));
    if !args.json {
        return Ok(());
    }
    let seeds = |party| shuffle.seeds(party).iter().map(SeedLayout::from).collect();
    show_json(
        "circuit export",
        &Layout {
            file: path.display().to_string(),
            algorithm: spec.algorithm().name(),
            cards: spec.cards(),
            draw: spec.draw(),
            checked: shuffle.is_checked(),
            garbler: seeds(Party::Garbler),
            evaluator: seeds(Party::Evaluator),
            output: Words {
                words: spec.draw(),
                bits: spec.word_bits(),
            },
            validity: shuffle.validity(),
        },
    )
}
