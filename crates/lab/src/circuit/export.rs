//! `circuit export`: writes a shuffle as a netlist.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use dealerless::circuit::Party;
use dealerless::circuit::bristol::Netlist;
use dealerless::deck::Choice;
use dealerless::shuffle::{InSlices, Seed, ShuffleCircuit, Spec};
use dealerless_command_line::arguments::algorithm;
use dealerless_command_line::memory::MemoryArgs;
use dealerless_command_line::output::{count, say, show_json};
use dealerless_command_line::progress::Progress;
use dealerless_command_line::whole_file;
use serde::Serialize;

use super::netlist_file::{self, LicenceArgs};

/// Writes a shuffle as a netlist.
///
/// Input value 1 holds the garbler's seeds, input value 2 the evaluator's.
///
/// The outputs are one word per card drawn, least significant bit first.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit export --algorithm bubble --cards 52 --draw 9 -o hand.txt\n  \
    dealerless circuit export --algorithm bubble --cards 9 --draw 2 > small.txt\n  \
    dealerless circuit export --checked --algorithm cut --cards 52 --draw 9 \\\n      \
      -o run.txt\n\n\
    --json prints the layout of the wires to standard output. It lists the seeds of\n\
    both parties in order, each with its encoding: unsigned is the seed, minus-modulus\n\
    is the seed minus its modulus in two's complement (both least significant bit\n\
    first), and switches are the control bits of a network. For the outputs, it lists\n\
    the number of words (one per drawn card) and their bits. With --checked, validity\n\
    is the index, from 0, of the validity value: the first bit is set if the garbler's\n\
    inputs are in range, the second if the evaluator's are. If every input is in\n\
    range, validity is null, and --checked does not change the circuit.\n\n\
    Bristol Fashion has no comments. emp-tool, MP-SPDZ and mpz skip the lines of\n\
    --licence; swanky, MOTION and mockturtle do not. In AIGER, which has comments,\n\
    the licence is always written.\n\n\
    A circuit that does not fit into --memory is built in slices, twice, and written\n\
    while it is built. The circuit is the same, but its gates come in another order.\n\
    A netlist for 4096 of 4096 cards takes ten to twenty gigabytes of disk space.")]
pub struct Args {
    /// Shuffle algorithm.
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithm())]
    algorithm: Choice,
    /// Cards in the deck.
    #[arg(long, value_name = "N")]
    cards: usize,
    /// Cards drawn from the deck.
    #[arg(long, value_name = "M")]
    draw: usize,
    /// Write the circuit of a malicious session, which has an additional output value: whether each
    /// party's input is in range.
    #[arg(long)]
    checked: bool,
    /// File to write. Its name ends in .txt or .bristol for Bristol Fashion, or in .aag or .aig
    /// for AIGER, followed by .gz to compress it; - is standard output, in Bristol Fashion
    /// [default: -].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    licence: LicenceArgs,
    #[command(flatten)]
    limit: MemoryArgs,
    /// Print the layout of the wires as one JSON object; requires -o FILE.
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
    /// The index, from 0, of the output value that reports whether the inputs are in range.
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

/// A summary of the written netlist.
struct Written<'a> {
    /// The path of the file; `None` for standard output.
    path: Option<&'a Path>,
    /// The numbers of AND, XOR and NOT gates.
    gates: [usize; 3],
    /// The seeds of the garbler, and those of the evaluator.
    seeds: [Vec<SeedLayout>; 2],
    validity: Option<usize>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    whole_file::check_json(args.json, args.output.as_deref())?;
    whole_file::check_output(args.output.as_deref(), netlist_file::ENDINGS, &[])?;
    let spec = args.algorithm.spec(args.cards, args.draw)?;
    let whole = args.limit.memory.check_circuit(spec);
    let written = match (whole, InSlices::new(spec, args.checked)) {
        (Ok(()), _) => write_whole(args, spec)?,
        (Err(too_large), None) => return Err(too_large),
        (Err(_), Some(shuffle)) => write_in_slices(args, spec, &shuffle)?,
    };
    let Some(path) = written.path else {
        return Ok(());
    };
    let [and, xor, not] = written.gates.map(|gates| count(gates as u64));
    let name = path.display();
    say(&format!("Wrote {name}: {and} AND, {xor} XOR, {not} NOT."));
    if !args.json {
        return Ok(());
    }
    let [garbler, evaluator] = written.seeds;
    show_json(
        "circuit export",
        &Layout {
            file: path.display().to_string(),
            algorithm: spec.algorithm().name(),
            cards: spec.cards(),
            draw: spec.draw(),
            checked: args.checked,
            garbler,
            evaluator,
            output: Words {
                words: spec.draw(),
                bits: spec.word_bits(),
            },
            validity: written.validity,
        },
    )
}

/// Builds the circuit, and writes it in layer order.
fn write_whole(args: &Args, spec: Spec) -> anyhow::Result<Written<'_>> {
    let progress = Progress::of_building(spec);
    let shuffle = if args.checked {
        ShuffleCircuit::build_checked(spec)
    } else {
        ShuffleCircuit::build(spec)
    };
    drop(progress);
    let path = netlist_file::write_own(
        &Netlist::from(shuffle.circuit()),
        args.licence,
        args.output.as_deref(),
    )?;
    let stats = shuffle.circuit().stats();
    Ok(Written {
        path,
        gates: [stats.and, stats.xor, stats.not],
        seeds: Party::BOTH.map(|party| layout(shuffle.seeds(party))),
        validity: shuffle.validity(),
    })
}

/// Builds the circuit twice: once to count its gates, and once to write them as they are built.
fn write_in_slices<'a>(
    args: &'a Args,
    spec: Spec,
    shuffle: &InSlices,
) -> anyhow::Result<Written<'a>> {
    ensure!(
        (args
            .output
            .as_deref()
            .and_then(netlist_file::aiger_encoding))
        .is_none(),
        "a circuit that does not fit into --memory cannot be written in AIGER; name a file that ends in .txt"
    );
    args.limit.memory.check_slices(spec)?;
    let progress = Progress::of_building(spec);
    let structure = shuffle.structure(|_| ());
    let path = whole_file::write_output(args.output.as_deref(), |file| {
        shuffle.write(&structure, &mut *file, |_| ())?;
        args.licence.write(None, file)
    })?;
    drop(progress);
    Ok(Written {
        path,
        gates: [structure.and, structure.xor, structure.not],
        seeds: Party::BOTH.map(|party| layout(shuffle.seeds(party))),
        validity: shuffle.validity(),
    })
}

fn layout(seeds: &[Seed]) -> Vec<SeedLayout> {
    seeds.iter().map(SeedLayout::from).collect()
}
