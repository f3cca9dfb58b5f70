//! Boards as a reader collects them.

use std::collections::HashMap;

use super::error::{Fault, Location, ReadError};
use crate::{Board, Card, Compass, Deal, DealError, Vulnerability};

/// The boards of a file until now.
#[derive(Default)]
pub(super) struct Boards {
    found: Vec<Board>,
    /// Where each number stands in `found`.
    by_number: HashMap<u32, usize>,
}

impl Boards {
    /// Takes a board, unless it was there before.
    ///
    /// # Errors
    /// If another deal has its number.
    pub(super) fn take(&mut self, board: Board) -> Result<(), Fault> {
        match self.by_number.get(&board.number) {
            Some(&before) if self.found[before].deal != board.deal => {
                return Err(Fault::OtherDeal(board.number));
            }
            Some(_) => (),
            None => {
                self.by_number.insert(board.number, self.found.len());
                self.found.push(board);
            }
        }
        Ok(())
    }

    /// All of them, if there is one.
    ///
    /// # Errors
    /// [`Fault::Empty`] at this place, the end.
    pub(super) fn finish(self, end: Location) -> Result<Vec<Board>, ReadError> {
        if self.found.is_empty() {
            Err(Fault::Empty.at(end))
        } else {
            Ok(self.found)
        }
    }
}

/// Cards that are given to seats one by one.
pub(super) struct Dealing([Option<Compass>; 52]);

impl Dealing {
    pub(super) fn new() -> Self {
        Dealing([None; 52])
    }

    /// Gives a card.
    ///
    /// # Errors
    /// If somebody has it.
    pub(super) fn give(&mut self, card: Card, to: Compass) -> Result<(), DealError> {
        match self.0[card.number()].replace(to) {
            None => Ok(()),
            Some(_) => Err(DealError::Twice {
                suit: card.suit().letter(),
                rank: card.rank(),
            }),
        }
    }

    /// How many cards a seat was given.
    pub(super) fn cards_of(&self, seat: Compass) -> usize {
        self.0.iter().filter(|owner| **owner == Some(seat)).count()
    }

    /// The deal in which a seat gets whatever is left.
    ///
    /// # Errors
    /// If somebody has not 13 cards; that of another seat comes first.
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

/// Checks who deals a board, in the file, against its number.
pub(super) fn check_dealer(board: &Board, found: Compass) -> Result<(), Fault> {
    let lawful = board.dealer();
    if found == lawful {
        Ok(())
    } else {
        Err(Fault::Dealer {
            number: board.number,
            lawful: lawful.letter(),
            found: found.letter(),
        })
    }
}

/// Checks who is vulnerable, in the file, against the number.
pub(super) fn check_vulnerability(board: &Board, found: Vulnerability) -> Result<(), Fault> {
    let lawful = board.vulnerability();
    if found == lawful {
        Ok(())
    } else {
        Err(Fault::Vulnerability {
            number: board.number,
            lawful: vulnerability(lawful),
            found: vulnerability(found),
        })
    }
}

/// As PBN calls it.
pub(super) fn vulnerability(vulnerability: Vulnerability) -> &'static str {
    match vulnerability {
        Vulnerability::None => "None",
        Vulnerability::NorthSouth => "NS",
        Vulnerability::EastWest => "EW",
        Vulnerability::All => "All",
    }
}
