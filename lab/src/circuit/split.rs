//! `circuit split`: writes the circuit that deals bridge boards as a Bristol Fashion netlist.

use std::path::PathBuf;

use dealerless::mpc::Demand;
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless_program::memory::MemoryArgs;
use dealerless_program::output::{count, say, show_json};
use dealerless_program::whole_file;
use serde::Serialize;

use super::netlist_file;

/// Writes the circuit that deals boards of four hands, with no order inside a hand.
///
/// Input value 1 is the garbler's and 2 the evaluator's, board by board. One party enters the bits
/// of the switches of a Waksman network. The other enters two bits for each position of the pack:
/// the hand that gets the card. The outputs are one word per hand, with bit c set if the hand has
/// card c. Two bits follow at the end, one per party: whether the words of the party name all hands
/// equally often.
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
    /// File to write. Its name ends in .txt or .bristol, followed by .gz to compress it; - is
    /// standard output [default: -].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
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
    /// The input bits of a permutation.
    switches: usize,
    /// The input bits of the other party, for each board.
    word: usize,
    joint_and: usize,
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
    let Some(path) = netlist_file::write(circuit.circuit(), args.output.as_deref())? else {
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
