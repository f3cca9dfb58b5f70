//! The clocks of a table: one for each seat, as this seat's program counts them.

use std::time::{Duration, Instant};

use super::clock::{TimeBank, TimeLeft};
use crate::log::{Clock, MatchLog, Phase};
use crate::rules::Legal;
use crate::seat::Seat;

/// What another seat's part may take on its way, before it is claimed that its time is out.
const ON_ITS_WAY: Duration = Duration::from_secs(10);

/// The clocks of all seats; none where people may think as long as they like.
pub(super) struct Clocks {
    banks: Vec<TimeBank>,
    /// What each seat that is not there would have, were it its turn. Its bank loses nothing by that:
    /// its own program does not count it.
    away: Vec<Option<TimeBank>>,
    /// What was told of another seat's time, and in which step.
    told: Option<(u64, Late)>,
}

/// How another seat is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    AtItsTurn,
    Away,
}

/// What this side has of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LineIs {
    /// What is said on it is heard.
    Up,
    /// This side waits for one.
    Missing,
    /// This side does not look for one.
    Unwanted,
}

/// Somebody's time is out.
pub(super) enum Out {
    /// This seat's, which may say this.
    Own(Legal),
    /// Another's, whose turn it is.
    Other(Seat),
    /// Another's, which is not there.
    Away(Seat),
}

impl Clocks {
    pub(super) fn new(clock: Clock, seats: usize) -> Self {
        let banks: Vec<_> = (0..seats).filter_map(|_| TimeBank::new(clock)).collect();
        Clocks {
            away: vec![None; banks.len()],
            banks,
            told: None,
        }
    }

    /// Looks at all clocks. One's own runs while one is to choose and is heard. Another's runs while
    /// nobody else is waited for, and also while it is not there and this side waits for it.
    pub(super) fn look(
        &mut self,
        (log, own): (&MatchLog, Seat),
        line: LineIs,
        now: Instant,
    ) -> Option<Out> {
        let step = log.step();
        let phase = log.phase();
        let waits_for = log.waits_for();
        let speaks = line == LineIs::Up;
        let mut out = None;
        for (seat, bank) in Seat::all(self.banks.len()).zip(&mut self.banks) {
            if seat != own {
                let turn = waits_for.contains(&seat) && !waits_for.contains(&own);
                bank.look(turn.then_some(step), true, now);
                let away = line == LineIs::Missing && waits_for.contains(&own);
                let away = away.then(|| {
                    let away = self.away[seat.index()].get_or_insert_with(|| bank.clone());
                    away.look(Some(step), true, now);
                    away.late()
                });
                let (late, how) = match away {
                    Some(late) => (late, Late::Away),
                    None => {
                        self.away[seat.index()] = None;
                        // It may be away once more in the same step.
                        self.told = self.told.filter(|(_, how)| *how != Late::Away);
                        (bank.late(), Late::AtItsTurn)
                    }
                };
                let counts = turn || how == Late::Away;
                if counts && late >= ON_ITS_WAY && self.told != Some((step, how)) {
                    self.told = Some((step, how));
                    out = Some(match how {
                        Late::Away => Out::Away(seat),
                        Late::AtItsTurn => Out::Other(seat),
                    });
                }
                continue;
            }
            let legal = match &phase {
                Phase::Choose { seat, legal } if *seat == own => Some(legal),
                _ => None,
            };
            bank.look(legal.map(|_| step), speaks, now);
            if let Some(legal) = legal.filter(|_| speaks && bank.is_out()) {
                return Some(Out::Own(legal.clone()));
            }
        }
        out
    }

    /// How long nobody's time is out, if nothing changes.
    pub(super) fn quiet_for(&self, own: Seat) -> Duration {
        let turns = Seat::all(self.banks.len()).zip(&self.banks);
        let left = turns.filter(|(_, bank)| bank.has_turn());
        let left = left.map(|(seat, bank)| match seat == own {
            true => bank.left().total(),
            false => bank.left().total() + ON_ITS_WAY.saturating_sub(bank.late()),
        });
        let away = self.away.iter().flatten();
        let away = away.map(|away| away.left().total() + ON_ITS_WAY.saturating_sub(away.late()));
        // Those that were told are out, and a look costs nothing.
        let left = left.chain(away);
        left.filter(|left| !left.is_zero())
            .min()
            .unwrap_or(Duration::MAX)
    }

    /// Whether the time of a seat is out: for its turn, or for as long as it is not there.
    pub(super) fn is_out(&self, seat: Seat) -> bool {
        let away = self.away.get(seat.index()).and_then(Option::as_ref);
        let bank = self.banks.get(seat.index());
        away.or(bank).is_some_and(TimeBank::is_out)
    }

    pub(super) fn left(&self, seat: Seat) -> Option<TimeLeft> {
        self.banks.get(seat.index()).map(TimeBank::left)
    }

    pub(super) fn take_up(&mut self, banks: &[Duration]) {
        for (bank, left) in self.banks.iter_mut().zip(banks) {
            bank.take_up(*left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::tests::table::{Table, holdem};

    const SECOND: Duration = Duration::from_secs(1);

    /// A hand in which the host is to choose. Each seat has 30 s for a move and 60 s in its bank.
    fn at_the_hosts_choice() -> (Table, MatchLog, Clocks) {
        let table = holdem(2, 1);
        let mut log = table.log();
        let chooses = |log: &MatchLog| {
            matches!(
                log.phase(),
                Phase::Choose {
                    seat: Seat::HOST,
                    ..
                }
            )
        };
        table.play_until(&mut log, chooses);
        assert!(chooses(&log));
        let clocks = Clocks::new(log.of().header().clock, 2);
        (table, log, clocks)
    }

    #[test]
    fn who_is_not_there_at_anothers_turn_has_as_long_as_for_a_move_of_its_own() {
        let (_, log, mut clocks) = at_the_hosts_choice();
        let (now, own) = (Instant::now(), (&log, Seat::HOST));
        assert!(clocks.look(own, LineIs::Missing, now).is_none());
        let look = |clocks: &mut Clocks, at| clocks.look(own, LineIs::Missing, now + at * SECOND);
        assert!(look(&mut clocks, 89).is_none() && !clocks.is_out(Seat::GUEST));
        assert!(look(&mut clocks, 99).is_none() && clocks.is_out(Seat::GUEST));
        assert!(matches!(
            look(&mut clocks, 100),
            Some(Out::Away(Seat::GUEST))
        ));
        assert!(look(&mut clocks, 500).is_none(), "it is told once");
        // When it is back, it has lost nothing of its bank, and may be away as long again.
        assert!(clocks.look(own, LineIs::Up, now + 501 * SECOND).is_none());
        assert!(!clocks.is_out(Seat::GUEST));
        assert_eq!(clocks.left(Seat::GUEST).unwrap().bank, 60 * SECOND);
        assert!(look(&mut clocks, 505).is_none());
        assert!(look(&mut clocks, 604).is_none());
        assert!(matches!(
            look(&mut clocks, 605),
            Some(Out::Away(Seat::GUEST))
        ));
    }

    #[test]
    fn the_table_wakes_up_when_it_has_to_tell_that_somebody_is_away() {
        let log = holdem(2, 1).log();
        let (mut clocks, now) = (Clocks::new(log.of().header().clock, 2), Instant::now());
        // Both are to deal, so nobody's own clock runs.
        clocks.look((&log, Seat::GUEST), LineIs::Missing, now);
        assert_eq!(clocks.quiet_for(Seat::GUEST), 100 * SECOND);
        clocks.look((&log, Seat::GUEST), LineIs::Missing, now + 95 * SECOND);
        assert_eq!(clocks.quiet_for(Seat::GUEST), 5 * SECOND);
    }

    #[test]
    fn nobody_is_away_of_whom_this_side_wants_no_line_or_whose_clock_runs_anyhow() {
        let (table, mut log, mut clocks) = at_the_hosts_choice();
        let now = Instant::now();
        for at in [0, 500] {
            let out = clocks.look((&log, Seat::HOST), LineIs::Unwanted, now + at * SECOND);
            assert!(out.is_none() && !clocks.is_out(Seat::GUEST));
        }
        // At its own turn its own clock runs, with a line or without one.
        table.speak(&mut log);
        assert_eq!(log.waits_for(), [Seat::GUEST]);
        let look = |clocks: &mut Clocks, at| {
            clocks.look((&log, Seat::HOST), LineIs::Missing, now + at * SECOND)
        };
        assert!(look(&mut clocks, 600).is_none());
        assert!(look(&mut clocks, 699).is_none());
        assert!(matches!(
            look(&mut clocks, 700),
            Some(Out::Other(Seat::GUEST))
        ));
    }

    #[test]
    fn ones_own_time_stands_still_while_the_other_is_away() {
        let (_, log, mut clocks) = at_the_hosts_choice();
        let now = Instant::now();
        for at in [0, 50] {
            clocks.look((&log, Seat::HOST), LineIs::Missing, now + at * SECOND);
        }
        let left = clocks.left(Seat::HOST).unwrap();
        assert_eq!(left.total(), 90 * SECOND);
    }
}
