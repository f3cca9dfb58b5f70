//! Pages as HTML, to be printed from a browser. Everything is in the file; nothing is loaded.

use crate::bridge::{Board, Hand, Seat};

use super::diagram::{conditions, suits};
use super::steps::{Block, RULES, Step};

/// Groups of four places in a line.
const GROUPS: usize = 5;

const STYLE: &str = "\
@page { size: A4; margin: 14mm }
body { font: 10.5pt/1.35 'DejaVu Sans', Arial, sans-serif; color: #000; background: #fff; margin: 0 }
h1 { font-size: 17pt; margin: 0 0 2mm }
h2 { font-size: 12pt; margin: 0 0 1mm }
p { margin: 0 0 1.5mm }
section { break-inside: avoid; border-top: 0.4pt solid #888; padding: 2.5mm 0 2mm }
table { border-collapse: collapse; break-inside: avoid }
td { padding: 0; vertical-align: top; white-space: nowrap }
.places { margin: 1mm 0 2.5mm 6mm }
.places td { font: bold 15pt/1.5 'DejaVu Sans Mono', 'Courier New', monospace; padding-right: 7mm }
.red { color: #c00000 }
.cards { margin: 0 0 -0.3mm; page-break-inside: avoid }
.cards td { width: 40mm; height: 29mm; border: 0.4pt dashed #666; padding: 2mm }
.record { display: inline-block; width: 57mm; margin: 0 1mm 5mm 0; font-size: 8pt; line-height: 1.25; \
break-inside: avoid; vertical-align: top }
.record td { width: 19mm; height: 14mm }
.record .wide { white-space: normal }
";

/// A page with this title and body.
fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

pub(super) fn sheet(name: &str, blocks: &[Block]) -> String {
    let mut body = String::new();
    for rule in RULES {
        body.push_str(&format!("<p>{rule}</p>\n"));
    }
    for block in blocks {
        body.push_str(&format!("<section>\n<h2>{}</h2>\n", block.title));
        for step in &block.steps {
            body.push_str(&match step {
                Step::Say(words) => format!("<p>{words}</p>\n"),
                Step::Places(groups) => places(groups),
            });
        }
        body.push_str("</section>\n");
    }
    page(name, &body)
}

fn places(groups: &[String]) -> String {
    let row = |row: &[String]| {
        let cells: String = row
            .iter()
            .map(|group| format!("<td>{group}</td>"))
            .collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = groups.chunks(GROUPS).map(row).collect();
    format!("<table class=\"places\">\n{rows}</table>\n")
}

/// The four lines of a hand.
fn hand(hand: Hand) -> String {
    let line = |(suit, ranks): (char, String)| match suit {
        '♥' | '♦' => format!("<span class=\"red\">{suit}</span> {ranks}"),
        _ => format!("{suit} {ranks}"),
    };
    suits(hand).map(line).join("<br>")
}

pub(super) fn curtain_cards(boards: &[Board]) -> String {
    let mut body = String::new();
    for board in boards {
        let card = |seat: Seat| {
            let hand = hand(board.deal.hand(seat));
            format!("<td><b>Board {} {seat:?}</b><br>{hand}</td>", board.number)
        };
        let cards = Seat::ALL.map(card).concat();
        body.push_str(&format!(
            "<table class=\"cards\"><tr>{cards}</tr></table>\n"
        ));
    }
    page("Curtain cards", &body)
}

pub(super) fn records(boards: &[Board]) -> String {
    let records: String = boards.iter().map(record).collect();
    page("Hand records", &records)
}

fn record(board: &Board) -> String {
    let [dealer, vulnerable] = conditions(board);
    let [north, east, south, west] = Seat::ALL.map(|seat| hand(board.deal.hand(seat)));
    let points = Seat::ALL.map(|seat| board.deal.hand(seat).high_card_points());
    let [n, e, s, w] = points;
    format!(
        "<table class=\"record\">\n\
         <tr><td class=\"wide\"><b>Board {}</b><br>{dealer}<br>{vulnerable}</td><td>{north}</td><td></td></tr>\n\
         <tr><td>{west}</td><td></td><td>{east}</td></tr>\n\
         <tr><td>HCP<br>{n} N<br>{w} W, {e} E<br>{s} S</td><td>{south}</td><td></td></tr>\n\
         </table>\n",
        board.number
    )
}
