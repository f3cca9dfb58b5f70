//! `circuit convert`: writes a netlist in another format.

use dealerless_command_line::output::{count, say, show_json};
use serde::Serialize;

use super::netlist_file::{self, FileArgs};

/// Writes a netlist in another format, with the same gates.
///
/// The name of OUT implies the format: .txt and .bristol are Bristol Fashion, .aag is AIGER in
/// ASCII, and .aig is AIGER in binary.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    dealerless circuit convert adder.aig -o adder.txt\n  \
    dealerless circuit convert mult.aig --input-bits 32,32 -o mult.txt\n  \
    dealerless circuit convert aes.txt.gz -o aes.aig\n\n\
    A bit of AIGER may have a name. If all input bits do, a[0], a[1] and so on form a\n\
    value, lowest index first, and a name without an index is a value of one bit. The\n\
    values come in the order of the file. Without names all input bits are one value;\n\
    --input-bits gives the widths instead. The same holds for the outputs. Files\n\
    written here have the names in1[0], in1[1] and so on, and out1[0] and so on.\n\n\
    AIGER has only ANDs and negations. A XOR is written as three ANDs, and recovered\n\
    when the file is read. A value without bits is not written.\n\n\
    Exit codes: 0 success, 1 wrong usage, an invalid netlist, or a file that cannot be\n\
    written.")]
pub struct Args {
    #[command(flatten)]
    files: FileArgs,
}

/// The object of `--json`.
#[derive(Serialize)]
struct Report<'a> {
    file: String,
    format: String,
    output: String,
    /// The number of bits of each input value.
    inputs: &'a [usize],
    /// The number of bits of each output value.
    outputs: &'a [usize],
    and: usize,
    xor: usize,
    not: usize,
    /// The number of constants and copies of wires.
    copies: usize,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let files = &args.files;
    files.check()?;
    let (netlist, format) = files.read()?;
    let Some(path) = netlist_file::write(&netlist, Some(&files.output))? else {
        return Ok(());
    };
    let structure = netlist.structure(None);
    if files.json {
        let report = Report {
            file: files.netlist.display().to_string(),
            format: format.to_string(),
            output: path.display().to_string(),
            inputs: netlist.inputs(),
            outputs: netlist.outputs(),
            and: structure.and,
            xor: structure.xor,
            not: structure.not,
            copies: structure.copies,
        };
        return show_json("circuit convert", &report);
    }
    let [and, xor, not] = [structure.and, structure.xor, structure.not];
    let [and, xor, not] = [and, xor, not].map(|gates| count(gates as u64));
    let name = path.display();
    say(&format!(
        "Wrote {name}: {and} AND, {xor} XOR, {not} NOT; inputs {}, outputs {}.",
        widths(netlist.inputs()),
        widths(netlist.outputs())
    ));
    Ok(())
}

/// The widths of values, for the screen. A file may have many values.
fn widths(values: &[usize]) -> String {
    let bits: usize = values.iter().sum();
    let texts = values.iter().map(usize::to_string);
    match values.len() {
        _ if bits == 1 => "1 bit".into(),
        0 | 1 => format!("{bits} bits"),
        2..=4 => format!("{} bits", texts.collect::<Vec<_>>().join(" + ")),
        count => format!("{bits} bits in {count} values"),
    }
}
