//! Cards and their names.

use std::fmt;

use zeroize::Zeroize;

/// The content of a position. In a deck, this is a card: its number in the unshuffled deck, from 0.
/// In a [split](crate::shuffle::split), this is a hand: bit c is set if card c is in the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Zeroize)]
pub struct Card(pub u64);

/// A suit, from the highest to the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suit {
    /// Spades.
    Spades,
    /// Hearts.
    Hearts,
    /// Diamonds.
    Diamonds,
    /// Clubs.
    Clubs,
}

impl Suit {
    /// All four suits, spades first.
    pub const ALL: [Suit; 4] = [Suit::Spades, Suit::Hearts, Suit::Diamonds, Suit::Clubs];

    /// `♠`, `♥`, `♦` or `♣`.
    pub fn symbol(self) -> char {
        ['♠', '♥', '♦', '♣'][self as usize]
    }
}

/// The ranks from the deuce to the ace.
const RANKS: [char; 13] = [
    '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A',
];

impl Card {
    /// The name of a card of a 52-card deck. The card number is `13 * suit + rank`, with the suits
    /// clubs, diamonds, hearts and spades, and the ranks from the deuce to the ace. `None` for any
    /// other card.
    ///
    /// ```
    /// use dealerless::deck::{Card, Suit};
    ///
    /// let queen = Card(36);
    /// assert_eq!(queen.of_52().as_deref(), Some("Q♥"));
    /// assert_eq!((queen.rank(), queen.suit()), (Some(12), Some(Suit::Hearts)));
    /// ```
    pub fn of_52(self) -> Option<String> {
        let rank = RANKS[usize::from(self.rank()?) - 2];
        Some(format!("{rank}{}", self.suit()?.symbol()))
    }

    /// The rank of a card of a 52-card deck: 2 to 10, 11 for a jack, 12 for a queen, 13 for a king
    /// and 14 for an ace. `None` for any other card.
    pub fn rank(self) -> Option<u8> {
        (self.0 < 52).then_some(2 + (self.0 % 13) as u8)
    }

    /// The suit of a card of a 52-card deck. `None` for any other card.
    pub fn suit(self) -> Option<Suit> {
        let from_clubs = usize::try_from(self.0 / 13).ok()?;
        Suit::ALL.into_iter().rev().nth(from_clubs)
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_52_cards_are_different_and_card_52_has_none() {
        let names: std::collections::HashSet<_> = (0..52)
            .map(|number| Card(number).of_52().unwrap())
            .collect();
        assert_eq!(names.len(), 52);
        assert_eq!(Card(0).of_52().unwrap(), "2♣");
        assert_eq!(Card(51).of_52().unwrap(), "A♠");
        assert_eq!(Card(52).of_52(), None);
    }

    #[test]
    fn rank_and_suit_match_the_name_and_only_52_cards_have_them() {
        for number in 0..52 {
            let card = Card(number);
            let (rank, suit) = (card.rank().unwrap(), card.suit().unwrap());
            let clubs_first = Suit::ALL.len() - 1 - suit as usize;
            assert_eq!(13 * clubs_first as u64 + u64::from(rank) - 2, number);
            let name = card.of_52().unwrap();
            assert!(name.ends_with(suit.symbol()), "{name}");
        }
        assert_eq!(Card(12).rank(), Some(14));
        assert_eq!(Card(8).of_52().as_deref(), Some("T♣"));
        for number in [52, 65, u64::MAX] {
            assert_eq!((Card(number).rank(), Card(number).suit()), (None, None));
        }
    }
}
