//! DLM, of Jannersten's Duplimate: a text format similar to INI files. The head and each board have
//! a checksum.
//!
//! A file has a line for each board from 1 to 99. The head states the range of the actual boards.
//! The lines of all other boards contain a dummy deal.

use super::HIGHEST_FOR_MACHINES;
use super::boards::{Boards, Dealing, Reading};
use super::error::{Fault, Location, ReadError};
use super::text;
use crate::{Board, Card, Compass, Deal};

/// The status in the head: whether the program of the dealing machine displays the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Show,
    Sealed,
}

/// The letters of the dummy deal: North has all spades, East all hearts, South all diamonds, and
/// West all clubs.
const FILLER: &str = "aaaaaabffffffkkkkkklpppppp";

/// The number of letters of a board. A checksum of three digits follows them.
const LETTERS: usize = 26;

pub(super) fn write(boards: &[Board], status: Status) -> String {
    let lowest = boards.first().map_or(1, |board| board.number);
    let highest = boards.last().map_or(1, |board| board.number);
    let head = head_checksum(0, lowest, highest, status);
    let mut text = format!(
        "[Document]\nHeadline=dealerless\nStatus={status:?}\nDuplicates=0\nFrom board={lowest}\n\
         To board={highest}\nNext board to duplimate=0\nPrintOuts=0\nCrypto key=0\nChecksum={head}\n"
    );
    for number in 1..=HIGHEST_FOR_MACHINES {
        let board = boards.iter().find(|board| board.number == number);
        let letters = board.map_or(FILLER.to_owned(), |board| letters(&board.deal));
        let check = checksum(number, 0, letters.as_bytes());
        text.push_str(&format!(
            "Duplicates {number:02}=0\nBoard {number:02}={letters}{check:03}\n"
        ));
    }
    text
}

fn head_checksum(duplicates: u32, lowest: u32, highest: u32, status: Status) -> u32 {
    duplicates ^ lowest ^ highest ^ u32::from(status == Status::Show)
}

/// The checksum of board `number`. `copies` is the number of copies that the machine makes.
fn checksum(number: u32, copies: u32, letters: &[u8]) -> u32 {
    let codes = letters.iter().map(|letter| u32::from(*letter));
    codes.fold(number ^ copies, |sum, code| sum ^ code)
}

/// Formats a deal as [`LETTERS`] letters from `a` to `p`. Each letter encodes the owners of two
/// consecutive cards.
fn letters(deal: &Deal) -> String {
    let pairs = deal.owners().chunks(2);
    pairs
        .map(|pair| char::from(pair.iter().fold(0, |code, owner| 4 * code + *owner as u8) + b'a'))
        .collect()
}

/// The values found in a file, each with its line.
#[derive(Default)]
struct Found<'a> {
    status: Option<(usize, Status)>,
    duplicates: Option<(usize, u32)>,
    lowest: Option<(usize, u32)>,
    highest: Option<(usize, u32)>,
    checksum: Option<(usize, u32)>,
    /// The letters and digits of each board, by board number.
    boards: Vec<Option<(usize, &'a [u8])>>,
    /// The number of copies of each board, by board number. Without this line it is 0.
    copies: Vec<Option<(usize, u32)>>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let text = text::checked(bytes)?;
    let mut found = Found {
        boards: vec![None; HIGHEST_FOR_MACHINES as usize + 1],
        copies: vec![None; HIGHEST_FOR_MACHINES as usize + 1],
        ..Found::default()
    };
    let mut in_document = false;
    let mut last = 1;
    for (number, line) in text::lines(text) {
        last = number;
        let line = line.trim_ascii();
        match line.first() {
            None | Some(b';') => (),
            Some(b'[') => in_document = line.eq_ignore_ascii_case(b"[Document]"),
            Some(_) if in_document => {
                let taken = found.take(number, line);
                taken.map_err(|fault| fault.in_line(number))?;
            }
            Some(_) => (),
        }
    }
    found.finish(last)
}

impl<'a> Found<'a> {
    /// Parses a line of the section `[Document]`. Keys that do not concern the boards are skipped.
    fn take(&mut self, line: usize, text: &'a [u8]) -> Result<(), Fault> {
        let equals = text.iter().position(|byte| *byte == b'=');
        let (key, value) = text.split_at(equals.ok_or(Fault::KeyAndValue)?);
        let key = key.trim_ascii().to_ascii_lowercase();
        let value = value[1..].trim_ascii();
        match &key[..] {
            b"status" => {
                let status = match &*value.to_ascii_lowercase() {
                    b"show" => Status::Show,
                    b"sealed" => Status::Sealed,
                    _ => return Err(Fault::Status),
                };
                once(&mut self.status, line, status, "Status")
            }
            b"duplicates" => number_once(&mut self.duplicates, line, value, "Duplicates"),
            b"from board" => number_once(&mut self.lowest, line, value, "From board"),
            b"to board" => number_once(&mut self.highest, line, value, "To board"),
            b"checksum" => number_once(&mut self.checksum, line, value, "Checksum"),
            b"crypto key" if value != b"0" => Err(Fault::Encrypted),
            key => {
                if let Some(number) = key.strip_prefix(b"board ") {
                    let place = of_board(&mut self.boards, number)?;
                    return once(place, line, value, "a board");
                }
                if let Some(number) = key.strip_prefix(b"duplicates ") {
                    let place = of_board(&mut self.copies, number)?;
                    return number_once(place, line, value, "Duplicates of a board");
                }
                Ok(())
            }
        }
    }

    /// Returns the boards after all lines have been parsed. `last` is the number of the last line.
    fn finish(self, last: usize) -> Result<Reading, ReadError> {
        let missing = |name| Fault::Missing(name).in_line(last);
        let (_, status) = self.status.ok_or_else(|| missing("Status"))?;
        let (_, duplicates) = self.duplicates.ok_or_else(|| missing("Duplicates"))?;
        let (range_at, lowest) = self.lowest.ok_or_else(|| missing("From board"))?;
        let (_, highest) = self.highest.ok_or_else(|| missing("To board"))?;
        let (checksum_at, checksum) = self.checksum.ok_or_else(|| missing("Checksum"))?;
        if lowest == 0 || lowest > highest || highest > HIGHEST_FOR_MACHINES {
            return Err(Fault::Range(lowest, highest).in_line(range_at));
        }
        let right = head_checksum(duplicates, lowest, highest, status);
        agrees(checksum, right).map_err(|fault| fault.in_line(checksum_at))?;
        let mut boards = Boards::default();
        for number in lowest..=highest {
            let board = self.boards[number as usize];
            let (line, text) = board.ok_or_else(|| missing("a board of the range"))?;
            let copies = self.copies[number as usize].map_or(0, |(_, copies)| copies);
            let deal = read_board(number, copies, text);
            let deal = deal.map_err(|fault| fault.in_line(line))?;
            boards.take(Board { number, deal }, Location::Line(line));
        }
        boards.finish(Location::Line(last))
    }
}

/// The place of a board in a list by board number. `number` is its number as text.
fn of_board<'a, T>(list: &'a mut [T], number: &[u8]) -> Result<&'a mut T, Fault> {
    let number = text::number(number.trim_ascii()).filter(|number| *number > 0);
    let place = number.and_then(|number| list.get_mut(number as usize));
    place.ok_or(Fault::Number)
}

fn once<T>(
    place: &mut Option<(usize, T)>,
    line: usize,
    value: T,
    name: &'static str,
) -> Result<(), Fault> {
    match place.replace((line, value)) {
        None => Ok(()),
        Some(_) => Err(Fault::KeyTwice(name)),
    }
}

fn number_once(
    place: &mut Option<(usize, u32)>,
    line: usize,
    value: &[u8],
    name: &'static str,
) -> Result<(), Fault> {
    let number = text::number(value).ok_or(Fault::NoNumber(name))?;
    once(place, line, number, name)
}

fn agrees(found: u32, right: u32) -> Result<(), Fault> {
    if found == right {
        Ok(())
    } else {
        Err(Fault::Checksum { found, right })
    }
}

/// Parses the deal of board `number` from its letters, and compares its digits with the checksum.
/// `copies` is the number of copies that the machine makes.
fn read_board(number: u32, copies: u32, text: &[u8]) -> Result<Deal, Fault> {
    let (letters, digits) = text.split_at_checked(LETTERS).ok_or(Fault::DlmBoard)?;
    let found = text::number(digits).filter(|_| digits.len() == 3);
    let found = found.ok_or(Fault::DlmBoard)?;
    if !letters.iter().all(|letter| (b'a'..=b'p').contains(letter)) {
        return Err(Fault::DlmBoard);
    }
    agrees(found, checksum(number, copies, letters))?;
    let codes = letters.iter().map(|letter| usize::from(letter - b'a'));
    let owners = codes.flat_map(|code| [code / 4, code % 4]);
    let mut dealing = Dealing::new();
    for (card, owner) in Card::all().zip(owners) {
        dealing.give(card, Compass::ALL[owner])?;
    }
    Ok(dealing.rest_to(Compass::West)?)
}
