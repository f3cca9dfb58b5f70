//! The first opening of cards of a match that follows another one of the table. Until then the seats can
//! still go on to another proposal of the match, so a seat opens its first cards only in time.

use dealerless_connection::storage::{Storage, Vault};
use rand::CryptoRng;

use super::Play;
use crate::log::Phase;
use crate::seat::Seat;

impl<S: Storage, V: Vault, R: CryptoRng> Play<S, V, R> {
    /// Whether this seat has signed a part that opens or shows cards of a verifiable deck in this match.
    pub fn has_opened(&self) -> bool {
        self.own.has_opened
    }

    /// Sets the number of other seats whose parts of the step this seat needs before it opens its first
    /// cards. `None` if nothing is on hold.
    pub(in crate::play) fn open_after(&mut self, others: Option<usize>) {
        self.opens_after = others;
    }

    /// Whether this seat has not opened its first cards, and the time for them is limited. It then claims no
    /// absence and does not call the roll. Once all parts of an opening are there, the match has begun for
    /// all, also for a seat that had no card to open.
    pub(in crate::play) fn awaits_opening(&self) -> bool {
        let is_on_hold = self.opens_after.is_some() && !self.has_opened();
        is_on_hold && !self.own.log.has_open_cards()
    }

    /// Whether this seat may not open its first cards now.
    pub(super) fn opens_too_late(&self) -> bool {
        let log = &self.own.log;
        if !self.awaits_opening() || !matches!(log.phase(), Phase::Open(_)) {
            return false;
        }
        let others = Seat::all(log.match_info().seats()).filter(|seat| *seat != self.own.seat);
        let given = others.filter(|seat| log.part(log.step(), *seat).is_some());
        self.opens_after
            .is_some_and(|needed| given.count() < needed)
    }
}
