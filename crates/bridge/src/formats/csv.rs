//! CSV: a line for each board, with 18 quoted fields: the ranks in each suit of North, East, South
//! and West, the board number, and DEALER/VULNERABILITY.

use crate::{Board, Compass, Suit, Vulnerability};

pub(super) fn write(boards: &[Board]) -> String {
    let mut text = String::new();
    for board in boards {
        for seat in Compass::ALL {
            let hand = board.deal.hand(seat);
            for suit in Suit::ALL {
                text.push('"');
                text.extend(hand.ranks(suit));
                text.push_str("\",");
            }
        }
        let vulnerable = match board.vulnerability() {
            Vulnerability::None => "-",
            other => super::boards::vulnerability(other),
        };
        let (number, dealer) = (board.number, board.dealer().letter());
        text.push_str(&format!("\"{number}\",\"{dealer}/{vulnerable}\"\n"));
    }
    text
}
