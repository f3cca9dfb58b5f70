//! The points at which a program is killed.

use std::fmt;
use std::str::FromStr;

use strum::{Display, EnumString};

/// What a program does to its disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Kind {
    /// Something is written behind the log, or behind the file of the inputs.
    Append,
    /// What was written is put on the disk.
    Sync,
    /// What a crash has left is cut off.
    Truncate,
    /// The file of the deck is replaced.
    Keep,
    /// It is removed.
    Destroy,
    /// An attempt begins or has ended well.
    Attempt,
}

/// How far a deed comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum When {
    /// It was about to begin.
    Before,
    /// Half of the bytes are there.
    Midway,
    /// It is done.
    After,
}

impl Kind {
    /// The moments at which there is a difference. Between a deed that is done and the next one that
    /// has not begun a program sends, and hears.
    pub(crate) fn moments(self) -> &'static [When] {
        match self {
            Kind::Append | Kind::Keep => &[When::Before, When::Midway, When::After],
            // Right after the append before it.
            Kind::Sync => &[When::After],
            _ => &[When::Before, When::After],
        }
    }
}

/// The program is killed in this deed, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) number: usize,
    pub(crate) when: When,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.when)
    }
}

impl FromStr for Deed {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, when) = text.split_once(':').ok_or("no moment")?;
        Ok(Deed {
            number: number.parse().map_err(|_| "no number")?,
            when: when.parse().map_err(|_| "no such moment")?,
        })
    }
}

/// A program is killed when it has sent this frame of the line, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) seat: usize,
    pub(crate) number: usize,
    /// Whether the frame still arrives.
    pub(crate) arrives: bool,
}

/// What goes wrong in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// In the deeds of each seat.
    pub(crate) deeds: [Option<Deed>; 2],
    pub(crate) frame: Option<Frame>,
}
