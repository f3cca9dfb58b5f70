//! The points at which a program is killed.

use std::fmt;
use std::str::FromStr;

use strum::{Display, EnumString};

/// A disk operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Kind {
    /// A record is appended to the log or to the file of inputs.
    Append,
    /// Written bytes are synced.
    Sync,
    /// An incomplete record is removed.
    Truncate,
    /// The file of the deck is replaced, or that of the known peers, which counts the attempts of the engine.
    Keep,
    /// The file of the deck is removed.
    Destroy,
}

/// How far an operation has progressed when the program is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum When {
    /// The operation is about to begin.
    Before,
    /// Half of the bytes are written.
    Midway,
    /// The operation is done.
    After,
}

impl Kind {
    /// The moments of this operation that make a difference. Between two operations a program sends
    /// and receives messages.
    pub(crate) fn moments(self) -> &'static [When] {
        match self {
            Kind::Append | Kind::Keep => &[When::Before, When::Midway, When::After],
            // The moment before a sync is the moment after the previous append.
            Kind::Sync => &[When::After],
            _ => &[When::Before, When::After],
        }
    }
}

/// The program is killed at this operation, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KillPoint {
    pub(crate) number: usize,
    pub(crate) when: When,
}

impl fmt::Display for KillPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.when)
    }
}

impl FromStr for KillPoint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, when) = text.split_once(':').ok_or("missing moment")?;
        Ok(KillPoint {
            number: number.parse().map_err(|_| "invalid number")?,
            when: when.parse().map_err(|_| "unknown moment")?,
        })
    }
}

/// A program is killed after it has sent this frame to another program, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) number: usize,
    /// Whether the frame still arrives.
    pub(crate) arrives: bool,
}

/// The deck of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Deck {
    /// A sealed deck, for two seats.
    #[default]
    Sealed,
    /// A verifiable deck for three seats, of which this number open a card.
    Verifiable(usize),
}

impl Deck {
    /// The number of seats.
    pub(crate) fn seats(self) -> usize {
        match self {
            Deck::Sealed => 2,
            Deck::Verifiable(_) => 3,
        }
    }
}

/// A match, and the faults in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) deck: Deck,
    /// The point at which each seat's program is killed.
    pub(crate) kill_at: [Option<KillPoint>; 3],
    pub(crate) frame: Option<Frame>,
}
