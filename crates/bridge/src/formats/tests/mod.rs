//! Four boards that the tests of formats share.
//!
//! These boards are the first four of Big Deal's generator for a seed of 20 zero bytes and the
//! owner "Test Owner". The files in `vectors` were written by Big Deal 2.0 (bigdealx, commit
//! a980e7f).

mod hostile;
mod machines;
mod pbn_and_lin;
mod pbn_import;
mod round_trips;
mod vectors;

use crate::Board;
use crate::formats::{Format, ReadError, Reading};

pub(super) const DEALS: [&str; 4] = [
    "N:J2.AQ.A7652.J543 QT87.T8.KJ843.A2 6543.J42.Q9.QT76 AK9.K97653.T.K98",
    "N:KJT73.97.J98.JT6 84.Q8.K63.KQ9875 Q6.KJ632.AQ42.A2 A952.AT54.T75.43",
    "N:JT52.JT3.QJ973.T 64.AKQ974.864.A6 KQ9873.8652.K2.4 A..AT5.KQJ987532",
    "N:K5.T97.42.QJT743 9863.J82.QJT95.K QJT72.4.A83.A865 A4.AKQ653.K76.92",
];

/// The four boards, numbered from `first`.
pub(super) fn boards_from(first: u32) -> Vec<Board> {
    let boards = (first..).zip(DEALS);
    boards
        .map(|(number, deal)| Board {
            number,
            deal: deal.parse().unwrap(),
        })
        .collect()
}

pub(super) fn boards() -> Vec<Board> {
    boards_from(1)
}

/// The boards of a file without contradictions; a warning is an error.
pub(super) fn read(format: Format, file: impl AsRef<[u8]>) -> Result<Vec<Board>, ReadError> {
    let reading = format.read(file.as_ref()).and_then(Reading::strict);
    reading.map(|reading| reading.boards)
}

/// The formats that can be read.
pub(super) fn readable() -> impl Iterator<Item = Format> {
    let formats = Format::ALL.iter().copied();
    formats.filter(|format| format.is_readable())
}

/// The readable formats that consist of lines of text.
pub(super) fn texts() -> impl Iterator<Item = Format> {
    readable().filter(|format| format.write(&boards()).unwrap().contains(&b'\n'))
}
