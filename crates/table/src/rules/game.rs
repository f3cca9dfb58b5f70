//! The decks and goods of a board game.

use dealerless::deck::Card;
use dealerless_connection::wire::{Malformed, Reader, Writer};

use super::kinds::{NamedKinds, is_plain};
use super::stakes::StakesError;

/// What a board game is played with: several decks with names, and kinds of goods. The rules of the
/// game itself are those of a program that uses this library.
///
/// Cards are numbered over all decks: the first deck has the first positions and the first cards, and
/// so on. The goods follow: the good that was gained as the `i`th, counted from 0, has the position
/// `cards + i` for `cards` cards in all decks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    decks: Vec<GameDeck>,
    goods: Vec<String>,
}

/// A deck of a board game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameDeck {
    /// The name, with the same characters as those of [kinds](NamedKinds).
    pub name: String,
    /// The kinds of its cards.
    pub kinds: NamedKinds,
    /// Whether all seats see all cards of the deck at the start of a hand, as on a board. Otherwise it
    /// is a pile, and seats draw its cards.
    pub is_board: bool,
}

/// The decks or goods of a board game are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a board game has 1 to {decks} decks with at most {cards} cards and {kinds} kinds of cards in all, \
     and at most {goods} kinds of goods. All names of decks differ, and so do those of goods. No deck \
     is called \"goods\"",
    decks = Game::MAX_DECKS,
    cards = Game::MAX_CARDS,
    kinds = NamedKinds::MAX,
    goods = Game::MAX_KINDS
)]
pub struct BadGame;

impl Game {
    const MAX_DECKS: usize = 8;
    /// The maximum number of cards in all decks.
    pub(crate) const MAX_CARDS: usize = 1024;
    /// The maximum number of kinds of goods.
    const MAX_KINDS: usize = 32;
    /// The maximum number of goods that can be gained in a hand.
    pub(crate) const MAX_GOODS: usize = 4096;
    /// The maximum number of goods that a seat can have at once.
    pub(crate) const MAX_HELD: usize = 128;
    /// The maximum length of an encoding in bytes.
    pub(super) const MAX_LEN: usize = 1
        + Self::MAX_DECKS * (2 + NamedKinds::MAX_NAME + 2)
        + NamedKinds::MAX * (2 + NamedKinds::MAX_NAME + 4)
        + 1
        + Self::MAX_KINDS * (2 + NamedKinds::MAX_NAME);

    /// A game with these decks, and with goods of these kinds.
    ///
    /// # Errors
    /// If a number or a name is invalid.
    pub fn new(decks: Vec<GameDeck>, goods: Vec<String>) -> Result<Self, BadGame> {
        let game = Game { decks, goods };
        let names: Vec<&str> = game.decks.iter().map(|deck| &deck.name[..]).collect();
        let kinds: usize = game
            .decks
            .iter()
            .map(|deck| deck.kinds.iter().count())
            .sum();
        let numbers = (1..=Self::MAX_DECKS).contains(&game.decks.len())
            && game.goods.len() <= Self::MAX_KINDS
            && game.cards() <= Self::MAX_CARDS
            && kinds <= NamedKinds::MAX;
        let names = are_names(&[&names[..], &["goods"]].concat()) && are_names(&game.goods);
        (numbers && names).then_some(game).ok_or(BadGame)
    }

    /// The decks.
    pub fn decks(&self) -> &[GameDeck] {
        &self.decks
    }

    /// The names of the kinds of goods.
    pub fn goods(&self) -> &[String] {
        &self.goods
    }

    /// The number of cards in all decks.
    pub fn cards(&self) -> usize {
        self.decks.iter().map(|deck| deck.kinds.cards()).sum()
    }

    /// The position of the first good.
    pub fn first_good(&self) -> usize {
        self.cards()
    }

    /// The first position that stands for a coin: no good has a higher one.
    pub(crate) fn first_coin(&self) -> usize {
        self.first_good() + Self::MAX_GOODS
    }

    /// The positions of a deck, which are also the numbers of its cards. `None` if there is no such
    /// deck.
    pub fn positions(&self, deck: usize) -> Option<std::ops::Range<usize>> {
        let (before, rest) = self.decks.split_at_checked(deck)?;
        let start: usize = before.iter().map(|deck| deck.kinds.cards()).sum();
        Some(start..start + rest.first()?.kinds.cards())
    }

    /// The name of a card: its deck, its kind, and its number among the cards of that kind, such as
    /// `tiles:wood#3`. `None` if there is no such card.
    pub fn face(&self, card: Card) -> Option<String> {
        let mut number = card.0;
        for deck in &self.decks {
            let count = deck.kinds.cards() as u64;
            if number < count {
                return Some(format!("{}:{}", deck.name, deck.kinds.face(Card(number))?));
            }
            number -= count;
        }
        None
    }

    pub(super) fn write<'w>(&self, writer: &'w mut Writer) -> &'w mut Writer {
        writer.u8(self.decks.len() as u8);
        for deck in &self.decks {
            let writer = writer.string(deck.name.as_bytes()).u8(deck.is_board.into());
            deck.kinds.write(writer);
        }
        writer.u8(self.goods.len() as u8);
        for name in &self.goods {
            writer.string(name.as_bytes());
        }
        writer
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, StakesError> {
        let count = usize::from(reader.u8()?);
        if count > Self::MAX_DECKS {
            return Err(BadGame.into());
        }
        let mut decks = Vec::new();
        for _ in 0..count {
            decks.push(GameDeck {
                name: read_name(reader)?,
                is_board: reader.bool()?,
                kinds: NamedKinds::read(reader)?,
            });
        }
        let count = usize::from(reader.u8()?);
        if count > Self::MAX_KINDS {
            return Err(BadGame.into());
        }
        let goods: Result<Vec<String>, Malformed> = (0..count).map(|_| read_name(reader)).collect();
        Ok(Game::new(decks, goods?)?)
    }
}

fn read_name(reader: &mut Reader<'_>) -> Result<String, Malformed> {
    Ok(reader.text(NamedKinds::MAX_NAME)?.to_owned())
}

/// Whether these are valid names, and no two of them are equal, ignoring case.
fn are_names(names: &[impl AsRef<str>]) -> bool {
    let is_new = |(place, name): (usize, &str)| {
        let mut before = names[..place].iter();
        is_plain(name) && !before.any(|other| other.as_ref().eq_ignore_ascii_case(name))
    };
    names.iter().map(AsRef::as_ref).enumerate().all(is_new)
}
