//! The first opening of cards of a match that follows another one of the table. Until then the seats can
//! still go on to another proposal of the match, so a seat opens its first cards only in time.

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::Play;
use crate::log::Phase;
use crate::seat::SeatSet;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether this seat has signed a part that opens or shows cards of a verifiable deck in this match.
    pub(in crate::play) fn has_opened(&self) -> bool {
        self.own.has_opened
    }

    /// Whether the match has begun for this seat: it has opened cards, or an opening is complete.
    pub fn has_begun(&self) -> bool {
        self.has_opened() || self.own.log.has_open_cards()
    }

    /// Sets how many of these seats must have a part in the step before this seat opens its first cards.
    /// `None` if there is no limit.
    pub(in crate::play) fn open_after(&mut self, others: Option<(usize, SeatSet)>) {
        self.opens_after = others;
    }

    /// Whether this seat has not opened its first cards, and the time for them is limited. It then claims no
    /// absence and does not call the roll. Once all parts of an opening are there, the match has begun for
    /// all, also for a seat that had no card to open.
    pub(in crate::play) fn awaits_opening(&self) -> bool {
        self.opens_after.is_some() && !self.has_begun()
    }

    /// Whether this seat may not open its first cards now.
    pub(super) fn opens_too_late(&self) -> bool {
        let log = &self.own.log;
        if !self.awaits_opening() || !matches!(log.phase(), Phase::Open(_)) {
            return false;
        }
        self.opens_after.is_some_and(|(needed, seats)| {
            let others = seats.iter().filter(|seat| *seat != self.own.seat);
            let given = others.filter(|seat| log.part(log.step(), *seat).is_some());
            given.count() < needed
        })
    }
}
