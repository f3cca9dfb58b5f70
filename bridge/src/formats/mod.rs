//! Files of boards, in the formats that dealing machines and bridge programs read and write.
//!
//! They are written as Big Deal 2.0 (Hans van Staveren) writes them. PBN follows the PBN standard 2.1,
//! and DUP is also read as Jannersten's description "Convert" has it.
//!
//! Texts are read as bytes, one character each: PBN 2.1 is Latin-1, and names and comments may hold
//! anything. Only what a board needs is looked at, and that is ASCII.

mod ber;
mod bhg;
mod boards;
mod bri;
mod cds;
mod csv;
mod dge;
mod dlm;
mod dup;
mod error;
mod lin;
mod pbn;
mod pbn_tags;
mod rzd;
mod split;
mod text;

#[cfg(test)]
mod tests;

pub use error::{Fault, Location, ReadError, WriteError};
pub use split::split;

use strum::VariantArray;

use super::Board;

/// The highest board that a file for a dealing machine, DLM or DUP, can hold.
pub const HIGHEST_FOR_MACHINES: u32 = 99;

/// A function that reads the boards of a file.
type Reader = fn(&[u8]) -> Result<Vec<Board>, ReadError>;

/// A format of a file of boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Format {
    /// Portable Bridge Notation 2.1.
    Pbn,
    /// Fields with bars between them, as Big Deal writes them for Bridge Base Online.
    Lin,
    /// The same as Bridge Base Online itself writes it.
    LinBbo,
    /// Jannersten's Duplimate, a text.
    Dlm,
    /// The same, marked as sealed: the machine's program does not show the boards.
    DlmBlind,
    /// Jannersten's older Duplimate, binary.
    Dup,
    /// The same, without the readable hands of board 1.
    DupBlind,
    /// Numbers of cards, 128 bytes a board.
    Bri,
    /// Suits and ranks, 128 bytes a board.
    Dge,
    /// The owner of each card, 52 bytes a board.
    Ber,
    /// Borel: cards as letters.
    Bhg,
    /// Suits in quotes, with commas between them.
    Csv,
    /// Kops: two bits a card.
    Rzd,
    /// Two bits a card, with the number of the board.
    Cds,
}

impl Format {
    /// All of them.
    pub const ALL: &[Format] = Format::VARIANTS;

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::LinBbo => "lin-bbo",
            Format::DlmBlind => "dlmblind",
            Format::DupBlind => "dupblind",
            other => other.suffix(),
        }
    }

    /// How the names of its files end, without the dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Format::Pbn => "pbn",
            Format::Lin | Format::LinBbo => "lin",
            Format::Dlm | Format::DlmBlind => "dlm",
            Format::Dup | Format::DupBlind => "dup",
            Format::Bri => "bri",
            Format::Dge => "dge",
            Format::Ber => "ber",
            Format::Bhg => "bhg",
            Format::Csv => "csv",
            Format::Rzd => "rzd",
            Format::Cds => "cds",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        let mut formats = Format::ALL.iter().copied();
        formats.find(|format| format.name() == name)
    }

    /// The format of files whose names end like this; never a blind one, and
    /// of LIN that of Big Deal.
    pub fn of_suffix(suffix: &str) -> Option<Format> {
        Format::named(&suffix.to_ascii_lowercase())
            .filter(|format| format.suffix().len() == suffix.len())
    }

    /// Whether [`read`](Self::read) reads it.
    pub fn is_readable(self) -> bool {
        self.reader().is_some()
    }

    /// Whether the format has a place for board numbers. If not, [`read`](Self::read) counts from 1.
    pub fn holds_numbers(self) -> bool {
        match self {
            Format::Pbn | Format::Lin | Format::LinBbo | Format::Csv | Format::Cds => true,
            Format::Dlm | Format::DlmBlind | Format::Dup | Format::DupBlind => true,
            Format::Bri | Format::Dge | Format::Ber | Format::Bhg | Format::Rzd => false,
        }
    }

    /// Whether a file says the numbers of these boards. If not, who reads it counts from 1.
    pub fn says_numbers(self, boards: &[Board]) -> bool {
        match self {
            // It has a byte for them.
            Format::Cds => boards.iter().all(|board| board.number < 256),
            // It says how many there are, as if the first were 1.
            Format::Dup | Format::DupBlind => boards.first().is_none_or(|board| board.number == 1),
            format => format.holds_numbers(),
        }
    }

    /// Whether it ends at board [`HIGHEST_FOR_MACHINES`].
    pub fn is_for_machines(self) -> bool {
        use Format::{Dlm, DlmBlind, Dup, DupBlind};
        matches!(self, Dlm | DlmBlind | Dup | DupBlind)
    }

    /// The file of these boards.
    ///
    /// # Errors
    /// If there is none, or the format cannot hold them.
    pub fn write(self, boards: &[Board]) -> Result<Vec<u8>, WriteError> {
        if boards.is_empty() {
            return Err(WriteError::Empty);
        }
        if self.is_for_machines() {
            self.check_for_machine(boards)?;
        }
        Ok(match self {
            Format::Pbn => pbn::write(boards).into_bytes(),
            Format::Lin => lin::write(boards, lin::Style::BigDeal).into_bytes(),
            Format::LinBbo => lin::write(boards, lin::Style::BridgeBase).into_bytes(),
            Format::Dlm => dlm::write(boards, dlm::Status::Show).into_bytes(),
            Format::DlmBlind => dlm::write(boards, dlm::Status::Sealed).into_bytes(),
            Format::Dup => dup::write(boards, |_| true),
            Format::DupBlind => dup::write(boards, |board| board.number != 1),
            Format::Bri => bri::write(boards),
            Format::Dge => dge::write(boards),
            Format::Ber => ber::write(boards),
            Format::Bhg => bhg::write(boards).into_bytes(),
            Format::Csv => csv::write(boards).into_bytes(),
            Format::Rzd => rzd::write(boards)?,
            Format::Cds => cds::write(boards),
        })
    }

    /// The boards of a file, in its order. Boards of a file without numbers get 1 and so on.
    ///
    /// A board that stands there again with the same deal, as in records of two tables, counts once.
    ///
    /// # Errors
    /// With its place, whatever is wrong: also a dealer or a vulnerability that is not that of the
    /// board's number, and a file that has no board.
    pub fn read(self, bytes: &[u8]) -> Result<Vec<Board>, ReadError> {
        match self.reader() {
            Some(read) => read(bytes),
            None => Err(Fault::OnlyWritten(self.name()).at(Location::Byte(0))),
        }
    }

    /// The reader of the format, or `None` if the format is only written.
    fn reader(self) -> Option<Reader> {
        match self {
            Format::Pbn => Some(pbn::read),
            Format::Lin | Format::LinBbo => Some(lin::read),
            Format::Dlm | Format::DlmBlind => Some(dlm::read),
            Format::Dup | Format::DupBlind => Some(dup::read),
            Format::Bri => Some(bri::read),
            Format::Dge | Format::Ber | Format::Bhg => None,
            Format::Csv | Format::Rzd | Format::Cds => None,
        }
    }

    /// A machine takes boards in a row, up to its last one.
    fn check_for_machine(self, boards: &[Board]) -> Result<(), WriteError> {
        let format = self.name();
        in_a_row(format, boards)?;
        let beyond = boards
            .iter()
            .find(|board| board.number > HIGHEST_FOR_MACHINES);
        match beyond.map(|board| board.number) {
            Some(number) => Err(WriteError::TooHigh { format, number }),
            None => Ok(()),
        }
    }
}

/// Checks that each number is one more than that before.
fn in_a_row(format: &'static str, boards: &[Board]) -> Result<(), WriteError> {
    for (before, board) in boards.iter().zip(&boards[1.min(boards.len())..]) {
        let (before, number) = (before.number, board.number);
        if before.checked_add(1) != Some(number) {
            return Err(WriteError::NotInARow {
                format,
                before,
                number,
            });
        }
    }
    Ok(())
}
