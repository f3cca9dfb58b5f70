//! The kinds of a pile of repeated cards, with the names by which people know them.

use std::fmt;
use std::str::FromStr;

use dealerless::deck::{Card, Kinds, KindsError};

use super::stakes::StakesError;
use crate::wire::{Malformed, Reader, Writer};

/// The kinds of cards in a pile: the name of each, and how many cards there are of it.
///
/// The names come from another player. They are the only words of a match that a stranger writes into
/// lists of cards, so they are plain: letters from a to z in either case, digits, `-` and `_`. No two
/// kinds have the same name, also where one has capitals.
///
/// As text they are `knight=14,castle=5,road=2`. A kind without a name is called by its place:
/// `14,5` is `kind-1=14,kind-2=5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedKinds {
    names: Vec<String>,
    kinds: Kinds,
}

/// There is no pile of such kinds. Kinds are counted from 1 here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadKinds {
    /// None, or too many.
    #[error("a pile has 1 to {most} kinds of cards, not {0}", most = NamedKinds::MAX)]
    Number(usize),
    /// A name that is empty, too long, or has other characters than it may.
    #[error(
        "the name of kind {0} is not of 1 to {most} letters (a to z), digits, - or _",
        most = NamedKinds::MAX_NAME
    )]
    Name(usize),
    /// Two names that differ at most in capitals.
    #[error("kind {0} has the name of another")]
    Twice(usize),
    /// A kind of which there is no card.
    #[error("there is no card of kind {0}")]
    NoCard(usize),
    /// Too few or too many cards in all.
    #[error(transparent)]
    Cards(#[from] KindsError),
    /// The text does not name kinds.
    #[error("kinds are names and numbers of cards: knight=14,castle=5, or numbers alone: 14,5")]
    Form,
}

impl NamedKinds {
    /// The most kinds.
    pub(crate) const MAX: usize = 64;
    /// The most characters of a name.
    pub(crate) const MAX_NAME: usize = 24;
    /// The most bytes of an encoding.
    pub(super) const MAX_LEN: usize = 1 + Self::MAX * (2 + Self::MAX_NAME + 4);

    /// So many cards of each of these kinds.
    ///
    /// # Errors
    /// What is out of bounds.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn new(kinds: &[(&str, u32)]) -> Result<Self, BadKinds> {
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

    /// The name of each kind, and how many cards there are of it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        let names = self.names.iter().map(String::as_str);
        names.zip(self.kinds.counts().iter().copied())
    }

    /// How many cards there are in all.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn cards(&self) -> usize {
        self.kinds.cards()
    }

    /// The name of a card: that of its kind, and its number among the cards of that kind, from 1.
    /// `knight#3`. `None` if there is no such card.
    pub fn face(&self, card: Card) -> Option<String> {
        let (kind, place) = self.kinds.place(card)?;
        Some(format!("{}#{}", self.names[kind], place + 1))
    }

    pub(super) fn write<'w>(&self, writer: &'w mut Writer) -> &'w mut Writer {
        // There are at most 64.
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
            let name = std::str::from_utf8(reader.string(Self::MAX_NAME)?);
            kinds.push((name.map_err(|_| Malformed)?, reader.u32()?));
        }
        Ok(NamedKinds::new(&kinds)?)
    }
}

fn is_plain(name: &str) -> bool {
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
