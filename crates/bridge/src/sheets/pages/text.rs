//! Pages as plain text of at most 80 columns.

use crate::{Board, Compass};

use super::diagram::{conditions, suits};
use super::steps::{CHANGE, HalfBoard, Leaf, RULES, Step};

/// The number of groups of four letters or digits in a line.
const GROUPS: usize = 6;
/// The width of a page in columns.
const WIDTH: usize = 80;

pub(super) fn sheet(name: &str, leaves: &[Leaf]) -> String {
    let mut text = format!("{name}\n");
    for (title, rules) in RULES {
        text.push_str(&format!("\n{title}\n"));
        for (number, rule) in (1..).zip(rules) {
            let rule = match rules.len() {
                1 => (*rule).to_owned(),
                _ => format!("{number}. {rule}"),
            };
            text.push_str(&wrapped(&rule, "  "));
        }
    }
    for leaf in leaves {
        let underline = "=".repeat(leaf.title.chars().count());
        text.push_str(&format!("\n\n{}\n{underline}\n", leaf.title));
        for (place, half) in leaf.halves.iter().enumerate() {
            if leaf.changes_before(place) {
                text.push_str(&format!("\n{CHANGE}\n"));
            }
            text.push_str(&half_board(half));
        }
    }
    text
}

fn half_board(half: &HalfBoard) -> String {
    let mut text = format!("\n{}\n", half.title);
    for step in &half.steps {
        match step {
            Step::Text(words) => text.push_str(&wrapped(words, "  ")),
            Step::Places(groups) => {
                for line in groups.chunks(GROUPS) {
                    text.push_str(&format!("    {}\n", line.join("  ")));
                }
            }
        }
    }
    text
}

/// Wraps words into lines with the given indentation.
fn wrapped(words: &str, indent: &str) -> String {
    let (mut text, mut line) = (String::new(), indent.to_owned());
    for word in words.split(' ') {
        if line.len() > indent.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = indent.to_owned();
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    text + &line + "\n"
}

pub(super) fn curtain_cards(boards: &[Board]) -> String {
    let mut text = String::new();
    for board in boards {
        for seat in Compass::ALL {
            text.push_str(&format!("Board {} {seat:?}\n", board.number));
            for (suit, ranks) in suits(board.deal.hand(seat)) {
                text.push_str(&format!("  {suit} {ranks}\n"));
            }
            text.push('\n');
        }
    }
    text
}

pub(super) fn records(boards: &[Board]) -> String {
    let mut text = String::new();
    for board in boards {
        let [dealer, vulnerable] = conditions(board);
        text.push_str(&format!(
            "Board {}. {dealer}. {vulnerable}.\n",
            board.number
        ));
        let lines =
            |seat| suits(board.deal.hand(seat)).map(|(suit, ranks)| format!("{suit} {ranks}"));
        for line in lines(Compass::North) {
            text.push_str(&format!("{:20}{line}\n", ""));
        }
        for (west, east) in lines(Compass::West).iter().zip(lines(Compass::East)) {
            text.push_str(&format!("{west:40}{east}\n"));
        }
        for line in lines(Compass::South) {
            text.push_str(&format!("{:20}{line}\n", ""));
        }
        let points = Compass::ALL.map(|seat| {
            let points = board.deal.hand(seat).high_card_points();
            format!("{seat:?} {points}")
        });
        text.push_str(&format!("High-card points: {}\n\n", points.join(", ")));
    }
    text
}
