//! `circuit split`: the circuit that deals boards, as a Bristol Fashion netlist.

use std::path::PathBuf;

use dealerless::mpc::Demand;
use dealerless::shuffle::split::{Split, SplitCircuit};
use dealerless_program::memory::MemoryArgs;
use dealerless_program::output::{count, say, show_json};
use dealerless_program::whole_file;
use serde::Serialize;

use super::netlist_file;

/// Writes the circuit that deals boards of four hands, without an order inside a hand.
///
/// Input value 1 is what the garbler enters and 2 what the evaluator does, board after board: of one party the
/// bits of the switches of a Waksman network, of the other two bits for each place of the pack, the hand to
/// which it goes. The output is one word a hand, with bit c set if card c is in it; and last, two bits:
/// whether the words of each party have all hands equally often.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit split -o board.txt\n  \
    dealerless circuit stats board.txt\n  \
    dealerless circuit split --boards 36 --json -o set.txt\n\n\
    docs/circuits.md of the repository says why a split is uniform, and what it costs beside\n\
    shuffles of 52 cards.")]
pub struct Args {
    /// How many boards.
    #[arg(long, value_name = "N", default_value_t = 1)]
    boards: usize,
    /// The cards of a suit, and of a hand.
    #[arg(long, value_name = "R", default_value_t = 13)]
    ranks: usize,
    /// The file to write: its name ends in .txt or .bristol, with .gz after that to compress it.
    /// - is standard output [default: -].
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
    boards: usize,
    ranks: usize,
    /// Who enters the switches of each board.
    permutes: Vec<String>,
    /// The input bits of a permutation, and of a word.
    switches: usize,
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
    let of_both = count(joint as u64);
    say(&format!(
        "Wrote {name}: {and} AND, {of_both} of them of both parties' inputs, {xor} XOR, {not} NOT."
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
