//! A sentence in pieces, so that each screen can show cards and names in its own way.

use std::fmt;

use serde::Serialize;

/// A sentence. [`Display`](fmt::Display) writes it as plain text, with the short names of its cards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Sentence(Vec<Piece>);

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Piece {
    Words(String),
    /// The name of a player, in quotation marks if it needs them.
    Name {
        name: String,
    },
    /// Cards side by side.
    Cards {
        cards: Vec<String>,
    },
}

impl Sentence {
    /// The name of a player.
    pub(crate) fn name(name: String) -> Self {
        Sentence(vec![Piece::Name { name }])
    }

    /// Cards side by side.
    pub(crate) fn cards(cards: impl IntoIterator<Item = String>) -> Self {
        let cards = cards.into_iter().collect();
        Sentence(vec![Piece::Cards { cards }])
    }

    /// This sentence, followed by `more`.
    pub(crate) fn and(mut self, more: impl Into<Sentence>) -> Self {
        for piece in more.into().0 {
            match (self.0.last_mut(), piece) {
                (Some(Piece::Words(words)), Piece::Words(more)) => words.push_str(&more),
                (_, piece) => self.0.push(piece),
            }
        }
        self
    }

    /// Joins sentences, with `between` between each two.
    pub(crate) fn joined(all: impl IntoIterator<Item = Sentence>, between: &str) -> Self {
        let mut all = all.into_iter();
        let first = all.next().unwrap_or_default();
        all.fold(first, |joined, next| joined.and(between).and(next))
    }

    /// Writes the sentence as text. `row` formats cards that are side by side.
    pub fn with_cards(&self, row: impl Fn(&[String]) -> String) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Words(words) => text.push_str(words),
                Piece::Name { name } => text.push_str(name),
                Piece::Cards { cards } => text.push_str(&row(cards)),
            }
        }
        text
    }
}

impl From<String> for Sentence {
    fn from(words: String) -> Self {
        match words.is_empty() {
            true => Sentence::default(),
            false => Sentence(vec![Piece::Words(words)]),
        }
    }
}

impl From<&str> for Sentence {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_cards(|cards| cards.join(" ")))
    }
}
