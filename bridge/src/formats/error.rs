//! What is wrong with a file of boards, and where.

use std::fmt;

use super::text::MAX_LINE;
use crate::DealError;

/// Where something stands in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// In this line, from 1 on.
    Line(usize),
    /// At this byte, from 0 on.
    Byte(usize),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Line(line) => write!(f, "line {line}"),
            Location::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct ReadError {
    /// Where.
    pub place: Location,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The cards are no deal.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// No board was found.
    #[error("there is no board in it")]
    Empty,
    /// A format that is not read.
    #[error("files in {0} are only written, not read")]
    OnlyWritten(&'static str),
    /// A board's number is no number, zero, or too large.
    #[error("a board's number is a whole number from 1 to {}", u32::MAX)]
    Number,
    /// The number was there before, with another deal.
    #[error("board {0} stands there a second time, with another deal")]
    OtherDeal(u32),
    /// Someone deals who does not deal this board.
    #[error("{found} deals board {number} here, but by the laws {lawful} does")]
    Dealer {
        /// The board.
        number: u32,
        /// Who deals by the laws.
        lawful: char,
        /// Who deals in the file.
        found: char,
    },
    /// Another vulnerability than the board has.
    #[error("the vulnerability of board {number} is {found} here, but by the laws {lawful}")]
    Vulnerability {
        /// The board.
        number: u32,
        /// That of the laws.
        lawful: &'static str,
        /// That of the file.
        found: &'static str,
    },
    /// It names no dealer.
    #[error("this is no dealer; dealers are {0}")]
    NoDealer(&'static str),
    /// It names no vulnerability.
    #[error("this is no vulnerability; they are {0}")]
    NoVulnerability(&'static str),
    /// A line that no program writes.
    #[error("the line has more than {MAX_LINE} bytes")]
    LongLine,
    /// A byte that no text has.
    #[error("a zero byte stands here: this is no text, or a text in UTF-16, which is not read")]
    ZeroByte,
    /// Something that a board needs.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// Something that may stand there once.
    #[error("{0} stands there twice; between two boards of PBN is an empty line")]
    TagTwice(&'static str),
    /// A bracket that begins no tag.
    #[error(
        "this is no tag; a tag is [Name \"value\"], on one line, and \\\" is a quote within the value"
    )]
    Tag,
    /// A comment that goes on to the end of the file.
    #[error("the comment that begins here has no end")]
    Comment,
    /// A value is to be that of the board before, and there is none.
    #[error("# means the value of the board before, and there is none")]
    NothingBefore,
    /// A line that is neither a section nor a key with a value.
    #[error("this is no line of a DLM file; they are KEY=VALUE and [SECTION]")]
    KeyAndValue,
    /// A key that may stand there once.
    #[error("{0} stands there twice")]
    KeyTwice(&'static str),
    /// What is no number.
    #[error("{0} is no whole number, or too large")]
    NoNumber(&'static str),
    /// The range of the boards.
    #[error("boards {0} to {1} are no range within 1 to 99")]
    Range(u32, u32),
    /// It is neither open nor sealed.
    #[error("a status is Show or Sealed")]
    Status,
    /// The boards are encrypted.
    #[error("the boards are encrypted: only files with the crypto key 0 can be read")]
    Encrypted,
    /// A board of DLM that is not 26 letters and 3 digits.
    #[error("a board is 26 letters a to p, and 3 digits")]
    DlmBoard,
    /// A checksum that is wrong.
    #[error("the checksum is {found}, and should be {right}")]
    Checksum {
        /// That of the file.
        found: u32,
        /// That of what the file says.
        right: u32,
    },
    /// A file that ends within a board.
    #[error("the file ends within a board: each takes {0} bytes")]
    Cut(usize),
    /// Two bytes that are no number of a card.
    #[error("this is no card; cards are 01 to 52")]
    CardNumber,
    /// A byte after the hands that is not padding.
    #[error("only spaces, zero bytes and line ends may follow the hands")]
    Padding,
    /// The readable hands are not those of the numbers.
    #[error("the readable hands differ here from the numbered cards")]
    ReadableHands,
    /// The last ten bytes of a board of DUP.
    #[error(
        "the last 10 bytes of a board are two times Y or N, the lowest board, copies, the highest board"
    )]
    Trailer,
    /// The last ten bytes differ between boards.
    #[error("the last 10 bytes of a board differ from those of the first")]
    OtherTrailer,
    /// The trailer speaks of other boards.
    #[error("boards {lowest} to {highest} should be in it, and it has {boards}")]
    Boards {
        /// The first.
        lowest: u32,
        /// The last.
        highest: u32,
        /// How many the file has.
        boards: usize,
    },
    /// A field of LIN without its end.
    #[error("a field that begins here has no | at its end")]
    Field,
    /// Not the hands that LIN has.
    #[error("a LIN deal has three or four hands with commas between them, and this has {0}")]
    LinHands(usize),
    /// A character in a hand of LIN.
    #[error("{0:?} has no place here; a hand is S, ranks, H, ranks, D, ranks, C, ranks")]
    LinHand(char),
}

impl Fault {
    pub(super) fn at(self, place: Location) -> ReadError {
        ReadError { place, fault: self }
    }

    pub(super) fn in_line(self, line: usize) -> ReadError {
        self.at(Location::Line(line))
    }
}

/// Why boards cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// There is no board.
    #[error("there is no board to write")]
    Empty,
    /// A number beyond what the format holds.
    #[error("{format} ends at board 99, and there is a board {number}")]
    TooHigh {
        /// The format.
        format: &'static str,
        /// The first that is too high.
        number: u32,
    },
    /// The format says only the first and the last number.
    #[error("{format} holds boards in a row, and after board {before} comes board {number}")]
    NotInARow {
        /// The format.
        format: &'static str,
        /// The number before.
        before: u32,
        /// The one that does not follow it.
        number: u32,
    },
    /// More than it can count.
    #[error("rzd holds at most 65535 boards, and these are {0}")]
    TooMany(usize),
}
