//! Netlists and our own shuffles side by side on the screen.

use std::path::Path;

use comfy_table::CellAlignment;
use dealerless_program::output::{bytes, count, grid, shortened};

use super::super::entry::Counts;
use super::deal_table::ands;
use super::deals::Deal;
use super::netlists::NetlistEntry;

/// Circuits that stand side by side within 80 columns.
const ACROSS: usize = 3;

/// The longest name of one, in characters.
const NAME: usize = 17;

/// Digits of the digest that are shown.
const DIGITS: usize = 16;

/// A circuit in the table.
struct Column<'a> {
    name: String,
    counts: &'a Counts,
    checked: Option<&'a Counts>,
}

/// The table, a few circuits at a time: first those of files, then our own.
pub(super) fn screen(netlists: &[NetlistEntry], deals: &[Deal]) -> String {
    let mut columns: Vec<Column> = netlists.iter().map(Column::of_netlist).collect();
    columns.extend(deals.iter().flat_map(Column::of_deal));
    let blocks: Vec<String> = columns.chunks(ACROSS).map(block).collect();
    format!(
        "{}\n\n\
         Gates as they are written; depths and layers without dead gates, which no output\n\
         needs. An AND is joint if it depends on inputs of both parties. AND when run:\n\
         after constants are folded and equal gates shared. AND+: with the check that\n\
         both inputs are in range. Garbled: half gates. Malicious run: bytes of the\n\
         first run of a session, both ways, from an empty pool, without setup and\n\
         openings. The digest is what two parties compare before a run, here its first\n\
         {DIGITS} digits.",
        blocks.join("\n\n")
    )
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

/// A name as the table shows it.
fn shown(name: &str) -> String {
    // A control character would move the cursor.
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    shortened(&name, NAME)
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
    grid.trim_fmt()
}

type Row = (&'static str, fn(&Column) -> String);

/// The lines of the table. One that is empty for all circuits is left out.
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
    ("ANDs a layer", |column| {
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
    fn a_long_name_keeps_both_its_ends_and_cannot_move_the_cursor() {
        assert_eq!(shown("aes_128.txt"), "aes_128.txt");
        let name = "AES-expanded-of-old-times.txt";
        assert_eq!(shown(name), "AES-expa…imes.txt");
        assert_eq!(shown("a\u{1b}[2Jb\n"), "a[2Jb");
    }
}
