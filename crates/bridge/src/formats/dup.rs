//! DUP: 156 bytes per board. The deal is written twice: as card numbers, as in BRI (`bri.rs`), and
//! as readable hands, as in DGE (`dge.rs`). A trailer of ten bytes for the machine follows.
//!
//! According to Jannersten's description, the trailer has these fields: whether the hands are
//! random (`Y` or `N`), whether the machine counts backwards (`Y` or `N`), the lowest board number
//! in 3 bytes, the number of copies in 2 bytes, and the highest board number in 3 bytes. All
//! numbers are left-aligned. Big Deal always writes 1 as the lowest board number, 0 copies, and the
//! number of boards instead of the highest board number. This is correct only if the first board is
//! board 1.
//!
//! A file with only the card numbers, a line of 78 digits for each board, is also read.

use super::boards::{Boards, Reading};
use super::error::{Fault, Location, ReadError};
use super::{bri, dge, text};
use crate::Board;

const HANDS: usize = bri::HANDS + dge::HANDS;

/// The size of a board in bytes.
const BOARD: usize = HANDS + 10;

/// Formats the boards. `shows` decides for each board whether its readable hands are written. If
/// not, spaces are written instead.
pub(super) fn write(boards: &[Board], shows: impl Fn(&Board) -> bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for board in boards {
        bytes.extend(bri::hands(&board.deal));
        if shows(board) {
            bytes.extend(dge::hands(&board.deal));
        } else {
            bytes.extend([b' '; dge::HANDS]);
        }
        bytes.extend(format!("YN1  0 {:02} ", boards.len()).into_bytes());
    }
    bytes
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    if bri::has_lines(bytes) {
        return bri::read_lines(bytes);
    }
    let mut boards = Boards::default();
    let records = bri::records(bytes, BOARD)?;
    let Some(trailer) = bytes.get(HANDS..BOARD) else {
        return Err(Fault::Empty.at(Location::Byte(0)));
    };
    let trailer_at = Location::Byte(HANDS);
    let (lowest, highest) = range(trailer).ok_or_else(|| Fault::Trailer.at(trailer_at))?;
    let count = bytes.len() / BOARD;
    if lowest == 0 || lowest.abs_diff(highest) as usize + 1 != count || highest < lowest {
        return Err(Fault::Boards {
            lowest,
            highest,
            boards: count,
        }
        .at(trailer_at));
    }
    for (number, (start, record)) in (lowest..).zip(records) {
        let deal = bri::read_hands(&record[..bri::HANDS], |byte| Location::Byte(start + byte))?;
        let readable = &record[bri::HANDS..HANDS];
        if readable != [b' '; dge::HANDS] {
            let pairs = readable.iter().zip(dge::hands(&deal));
            if let Some(place) = { pairs }.position(|(found, right)| *found != right) {
                let at = Location::Byte(start + bri::HANDS + place);
                return Err(Fault::ReadableHands.at(at));
            }
        }
        // Big Deal 1.2 writes the trailer only after the first board.
        if record[HANDS..] != *trailer && record[HANDS..] != [0; BOARD - HANDS] {
            return Err(Fault::OtherTrailer.at(Location::Byte(start + HANDS)));
        }
        boards.take(Board { number, deal }, Location::Byte(start));
    }
    boards.finish(Location::Byte(bytes.len()))
}

/// The lowest and the highest board number in a trailer; `None` if the trailer is malformed.
fn range(trailer: &[u8]) -> Option<(u32, u32)> {
    let field = |field: &[u8]| text::number(field.trim_ascii_end());
    let [random, backwards, rest @ ..] = trailer else {
        return None;
    };
    let answers = [random, backwards].map(|answer| matches!(answer, b'Y' | b'N'));
    let (lowest, rest) = rest.split_at_checked(3)?;
    let (copies, highest) = rest.split_at_checked(2)?;
    field(copies).filter(|_| answers == [true; 2])?;
    Some((field(lowest)?, field(highest)?))
}
