//! Collects the boards of a file, and checks their dealers and vulnerabilities.

use std::collections::HashMap;

use super::error::{Fault, Location, ReadError};
use crate::{Board, Card, Compass, Deal, DealError, Vulnerability};

/// The boards read so far.
#[derive(Default)]
pub(super) struct Boards {
    found: Vec<Board>,
    /// The index in `found` of each board number.
    by_number: HashMap<u32, usize>,
}

impl Boards {
    /// Adds `board`, unless the same board has already been added.
    ///
    /// # Errors
    /// [`Fault::OtherDeal`] if a board with the same number has a different deal.
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

    /// Returns all boards.
    ///
    /// # Errors
    /// [`Fault::Empty`] at `end`, the end of the file, if there are no boards.
    pub(super) fn finish(self, end: Location) -> Result<Vec<Board>, ReadError> {
        if self.found.is_empty() {
            Err(Fault::Empty.at(end))
        } else {
            Ok(self.found)
        }
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

/// Checks that the dealer in a file, `found`, is the dealer that the board number determines.
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

/// Checks that the vulnerability in a file, `found`, is the one that the board number determines.
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

/// The name of a vulnerability in PBN.
pub(super) fn vulnerability(vulnerability: Vulnerability) -> &'static str {
    match vulnerability {
        Vulnerability::None => "None",
        Vulnerability::NorthSouth => "NS",
        Vulnerability::EastWest => "EW",
        Vulnerability::All => "All",
    }
}
