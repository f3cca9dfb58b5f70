//! Cards and their names.

use std::fmt;

/// What lies at a position. Of a deck it is a card: its number in the unshuffled deck, from 0. Of a
/// [split](crate::shuffle::split) it is a hand: bit c is set if card c is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Card(pub u64);

const RANKS: [&str; 13] = [
    "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A",
];
const SUITS: [char; 4] = ['♣', '♦', '♥', '♠'];

impl Card {
    /// The name of a card of a 52-card deck: card `13 * suit + rank`, suits clubs, diamonds,
    /// hearts, spades, ranks from the deuce to the ace.
    pub fn of_52(self) -> Option<String> {
        let number = usize::try_from(self.0).ok()?;
        let suit = SUITS.get(number / 13)?;
        Some(format!("{}{suit}", RANKS[number % 13]))
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
    fn the_52_names_are_all_different_and_there_is_no_53rd() {
        let names: std::collections::HashSet<_> = (0..52)
            .map(|number| Card(number).of_52().unwrap())
            .collect();
        assert_eq!(names.len(), 52);
        assert_eq!(Card(0).of_52().unwrap(), "2♣");
        assert_eq!(Card(51).of_52().unwrap(), "A♠");
        assert_eq!(Card(52).of_52(), None);
    }
}
