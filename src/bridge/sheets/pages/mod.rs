//! What is printed: a sheet for each dealer, curtain cards and hand records, as text and as HTML.

mod diagram;
mod html;
mod steps;
mod text;

use super::{BoardSheets, Dealer, halves};
use crate::bridge::Board;

use self::steps::steps;

/// How a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Plain text of at most 80 columns.
    Text,
    /// HTML, to be printed from a browser.
    Html,
}

/// The sheet of one dealer. Nobody may have both.
pub fn sheet(page: Page, dealer: Dealer, boards: &[BoardSheets]) -> String {
    let halves = halves(boards.len(), dealer);
    let blocks: Vec<_> = halves
        .into_iter()
        .map(|(board, half)| steps(&boards[board], half))
        .collect();
    let name = match dealer {
        Dealer::One => "Dealer 1",
        Dealer::Two => "Dealer 2",
    };
    match page {
        Page::Text => text::sheet(name, &blocks),
        Page::Html => html::sheet(name, &blocks),
    }
}

/// A card for each hand, with which players check what is in their pockets.
pub fn curtain_cards(page: Page, boards: &[Board]) -> String {
    match page {
        Page::Text => text::curtain_cards(boards),
        Page::Html => html::curtain_cards(boards),
    }
}

/// The deals with their high-card points, for after the play.
pub fn records(page: Page, boards: &[Board]) -> String {
    match page {
        Page::Text => text::records(boards),
        Page::Html => html::records(boards),
    }
}
