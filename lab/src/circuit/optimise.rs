//! `circuit optimise`: a netlist through the builder.

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

/// Writes a netlist with fewer gates that computes the same, in the Bristol Fashion.
///
/// Constants are folded, equal gates shared, gates that no output needs dropped, and the rest is put
/// in layers of equal AND depth. Nothing is written that has more ANDs.
#[derive(clap::Args)]
#[command(
    after_help = "Example: dealerless circuit optimise aes.txt.gz -o aes-small.txt\n\n\
    What is written is read again and compared with FILE, by all inputs up to 24 bits,\n\
    otherwise by chosen and random ones; `circuit compare` does it with more.\n\n\
    Exit codes: 0 fine, 1 wrong usage, a file that is no netlist, or one that cannot be\n\
    written."
)]
pub struct Args {
    /// The netlist: Bristol Fashion or the format of old, plain or gzip; - is standard input.
    #[arg(value_name = "FILE")]
    netlist: PathBuf,
    /// The file to write, not FILE: its name ends in .txt or .bristol, with .gz after that to
    /// compress it. - is standard output.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    format: FormatArgs,
    /// Print one JSON object; OUT must be a file.
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

/// What is compared of a netlist.
#[derive(Serialize)]
struct Size {
    and: usize,
    xor: usize,
    not: usize,
    /// Constants and copies.
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
            live_wires: (structure.live_wires).expect("a netlist is known as a whole"),
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
    ensure!(to_file || !args.json, "--json needs a file for the netlist");
    whole_file::check_output(Some(&args.output), netlist_file::ENDINGS, &[&args.netlist])?;
    let netlist = args.format.read_shown(&args.netlist)?;
    let progress = Progress::of_one_step("making it smaller".into());
    let circuit = netlist.circuit();
    let again = read_again(&circuit)?;
    drop(progress);
    let answer = Answer::find([&netlist, &again], None, None)?;
    ensure!(
        answer.difference().is_none(),
        "what would be written computes something else: this is a bug"
    );
    let (before, after) = (Size::of(&netlist), Size::of(&again));
    ensure!(
        after.and <= before.and,
        "what would be written has {} ANDs instead of {}: this is a bug",
        after.and,
        before.and
    );
    netlist_file::write(&circuit, Some(&args.output))?;
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
    say(&answer.say());
    if to_file {
        say(&format!("Wrote {}.", args.output.display()));
    }
    Ok(())
}

/// The netlist that a circuit is written as.
fn read_again(circuit: &Circuit) -> anyhow::Result<Netlist> {
    let mut text = Vec::new();
    bristol::write(circuit, &mut text)?;
    Netlist::parse(&text, None).context("what would be written cannot be read: this is a bug")
}

fn screen(before: &Size, after: &Size) -> String {
    let mut grid = grid();
    grid.set_header(["", "before", "after", "gained"]);
    for ((name, before), (_, after)) in before.rows().into_iter().zip(after.rows()) {
        let gained = match before.checked_sub(after) {
            Some(fewer) => count(fewer as u64),
            None => format!("-{}", count((after - before) as u64)),
        };
        let [before, after] = [before, after].map(|number| count(number as u64));
        grid.add_row([name.to_owned(), before, after, gained]);
    }
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Right);
    }
    format!("{}\n", grid.trim_fmt())
}
