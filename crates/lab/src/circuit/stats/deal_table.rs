//! The table of built-in shuffles.

use std::ops::Range;

use comfy_table::{CellAlignment, ColumnConstraint, Table};
use dealerless_command_line::output::{bytes, count, fit, grid, lines, width};

use super::super::entry::{Built, Counts, Entry};
use super::deals::Deal;

/// Formats the table of all deals. For several deals, it has a column for the deck and the draw.
pub(super) fn screen(deals: &[Deal]) -> String {
    let mut text = match deals {
        [deal] => format!("{}:\n\n", deal.name()),
        _ => String::new(),
    };
    let (table, hidden) = table(deals);
    text.push_str(&table.trim_fmt());
    let shows = |column| !hidden.contains(&column);
    let mut legend = Vec::new();
    if shows("AND+") {
        legend.push(
            "AND+: including the check that both parties' inputs are in range; the other columns \
             are without it.",
        );
    }
    legend.push(
        "Joint: ANDs that depend on inputs of both parties, the same with and without the check; \
         only these are garbled, as half gates.",
    );
    match (shows("inputs"), shows("outputs")) {
        (true, true) => legend.push("Inputs (garbler's and evaluator's) and outputs in bits."),
        (true, false) => legend.push("Inputs (garbler's and evaluator's) in bits."),
        (false, _) => {}
    }
    let mut notes = vec![legend.join(" ")];
    if !hidden.is_empty() {
        notes.push(format!(
            "Omitted to fit {} columns: {}. --csv and --json include everything.",
            width(),
            hidden.join(", ")
        ));
    }
    let any = |is: fn(&Entry) -> bool| deals.iter().any(|deal| deal.entries.iter().any(is));
    let marks = [
        (
            any(|entry| entry.unchecked.computed),
            "† Computed without building the circuit.",
        ),
        (
            any(|entry| entry.unchecked.in_slices()),
            "‡ Built in slices, so the gates are not in layer order.",
        ),
        (
            any(|entry| !entry.unchecked.exact),
            "about: too high by a few per cent at most.",
        ),
        (
            any(|entry| entry.comparison),
            "* For comparison only; never used in a match.",
        ),
    ];
    let marks = marks.into_iter().filter(|(applies, _)| *applies);
    notes.extend(marks.map(|(_, mark)| mark.to_owned()));
    format!("{text}\n\n{}", lines(&notes.join("\n")))
}

/// The positions, without the draw column, of the columns that are empty if no circuit was built.
const OF_BUILT: Range<usize> = 4..8;

/// Formats the table. Returns the table, and the names of the columns omitted to fit the screen.
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
                // Only the first row of a deal shows its name.
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
    let offset = usize::from(sweep);
    let omittable = OMITTABLE.map(|(place, name)| (place + offset, name));
    let hidden = fit(&mut grid, &omittable);
    (grid, hidden)
}

/// The columns that can be omitted, in the order in which they are omitted: the position, without
/// the draw column, and the name.
const OMITTABLE: [(usize, &str); 8] = [
    (6, "gates"),
    (5, "NOT"),
    (9, "outputs"),
    // The bytes follow from the number of joint ANDs.
    (10, "garbled"),
    (8, "inputs"),
    (4, "XOR"),
    (7, "AND depth"),
    (2, "AND+"),
];

fn cells(entry: &Entry) -> Vec<String> {
    let number = |value: usize| count(value as u64);
    let counts = &entry.unchecked;
    let built = |get: fn(&Built) -> usize| counts.of_built(|built| number(get(built)));
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

/// Formats the number of AND gates of a circuit.
pub(super) fn ands(counts: &Counts) -> String {
    about(counts, counts.and)
}

/// Formats a number of gates, marked as approximate if the counts are not exact.
fn about(counts: &Counts, gates: usize) -> String {
    let gates = count(gates as u64);
    if counts.exact {
        gates
    } else {
        format!("about {gates}")
    }
}
