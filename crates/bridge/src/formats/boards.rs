//! Collects the boards of a file, and checks their dealers and vulnerabilities.

use std::collections::HashSet;

use super::error::{Fault, Location, ReadError};
use crate::{Board, Card, Compass, Deal, DealError, Vulnerability};

/// The maximum number of warnings that are kept, because a sender chooses how many a file causes.
const MAX_WARNINGS: usize = 10;

/// The boards of a file, and what the file contradicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The boards, in the order of the file.
    pub boards: Vec<Board>,
    /// Whether the file states the numbers of its boards. If not, they are numbered from 1.
    pub is_numbered: bool,
    /// The first ten contradictions that did not prevent the reading: a dealer or a vulnerability
    /// that does not match the board number, a number with two deals, a PBN tag that appears twice.
    pub warnings: Vec<ReadError>,
    /// The number of contradictions that `warnings` leaves out.
    pub further_warnings: usize,
}

impl Reading {
    /// Accepts only a file without contradictions.
    ///
    /// # Errors
    /// The first warning.
    pub fn strict(self) -> Result<Reading, ReadError> {
        match self.warnings.into_iter().next() {
            Some(warning) => Err(warning),
            None => Ok(Reading {
                warnings: Vec::new(),
                ..self
            }),
        }
    }
}

/// The boards read so far.
#[derive(Default)]
pub(super) struct Boards {
    found: Vec<Board>,
    known: HashSet<Board>,
    numbers: HashSet<u32>,
    warnings: Vec<ReadError>,
    further_warnings: usize,
}

impl Boards {
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

    /// The number of boards added so far.
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// Keeps a contradiction that does not prevent the reading.
    pub(super) fn warn(&mut self, warning: ReadError) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        } else {
            self.further_warnings += 1;
        }
    }

    /// Warns if the dealer in a file, `found`, is not the one that the board number determines.
    pub(super) fn check_dealer(&mut self, board: &Board, found: Compass, place: Location) {
        let lawful = board.dealer();
        if found != lawful {
            let fault = Fault::Dealer {
                number: board.number,
                lawful: lawful.letter(),
                found: found.letter(),
            };
            self.warn(fault.at(place));
        }
    }

    /// Warns if the vulnerability in a file, `found`, is not the one that the board number
    /// determines.
    pub(super) fn check_vulnerability(
        &mut self,
        board: &Board,
        found: Vulnerability,
        place: Location,
    ) {
        let lawful = board.vulnerability();
        if found != lawful {
            let fault = Fault::Vulnerability {
                number: board.number,
                lawful: vulnerability(lawful),
                found: vulnerability(found),
            };
            self.warn(fault.at(place));
        }
    }

    /// Returns all boards and warnings. `is_numbered` tells whether the file states the numbers.
    ///
    /// # Errors
    /// [`Fault::Empty`] at `end`, the end of the file, if there are no boards.
    pub(super) fn finish(self, end: Location, is_numbered: bool) -> Result<Reading, ReadError> {
        if self.found.is_empty() {
            return Err(Fault::Empty.at(end));
        }
        Ok(Reading {
            boards: self.found,
            is_numbered,
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
