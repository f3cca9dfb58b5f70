//! Cards and their names.

use std::fmt;

use zeroize::Zeroize;

/// The content of a position. In a deck, this is a card: its number in the unshuffled deck, from 0.
/// In a [split](crate::shuffle::split), this is a hand: bit c is set if card c is in the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Zeroize)]
pub struct Card(pub u64);

/// The ranks from the deuce to the ace.
const RANKS: [char; 13] = [
    '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K', 'A',
];

/// The suits from the lowest to the highest.
const SUITS: [char; 4] = ['♣', '♦', '♥', '♠'];

impl Card {
    /// The name of a card of a 52-card deck. The card number is `13 * suit + rank`, with the suits
    /// clubs, diamonds, hearts and spades, and the ranks from the deuce to the ace. `None` for any
    /// other card.
    ///
    /// ```
    /// let queen = dealerless::deck::Card(36);
    /// assert_eq!((queen.of_52().as_deref(), queen.rank()), (Some("Q♥"), Some(12)));
    /// ```
    pub fn of_52(self) -> Option<String> {
        let rank = RANKS[usize::from(self.rank()?) - 2];
        let suit = SUITS[(self.0 / 13) as usize];
        Some(format!("{rank}{suit}"))
    }

    /// The rank of a card of a 52-card deck: 2 to 10, 11 for a jack, 12 for a queen, 13 for a king
    /// and 14 for an ace. `None` for any other card.
    pub fn rank(self) -> Option<u8> {
        (self.0 < 52).then_some(2 + (self.0 % 13) as u8)
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
    fn rank_matches_the_name_and_only_52_cards_have_one() {
        for number in 0..52 {
            let card = Card(number);
            assert_eq!(u64::from(card.rank().unwrap()), 2 + number % 13);
            let suit = ['♣', '♦', '♥', '♠'][number as usize / 13];
            let name = card.of_52().unwrap();
            assert!(name.ends_with(suit), "{name}");
        }
        assert_eq!(Card(12).rank(), Some(14));
        assert_eq!(Card(8).of_52().as_deref(), Some("T♣"));
        for number in [52, 65, u64::MAX] {
            assert_eq!(Card(number).rank(), None);
        }
    }
}
