//! Files of boards, in the formats of dealing machines and bridge programs.
//!
//! Files are written as Big Deal 2.0 (Hans van Staveren) writes them, except [`Format::Pbn`], in the
//! export format of the PBN standard 2.1, and [`Format::LinBbo`], in the style of Bridge Base Online.
//! DUP files are also read if they follow Jannersten's description "Convert".
//!
//! Text files are read as bytes, not as UTF-8, since PBN 2.1 uses Latin-1, and names and comments
//! may contain any bytes. Only the parts that describe a board are interpreted, which are ASCII.

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

pub use boards::Reading;
pub use error::{Fault, Location, ReadError, WriteError};
pub use split::split;

use strum::VariantArray;

use super::Board;

/// The highest board number in a file for a dealing machine (DLM or DUP).
pub const HIGHEST_FOR_MACHINES: u32 = 99;

/// A function that reads the boards of a file.
type Reader = fn(&[u8]) -> Result<Reading, ReadError>;

/// A file format for boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
pub enum Format {
    /// Portable Bridge Notation 2.1, in its export format.
    Pbn,
    /// PBN in the style of Big Deal, which deviates from the export format.
    BigDeal,
    /// LIN, fields separated by bars, in the style that Big Deal writes for Bridge Base Online.
    Lin,
    /// LIN in the style that Bridge Base Online itself writes.
    LinBbo,
    /// The text format of Jannersten's Duplimate.
    Dlm,
    /// DLM, marked as sealed: the machine's program does not show the boards.
    DlmBlind,
    /// The older, binary format of Jannersten's Duplimate.
    Dup,
    /// DUP without the readable hands of board 1.
    DupBlind,
    /// Card numbers, 128 bytes per board.
    Bri,
    /// Suits and ranks, 128 bytes per board.
    Dge,
    /// The owner of each card, 52 bytes per board.
    Ber,
    /// The format of the program Borel: cards as letters.
    Bhg,
    /// Quoted suits, separated by commas.
    Csv,
    /// The format of the program Kops: two bits per card.
    Rzd,
    /// Two bits per card, with board numbers.
    Cds,
}

impl Format {
    /// All formats.
    pub const ALL: &[Format] = Format::VARIANTS;

    /// The name of the format on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::BigDeal => "big-deal",
            Format::LinBbo => "lin-bbo",
            Format::DlmBlind => "dlmblind",
            Format::DupBlind => "dupblind",
            other => other.suffix(),
        }
    }

    /// The file name extension of the format, without the dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Format::Pbn | Format::BigDeal => "pbn",
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

    /// The format with the given name.
    pub fn named(name: &str) -> Option<Format> {
        let mut formats = Format::ALL.iter().copied();
        formats.find(|format| format.name() == name)
    }

    /// The format for a file name extension. Several formats share `pbn`, `lin`, `dlm` and `dup`;
    /// for these the result is [`Pbn`](Self::Pbn), [`Lin`](Self::Lin), [`Dlm`](Self::Dlm) and
    /// [`Dup`](Self::Dup).
    pub fn of_suffix(suffix: &str) -> Option<Format> {
        Format::named(&suffix.to_ascii_lowercase())
            .filter(|format| format.suffix().len() == suffix.len())
    }

    /// Whether [`read`](Self::read) supports the format.
    pub fn is_readable(self) -> bool {
        self.reader().is_some()
    }

    /// Whether files are written with board numbers in this format.
    pub fn holds_numbers(self) -> bool {
        match self {
            Format::Pbn | Format::BigDeal | Format::Lin | Format::LinBbo => true,
            Format::Csv | Format::Cds => true,
            Format::Dlm | Format::DlmBlind | Format::Dup | Format::DupBlind => true,
            Format::Bri | Format::Dge | Format::Ber | Format::Bhg | Format::Rzd => false,
        }
    }

    /// Whether a file in this format stores the numbers of these boards correctly. If not,
    /// [`read`](Self::read) numbers them from 1.
    pub fn says_numbers(self, boards: &[Board]) -> bool {
        match self {
            // CDS has one byte for a board number.
            Format::Cds => boards.iter().all(|board| board.number < 256),
            // DUP is written with 1 as the lowest board number, whatever the first board is.
            Format::Dup | Format::DupBlind => boards.first().is_none_or(|board| board.number == 1),
            format => format.holds_numbers(),
        }
    }

    /// Whether board numbers are limited to [`HIGHEST_FOR_MACHINES`].
    pub fn is_for_machines(self) -> bool {
        use Format::{Dlm, DlmBlind, Dup, DupBlind};
        matches!(self, Dlm | DlmBlind | Dup | DupBlind)
    }

    /// Returns a file with these boards.
    ///
    /// # Errors
    /// If there are no boards, or the format cannot represent them.
    pub fn write(self, boards: &[Board]) -> Result<Vec<u8>, WriteError> {
        if boards.is_empty() {
            return Err(WriteError::Empty);
        }
        if self.is_for_machines() {
            self.check_for_machine(boards)?;
        }
        Ok(match self {
            Format::Pbn => pbn::write_export(boards).into_bytes(),
            Format::BigDeal => pbn::write_like_big_deal(boards).into_bytes(),
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

    /// Reads the boards of a file.
    ///
    /// If a board appears several times with the same deal, for example with the results of two
    /// tables, it is returned once. Contradictions within the file are warnings:
    /// [`Reading::strict`] turns them into errors.
    ///
    /// # Errors
    /// If the file is invalid or has no boards; the error has the location.
    pub fn read(self, bytes: &[u8]) -> Result<Reading, ReadError> {
        match self.reader() {
            Some(read) => read(bytes),
            None => Err(Fault::OnlyWritten(self.name()).at(Location::Byte(0))),
        }
    }

    /// The reader of the format; `None` if the format is write-only.
    fn reader(self) -> Option<Reader> {
        match self {
            Format::Pbn | Format::BigDeal => Some(pbn::read),
            Format::Lin | Format::LinBbo => Some(lin::read),
            Format::Dlm | Format::DlmBlind => Some(dlm::read),
            Format::Dup | Format::DupBlind => Some(dup::read),
            Format::Bri => Some(bri::read),
            Format::Dge | Format::Ber | Format::Bhg => None,
            Format::Csv | Format::Rzd | Format::Cds => None,
        }
    }

    /// Checks that the boards are consecutive and within the limit of dealing machines.
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

/// Checks that the board numbers are consecutive.
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
