//! How cards are written.

use std::fmt::Write as _;

use dealerless::deck::Card;
use dealerless_bridge::Hand;
use dealerless_table::{NamedKinds, Stakes};

const RANKS: &[u8; 13] = b"23456789TJQKA";
const SUITS: &[u8; 4] = b"cdhs";

/// The short name of a card: `As` in a deck of 52, otherwise its number.
pub(crate) fn short(card: Card, deck: usize) -> String {
    let number = usize::try_from(card.0).unwrap_or(usize::MAX);
    match (deck, SUITS.get(number / 13)) {
        (52, Some(&suit)) => [RANKS[number % 13], suit].map(char::from).iter().collect(),
        _ => card.to_string(),
    }
}

/// What the cards of a match are called.
#[derive(Clone, Debug)]
pub(crate) struct CardNames {
    deck: usize,
    boards: bool,
    kinds: Option<NamedKinds>,
}

impl CardNames {
    pub(crate) fn of(stakes: &Stakes) -> Self {
        CardNames {
            deck: stakes.deck().0,
            boards: stakes.boards().is_some(),
            kinds: stakes.kinds().cloned(),
        }
    }

    /// Whether hands of boards lie at the positions.
    pub(crate) fn are_hands(&self) -> bool {
        self.boards
    }

    /// Kind and number of a card where there are kinds: `knight#3`; the suits of a hand of a board:
    /// `AK4.QT2.J95.8732`. Otherwise as [`short`].
    pub(crate) fn name(&self, card: Card) -> String {
        if self.boards {
            return Hand::of_set(card).to_string();
        }
        let face = self.kinds.as_ref().and_then(|kinds| kinds.face(card));
        face.unwrap_or_else(|| short(card, self.deck))
    }
}

/// How a person wants to read cards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Style {
    /// A♠
    #[default]
    Symbols,
    /// As
    Letters,
    /// ace of spades
    Words,
}

/// The colours of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colours {
    None,
    /// Hearts and diamonds are red.
    Two,
    /// Diamonds are blue and clubs green.
    Four,
}

/// How cards look on a screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    pub(crate) style: Style,
    pub(crate) colours: Colours,
}

impl Ink {
    /// A card by its short name.
    pub(crate) fn card(self, short: &str) -> String {
        let &[rank, suit] = short.as_bytes() else {
            return short.to_owned();
        };
        let Some(number) = SUITS.iter().position(|&s| s == suit) else {
            return short.to_owned();
        };
        let face = match self.style {
            Style::Symbols => format!("{}{}", char::from(rank), ['♣', '♦', '♥', '♠'][number]),
            Style::Letters => short.to_owned(),
            Style::Words => format!("{} of {}", rank_in_words(rank), SUIT_WORDS[number]),
        };
        match (self.colours, number) {
            (Colours::None, _) | (_, 3) | (Colours::Two, 0) => face,
            (Colours::Four, 0) => painted(&face, "32"),
            (Colours::Four, 1) => painted(&face, "94"),
            _ => painted(&face, "91"),
        }
    }

    /// Cards in a row; what is not seen is a question mark.
    pub(crate) fn row<'a>(self, cards: impl IntoIterator<Item = Option<&'a str>>) -> String {
        let between = match self.style {
            Style::Words => ", ",
            _ => " ",
        };
        let mut row = String::new();
        for card in cards {
            let separator = if row.is_empty() { "" } else { between };
            let card = card.map_or_else(|| "?".to_owned(), |card| self.card(card));
            let _ = write!(row, "{separator}{card}");
        }
        row
    }

    /// What stands out.
    pub(crate) fn bold(self, text: &str) -> String {
        match self.colours {
            Colours::None => text.to_owned(),
            _ => painted(text, "1"),
        }
    }
}

fn painted(text: &str, colour: &str) -> String {
    format!("\x1b[{colour}m{text}\x1b[0m")
}

const SUIT_WORDS: [&str; 4] = ["clubs", "diamonds", "hearts", "spades"];

fn rank_in_words(rank: u8) -> &'static str {
    const WORDS: [&str; 13] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
        "king", "ace",
    ];
    let place = RANKS.iter().position(|&other| other == rank);
    place.map_or("card", |place| WORDS[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_written_as_one_likes_it() {
        let plain = |style| Ink {
            style,
            colours: Colours::None,
        };
        assert_eq!(short(Card(51), 52), "As");
        assert_eq!(short(Card(8), 52), "Tc");
        assert_eq!(short(Card(51), 60), "51");
        assert_eq!(plain(Style::Symbols).card("As"), "A♠");
        assert_eq!(plain(Style::Letters).card("As"), "As");
        assert_eq!(plain(Style::Words).card("2h"), "two of hearts");
        assert_eq!(plain(Style::Words).card("51"), "51");
        let row = plain(Style::Words).row([Some("Ks"), None]);
        assert_eq!(row, "king of spades, ?");
    }

    #[test]
    fn a_deck_of_52_has_suits_only_where_it_has_no_kinds() {
        let kinds = Stakes::of_kinds("As=40,b=12".parse().unwrap(), 9, 2, 1).unwrap();
        let names = CardNames::of(&kinds);
        let named = [0, 39, 40, 51].map(|card| names.name(Card(card)));
        assert_eq!(named, ["As#1", "As#40", "b#1", "b#12"]);
        let ink = Ink {
            style: Style::Words,
            colours: Colours::Four,
        };
        assert_eq!(ink.card("b#1"), "b#1");
        let plain = dealerless_table::Variety::Deck {
            cards: 52,
            drawn: 9,
        };
        let names = CardNames::of(&Stakes::new(plain, 2, 1).unwrap());
        assert_eq!(names.name(Card(51)), "As");
    }

    #[test]
    fn suits_have_two_or_four_colours() {
        let seen = |colours, card| {
            let ink = Ink {
                style: Style::Letters,
                colours,
            };
            ink.card(card)
        };
        let cards = ["Ac", "Ad", "Ah", "As"];
        let colours = |colours| {
            let painted: std::collections::BTreeSet<String> = cards
                .map(|card| seen(colours, card).replace(card, ""))
                .into();
            painted.len()
        };
        assert_eq!(colours(Colours::None), 1);
        assert_eq!(colours(Colours::Two), 2);
        assert_eq!(colours(Colours::Four), 4);
    }
}
