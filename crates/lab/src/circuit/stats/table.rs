//! The side-by-side table of netlists and built-in shuffles.

use std::path::Path;

use comfy_table::CellAlignment;
use dealerless_command_line::output::{bytes, count, exceeds, fit, grid, lines, shortened, width};

use super::super::entry::Counts;
use super::deal_table::ands;
use super::deals::Deal;
use super::netlists::NetlistEntry;

/// The maximum number of circuits side by side, which fit into 80 columns.
const MAX_ACROSS: usize = 3;

/// The length of a line of a circuit's name, in characters. A name has at most two lines.
const NAME: usize = 17;

/// The number of digits of the digest to show.
const DIGITS: usize = 16;

/// A circuit in the table.
struct Column<'a> {
    name: String,
    counts: &'a Counts,
    checked: Option<&'a Counts>,
}

/// Formats the table in blocks of a few circuits: first netlists, then built-in shuffles.
pub(super) fn screen(netlists: &[NetlistEntry], deals: &[Deal]) -> String {
    let mut columns: Vec<Column> = netlists.iter().map(Column::of_netlist).collect();
    columns.extend(deals.iter().flat_map(Column::of_deal));
    let in_blocks = |across: usize| {
        let blocks: Vec<String> = columns.chunks(across).map(block).collect();
        blocks.join("\n\n")
    };
    let mut all = (1..=MAX_ACROSS).rev().map(in_blocks);
    let fitting = all.find(|blocks| !exceeds(blocks, width()));
    let blocks = fitting.unwrap_or_else(|| in_blocks(1));
    let checks = if columns.iter().any(|column| column.checked.is_some()) {
        " AND+: including the check that both inputs are in range."
    } else {
        ""
    };
    let notes = lines(&format!(
        "Gates are counted as written; depths and layers exclude dead gates, which no output needs. \
         An AND is joint if it depends on inputs of both parties. AND when run: after folding \
         constants and sharing equal gates.{checks} Garbled: with half gates. Malicious run: bytes \
         of the first run of a session in both directions, from an empty pool, without setup and \
         openings. Digest: its first {DIGITS} digits; the two parties compare it before a run."
    ));
    format!("{blocks}\n\n{notes}")
}

impl<'a> Column<'a> {
    fn of_netlist(entry: &'a NetlistEntry) -> Self {
        let name = Path::new(&entry.file).file_name();
        let name = name.map_or(entry.file.as_str().into(), |name| name.to_string_lossy());
        Column {
            name: format!("{}\n{}", shown(&name), entry.format),
            counts: &entry.counts,
            checked: None,
        }
    }

    fn of_deal(deal: &'a Deal) -> impl Iterator<Item = Self> {
        deal.entries.iter().map(|entry| Column {
            name: format!("{}\n{} of {}", shown(entry.name), deal.draw, deal.cards),
            counts: &entry.unchecked,
            checked: entry.checked.as_ref(),
        })
    }
}

impl Column<'_> {
    /// The bits of each input value.
    fn input_bits(&self) -> Vec<usize> {
        let counts = self.counts;
        match &counts.built {
            Some(built) => built.input_bits.clone(),
            None => [counts.garbler_inputs, counts.evaluator_inputs]
                .into_iter()
                .flatten()
                .collect(),
        }
    }
}

/// Formats a name for the table.
fn shown(name: &str) -> String {
    // A control character has no width, and would be shown as an escape.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    let name: Vec<char> = shortened(&name, 2 * NAME - 1).chars().collect();
    let lines: Vec<String> = name.chunks(NAME).map(String::from_iter).collect();
    lines.join("\n")
}

fn block(columns: &[Column]) -> String {
    let mut grid = grid();
    let names = columns.iter().map(|column| column.name.clone());
    grid.set_header([String::new()].into_iter().chain(names));
    for (name, cell) in ROWS {
        let cells: Vec<String> = columns.iter().map(cell).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            grid.add_row([(*name).to_owned()].into_iter().chain(cells));
        }
    }
    for column in grid.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    if columns.len() == 1 {
        fit(&mut grid, &[]);
    }
    grid.trim_fmt()
}

type Row = (&'static str, fn(&Column) -> String);

/// The rows of the table. A row that is empty for all circuits is omitted.
const ROWS: &[Row] = &[
    ("AND", |column| ands(column.counts)),
    ("  joint", |column| owned(column.counts.joint_and)),
    ("  garbler's", |column| known(column.counts.garbler_and)),
    ("  evaluator's", |column| known(column.counts.evaluator_and)),
    ("AND when run", |column| {
        column.counts.of_built(|built| number(built.run_and))
    }),
    ("AND+", |column| column.checked.map_or(String::new(), ands)),
    ("XOR", |column| {
        column.counts.of_built(|built| number(built.xor))
    }),
    ("NOT", |column| {
        column.counts.of_built(|built| number(built.not))
    }),
    ("constants, copies", |column| {
        column.counts.of_built(|built| number(built.copies))
    }),
    ("dead gates", |column| {
        column.counts.of_built(|built| number(built.dead))
    }),
    ("AND depth", |column| {
        column.counts.of_built(|built| number(built.and_depth))
    }),
    ("depth", |column| {
        column.counts.of_built(|built| number(built.depth))
    }),
    ("widest layer", |column| {
        column.counts.of_built(|built| number(built.widest_layer))
    }),
    ("ANDs per layer", |column| {
        column
            .counts
            .of_built(|built| format!("{:.1}", built.mean_layer))
    }),
    ("live wires", |column| {
        column.counts.of_built(|built| known(built.live_wires))
    }),
    ("input bits", |column| widths(&column.input_bits())),
    ("output bits", |column| number(column.counts.outputs)),
    ("garbled", |column| {
        bytes(column.counts.half_gate_bytes as u64)
    }),
    ("malicious run", |column| {
        (column.counts.malicious_bytes).map_or("owners unknown".into(), bytes)
    }),
    ("digest", |column| {
        column.counts.of_built(|built| {
            (built.digest.iter())
                .map(|digest| &digest[..DIGITS])
                .collect()
        })
    }),
];

fn number(number: usize) -> String {
    count(number as u64)
}

fn known(number: Option<usize>) -> String {
    number.map_or(String::new(), self::number)
}

fn owned(joint: Option<usize>) -> String {
    joint.map_or("owners unknown".into(), number)
}

fn widths(widths: &[usize]) -> String {
    match widths {
        [_, _, _, ..] => {
            let bits = number(widths.iter().sum());
            format!("{bits} in {}", number(widths.len()))
        }
        _ => {
            let widths: Vec<String> = widths.iter().copied().map(number).collect();
            widths.join(" + ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_keeps_its_ends_and_control_characters_are_removed() {
        assert_eq!(shown("aes_128.txt"), "aes_128.txt");
        let name = "fisher-yates-52-of-52.txt";
        assert_eq!(shown(name), "fisher-yates-52-o\nf-52.txt");
        let name = "AES-expanded-of-old-times-in-another-format.txt";
        assert_eq!(shown(name), "AES-expanded-of-…\nother-format.txt");
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a[2Jb");
    }
}
