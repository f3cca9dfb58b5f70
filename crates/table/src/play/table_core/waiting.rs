//! How long a table waits for others: for their parts, by the clocks, for their connections and their
//! histories. What it then claims, reports, and allows its player to close.

use std::collections::BTreeMap;
use std::time::Duration;

use dealerless_connection::storage::{Storage, Vault};
use dealerless_connection::time::Moment;
use rand::CryptoRng;

use super::super::clock::TimeLeft;
use super::super::clocks::{ConnectionState, Timeout, View};
use super::super::error::PlayError;
use super::super::news::{Command, News};
use super::TableCore;
use crate::log::{Claim, Claimed};
use crate::seat::Seat;

/// Timeout for the peer to send its history on a new connection.
const RESUME_TIMEOUT: Duration = Duration::from_secs(60);
/// The time without progress after which a guest no longer waits for the histories of other guests,
/// and each of several seats requests what it lacks.
const GUESTS_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for the statements with which the other seats confirm the end of a match after a
/// conviction.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(20);

impl<S: Storage, V: Vault, R: CryptoRng> TableCore<S, V, R> {
    /// The time until [`next`](Self::next) has something to do although nothing arrives.
    pub fn until_next_timer(&self, now: Duration) -> Duration {
        if let Some(draining) = &self.draining {
            return draining.deadline.saturating_sub(now);
        }
        let mut timer = self.clocks.until_next_timeout(self.play.seat());
        timer = timer.min(self.until_patience_ends(now));
        if self.awaits_confirmation() {
            timer = timer.min(self.until_unconfirmed_end(now));
        }
        let connected = self.connected.iter();
        let silent = connected.filter(|(peer, _)| self.owes_history(**peer));
        silent.fold(timer, |timer, (_, since)| {
            timer.min((*since + RESUME_TIMEOUT).saturating_sub(now))
        })
    }

    /// Whether this side waits for other seats to confirm the end of a match after a conviction.
    fn awaits_confirmation(&self) -> bool {
        !self.play.has_ended() && !self.play.log().unconfirmed().is_empty()
    }

    /// The time until this side reports the end of a match that not all seats have confirmed.
    fn until_unconfirmed_end(&self, now: Duration) -> Duration {
        let since = self.convicted.unwrap_or(now);
        (since + CONFIRM_TIMEOUT).saturating_sub(now)
    }

    /// Reports the end of a match that the other seats have not confirmed in time.
    pub(super) fn report_unconfirmed_end(&mut self, now: Duration) {
        if self.awaits_confirmation() {
            self.convicted.get_or_insert(now);
            if self.until_unconfirmed_end(now).is_zero() {
                self.play.report_unconfirmed_end();
            }
        }
    }

    /// Whether `peer` has to send its history in time. The host of several guests may wait for other
    /// guests before it sends its own.
    fn owes_history(&self, peer: Seat) -> bool {
        let may_wait = self.play.has_several() && peer == Seat::HOST;
        !may_wait && !self.play.has_heard(peer)
    }

    /// A connected seat that has not sent its history in time.
    pub(super) fn silent(&self, now: Duration) -> Option<Seat> {
        let mut connected = self.connected.iter();
        let is_silent = |(peer, since): &(&Seat, &Duration)| {
            now >= **since + RESUME_TIMEOUT && self.owes_history(**peer)
        };
        connected.find(is_silent).map(|(peer, _)| *peer)
    }

    /// The time until this side has made no progress for so long that it waits for no histories any more.
    fn until_patience_ends(&self, now: Duration) -> Duration {
        let passed = now.saturating_sub(self.progress.1);
        match self.play.has_several() {
            true => GUESTS_TIMEOUT.saturating_sub(passed),
            false => Duration::MAX,
        }
    }

    /// After this side has made [no progress](Self::until_patience_ends), stops waiting for the histories
    /// of other seats, and requests what it lacks from all connected seats. Returns whether something
    /// may have changed.
    pub(super) fn update_progress(&mut self, now: Duration) -> Result<bool, PlayError> {
        let progress = (self.play.log().step(), self.play.heard());
        let has_moved = self.progress.0 != progress;
        if !has_moved && self.until_patience_ends(now) > Duration::ZERO {
            return Ok(false);
        }
        self.progress = (progress, now);
        if has_moved {
            return Ok(false);
        }
        self.play.stop_waiting()?;
        self.play.request_missing();
        Ok(true)
    }

    /// Updates the clocks. Returns whether a seat has run out of time. If this seat has, it makes
    /// the choice that costs no more chips, and sits out from the next hand on. No time counts before this
    /// seat has opened its first cards, if the time for them is [limited](Self::set_opening).
    pub(super) fn update_clocks(&mut self, now: Moment) -> Result<bool, PlayError> {
        if self.play.awaits_opening() {
            return Ok(false);
        }
        let seat = self.play.seat();
        let view = View {
            log: self.play.log(),
            own: seat,
            connections: self.connections(),
            is_synced: self.play.is_synced(),
            needs_engine: self.play.needs_engine(),
            is_merging: self.play.is_merging(),
            missing: self.play.missing(),
        };
        let timeout = self.clocks.update(&view, now);
        let is_over = self.play.set_over(self.clocks.over());
        let thinks = self.clocks.is_long_turn(seat) && self.play.set_thinking();
        let is_new = is_over || thinks;
        let Some(timeout) = timeout else {
            return Ok(is_new);
        };
        let news = match timeout {
            Timeout::Own(legal) => {
                let choice = self.play.out_of_time(&legal);
                // The rules allow this choice.
                let _ = self.play.command(Command::Choose(choice));
                let _ = self.play.command(Command::SitOut(true));
                News::OutOfTime { seat, asks: false }
            }
            Timeout::Other(seat) => {
                self.claim_late(seat, Claimed::OutOfTime, now.unix)?;
                let asks = self.play.may_name().contains(seat);
                News::OutOfTime { seat, asks }
            }
            Timeout::Away(seat) => {
                self.claim_late(seat, Claimed::Away, now.unix)?;
                News::Away { seat }
            }
            Timeout::Unreachable(seat) => {
                self.claim(seat, Claimed::Away, now.unix)?;
                return Ok(true);
            }
            Timeout::Back(seat) => {
                self.claim(seat, Claimed::Back, now.unix)?;
                return Ok(true);
            }
        };
        self.play.report(news);
        Ok(true)
    }

    /// The time that a seat has left, as this side counts it. `None` in a match without a clock.
    pub fn time_left(&self, seat: Seat) -> Option<TimeLeft> {
        self.clocks.left(seat)
    }

    /// The time until this side counts another seat as out of time, if nothing changes. `None` if it waits
    /// for nothing of that seat, or no time runs. In a match without a clock, a seat has ten minutes.
    pub fn until_out(&self, seat: Seat) -> Option<Duration> {
        self.clocks.until_out(seat)
    }

    /// The time in the bank of a seat, as it has to be stored for another run of the program. In the
    /// [own turn](Self::own_turn), this is the bank at its beginning. `None` in a match without a clock.
    pub fn bank_to_store(&self, seat: Seat) -> Option<Duration> {
        self.clocks.bank_to_store(seat, self.play.seat())
    }

    /// The step of the own turn, and the seconds since 1970 at which it was first shown, in a match whose
    /// seats can be removed: there the clock of a turn does not begin again after a restart. `None` if the
    /// player has nothing to choose.
    pub fn own_turn(&self) -> Option<(u64, u64)> {
        self.clocks.own_turn()
    }

    /// Restores the banks of all seats from an earlier run of the program, in order of the seats, and the
    /// [own turn](Self::own_turn).
    pub fn restore_banks(&mut self, banks: &[Duration], own_turn: Option<(u64, u64)>) {
        self.clocks.restore(banks, own_turn);
    }

    /// The seat that has run out of time, so that this side may [close](super::super::Command::Close) the match:
    /// this side waits for that seat, and the seat's time and a grace period are over. In a match
    /// without a clock, each seat has ten minutes for each step.
    ///
    /// `None` while enough seats are left without those that are late: then the others can remove them
    /// and go on.
    pub fn may_close(&self) -> Option<Seat> {
        let log = self.play.log();
        let mut out: Vec<Seat> = self.others().collect();
        out.retain(|seat| self.clocks.is_out(*seat));
        // After a start, the own log may not know yet who is gone.
        if !self.play.is_merging() && log.goes_on_without(out.iter().copied().collect()) {
            return None;
        }
        let due = log.waits_for();
        let is_due = out.iter().find(|seat| due.contains(seat));
        is_due.or(out.first()).copied()
    }

    /// Closes the match on this side. A claim in the match file records that this side does not
    /// intend to continue, and the seat that it waited for. In a match without a clock, if that
    /// seat is not connected, another claim records this. Claims are not steps of the match.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn record_close(&mut self, unix: u64) -> Result<(), PlayError> {
        let Some(seat) = self.may_close() else {
            return Ok(());
        };
        let is_missing = self.connections().get(&seat) == Some(&ConnectionState::Missing);
        if !self.clocks.is_limited() && is_missing && !self.play.has_several() {
            self.claim(seat, Claimed::Away, unix)?;
        }
        for unheard in self.play.merge_for_good()?.iter() {
            self.claim(unheard, Claimed::Away, unix)?;
        }
        let log = self.play.log();
        let has_signed = log.part(log.step(), seat).is_some();
        let seat = if has_signed { self.play.seat() } else { seat };
        self.claim(seat, Claimed::Closed, unix)
    }

    /// The states of the connections to the seats to which this seat needs one, and of the other
    /// connections that are complete.
    fn connections(&self) -> BTreeMap<Seat, ConnectionState> {
        let state = |peer| match (self.play.has_heard(peer), self.on_hold) {
            (true, _) => ConnectionState::Up,
            (false, true) => ConnectionState::Unwanted,
            (false, false) => ConnectionState::Missing,
        };
        let optional = self.others().filter(|peer| self.play.has_heard(*peer));
        let peers = self.peers().chain(optional);
        peers.map(|peer| (peer, state(peer))).collect()
    }

    /// Writes a claim that a seat is late. Between two seats without a clock, no time was agreed on
    /// and nothing is claimed.
    fn claim_late(&mut self, seat: Seat, what: Claimed, unix: u64) -> Result<(), PlayError> {
        if self.clocks.is_limited() || self.play.has_several() {
            self.claim(seat, what, unix)
        } else {
            Ok(())
        }
    }

    fn claim(&mut self, seat: Seat, what: Claimed, unix: u64) -> Result<(), PlayError> {
        self.play.claim(&Claim {
            step: self.play.log().step(),
            seat,
            time: unix,
            what,
        })
    }
}
