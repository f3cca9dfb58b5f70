//! Our own shuffles as a table on the screen.

use comfy_table::{CellAlignment, Table};

use super::super::entry::Entry;
use super::deals::Deal;
use crate::output::{bytes, count, fit, grid, lines};

/// One table, with a column that says the deck and the draw if there are several.
pub(super) fn screen(deals: &[Deal]) -> String {
    let mut text = match deals {
        [deal] => format!("{}:\n\n", deal.name()),
        _ => String::new(),
    };
    let (table, hidden) = table(deals);
    text.push_str(&table.trim_fmt());
    text.push_str(
        "\n\nAND+: with the check that both parties' inputs are in range; the other columns\n\
         are without it. Inputs (garbler's and evaluator's) and outputs in bits; garbled:\n\
         half gates.",
    );
    if !hidden.is_empty() {
        let hidden = hidden.join(", ");
        text.push('\n');
        text.push_str(&lines(&format!(
            "Left out to fit 80 columns: {hidden}. --csv and --json have all."
        )));
    }
    if deals
        .iter()
        .any(|deal| deal.entries.iter().any(|entry| entry.comparison))
    {
        text.push_str("\n* For comparison only: never played with.");
    }
    text
}

/// The table, and the columns that are left out of it.
fn table(deals: &[Deal]) -> (Table, Vec<&'static str>) {
    let sweep = deals.len() > 1;
    let mut grid = grid();
    let mut header = vec![
        "algorithm",
        "AND",
        "AND+",
        "XOR",
        "NOT",
        "gates",
        "AND\ndepth",
        "inputs\n(g + e)",
        "outputs",
        "garbled",
    ];
    if sweep {
        header.insert(0, "draw");
    }
    grid.set_header(header);
    for deal in deals {
        for (place, entry) in deal.entries.iter().enumerate() {
            let mut row = cells(entry);
            if sweep {
                // Once for all its rows.
                let name = if place == 0 {
                    deal.short_name()
                } else {
                    String::new()
                };
                row.insert(0, name);
            }
            grid.add_row(row);
        }
    }
    for column in grid.column_iter_mut().skip(1 + usize::from(sweep)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let more = usize::from(sweep);
    let spared = SPARED.map(|(place, name)| (place + more, name));
    let hidden = fit(&mut grid, &spared);
    (grid, hidden)
}

/// The columns that can be spared, by their places behind the draw, the first first.
const SPARED: [(usize, &str); 6] = [
    (5, "gates"),
    (4, "NOT"),
    (8, "outputs"),
    (7, "inputs"),
    (3, "XOR"),
    (9, "garbled"),
];

fn cells(entry: &Entry) -> Vec<String> {
    let number = |value: usize| count(value as u64);
    let counts = &entry.unchecked;
    let mark = if entry.comparison { " *" } else { "" };
    vec![
        format!("{}{mark}", entry.name),
        number(counts.and),
        (entry.checked.as_ref()).map_or(String::new(), |checked| number(checked.and)),
        number(counts.xor),
        number(counts.not),
        number(counts.gates),
        number(counts.and_depth),
        format!(
            "{} + {}",
            number(counts.garbler_inputs.unwrap_or_default()),
            number(counts.evaluator_inputs.unwrap_or_default())
        ),
        number(counts.outputs),
        bytes(counts.half_gate_bytes as u64),
    ]
}
