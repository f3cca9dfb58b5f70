//! `circuit optimise`: simplifies a netlist by passing it through the builder.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use dealerless::circuit::Circuit;
use dealerless::circuit::bristol::{self, Netlist};
use dealerless_program::output::{count, grid, say, show_json};
use dealerless_program::progress::Progress;
use dealerless_program::whole_file;
use serde::Serialize;

use super::answer::{self, Answer};
use super::netlist_file::{self, FormatArgs};

/// Writes an equivalent netlist with fewer gates.
///
/// Constants are folded, equal gates are shared, gates that no output needs are dropped, and the
/// remaining gates are arranged in layers of equal AND depth. A netlist with more ANDs is never
/// written.
#[derive(clap::Args)]
#[command(
    after_help = "Example: dealerless circuit optimise aes.txt.gz -o aes-small.txt\n\n\
    The result is read back and compared with FILE: on all inputs if they have up to 24\n\
    bits, otherwise on fixed and random inputs. `circuit compare` can try more inputs.\n\n\
    Exit codes: 0 success, 1 wrong usage, an invalid netlist, or a file that cannot be\n\
    written."
)]
pub struct Args {
    /// Netlist in Bristol Fashion, the older Bristol format or AIGER, plain or gzip; - is standard
    /// input.
    #[arg(value_name = "FILE")]
    netlist: PathBuf,
    /// File to write, other than FILE. Its name ends in .txt or .bristol for Bristol Fashion, or in
    /// .aag or .aig for AIGER, followed by .gz to compress it; - is standard output, in Bristol
    /// Fashion.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// Print one JSON object; requires that OUT is a file.
    #[arg(long)]
    json: bool,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    before: Size,
    after: Size,
    check: answer::Report,
}

/// The size of a netlist before or after optimisation.
#[derive(Serialize)]
struct Size {
    and: usize,
    xor: usize,
    not: usize,
    /// The number of constants and copies of wires.
    copies: usize,
    and_depth: usize,
    depth: usize,
    live_wires: usize,
}

impl Size {
    fn of(netlist: &Netlist) -> Self {
        let structure = netlist.structure(None);
        Size {
            and: structure.and,
            xor: structure.xor,
            not: structure.not,
            copies: structure.copies,
            and_depth: structure.and_depth,
            depth: structure.depth,
            live_wires: (structure.live_wires).expect("absent only for circuits built in slices"),
        }
    }

    fn rows(&self) -> [(&'static str, usize); 7] {
        [
            ("AND", self.and),
            ("XOR", self.xor),
            ("NOT", self.not),
            ("constants, copies", self.copies),
            ("AND depth", self.and_depth),
            ("depth", self.depth),
            ("live wires", self.live_wires),
        ]
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let to_file = !whole_file::is_standard_output(&args.output);
    ensure!(
        to_file || !args.json,
        "--json uses standard output; name a file with -o OUT"
    );
    whole_file::check_output(Some(&args.output), netlist_file::ENDINGS, &[&args.netlist])?;
    let netlist = args.format.read_with_progress(&args.netlist)?;
    let progress = Progress::of_one_step("optimising".into());
    let circuit = netlist.circuit();
    let result = read_back(&circuit)?;
    drop(progress);
    let answer = Answer::find([&netlist, &result], None, None)?;
    ensure!(
        answer.difference().is_none(),
        "the result would compute different outputs: this is a bug"
    );
    let (before, after) = (Size::of(&netlist), Size::of(&result));
    ensure!(
        after.and <= before.and,
        "the result would have {} ANDs instead of {}: this is a bug",
        after.and,
        before.and
    );
    netlist_file::write(&result, Some(&args.output))?;
    if args.json {
        let report = Report {
            file: args.netlist.display().to_string(),
            output: args.output.display().to_string(),
            before,
            after,
            check: answer.report(),
        };
        return show_json("circuit optimise", &report);
    }
    say(&screen(&before, &after));
    say(&answer.describe());
    if to_file {
        say(&format!("Wrote {}.", args.output.display()));
    }
    Ok(())
}

/// Writes a circuit as a netlist in memory, and parses it.
fn read_back(circuit: &Circuit) -> anyhow::Result<Netlist> {
    let mut text = Vec::new();
    bristol::write(circuit, &mut text)?;
    Netlist::parse(&text, None).context("the result could not be read back: this is a bug")
}

fn screen(before: &Size, after: &Size) -> String {
    let mut grid = grid();
    grid.set_header(["", "before", "after", "saved"]);
    for ((name, before), (_, after)) in before.rows().into_iter().zip(after.rows()) {
        let saved = match before.checked_sub(after) {
            Some(fewer) => count(fewer as u64),
            None => format!("-{}", count((after - before) as u64)),
        };
        let [before, after] = [before, after].map(|number| count(number as u64));
        grid.add_row([name.to_owned(), before, after, saved]);
    }
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    format!("{}\n", grid.trim_fmt())
}
