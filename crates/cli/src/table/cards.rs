//! Cards as text on a screen.

use std::fmt::Write as _;

use dealerless_seat::cards::{RANKS, SUITS};

use crate::output::harmless;

/// The notation of cards.
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

/// The style and the colours in which cards are shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ink {
    pub(crate) style: Style,
    pub(crate) colours: Colours,
}

impl Ink {
    /// Formats a card that is given by its short name.
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

    /// Formats cards in a row; an unseen card is a question mark.
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

    /// Emphasises a text.
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

/// A text that is [`harmless`], except that the colours of this file stay.
pub(crate) fn harmless_in_colour(text: &str) -> String {
    const COLOURS: [&str; 5] = ["[0m", "[1m", "[32m", "[91m", "[94m"];
    let mut pieces = text.split('\x1b');
    let mut shown = harmless(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let is_colour = COLOURS.iter().any(|colour| piece.starts_with(colour));
        shown.push_str(if is_colour { "\x1b" } else { "\\u001b" });
        shown.push_str(&harmless(piece));
    }
    shown
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
    fn cards_are_written_in_each_style() {
        let plain = |style| Ink {
            style,
            colours: Colours::None,
        };
        assert_eq!(plain(Style::Symbols).card("As"), "A♠");
        assert_eq!(plain(Style::Letters).card("As"), "As");
        assert_eq!(plain(Style::Words).card("2h"), "two of hearts");
        assert_eq!(plain(Style::Words).card("51"), "51");
        assert_eq!(plain(Style::Words).card("b#1"), "b#1");
        let row = plain(Style::Words).row([Some("Ks"), None]);
        assert_eq!(row, "king of spades, ?");
    }

    #[test]
    fn only_the_colours_of_the_program_reach_a_screen() {
        let ink = Ink {
            style: Style::Letters,
            colours: Colours::Four,
        };
        let own = format!("{} {}", ink.bold("turn"), ink.card("Ah"));
        let text = format!("{own} \x1b]0;x\x07\x1b[2J\u{202e}");
        let shown = format!("{own} \\u001b]0;x\\u0007\\u001b[2J\\u202e");
        assert_eq!(harmless_in_colour(&text), shown);
        let cards = ["2c", "2d", "2h", "2s"].map(|card| ink.card(card)).concat();
        assert_eq!(harmless_in_colour(&cards), cards);
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
