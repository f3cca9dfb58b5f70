//! Collects the boards of a file, and checks their dealers and vulnerabilities.

use std::collections::HashSet;

use super::error::{Fault, Location, ReadError};
use crate::{Board, Card, Compass, Deal, DealError, Vulnerability};

/// The maximum number of warnings that are kept; a file can cause any number.
const MAX_WARNINGS: usize = 10;

/// The boards of a file, and its contradictions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The boards, in the order of the file.
    pub boards: Vec<Board>,
    /// Whether the file states the numbers of its boards. If not, they are numbered from 1.
    pub is_numbered: bool,
    /// The first ten contradictions: a dealer or a vulnerability that does not match the board
    /// number, a number with two deals, a tag that appears twice or is missing, an invalid name or
    /// value.
    pub warnings: Vec<ReadError>,
    /// The number of contradictions after the first ten.
    pub further_warnings: usize,
}

impl Reading {
    /// Accepts only a file without contradictions.
    ///
    /// # Errors
    /// The first warning.
    pub fn strict(self) -> Result<Reading, ReadError> {
        match self.warnings.first() {
            Some(warning) => Err(warning.clone()),
            None => Ok(self),
        }
    }
}

/// The boards read so far.
#[derive(Default)]
pub(super) struct Boards {
    found: Vec<Board>,
    known: HashSet<Board>,
    numbers: HashSet<u32>,
    /// The place of the first board without a number in the file.
    unnumbered: Option<Location>,
    warnings: Vec<ReadError>,
    further_warnings: usize,
}

impl Boards {
    /// The number of the next board: the number that the file states, or if it states none, the place
    /// of the board in the file.
    ///
    /// # Errors
    /// [`Fault::SomeNumbers`] if only some boards have a number.
    pub(super) fn number(
        &mut self,
        stated: Option<u32>,
        place: Location,
    ) -> Result<u32, ReadError> {
        match (stated, self.unnumbered) {
            (Some(number), None) => Ok(number),
            (Some(_), Some(place)) => Err(Fault::SomeNumbers.at(place)),
            (None, None) if !self.found.is_empty() => Err(Fault::SomeNumbers.at(place)),
            (None, unnumbered) => {
                self.unnumbered = unnumbered.or(Some(place));
                Ok(self.found.len() as u32 + 1)
            }
        }
    }

    /// Adds `board`, unless the same board has already been added. Warns if a board with the same
    /// number has another deal.
    pub(super) fn take(&mut self, board: Board, place: Location) {
        if !self.known.insert(board) {
            return;
        }
        if !self.numbers.insert(board.number) {
            self.warn(Fault::OtherDeal(board.number).at(place));
        }
        self.found.push(board);
    }

    /// Whether a board with this number has been added.
    pub(super) fn holds(&self, number: u32) -> bool {
        self.numbers.contains(&number)
    }

    /// Adds a warning, or only counts it if [`MAX_WARNINGS`] are kept.
    pub(super) fn warn(&mut self, warning: ReadError) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        } else {
            self.further_warnings += 1;
        }
    }

    /// Warns if the dealer in a file, `found`, is not the one that the board number determines. The
    /// results of further tables, with a board that has been added, are not checked.
    pub(super) fn check_dealer(&mut self, board: &Board, found: Compass, place: Location) {
        let lawful = board.dealer();
        if found != lawful && !self.known.contains(board) {
            let fault = Fault::Dealer {
                number: board.number,
                lawful: lawful.letter(),
                found: found.letter(),
            };
            self.warn(fault.at(place));
        }
    }

    /// Warns like [`check_dealer`](Self::check_dealer) about the vulnerability.
    pub(super) fn check_vulnerability(
        &mut self,
        board: &Board,
        found: Vulnerability,
        place: Location,
    ) {
        let lawful = board.vulnerability();
        if found != lawful && !self.known.contains(board) {
            let fault = Fault::Vulnerability {
                number: board.number,
                lawful: vulnerability(lawful),
                found: vulnerability(found),
            };
            self.warn(fault.at(place));
        }
    }

    /// Returns all boards and warnings.
    ///
    /// # Errors
    /// If there are no boards: the first warning, or [`Fault::Empty`] at `end`, the end of the file.
    pub(super) fn finish(self, end: Location) -> Result<Reading, ReadError> {
        if self.found.is_empty() {
            // A skipped deal is the better reason.
            let reason = self.warnings.into_iter().next();
            return Err(reason.unwrap_or(Fault::Empty.at(end)));
        }
        Ok(Reading {
            boards: self.found,
            is_numbered: self.unnumbered.is_none(),
            warnings: self.warnings,
            further_warnings: self.further_warnings,
        })
    }
}

/// An incomplete deal, in which cards are given to seats one by one.
pub(super) struct Dealing([Option<Compass>; 52]);

impl Dealing {
    pub(super) fn new() -> Self {
        Dealing([None; 52])
    }

    /// Gives `card` to the seat `to`.
    ///
    /// # Errors
    /// [`DealError::Twice`] if the card has already been given to a seat.
    pub(super) fn give(&mut self, card: Card, to: Compass) -> Result<(), DealError> {
        match self.0[card.number()].replace(to) {
            None => Ok(()),
            Some(_) => Err(DealError::Twice {
                suit: card.suit().letter(),
                rank: card.rank(),
            }),
        }
    }

    /// The number of cards given to a seat.
    pub(super) fn cards_of(&self, seat: Compass) -> usize {
        self.0.iter().filter(|owner| **owner == Some(seat)).count()
    }

    /// Completes the deal by giving all remaining cards to the seat `last`.
    ///
    /// # Errors
    /// [`DealError::Count`] if another seat does not have 13 cards.
    pub(super) fn rest_to(self, last: Compass) -> Result<Deal, DealError> {
        for seat in Compass::ALL.into_iter().filter(|seat| *seat != last) {
            let cards = self.cards_of(seat);
            if cards != 13 {
                let seat = seat.letter();
                return Err(DealError::Count { seat, cards });
            }
        }
        Deal::new(self.0.map(|owner| owner.unwrap_or(last)))
    }
}

/// The name of a vulnerability in PBN.
pub(super) fn vulnerability(vulnerability: Vulnerability) -> &'static str {
    match vulnerability {
        Vulnerability::None => "None",
        Vulnerability::NorthSouth => "NS",
        Vulnerability::EastWest => "EW",
        Vulnerability::All => "All",
    }
}
