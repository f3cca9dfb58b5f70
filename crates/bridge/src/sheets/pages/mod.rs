//! The printed pages: a sheet for each dealer, curtain cards and hand records, as text and as HTML.

mod diagram;
mod html;
mod steps;
mod text;

use super::{BoardSheets, Dealer, HalfSheet, halves};
use crate::Board;

use self::steps::Leaf;

/// The format of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Plain text of at most 80 columns.
    Text,
    /// HTML for printing on A4 from a browser. On the screen, the deals are hidden until the user
    /// chooses to show them.
    Html,
}

/// The sheet of one dealer, which begins with the general rules. Nobody may have the sheets of both
/// dealers.
pub fn sheet(page: Page, dealer: Dealer, boards: &[BoardSheets]) -> String {
    let halves = halves(boards.len(), dealer).into_iter();
    let halves: Vec<HalfSheet> = halves
        .map(|(board, half)| boards[board].half(half))
        .collect();
    render_sheet(page, dealer, &halves)
}

/// The sheet of one dealer, made without the sheet of the other dealer. `own` has this dealer's
/// half of each board, in the order of the boards.
///
/// `None` if `own` does not have the halves that [`halves`] gives to this dealer.
pub fn own_sheet(page: Page, dealer: Dealer, own: &[HalfSheet]) -> Option<String> {
    let halves = halves(own.len(), dealer).into_iter().map(|(board, half)| {
        let sheet = own.get(board)?;
        (sheet.half() == half).then(|| sheet.clone())
    });
    let halves: Vec<HalfSheet> = halves.collect::<Option<_>>()?;
    Some(render_sheet(page, dealer, &halves))
}

fn render_sheet(page: Page, dealer: Dealer, halves: &[HalfSheet]) -> String {
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

/// Curtain cards: a card for each hand, with which a player checks the cards from the pocket.
///
/// In HTML, every second page is the back of the previous page, for double-sided printing. The back
/// is mirrored, and shows only the board and the seat of each card.
pub fn curtain_cards(page: Page, boards: &[Board]) -> String {
    match page {
        Page::Text => text::curtain_cards(boards),
        Page::Html => html::curtain_cards(boards),
    }
}

/// Hand records: the deals with their high-card points, to be read after the play.
pub fn records(page: Page, boards: &[Board]) -> String {
    match page {
        Page::Text => text::records(boards),
        Page::Html => html::records(boards),
    }
}
