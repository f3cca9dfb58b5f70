//! The clock of one seat: a fixed time for each move, and a *bank* of additional time for the whole
//! match. This module does not read the system's clock; the caller passes the time.

use std::time::Duration;

use crate::log::Clock;

/// The remaining time of one seat, as this program counts it.
#[derive(Clone, Debug)]
pub(super) struct TimeBank {
    each_move: Duration,
    /// The time in the bank at the start of the current turn.
    bank: Duration,
    /// The current turn. `None` if it is not the seat's turn.
    turn: Option<Turn>,
    /// The time of the last update. `None` while the clock is stopped.
    since: Option<Duration>,
}

/// A turn of the seat.
#[derive(Clone, Debug)]
struct Turn {
    /// The number of the turn, usually the step of the log.
    step: u64,
    /// The time that the seat has used in this turn.
    spent: Duration,
}

/// The time that a seat has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// The time for this move that is left before the bank is used.
    pub each_move: Duration,
    /// The time left in the bank.
    pub bank: Duration,
}

impl TimeLeft {
    /// The sum of `each_move` and `bank`.
    pub(crate) fn total(self) -> Duration {
        self.each_move + self.bank
    }
}

impl TimeBank {
    /// The time at the start of a match with this `clock`.
    pub(super) fn new(clock: Clock) -> Self {
        TimeBank {
            each_move: Duration::from_secs(clock.each_move.into()),
            bank: Duration::from_secs(clock.bank.into()),
            turn: None,
            since: None,
        }
    }

    /// Updates the clock to the time `now`. `turn` is the number of the current turn, or `None` if
    /// it is not this seat's turn. `runs` tells whether the clock runs from `now` on. At the end of
    /// a turn, the time spent beyond `each_move` is subtracted from the bank.
    pub(super) fn update(&mut self, turn: Option<u64>, runs: bool, now: Duration) {
        let passed = self.since.map(|since| now.saturating_sub(since));
        if let (Some(turn), Some(passed)) = (&mut self.turn, passed) {
            turn.spent += passed;
        }
        if self.turn.as_ref().map(|turn| turn.step) != turn {
            self.bank = self.left().bank;
            let spent = Duration::ZERO;
            self.turn = turn.map(|step| Turn { step, spent });
        }
        self.since = (runs && turn.is_some()).then_some(now);
    }

    /// Sets the time that the seat has used in the current turn, if more time has passed than was
    /// counted: the clock also ran while the program did not.
    pub(super) fn has_spent(&mut self, spent: Duration) {
        if let Some(turn) = &mut self.turn {
            turn.spent = turn.spent.max(spent);
        }
    }

    /// The time in the bank at the start of the current turn.
    pub(super) fn at_start(&self) -> Duration {
        self.bank
    }

    /// The time that the seat has used in the current turn.
    pub(super) fn spent(&self) -> Duration {
        (self.turn.as_ref()).map_or(Duration::ZERO, |turn| turn.spent)
    }

    /// The time that was left at the last update.
    pub(super) fn left(&self) -> TimeLeft {
        let spent = self.spent();
        let over = spent.saturating_sub(self.each_move);
        TimeLeft {
            each_move: self.each_move.saturating_sub(spent),
            bank: self.bank.saturating_sub(over),
        }
    }

    /// Reduces the bank to `bank`, its value in an earlier run of the program. The bank never
    /// grows.
    pub(super) fn restore(&mut self, bank: Duration) {
        self.bank = self.bank.min(bank);
    }

    /// Whether it is this seat's turn.
    pub(super) fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether the clock runs.
    pub(super) fn runs(&self) -> bool {
        self.since.is_some()
    }

    /// The time that this seat has spent in this turn after its bank was empty.
    pub(super) fn late(&self) -> Duration {
        self.spent().saturating_sub(self.each_move + self.bank)
    }

    /// Whether it is this seat's turn and no time is left.
    pub(super) fn is_out(&self) -> bool {
        self.turn.is_some() && self.left().total().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn bank(each_move: u32, bank: u32) -> (TimeBank, Duration) {
        let clock = Clock { each_move, bank };
        (TimeBank::new(clock), Duration::ZERO)
    }

    /// The seconds left for the move and in the bank.
    fn left(bank: &TimeBank) -> (u64, u64) {
        let left = bank.left();
        (left.each_move.as_secs(), left.bank.as_secs())
    }

    #[test]
    fn move_uses_the_time_for_a_move_before_the_bank() {
        let (mut bank, now) = bank(10, 20);
        bank.update(Some(5), true, now);
        bank.update(Some(5), true, now + 4 * SECOND);
        assert_eq!(left(&bank), (6, 20));
        bank.update(Some(5), true, now + 13 * SECOND);
        assert_eq!(left(&bank), (0, 17));
        // The first move took 14 s: 4 s from the bank. The next move has the full 10 s again.
        bank.update(Some(7), true, now + 14 * SECOND);
        assert_eq!(left(&bank), (10, 16));
        bank.update(Some(7), true, now + 39 * SECOND);
        assert!(!bank.is_out());
        bank.update(Some(7), true, now + 40 * SECOND);
        assert!(bank.is_out());
        bank.update(Some(7), true, now + 43 * SECOND);
        assert_eq!(bank.late(), 3 * SECOND);
        // Later moves have 10 s, but the bank is empty.
        bank.update(None, true, now + 44 * SECOND);
        assert!(!bank.is_out());
        bank.update(Some(9), true, now + 50 * SECOND);
        assert_eq!(left(&bank), (10, 0));
    }

    #[test]
    fn clock_stops_between_turns_and_without_a_connection() {
        let (mut bank, now) = bank(10, 20);
        bank.update(None, true, now);
        bank.update(Some(1), true, now + 100 * SECOND);
        bank.update(Some(1), false, now + 105 * SECOND);
        bank.update(Some(1), false, now + 500 * SECOND);
        bank.update(Some(1), true, now + 900 * SECOND);
        bank.update(Some(1), true, now + 907 * SECOND);
        assert_eq!(left(&bank), (0, 18));
    }

    #[test]
    fn restored_bank_never_grows() {
        let (mut bank, _) = bank(0, 20);
        bank.restore(30 * SECOND);
        assert_eq!(left(&bank), (0, 20));
        bank.restore(3 * SECOND);
        assert_eq!(left(&bank), (0, 3));
    }
}
