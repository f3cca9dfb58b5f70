//! DGE: 128 bytes per board. Each suit of each hand is a byte for the symbol of the suit, followed
//! by the hand's ranks in this suit. Zero bytes follow the four hands.

use crate::{Board, Compass, Deal, Suit};

/// The size of the four hands in bytes: 16 symbols and 52 ranks.
pub(super) const HANDS: usize = 68;

/// The size of a board in bytes.
const BOARD: usize = 128;

pub(super) fn write(boards: &[Board]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for board in boards {
        bytes.extend(hands(&board.deal));
        bytes.extend([0; BOARD - HANDS]);
    }
    bytes
}

/// The symbol of a suit in code page 437.
fn symbol(suit: Suit) -> u8 {
    match suit {
        Suit::Spades => 6,
        Suit::Hearts => 3,
        Suit::Diamonds => 4,
        Suit::Clubs => 5,
    }
}

/// Formats the four hands in [`HANDS`] bytes.
pub(super) fn hands(deal: &Deal) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HANDS);
    for seat in Compass::ALL {
        let hand = deal.hand(seat);
        for suit in Suit::ALL {
            bytes.push(symbol(suit));
            bytes.extend(hand.ranks(suit).map(|rank| rank as u8));
        }
    }
    bytes
}
