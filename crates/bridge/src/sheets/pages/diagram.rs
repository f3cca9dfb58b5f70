//! Formats a hand as text, and the dealer and the vulnerability of a board in words.

use crate::{Board, Hand, Suit, Vulnerability};

/// The symbols of the suits, spades first.
const SYMBOLS: [char; 4] = ['♠', '♥', '♦', '♣'];

/// For each suit, its symbol, and the hand's ranks in this suit or a dash.
pub(super) fn suits(hand: Hand) -> [(char, String); 4] {
    Suit::ALL.map(|suit| {
        let ranks: Vec<String> = hand.ranks(suit).map(rank).collect();
        let ranks = if ranks.is_empty() {
            "–".to_owned()
        } else {
            ranks.join(" ")
        };
        (SYMBOLS[suit as usize], ranks)
    })
}

/// A rank as printed on cards.
fn rank(rank: char) -> String {
    match rank {
        'T' => "10".into(),
        rank => rank.into(),
    }
}

/// The dealer and the vulnerability, in words.
pub(super) fn conditions(board: &Board) -> [String; 2] {
    let vulnerable = match board.vulnerability() {
        Vulnerability::None => "Nobody",
        Vulnerability::NorthSouth => "North-South",
        Vulnerability::EastWest => "East-West",
        Vulnerability::All => "Everybody",
    };
    [
        format!("{:?} deals", board.dealer()),
        format!("{vulnerable} vulnerable"),
    ]
}
