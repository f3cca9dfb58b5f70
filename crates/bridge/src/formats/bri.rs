//! BRI: 128 bytes per board. The cards of North, East and South are numbers of two digits, 01 to 52.
//! After these cards follow 32 spaces and 18 zero bytes. There are no board numbers.

use super::boards::{Boards, Dealing};
use super::error::{Fault, Location, ReadError};
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

pub(super) fn read(bytes: &[u8]) -> Result<Vec<Board>, ReadError> {
    let mut boards = Boards::default();
    for (number, (start, record)) in (1..).zip(records(bytes, BOARD)?) {
        let deal = read_hands(&record[..HANDS], start)?;
        let odd = |byte: &u8| !matches!(byte, 0 | b' ' | b'\r' | b'\n');
        if let Some(odd) = record[HANDS..].iter().position(odd) {
            return Err(Fault::Padding.at(Location::Byte(start + HANDS + odd)));
        }
        let taken = boards.take(Board { number, deal });
        taken.map_err(|fault| fault.at(Location::Byte(start)))?;
    }
    boards.finish(Location::Byte(bytes.len()))
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
/// `start` is the byte offset of `hands` in the file, for errors.
pub(super) fn read_hands(hands: &[u8], start: usize) -> Result<Deal, ReadError> {
    let mut dealing = Dealing::new();
    for (place, digits) in hands.chunks(2).enumerate() {
        let at = Location::Byte(start + 2 * place);
        let number = super::text::number(digits).map(|number| number as usize);
        let card = number.and_then(|number| Card::new(number.checked_sub(1)?));
        let card = card.ok_or_else(|| Fault::CardNumber.at(at))?;
        let given = dealing.give(card, Compass::ALL[place / 13]);
        given.map_err(|error| Fault::Deal(error).at(at))?;
    }
    let deal = dealing.rest_to(Compass::West);
    deal.map_err(|error| Fault::Deal(error).at(Location::Byte(start)))
}
