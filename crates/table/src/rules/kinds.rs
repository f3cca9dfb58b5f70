//! Decks with several equal cards of each kind (*piles*), and the names of the kinds.

use std::fmt;
use std::str::FromStr;

use dealerless::deck::{Card, Kinds, KindsError};
use dealerless_connection::wire::{Reader, Writer};

use super::stakes::StakesError;

/// The kinds of cards in a pile: the name of each kind and its number of cards.
///
/// The names may come from another player and appear in lists of cards. Therefore a name only has
/// letters from a to z in either case, digits, `-` and `_`. No two kinds have the same name,
/// ignoring case.
///
/// The text form is `knight=14,castle=5,road=2`. In parsed text, a kind without a name is named by
/// its place: `14,5` is read as `kind-1=14,kind-2=5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKinds {
    names: Vec<String>,
    kinds: Kinds,
}

/// The kinds are invalid. These errors number the kinds from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadKinds {
    /// There are no kinds, or too many.
    #[error("a pile has 1 to {most} kinds of cards, not {0}", most = NamedKinds::MAX)]
    Number(usize),
    /// A name is empty, too long, or contains an invalid character.
    #[error(
        "the name of kind {0} must be 1 to {most} letters (a to z), digits, - or _",
        most = NamedKinds::MAX_NAME
    )]
    Name(usize),
    /// Two names are equal, ignoring case.
    #[error("kind {0} has the same name as an earlier kind")]
    Twice(usize),
    /// A kind has no cards.
    #[error("kind {0} has no cards")]
    NoCard(usize),
    /// There are too few or too many cards in total.
    #[error(transparent)]
    Cards(#[from] KindsError),
    /// The text is not a list of kinds.
    #[error("expected names with numbers of cards (knight=14,castle=5) or numbers alone (14,5)")]
    Form,
}

impl NamedKinds {
    /// The maximum number of kinds.
    pub(crate) const MAX: usize = 64;
    /// The maximum number of characters in a name.
    pub(crate) const MAX_NAME: usize = 24;

    /// Creates kinds from names and numbers of cards.
    ///
    /// # Errors
    /// The first value that is out of bounds.
    pub fn new(kinds: &[(&str, u32)]) -> Result<Self, BadKinds> {
        if !(1..=Self::MAX).contains(&kinds.len()) {
            return Err(BadKinds::Number(kinds.len()));
        }
        for (place, &(name, count)) in kinds.iter().enumerate() {
            if !is_plain(name) {
                return Err(BadKinds::Name(place + 1));
            }
            let mut before = kinds[..place].iter();
            if before.any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                return Err(BadKinds::Twice(place + 1));
            }
            if count == 0 {
                return Err(BadKinds::NoCard(place + 1));
            }
        }
        let counts: Vec<u32> = kinds.iter().map(|&(_, count)| count).collect();
        Ok(NamedKinds {
            names: kinds.iter().map(|&(name, _)| name.to_owned()).collect(),
            kinds: Kinds::new(&counts)?,
        })
    }

    /// The name and the number of cards of each kind.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        let names = self.names.iter().map(String::as_str);
        names.zip(self.kinds.counts().iter().copied())
    }

    /// The total number of cards.
    pub fn cards(&self) -> usize {
        self.kinds.cards()
    }

    /// The name of a card: the name of its kind and its number among the cards of that kind, from
    /// 1, such as `knight#3`. `None` if there is no such card.
    pub fn face(&self, card: Card) -> Option<String> {
        let (kind, place) = self.kinds.place(card)?;
        Some(format!("{}#{}", self.names[kind], place + 1))
    }

    pub(super) fn write<'w>(&self, writer: &'w mut Writer) -> &'w mut Writer {
        writer.u8(self.names.len() as u8);
        for (name, count) in self.iter() {
            writer.string(name.as_bytes()).u32(count);
        }
        writer
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, StakesError> {
        let number = usize::from(reader.u8()?);
        if number > Self::MAX {
            return Err(BadKinds::Number(number).into());
        }
        let mut kinds = Vec::new();
        for _ in 0..number {
            kinds.push((reader.text(Self::MAX_NAME)?, reader.u32()?));
        }
        Ok(NamedKinds::new(&kinds)?)
    }
}

pub(super) fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    (1..=NamedKinds::MAX_NAME).contains(&name.len())
        && characters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

impl FromStr for NamedKinds {
    type Err = BadKinds;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut kinds = Vec::new();
        for (place, kind) in text.split(',').enumerate() {
            let (name, count) = match kind.split_once('=') {
                Some((name, count)) => (name.trim().to_owned(), count),
                None => (format!("kind-{}", place + 1), kind),
            };
            kinds.push((name, count.trim().parse().map_err(|_| BadKinds::Form)?));
        }
        let kinds: Vec<(&str, u32)> = kinds.iter().map(|(name, n)| (name.as_str(), *n)).collect();
        NamedKinds::new(&kinds)
    }
}

impl fmt::Display for NamedKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, count)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{name}={count}")?;
        }
        Ok(())
    }
}
