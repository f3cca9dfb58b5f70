//! How cards look on a screen.

use dealerless::deck::Card;

/// Writes the cards of a deck: by rank and suit if it has 52, by number otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Faces {
    cards: usize,
}

impl Faces {
    /// The faces of a deck of `cards` cards.
    pub(crate) fn of_deck(cards: usize) -> Self {
        Faces { cards }
    }

    /// Cards in a row, `None` face down, in lines of a suit's length or of ten.
    pub(crate) fn row(self, cards: &[Option<Card>]) -> String {
        let per_line = if self.cards == 52 { 13 } else { 10 };
        let lines: Vec<String> = cards
            .chunks(per_line)
            .map(|line| {
                let names: Vec<String> = line.iter().map(|&card| self.name(card)).collect();
                names.join(" ")
            })
            .collect();
        lines.join("\n")
    }

    fn name(self, card: Option<Card>) -> String {
        let width = match self.cards {
            52 => 2,
            cards => (cards - 1).to_string().len(),
        };
        match card {
            None => "▒".repeat(width),
            Some(card) => match card.of_52().filter(|_| self.cards == 52) {
                Some(name) => name,
                None => format!("{:>width$}", card.0),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_deck_of_52_has_ranks_and_suits() {
        let cards = [Some(Card(51)), None, Some(Card(7))];
        assert_eq!(Faces::of_deck(52).row(&cards), "A♠ ▒▒ 9♣");
        assert_eq!(Faces::of_deck(60).row(&cards), "51 ▒▒  7");
        assert_eq!(Faces::of_deck(101).row(&cards), " 51 ▒▒▒   7");
    }

    #[test]
    fn a_long_row_is_broken() {
        let cards: Vec<_> = (0..52).map(|number| Some(Card(number))).collect();
        let row = Faces::of_deck(52).row(&cards);
        assert_eq!(row.lines().count(), 4);
        assert!(row.starts_with("2♣ 3♣") && row.ends_with("K♠ A♠"));
    }
}
