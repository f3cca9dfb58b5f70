//! Errors and contradictions in files of boards, with their locations.

use std::fmt;

use crate::DealError;

/// The maximum size of a line in bytes. The PBN standard allows 255, but other programs write whole
/// auctions and comments into a line of LIN.
pub(super) const MAX_LINE: usize = 1 << 16;

/// A location in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
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

/// An error or a contradiction in a file, and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct ReadError {
    /// The location.
    pub place: Location,
    /// The error or the contradiction.
    pub fault: Fault,
}

/// An error or a contradiction in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The cards are not a valid deal.
    #[error(transparent)]
    Deal(#[from] DealError),
    /// The file has no boards.
    #[error("the file has no boards")]
    Empty,
    /// The format cannot be read. The value is the name of the format.
    #[error("files in the format {0} can only be written, not read")]
    OnlyWritten(&'static str),
    /// A board number is malformed, zero, or too large.
    #[error(
        "a board number must be a whole number from 1 to {}, in DLM files to 99",
        u32::MAX
    )]
    Number,
    /// A board number appears again with a different deal.
    #[error("board {0} appears again with a different deal")]
    OtherDeal(u32),
    /// The dealer does not match the board number.
    #[error("the dealer of board {number} is {found} here, but {lawful} by the Laws")]
    Dealer {
        /// The board number.
        number: u32,
        /// The dealer according to the Laws.
        lawful: char,
        /// The dealer in the file.
        found: char,
    },
    /// The vulnerability does not match the board number.
    #[error("the vulnerability of board {number} is {found} here, but {lawful} by the Laws")]
    Vulnerability {
        /// The board number.
        number: u32,
        /// The vulnerability according to the Laws.
        lawful: &'static str,
        /// The vulnerability in the file.
        found: &'static str,
    },
    /// A dealer is invalid. The value lists the valid dealers.
    #[error("invalid dealer; use {0}")]
    NoDealer(&'static str),
    /// A vulnerability is invalid. The value lists the valid vulnerabilities.
    #[error("invalid vulnerability; use {0}")]
    NoVulnerability(&'static str),
    /// A line is too long.
    #[error("the line has more than {MAX_LINE} bytes")]
    LongLine,
    /// A line has a zero byte.
    #[error(
        "zero byte in the line: the file is not a text, or is in UTF-16, which is not supported"
    )]
    ZeroByte,
    /// A board of a LIN file has a number but no deal.
    #[error("board {0} has no deal")]
    NoDeal(u32),
    /// Only some boards have a number.
    #[error("this board has no number, but other boards have one")]
    SomeNumbers,
    /// A mandatory tag is missing, although the file is marked as export format.
    #[error("{0} is missing, although the file is marked with % EXPORT")]
    NoExport(&'static str),
    /// The name of a tag differs from a mandatory tag only in upper and lower case.
    #[error("a tag must be written {0}, with the same upper and lower case; it is skipped")]
    TagCase(&'static str),
    /// A required item is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A tag appears twice in a board.
    #[error("{0} appears twice in a board; an empty line must separate two boards")]
    TagTwice(&'static str),
    /// A tag is malformed.
    #[error("invalid tag; a tag is [Name \"value\"], with \\\" for a quote in the value")]
    Tag,
    /// A comment is not closed.
    #[error("the comment that begins here is not closed")]
    Comment,
    /// A tag repeats a value of an earlier board, which is not allowed for this tag.
    #[error("{0} must have a value of its own: # and ## are not allowed for it")]
    Inherited(&'static str),
    /// A line of a DLM file is neither a section nor a key with a value.
    #[error("expected KEY=VALUE or [SECTION]")]
    KeyAndValue,
    /// A key of a DLM file appears twice.
    #[error("{0} appears twice")]
    KeyTwice(&'static str),
    /// The value of a key is not a number.
    #[error("{0} is not a whole number, or is too large")]
    NoNumber(&'static str),
    /// The range of the board numbers is invalid.
    #[error("boards {0} to {1}: the range must be within 1 to 99")]
    Range(u32, u32),
    /// The status is neither `Show` nor `Sealed`.
    #[error("invalid status; use Show or Sealed")]
    Status,
    /// The boards are encrypted.
    #[error("the boards are encrypted: only files with the crypto key 0 can be read")]
    Encrypted,
    /// A board of a DLM file does not consist of 26 letters and 3 digits.
    #[error("a board must have 26 letters from a to p, followed by 3 digits")]
    DlmBoard,
    /// A checksum is wrong.
    #[error("the checksum is {found}, but should be {right}")]
    Checksum {
        /// The checksum in the file.
        found: u32,
        /// The checksum of the content.
        right: u32,
    },
    /// The file ends within a board. The value is the size of a board.
    #[error("the file ends within a board: each board takes {0} bytes")]
    Cut(usize),
    /// A line of a BRI or DUP file does not consist of 78 digits, although the first line does.
    #[error("a line must have 78 digits, as the first line has")]
    HandsLine,
    /// Two bytes are not a card number.
    #[error("invalid card; cards are 01 to 52")]
    CardNumber,
    /// A byte after the hands is not padding.
    #[error("only spaces, zero bytes and line ends may follow the hands")]
    Padding,
    /// The readable hands differ from the card numbers.
    #[error("the readable hands differ from the card numbers here")]
    ReadableHands,
    /// The trailer of a DUP file, the last ten bytes of a board, is malformed.
    #[error(
        "the last 10 bytes of a board must be Y or N, Y or N, the lowest board number, the number of copies \
         and the highest board number"
    )]
    Trailer,
    /// The trailers of two boards differ.
    #[error("the last 10 bytes of a board differ from those of the first board")]
    OtherTrailer,
    /// The range in the trailer does not match the number of boards.
    #[error("the file states boards {lowest} to {highest}, but its number of boards is {boards}")]
    Boards {
        /// The lowest board number in the trailer.
        lowest: u32,
        /// The highest board number in the trailer.
        highest: u32,
        /// The number of boards in the file.
        boards: usize,
    },
    /// A field of a LIN file is not closed.
    #[error("the field that begins here has no closing |")]
    Field,
    /// The name of a field of a LIN file is not two letters or digits.
    #[error("invalid field name; a name has two letters or digits. The field is skipped")]
    FieldName,
    /// A LIN file is percent-encoded.
    #[error("the text is percent-encoded, as in the address of a page: decode it first")]
    Encoded,
    /// The number of hands in a LIN deal is neither three nor four. The value is this number.
    #[error("a LIN deal has three or four hands separated by commas, not {0}")]
    LinHands(usize),
    /// A character in a hand of a LIN file is invalid.
    #[error("unexpected {0:?}; a hand is S, ranks, H, ranks, D, ranks, C, ranks")]
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

/// The reason why boards cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// There are no boards.
    #[error("there are no boards to write")]
    Empty,
    /// A board number is too high for the format.
    #[error("{format} ends at board 99, but the boards include board {number}")]
    TooHigh {
        /// The name of the format.
        format: &'static str,
        /// The first board number that is too high.
        number: u32,
    },
    /// The boards are not consecutive, as the format requires.
    #[error("{format} requires consecutive boards, but board {number} follows board {before}")]
    NotInARow {
        /// The name of the format.
        format: &'static str,
        /// The number of a board.
        before: u32,
        /// The number of the board after it, which should be `before + 1`.
        number: u32,
    },
    /// There are more boards than the format can count.
    #[error("rzd holds at most 65535 boards, not {0}")]
    TooMany(usize),
}
