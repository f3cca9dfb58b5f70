//! The names of cards.

use dealerless::deck::Card;
use dealerless_bridge::Hand;
use dealerless_table::rules::{Game, NamedKinds, Stakes};

/// The ranks of a deck of 52 cards, from the lowest.
pub const RANKS: &[u8; 13] = b"23456789TJQKA";
/// The suits of a deck of 52 cards, in the order of the card numbers.
pub const SUITS: &[u8; 4] = b"cdhs";

/// The short name of a card: rank and suit (`As`) in a deck of 52, otherwise the card's number.
pub fn short(card: Card, deck: usize) -> String {
    let number = usize::try_from(card.0).unwrap_or(usize::MAX);
    match (deck, SUITS.get(number / 13)) {
        (52, Some(&suit)) => [RANKS[number % 13], suit].map(char::from).iter().collect(),
        _ => card.to_string(),
    }
}

/// The names of the cards of a match.
#[derive(Clone, Debug)]
pub struct CardNames {
    deck: usize,
    boards: bool,
    kinds: Option<NamedKinds>,
    game: Option<Game>,
}

impl CardNames {
    /// Returns the card names of a match with these stakes.
    pub fn of(stakes: &Stakes) -> Self {
        CardNames {
            deck: stakes.deck().0,
            boards: stakes.boards().is_some(),
            kinds: stakes.kinds().cloned(),
            game: stakes.game().cloned(),
        }
    }

    /// Whether each position holds a bridge hand instead of a card.
    pub fn are_hands(&self) -> bool {
        self.boards
    }

    /// Returns the name of the card or good at a position. Only in a board game, the name depends on
    /// the position: those of goods follow those of the cards.
    pub fn at(&self, position: usize, card: Card) -> String {
        let game = self.game.as_ref().filter(|_| self.is_good(position));
        let good = game.and_then(|game| game.goods().get(usize::try_from(card.0).ok()?));
        good.cloned().unwrap_or_else(|| self.name(card))
    }

    /// Whether a position is that of a good of a board game.
    pub fn is_good(&self, position: usize) -> bool {
        let game = self.game.as_ref();
        game.is_some_and(|game| position >= game.first_good())
    }

    /// Returns the name of a card: its kind and number if the deck has kinds (`knight#3`), also with
    /// the name of the deck in a board game (`tiles:field#2`), the
    /// ranks in each suit if `card` is a bridge hand (`AK4.QT2.J95.8732`), and [`short`] otherwise.
    pub fn name(&self, card: Card) -> String {
        if self.boards {
            return Hand::of_set(card).to_string();
        }
        let of_game = self.game.as_ref().and_then(|game| game.face(card));
        let face = (self.kinds.as_ref())
            .and_then(|kinds| kinds.face(card))
            .or(of_game);
        face.unwrap_or_else(|| short(card, self.deck))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_deck_of_52_has_ranks_and_suits() {
        assert_eq!(short(Card(51), 52), "As");
        assert_eq!(short(Card(8), 52), "Tc");
        assert_eq!(short(Card(51), 60), "51");
    }

    #[test]
    fn a_deck_of_52_with_kinds_has_no_suits() {
        let kinds = Stakes::of_kinds("As=40,b=12".parse().unwrap(), 9, 2, 1).unwrap();
        let names = CardNames::of(&kinds);
        let named = [0, 39, 40, 51].map(|card| names.name(Card(card)));
        assert_eq!(named, ["As#1", "As#40", "b#1", "b#12"]);
        let plain = dealerless_table::rules::Variety::Deck {
            cards: 52,
            drawn: 9,
        };
        let names = CardNames::of(&Stakes::new(plain, 2, 1).unwrap());
        assert_eq!(names.name(Card(51)), "As");
    }
}
