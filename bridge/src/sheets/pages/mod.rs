//! What is printed: a sheet for each dealer, curtain cards and hand records, as text and as HTML.

mod diagram;
mod html;
mod steps;
mod text;

use super::{BoardSheets, Dealer, HalfSheet, halves};
use crate::Board;

use self::steps::Leaf;

/// How a page is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Plain text of at most 80 columns.
    Text,
    /// HTML, to be printed from a browser on A4. On the screen it shows nothing of the deals before it is
    /// told to.
    Html,
}

/// The sheet of one dealer, which begins with what a dealer does for every board. Nobody may have both.
pub fn sheet(page: Page, dealer: Dealer, boards: &[BoardSheets]) -> String {
    let halves = halves(boards.len(), dealer).into_iter();
    let halves: Vec<HalfSheet> = halves
        .map(|(board, half)| boards[board].half(half))
        .collect();
    in_this_order(page, dealer, &halves)
}

/// The same of a dealer who has nothing of the other dealer's: `own` is one half of each board, in order of
/// the boards.
///
/// `None` if these are not the halves that this dealer does.
pub fn own_sheet(page: Page, dealer: Dealer, own: &[HalfSheet]) -> Option<String> {
    let halves = halves(own.len(), dealer).into_iter().map(|(board, half)| {
        let sheet = own.get(board)?;
        (sheet.half() == half).then(|| sheet.clone())
    });
    let halves: Vec<HalfSheet> = halves.collect::<Option<_>>()?;
    Some(in_this_order(page, dealer, &halves))
}

fn in_this_order(page: Page, dealer: Dealer, halves: &[HalfSheet]) -> String {
    let leaves: Vec<Leaf> = (1..)
        .zip(halves.chunks(4))
        .map(|(number, halves)| Leaf::of(number, halves))
        .collect();
    let name = match dealer {
        Dealer::One => "Dealer 1",
        Dealer::Two => "Dealer 2",
    };
    match page {
        Page::Text => text::sheet(name, &leaves),
        Page::Html => html::sheet(name, &leaves),
    }
}

/// A card for each hand, with which players check what is in their pockets.
///
/// In HTML every second page is the back of the one before, with the board and the seat only, and
/// mirrored, for printing on both sides.
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
