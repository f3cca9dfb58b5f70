//! Our own shuffles as a table on the screen.

use std::ops::Range;

use comfy_table::{CellAlignment, ColumnConstraint, Table};
use dealerless_program::output::{bytes, count, fit, grid, lines};

use super::super::entry::{Built, Counts, Entry};
use super::deals::Deal;

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
         are without it. Joint: on inputs of both parties, with the check or without;\n\
         only these are garbled, as half gates. Inputs (garbler's and evaluator's) and\n\
         outputs in bits.",
    );
    if !hidden.is_empty() {
        let hidden = hidden.join(", ");
        text.push('\n');
        text.push_str(&lines(&format!(
            "Left out to fit 80 columns: {hidden}. --csv and --json have all."
        )));
    }
    let any = |is: fn(&Entry) -> bool| deals.iter().any(|deal| deal.entries.iter().any(is));
    if any(|entry| entry.unchecked.computed) {
        text.push_str("\n† Computed: the circuit was not built.");
    }
    if any(|entry| entry.unchecked.in_slices()) {
        text.push_str("\n‡ Built in slices, so the gates are not in the order of the layers.");
    }
    if any(|entry| !entry.unchecked.exact) {
        text.push_str("\nabout: a few per cent too many at most.");
    }
    if any(|entry| entry.comparison) {
        text.push_str("\n* For comparison only: never played with.");
    }
    text
}

/// The columns that are empty if nothing was built, after that of the draw.
const OF_BUILT: Range<usize> = 4..8;

/// The table, and the columns that are left out of it.
fn table(deals: &[Deal]) -> (Table, Vec<&'static str>) {
    let sweep = deals.len() > 1;
    let mut grid = grid();
    let mut header = vec![
        "algorithm",
        "AND",
        "AND+",
        "joint",
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
    let any_built = deals.iter().any(|deal| {
        deal.entries
            .iter()
            .any(|entry| entry.unchecked.built.is_some())
    });
    for (place, column) in grid.column_iter_mut().enumerate() {
        if place > usize::from(sweep) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if !any_built && OF_BUILT.contains(&place.wrapping_sub(usize::from(sweep))) {
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    let more = usize::from(sweep);
    let spared = SPARED.map(|(place, name)| (place + more, name));
    let hidden = fit(&mut grid, &spared);
    (grid, hidden)
}

/// The columns that can be spared, by their places behind the draw, the first first.
const SPARED: [(usize, &str); 6] = [
    (6, "gates"),
    (5, "NOT"),
    (9, "outputs"),
    // The joint ANDs say it too.
    (10, "garbled"),
    (8, "inputs"),
    (4, "XOR"),
];

fn cells(entry: &Entry) -> Vec<String> {
    let number = |value: usize| count(value as u64);
    let counts = &entry.unchecked;
    let built = |tell: fn(&Built) -> usize| counts.of_built(|built| number(tell(built)));
    let mark = if entry.comparison {
        " *"
    } else if counts.computed {
        " †"
    } else if counts.in_slices() {
        " ‡"
    } else {
        ""
    };
    vec![
        format!("{}{mark}", entry.name),
        ands(counts),
        entry.checked.as_ref().map_or(String::new(), ands),
        counts
            .joint_and
            .map_or(String::new(), |joint| about(counts, joint)),
        built(|built| built.xor),
        built(|built| built.not),
        built(|built| built.gates),
        built(|built| built.and_depth),
        format!(
            "{} + {}",
            number(counts.garbler_inputs.unwrap_or_default()),
            number(counts.evaluator_inputs.unwrap_or_default())
        ),
        number(counts.outputs),
        bytes(counts.half_gate_bytes as u64),
    ]
}

/// The AND gates of a circuit.
pub(super) fn ands(counts: &Counts) -> String {
    about(counts, counts.and)
}

/// A number of gates, which is only about right if the counts are.
fn about(counts: &Counts, gates: usize) -> String {
    let gates = count(gates as u64);
    if counts.exact {
        gates
    } else {
        format!("about {gates}")
    }
}
