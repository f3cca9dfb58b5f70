//! Pages as self-contained HTML for printing on A4 from a browser.
//!
//! On the screen, the deals are hidden until the user chooses to show them, since the person who
//! prints may play.

use crate::{Board, Compass, Hand};

use super::diagram::{conditions, suits};
use super::steps::{CHANGE, HalfBoard, Leaf, RULES, Step};

/// The number of groups of four letters or digits in a line.
const GROUPS: usize = 5;
/// The number of boards whose curtain cards fit on a page.
const CARDS: usize = 6;
/// The number of hand records side by side.
const RECORDS: usize = 3;

/// The style of all pages. Each kind of page adds one of the styles below.
const STYLE: &str = include_str!("style.css");
const SHEET: &str = include_str!("sheet.css");
const CURTAIN_CARDS: &str = include_str!("cards.css");
const RECORD: &str = include_str!("records.css");

/// Formats a page. `style` is the style of this kind of page. `open` is the content that the screen
/// always shows. `hidden` is the content that the screen hides until the user chooses to show it.
fn page(title: &str, style: &str, open: &str, hidden: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n{open}\
         <input type=\"checkbox\" id=\"show\" class=\"screen\">\
         <label for=\"show\" class=\"screen\">Show the whole page on the screen. Printing always includes the whole page.</label>\n\
         <main>\n{hidden}</main>\n</body>\n</html>\n"
    )
}

pub(super) fn sheet(name: &str, leaves: &[Leaf]) -> String {
    let rules: String = RULES.into_iter().map(rules).collect();
    let open = format!("<h1>{name}</h1>\n{rules}");
    let leaf = |leaf: &Leaf| {
        let halves = leaf.halves.iter().enumerate().map(|(place, half)| {
            let change = if leaf.changes_before(place) {
                format!("<p class=\"change\">{CHANGE}</p>\n")
            } else {
                String::new()
            };
            change + &half_board(half)
        });
        let halves: String = halves.collect();
        format!(
            "<section class=\"leaf\">\n<h1>{name}<span>{}</span></h1>\n{halves}</section>\n",
            leaf.title
        )
    };
    page(
        name,
        SHEET,
        &open,
        &leaves.iter().map(leaf).collect::<String>(),
    )
}

/// Formats an element of [`RULES`]: a title and its rules.
fn rules((title, rules): (&str, &[&str])) -> String {
    let body = match rules {
        [rule] => format!("<p>{rule}</p>\n"),
        rules => {
            let rules = rules.iter().map(|rule| format!("<li>{rule}</li>\n"));
            format!("<ol>\n{}</ol>\n", rules.collect::<String>())
        }
    };
    format!("<h2>{title}</h2>\n{body}")
}

fn half_board(half: &HalfBoard) -> String {
    let steps: String = half
        .steps
        .iter()
        .map(|step| match step {
            Step::Text(words) => format!("<p>{words}</p>\n"),
            Step::Places(groups) => places(groups),
        })
        .collect();
    format!(
        "<div class=\"half\">\n<h2>{}</h2>\n{steps}</div>\n",
        half.title
    )
}

/// Formats lines of groups. Each line starts with the position of its first card in the pack.
fn places(groups: &[String]) -> String {
    let rows: String = groups
        .chunks(GROUPS)
        .enumerate()
        .map(|(number, row)| {
            let cells = row.iter().map(|group| format!("<td>{group}</td>"));
            let card = 4 * GROUPS * number + 1;
            format!("<tr><th>{card}</th>{}</tr>\n", cells.collect::<String>())
        })
        .collect();
    format!("<table class=\"places\">\n{rows}</table>\n")
}

/// Formats the four suits of a hand, one per line.
fn hand(hand: Hand) -> String {
    format!(
        "<div class=\"hand\">{}</div>",
        suits(hand)
            .map(|(suit, ranks)| match suit {
                '♥' | '♦' => format!("<div><span class=\"red\">{suit}</span> {ranks}</div>"),
                _ => format!("<div>{suit} {ranks}</div>"),
            })
            .concat()
    )
}

pub(super) fn curtain_cards(boards: &[Board]) -> String {
    let open = "<h1 class=\"screen\">Curtain cards</h1>\n\
                <p class=\"screen\">Print on both sides, flipped on the long edge. Then lay the sheets with \
                the hands facing down, and cut. To print on one side only, skip every second page.</p>\n";
    let leaves: String = boards.chunks(CARDS).map(leaf).collect();
    page("Curtain cards", CURTAIN_CARDS, open, &leaves)
}

/// Formats the curtain cards of at most [`CARDS`] boards: a page with the fronts, and a page with
/// the backs.
fn leaf(boards: &[Board]) -> String {
    let front = |board: &Board, seat: Compass| {
        let hand = hand(board.deal.hand(seat));
        format!("<td><b>Board {} {seat:?}</b>{hand}</td>", board.number)
    };
    let back = |board: &Board, seat: Compass| {
        let number = board.number;
        format!("<td class=\"back\">Board {number}<br><b>{seat:?}</b></td>")
    };
    let side = |seats: [Compass; 4], note: &str, card: &dyn Fn(&Board, Compass) -> String| {
        let rows: String = boards
            .iter()
            .map(|board| {
                let cards = seats.map(|seat| card(board, seat)).concat();
                format!("<tr>{cards}</tr>\n")
            })
            .collect();
        format!(
            "<section class=\"leaf\">\n<p class=\"note\">{note}</p>\n\
             <table class=\"cards\">\n{rows}</table>\n</section>\n"
        )
    };
    let mut mirrored = Compass::ALL;
    mirrored.reverse();
    side(Compass::ALL, "Curtain cards, front", &front)
        + &side(
            mirrored,
            "Curtain cards, back: cut with this side up",
            &back,
        )
}

pub(super) fn records(boards: &[Board]) -> String {
    let rows: String = boards
        .chunks(RECORDS)
        .map(|boards| {
            let records: String = boards.iter().map(record).collect();
            format!("<div class=\"row\">\n{records}</div>\n")
        })
        .collect();
    let open = "<h1>Hand records<span>in the middle: high-card points</span></h1>\n";
    page("Hand records", RECORD, open, &rows)
}

fn record(board: &Board) -> String {
    let [dealer, vulnerable] = conditions(board);
    let [north, east, south, west] = Compass::ALL.map(|seat| hand(board.deal.hand(seat)));
    let points = Compass::ALL.map(|seat| board.deal.hand(seat).high_card_points());
    let [n, e, s, w] = points;
    format!(
        "<div class=\"record\"><table>\n\
         <tr><td><b>Board {}</b><br>{dealer}<br>{vulnerable}</td><td>{north}</td><td></td></tr>\n\
         <tr><td>{west}</td><td class=\"points\">{n}<br><span>{w}</span><span>{e}</span><br>{s}</td>\
         <td>{east}</td></tr>\n\
         <tr><td></td><td>{south}</td><td></td></tr>\n\
         </table></div>",
        board.number
    )
}
