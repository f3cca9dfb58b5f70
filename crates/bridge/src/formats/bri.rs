//! BRI: 128 bytes per board. The cards of North, East and South are numbers of two digits, 01 to 52.
//! After these cards follow 32 spaces and 18 zero bytes. There are no board numbers.
//!
//! Some programs write a line end after the 78 digits instead. These files are also read.

use super::boards::{Boards, Dealing, Reading};
use super::error::{Fault, Location, ReadError};
use super::text;
use crate::{Board, Card, Compass, Deal};

/// The size of the three hands in bytes: two digits per card.
pub(super) const HANDS: usize = 78;

const SPACES: usize = 32;

/// The size of a board in bytes.
const BOARD: usize = 128;

pub(super) fn write(boards: &[Board]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for board in boards {
        bytes.extend(hands(&board.deal));
        bytes.extend([b' '; SPACES]);
        bytes.extend([0; BOARD - HANDS - SPACES]);
    }
    bytes
}

/// Formats the hands of North, East and South in [`HANDS`] bytes.
pub(super) fn hands(deal: &Deal) -> Vec<u8> {
    let seats = [Compass::North, Compass::East, Compass::South];
    let cards = seats.into_iter().flat_map(|seat| deal.hand(seat).cards());
    cards
        .flat_map(|card| format!("{:02}", card.number() + 1).into_bytes())
        .collect()
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    if has_lines(bytes) {
        return read_lines(bytes);
    }
    let mut boards = Boards::default();
    for (start, record) in records(bytes, BOARD)? {
        let deal = read_hands(&record[..HANDS], |byte| Location::Byte(start + byte))?;
        let odd = |byte: &u8| !matches!(byte, 0 | b' ' | b'\r' | b'\n');
        if let Some(odd) = record[HANDS..].iter().position(odd) {
            return Err(Fault::Padding.at(Location::Byte(start + HANDS + odd)));
        }
        let place = Location::Byte(start);
        let number = boards.number(None, place)?;
        boards.take(Board { number, deal }, place);
    }
    boards.finish(Location::Byte(bytes.len()))
}

/// Whether the file begins with a line of 78 bytes, and another line of digits or the end follows.
pub(super) fn has_lines(bytes: &[u8]) -> bool {
    let rest = bytes.get(HANDS..).unwrap_or_default();
    let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let next = rest.iter().find(|byte| !is_end(byte));
    let is_next = |byte: &u8| byte.is_ascii_digit() || *byte == 0x1a;
    rest.first().is_some_and(is_end) && next.is_none_or(is_next)
}

/// Reads the boards of a file that has a line of 78 digits for each board.
pub(super) fn read_lines(bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut boards = Boards::default();
    let mut last = 1;
    for (number, line) in text::lines(text::checked(bytes)?) {
        last = number;
        if line.is_empty() {
            continue;
        }
        let place = Location::Line(number);
        if line.len() != HANDS {
            return Err(Fault::HandsLine.at(place));
        }
        let deal = read_hands(line, |_| place)?;
        let number = boards.number(None, place)?;
        boards.take(Board { number, deal }, place);
    }
    boards.finish(Location::Line(last))
}

/// Splits a file into records of `size` bytes. Returns each record with its byte offset.
///
/// # Errors
/// [`Fault::Cut`] if the last record is incomplete.
pub(super) fn records(
    bytes: &[u8],
    size: usize,
) -> Result<impl Iterator<Item = (usize, &[u8])>, ReadError> {
    match bytes.len() % size {
        0 => Ok((0..).step_by(size).zip(bytes.chunks_exact(size))),
        _ => Err(Fault::Cut(size).at(Location::Byte(bytes.len()))),
    }
}

/// Parses a deal from the hands of North, East and South. The cards of a hand may be in any order.
/// `place_of` returns the location of a byte of `hands` in the file, for errors.
pub(super) fn read_hands(
    hands: &[u8],
    place_of: impl Fn(usize) -> Location,
) -> Result<Deal, ReadError> {
    let mut dealing = Dealing::new();
    for (place, digits) in hands.chunks(2).enumerate() {
        let at = place_of(2 * place);
        let number = text::number(digits).map(|number| number as usize);
        let card = number.and_then(|number| Card::new(number.checked_sub(1)?));
        let card = card.ok_or_else(|| Fault::CardNumber.at(at))?;
        let given = dealing.give(card, Compass::ALL[place / 13]);
        given.map_err(|error| Fault::Deal(error).at(at))?;
    }
    let deal = dealing.rest_to(Compass::West);
    deal.map_err(|error| Fault::Deal(error).at(place_of(0)))
}
