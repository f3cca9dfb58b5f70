//! `circuit split`: writes the circuit that deals bridge boards as a netlist.

use std::path::PathBuf;

use dealerless::circuit::bristol::Netlist;
use dealerless::mpc::Demand;
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless_command_line::memory::MemoryArgs;
use dealerless_command_line::output::{count, say, show_json};
use dealerless_command_line::whole_file;
use serde::Serialize;

use super::netlist_file::{self, LicenceArgs};

/// Writes the circuit that deals bridge boards: four hands, without an order inside a hand.
///
/// Input value 1 holds the garbler's bits and input value 2 the evaluator's, board by board. For
/// each board, one party enters the control bits of a Waksman network. The other party enters two
/// bits for each position of the pack: the hand that gets the card. The outputs are one word per
/// hand, with bit c set if the hand has card c. The last output value has one bit per party:
/// whether the party's two-bit words name all hands equally often.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit split -o board.txt\n  \
    dealerless circuit stats board.txt\n  \
    dealerless circuit split --boards 36 --json -o set.txt\n\n\
    docs/circuits.md in the repository explains why a split is uniform, and compares its\n\
    cost with shuffles of 52 cards.")]
pub struct Args {
    /// Number of boards.
    #[arg(long, value_name = "N", default_value_t = 1)]
    boards: usize,
    /// Cards in a suit, and in a hand.
    #[arg(long, value_name = "R", default_value_t = 13)]
    ranks: usize,
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
    boards: usize,
    ranks: usize,
    /// The party that enters the switches, for each board.
    permutes: Vec<String>,
    /// The number of input bits for the switches, for each board.
    switches: usize,
    /// The number of input bits of the other party, for each board.
    word: usize,
    joint_and: usize,
    /// The index, from 0, of the output value with one bit per party.
    validity: usize,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    whole_file::check_json(args.json, args.output.as_deref())?;
    whole_file::check_output(args.output.as_deref(), netlist_file::ENDINGS, &[])?;
    let split = Split::new(args.ranks, args.boards)?;
    let (cards, hands) = (split.cards(), split.hands());
    (args.limit.memory).check_ands("split", cards, hands, split.estimated_ands())?;
    let circuit = SplitCircuit::build(split);
    let Some(path) = netlist_file::write_own(
        &Netlist::from(circuit.circuit()),
        args.licence,
        args.output.as_deref(),
    )?
    else {
        return Ok(());
    };
    let stats = circuit.circuit().stats();
    let [and, xor, not] = [stats.and, stats.xor, stats.not].map(|gates| count(gates as u64));
    let joint = Demand::of(circuit.circuit()).ands;
    let name = path.display();
    let joint_ands = count(joint as u64);
    say(&format!(
        "Wrote {name}: {and} AND, {joint_ands} of them on inputs of both parties, {xor} XOR, {not} NOT."
    ));
    if !args.json {
        return Ok(());
    }
    let permutes = (0..args.boards).map(|board| split.permutes(board).to_string());
    let inputs: usize = circuit.circuit().inputs().iter().sum();
    let word = 2 * cards;
    show_json(
        "circuit split",
        &Layout {
            file: path.display().to_string(),
            boards: args.boards,
            ranks: args.ranks,
            permutes: permutes.collect(),
            switches: inputs / args.boards - word,
            word,
            joint_and: joint,
            validity: circuit.validity(),
        },
    )
}
