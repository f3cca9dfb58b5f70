//! The clocks of a table: one for each seat, as this seat's program counts them.

use std::time::{Duration, Instant};

use super::clock::{TimeBank, TimeLeft};
use crate::log::{Clock, MatchLog, Phase};
use crate::rules::Legal;
use crate::seat::Seat;

/// Grace period after the clock of another seat has run out: its part may be under way.
const GRACE: Duration = Duration::from_secs(10);

/// The clock by which other seats are measured in a match without one: with the grace period, ten minutes
/// of silence.
const SILENCE: Clock = Clock {
    each_move: 590,
    bank: 0,
};

/// The clocks of all seats.
///
/// Another seat is measured in every phase in which this side waits for it. The time comes off its bank
/// where its own program counts it too, or answers by itself. It does not where the seat may be idle for
/// a good reason: see [`Wait::Measured`].
pub(super) struct Clocks {
    /// Whether the match has a clock.
    limited: bool,
    banks: Vec<TimeBank>,
    /// A copy of the bank of each seat that is [measured](Wait::Measured).
    measured: Vec<Option<TimeBank>>,
    /// What was told of another seat's time, and in which step.
    told: Option<(u64, Late)>,
}

/// How another seat is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    AtItsTurn,
    Away,
}

/// Whether this side waits for another seat.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// It waits for nobody, or for its own player.
    No,
    /// For the part of that seat.
    Turn,
    /// For a connection, for an engine, or for a deal, which a player who sits out may delay. The seat has as
    /// long as for a move, and its bank loses nothing: its own program does not count this time.
    Measured(Late),
}

impl Wait {
    fn late(self) -> Option<Late> {
        match self {
            Wait::No => None,
            Wait::Turn => Some(Late::AtItsTurn),
            Wait::Measured(late) => Some(late),
        }
    }
}

/// What this side has of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerIs {
    /// What is said on it is heard.
    Up,
    /// This side waits for one.
    Missing,
    /// This side does not look for one.
    Unwanted,
}

/// A seat as its clocks see it.
pub(super) struct View<'a> {
    pub(super) log: &'a MatchLog,
    pub(super) own: Seat,
    pub(super) connection: PeerIs,
    /// The match cannot go on without another run of the engines.
    pub(super) needs_engine: bool,
}

impl View<'_> {
    /// Whether this side waits for another seat, and how.
    fn waits_for(&self, seat: Seat) -> Wait {
        let speakers = self.log.waits_for();
        let mine = speakers.contains(&self.own);
        let is_deal = self.log.phase() == Phase::Deal;
        match (mine, self.connection) {
            (true, PeerIs::Missing) => Wait::Measured(Late::Away),
            (true, PeerIs::Up) if self.needs_engine && !is_deal => Wait::Measured(Late::AtItsTurn),
            (true, _) => Wait::No,
            (false, _) if !speakers.contains(&seat) => Wait::No,
            (false, _) if self.needs_engine => Wait::Measured(Late::AtItsTurn),
            (false, _) => Wait::Turn,
        }
    }

    /// The number of the turn as which a wait is measured. All shuffles of a hand are one turn: a peer that stalls in
    /// each of them gains no time by another try.
    fn turn(&self) -> u64 {
        match self.is_shuffled() {
            true => u64::MAX - u64::from(self.log.attempt().hand),
            false => self.log.step(),
        }
    }

    /// Whether the hand is shuffled, or is to be shuffled once more after a try that was declared void.
    fn is_shuffled(&self) -> bool {
        match self.log.phase() {
            Phase::Seal(_) => true,
            Phase::Deal => self.log.attempt().attempt > 0,
            _ => false,
        }
    }

    /// What this side's player is to choose from.
    fn own_choice(&self) -> Option<Legal> {
        match self.log.phase() {
            Phase::Choose { seat, legal } if seat == self.own => Some(legal),
            _ => None,
        }
    }
}

/// Somebody's time is out.
pub(super) enum Out {
    /// This seat's, which may say this.
    Own(Legal),
    /// Another's, for which this side waits.
    Other(Seat),
    /// Another's, which is not there.
    Away(Seat),
}

impl Clocks {
    pub(super) fn new(clock: Clock, seats: usize) -> Self {
        let limited = clock != Clock::default();
        let bank = TimeBank::new(if limited { clock } else { SILENCE });
        Clocks {
            limited,
            banks: vec![bank; seats],
            measured: vec![None; seats],
            told: None,
        }
    }

    /// Whether the match has a clock.
    pub(super) fn limited(&self) -> bool {
        self.limited
    }

    /// Looks at all clocks. This seat's own runs while its player is to choose and is heard; another's while
    /// this side [waits](Wait) for that seat.
    pub(super) fn update(&mut self, view: &View<'_>, now: Instant) -> Option<Out> {
        let seats = Seat::all(self.banks.len()).filter(|seat| *seat != view.own);
        let out = seats
            .filter_map(|seat| self.look_at(seat, view, now))
            .last();
        self.look_at_own(view, now).or(out)
    }

    fn look_at_own(&mut self, view: &View<'_>, now: Instant) -> Option<Out> {
        let legal = view.own_choice().filter(|_| self.limited);
        let speaks = view.connection == PeerIs::Up;
        let bank = &mut self.banks[view.own.index()];
        bank.update(legal.as_ref().map(|_| view.log.step()), speaks, now);
        let is_out = speaks && bank.is_out();
        legal.filter(|_| is_out).map(Out::Own)
    }

    fn look_at(&mut self, seat: Seat, view: &View<'_>, now: Instant) -> Option<Out> {
        let step = view.log.step();
        let wait = view.waits_for(seat);
        let bank = &mut self.banks[seat.index()];
        let turn = wait == Wait::Turn;
        bank.update(turn.then_some(step), true, now);
        let measured = &mut self.measured[seat.index()];
        match wait {
            Wait::Measured(_) => {
                let measured = measured.get_or_insert_with(|| bank.clone());
                measured.update(Some(view.turn()), true, now);
            }
            // Before the next try of a hand nobody is waited for, and the time that is spent stays spent.
            Wait::No if view.is_shuffled() && view.log.phase() == Phase::Deal => {
                let measured = measured.iter_mut();
                measured.for_each(|measured| measured.update(Some(view.turn()), false, now));
            }
            _ => *measured = None,
        }
        if wait != Wait::Measured(Late::Away) {
            // It may be away once more in the same step.
            self.told = self.told.filter(|(_, how)| *how != Late::Away);
        }
        let how = wait.late()?;
        if !self.is_out(seat) || self.told == Some((step, how)) {
            return None;
        }
        self.told = Some((step, how));
        Some(match how {
            Late::Away => Out::Away(seat),
            Late::AtItsTurn => Out::Other(seat),
        })
    }

    /// How long nobody's time is out, if nothing changes.
    pub(super) fn quiet_for(&self, own: Seat) -> Duration {
        let left = |seat: Seat| {
            let bank = self.running(seat);
            let grace = match seat == own {
                true => Duration::ZERO,
                false => GRACE.saturating_sub(bank.late()),
            };
            bank.has_turn().then(|| bank.left().total() + grace)
        };
        let left = Seat::all(self.banks.len()).filter_map(left);
        // Those that were told are out, and a look costs nothing.
        let left = left.filter(|left| !left.is_zero());
        left.min().unwrap_or(Duration::MAX)
    }

    /// Whether the time of another seat for which this side waits is out, and the grace period too.
    pub(super) fn is_out(&self, seat: Seat) -> bool {
        self.running(seat).late() >= GRACE
    }

    /// The bank of a seat, or the copy by which it is measured.
    fn running(&self, seat: Seat) -> &TimeBank {
        let measured = self.measured[seat.index()].as_ref();
        measured.unwrap_or(&self.banks[seat.index()])
    }

    /// What is left to a seat; none in a match without a clock.
    pub(super) fn left(&self, seat: Seat) -> Option<TimeLeft> {
        let bank = self.banks.get(seat.index()).filter(|_| self.limited);
        bank.map(TimeBank::left)
    }

    pub(super) fn restore(&mut self, banks: &[Duration]) {
        for (bank, left) in self.banks.iter_mut().zip(banks) {
            bank.restore(*left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Part;
    use crate::log::tests::test_match::{TestMatch, free_deck, holdem};

    const SECOND: Duration = Duration::from_secs(1);

    /// A hand in which the host is to choose. Each seat has 30 s for a move and 60 s in its bank.
    fn at_the_hosts_choice() -> (TestMatch, MatchLog, Clocks) {
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
        let clocks = Clocks::new(log.match_info().header().clock, 2);
        (table, log, clocks)
    }

    /// What a seat sees whose engine is done.
    fn view(log: &MatchLog, own: Seat, connection: PeerIs) -> View<'_> {
        View {
            log,
            own,
            connection,
            needs_engine: log.phase() == Phase::Deal,
        }
    }

    #[test]
    fn who_is_not_there_at_anothers_turn_has_as_long_as_for_a_move_of_its_own() {
        let (_, log, mut clocks) = at_the_hosts_choice();
        let (now, away) = (Instant::now(), view(&log, Seat::HOST, PeerIs::Missing));
        assert!(clocks.update(&away, now).is_none());
        let look = |clocks: &mut Clocks, at| clocks.update(&away, now + at * SECOND);
        assert!(look(&mut clocks, 89).is_none() && !clocks.is_out(Seat::GUEST));
        assert!(look(&mut clocks, 99).is_none() && !clocks.is_out(Seat::GUEST));
        assert!(matches!(
            look(&mut clocks, 100),
            Some(Out::Away(Seat::GUEST))
        ));
        assert!(clocks.is_out(Seat::GUEST));
        assert!(look(&mut clocks, 500).is_none(), "it is told once");
        // When it is back, it has lost nothing of its bank, and may be away as long again.
        let back = view(&log, Seat::HOST, PeerIs::Up);
        assert!(clocks.update(&back, now + 501 * SECOND).is_none());
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
        let (mut clocks, now) = (
            Clocks::new(log.match_info().header().clock, 2),
            Instant::now(),
        );
        // Both are to deal, so nobody's own clock runs. With a line this side waits for its own player.
        for at in [0, 500] {
            let up = view(&log, Seat::GUEST, PeerIs::Up);
            assert!(clocks.update(&up, now + at * SECOND).is_none() && !clocks.is_out(Seat::HOST));
        }
        let away = view(&log, Seat::GUEST, PeerIs::Missing);
        clocks.update(&away, now);
        assert_eq!(clocks.quiet_for(Seat::GUEST), 100 * SECOND);
        clocks.update(&away, now + 95 * SECOND);
        assert_eq!(clocks.quiet_for(Seat::GUEST), 5 * SECOND);
    }

    #[test]
    fn nobody_is_away_of_whom_this_side_wants_no_line_or_whose_clock_runs_anyhow() {
        let (table, mut log, mut clocks) = at_the_hosts_choice();
        let now = Instant::now();
        for at in [0, 500] {
            let unwanted = view(&log, Seat::HOST, PeerIs::Unwanted);
            let out = clocks.update(&unwanted, now + at * SECOND);
            assert!(out.is_none() && !clocks.is_out(Seat::GUEST));
        }
        // At its own turn its own clock runs, with a line or without one.
        table.sign_next(&mut log);
        assert_eq!(log.waits_for(), [Seat::GUEST]);
        let missing = view(&log, Seat::HOST, PeerIs::Missing);
        let look = |clocks: &mut Clocks, at| clocks.update(&missing, now + at * SECOND);
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
            clocks.update(&view(&log, Seat::HOST, PeerIs::Missing), now + at * SECOND);
        }
        let left = clocks.left(Seat::HOST).unwrap();
        assert_eq!(left.total(), 90 * SECOND);
    }

    #[test]
    fn a_peer_that_stalls_in_the_engine_is_out_of_time_where_this_side_seals_and_keeps_its_bank() {
        let table = free_deck(2);
        for own in [Seat::HOST, Seat::GUEST] {
            let seals = |log: &MatchLog| log.phase() == Phase::Seal(own);
            let reseals =
                |log: &MatchLog| matches!(log.phase(), Phase::Reseal(seat, _) if seat == own);
            for so in [&seals as &dyn Fn(&MatchLog) -> bool, &reseals] {
                let mut log = table.log();
                table.play_until(&mut log, so);
                let (mut clocks, now) = (
                    Clocks::new(log.match_info().header().clock, 2),
                    Instant::now(),
                );
                let other = own.next(2);
                let mut look = |needs_engine, at| {
                    let view = View {
                        needs_engine,
                        ..view(&log, own, PeerIs::Up)
                    };
                    let out = clocks.update(&view, now + at * SECOND);
                    let is_told = matches!(out, Some(Out::Other(late)) if late == other);
                    (is_told, clocks.is_out(other))
                };
                assert_eq!(look(true, 0), (false, false));
                assert_eq!(look(true, 99), (false, false));
                assert_eq!(look(true, 100), (true, true));
                assert_eq!(look(true, 200), (false, true));
                // The engines are done.
                assert_eq!(look(false, 201), (false, false));
                assert_eq!(clocks.left(other).unwrap().bank, 60 * SECOND);
            }
        }
    }

    #[test]
    fn the_shuffles_of_a_hand_are_one_turn_however_often_it_is_dealt_again() {
        let table = holdem(2, 1);
        let mut log = table.log();
        let (mut clocks, now) = (
            Clocks::new(log.match_info().header().clock, 2),
            Instant::now(),
        );
        let mut look = |log: &MatchLog, connection, at| {
            let view = View {
                needs_engine: true,
                ..view(log, Seat::HOST, connection)
            };
            clocks.update(&view, now + at * SECOND);
            clocks.is_out(Seat::GUEST)
        };
        for at in [0, 25, 50, 75] {
            table.play_until(&mut log, |log| log.phase() == Phase::Seal(Seat::HOST));
            assert!(!look(&log, PeerIs::Up, at));
            // The engine has waited for too long, and the peer is back at once.
            assert!(!look(&log, PeerIs::Missing, at + 23));
            log.sign(&table.identities[0], Seat::HOST, &Part::Again)
                .unwrap();
            table.sign_next(&mut log);
            assert_eq!(log.waits_for(), [Seat::GUEST]);
            assert!(!look(&log, PeerIs::Up, at + 24));
        }
        assert!(look(&log, PeerIs::Up, 100));
    }

    #[test]
    fn without_a_clock_another_seat_has_ten_minutes_for_each_step_and_this_one_has_no_limit() {
        let (table, mut log, _) = at_the_hosts_choice();
        let (mut clocks, now) = (Clocks::new(Clock::default(), 2), Instant::now());
        for at in [0, 5000] {
            let own = view(&log, Seat::HOST, PeerIs::Up);
            assert!(clocks.update(&own, now + at * SECOND).is_none());
        }
        assert_eq!(clocks.quiet_for(Seat::HOST), Duration::MAX);
        table.sign_next(&mut log);
        let their_turn = view(&log, Seat::HOST, PeerIs::Up);
        let look = |clocks: &mut Clocks, at| clocks.update(&their_turn, now + at * SECOND);
        assert!(look(&mut clocks, 5000).is_none());
        assert_eq!(clocks.quiet_for(Seat::HOST), 600 * SECOND);
        assert!(look(&mut clocks, 5599).is_none());
        assert!(matches!(
            look(&mut clocks, 5600),
            Some(Out::Other(Seat::GUEST))
        ));
        assert_eq!(clocks.left(Seat::GUEST), None);
    }

    #[test]
    fn a_seat_that_declares_tries_void_gains_no_time_by_the_pause_before_the_next_one() {
        let table = holdem(2, 1);
        let mut log = table.log();
        let (mut clocks, now) = (
            Clocks::new(log.match_info().header().clock, 2),
            Instant::now(),
        );
        let mut is_out = |log: &MatchLog, needs_engine, at| {
            let view = View {
                needs_engine,
                ..view(log, Seat::HOST, PeerIs::Up)
            };
            clocks.update(&view, now + at * SECOND);
            clocks.is_out(Seat::GUEST)
        };
        // 60 s of each try, of 90 s and a grace period of 10 s in all.
        for (at, out) in [(0, false), (100, true)] {
            table.play_until(&mut log, |log| log.phase() == Phase::Seal(Seat::GUEST));
            is_out(&log, true, at);
            assert_eq!(is_out(&log, true, at + 60), out);
            let again = log.sign(&table.identities[1], Seat::GUEST, &Part::Again);
            again.unwrap();
            // The pause: this side has not dealt.
            assert_eq!(is_out(&log, true, at + 60), out);
            assert_eq!(is_out(&log, true, at + 95), out);
        }
    }
}
