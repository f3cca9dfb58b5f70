//! BHG, of the program Borel: an empty line, followed by a line for each board. The line has the
//! hands clockwise from the dealer. Each card is a letter: `A` to `Z` for cards 0 to 25, and `a` to
//! `z` for cards 26 to 51.

use crate::Board;

pub(super) fn write(boards: &[Board]) -> String {
    let mut text = String::from("\n");
    for board in boards {
        for places in 0..4 {
            let hand = board.deal.hand(board.dealer().clockwise(places));
            text.extend(hand.cards().map(|card| letter(card.number() as u8)));
        }
        text.push('\n');
    }
    text
}

fn letter(card: u8) -> char {
    char::from(match card {
        0..26 => b'A' + card,
        _ => b'a' + card - 26,
    })
}
