//! The clocks of a table, one for each seat, as this seat's program counts them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::clock::{TimeBank, TimeLeft};
use crate::log::{Clock, MatchLog, Phase};
use crate::rules::Legal;
use crate::seat::Seat;

/// Grace period after the clock of another seat has run out: its part may be under way.
const GRACE: Duration = Duration::from_secs(10);

/// The clock of other seats in a match without a clock. With the grace period, it allows ten
/// minutes without a response.
const SILENCE: Clock = Clock {
    each_move: 590,
    bank: 0,
};

/// The clocks of all seats.
///
/// All the time that this side waits for another seat counts against that seat. The time reduces
/// the seat's bank if the seat's own program counts it too, or responds without its player. If the
/// seat may have a good reason to be idle, its bank is not reduced; see [`Wait::Measured`].
pub(super) struct Clocks {
    /// Whether the match has a clock.
    limited: bool,
    banks: Vec<TimeBank>,
    /// A copy of the bank of each seat that is [measured](Wait::Measured).
    measured: Vec<Option<TimeBank>>,
    /// The last report that a seat is late, with its step, for each seat.
    reported: Vec<Option<(u64, Late)>>,
}

/// The way in which another seat is late.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    AtItsTurn,
    Away,
    /// Not connected to this side while another seat is late. The match does not wait for this seat
    /// now, but it may have to be settled without it.
    Unreachable,
}

/// Whether this side waits for another seat, and for what.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// This side waits for nobody, or for its own player.
    No,
    /// This side waits for a part of that seat.
    Turn,
    /// This side waits for a connection, an engine, or a deal (which a player who sits out may
    /// delay). The seat has as much time as for a move, but its bank is not reduced, because its
    /// own program does not count this time.
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

/// The state of the connection to a seat.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// There is a connection, and the other side has sent its history.
    Up,
    /// This side waits for a connection or for the history.
    Missing,
    /// This side does not look for a connection.
    Unwanted,
}

/// The state of the match that the clocks depend on.
pub(super) struct View<'a> {
    pub(super) log: &'a MatchLog,
    pub(super) own: Seat,
    /// The connections to the seats to which this side needs one, and all other complete ones.
    pub(super) connections: BTreeMap<Seat, ConnectionState>,
    /// Whether this side may sign.
    pub(super) is_synced: bool,
    /// Whether the match cannot continue without another run of the engines.
    pub(super) needs_engine: bool,
}

impl View<'_> {
    /// Whether this side waits for another seat, and for what.
    fn waits_for(&self, seat: Seat) -> Wait {
        let signers = self.log.waits_for();
        let mine = signers.contains(&self.own);
        let is_deal = self.log.phase() == Phase::Deal;
        let is_missing = self.connections.get(&seat) == Some(&ConnectionState::Missing);
        let waits_for_history = mine && !self.is_synced;
        let is_cut_off = !mine && signers.iter().any(|signer| self.is_cut_off_from(*signer));
        if is_missing && (waits_for_history || is_cut_off) {
            Wait::Measured(Late::Away)
        } else if self.is_cut_off_from(seat) {
            Wait::No
        } else if mine && self.is_synced && self.needs_engine && !is_deal {
            Wait::Measured(Late::AtItsTurn)
        } else if mine || !signers.contains(&seat) {
            Wait::No
        } else if self.needs_engine {
            Wait::Measured(Late::AtItsTurn)
        } else {
            Wait::Turn
        }
    }

    /// Whether this side is one of several guests and does not learn what another seat has signed: it
    /// has a complete connection neither to the host nor to that seat.
    fn is_cut_off_from(&self, seat: Seat) -> bool {
        let is_guest_of_several = self.log.match_info().seats() > 2 && self.own != Seat::HOST;
        let is_up = |seat| self.connections.get(seat) == Some(&ConnectionState::Up);
        seat != self.own && is_guest_of_several && ![Seat::HOST, seat].iter().any(is_up)
    }

    /// The number of the turn that a measured wait belongs to. All shuffles of a hand are one turn,
    /// so a peer that stalls in each shuffle gains no time from another try.
    fn turn(&self) -> u64 {
        match self.is_shuffled() {
            true => u64::MAX - u64::from(self.log.attempt().hand),
            false => self.log.step(),
        }
    }

    /// Whether the hand is being shuffled, or has to be shuffled again after a void try.
    fn is_shuffled(&self) -> bool {
        match self.log.phase() {
            Phase::Seal(_) => true,
            Phase::Deal => self.log.attempt().attempt > 0,
            _ => false,
        }
    }

    /// Whether this side has no complete connection to a seat of a match with several seats.
    fn is_unreachable(&self, seat: Seat) -> bool {
        let is_up = self.connections.get(&seat) == Some(&ConnectionState::Up);
        self.log.match_info().seats() > 2 && !is_up
    }

    /// The choices of this side's player, if it has to choose.
    fn own_choice(&self) -> Option<Legal> {
        match self.log.phase() {
            Phase::Choose { seat, legal } if seat == self.own => Some(legal),
            _ => None,
        }
    }
}

/// The seat that has run out of time.
pub(super) enum Timeout {
    /// This seat, with the choices that the rules allow.
    Own(Legal),
    /// Another seat, whose turn it is.
    Other(Seat),
    /// Another seat, which is away.
    Away(Seat),
    /// Another seat, which is not connected while a third one is late.
    Unreachable(Seat),
    /// Another seat, which was away or unreachable in this step, is connected again.
    Back(Seat),
}

impl Clocks {
    pub(super) fn new(clock: Clock, seats: usize) -> Self {
        let limited = clock != Clock::default();
        let bank = TimeBank::new(if limited { clock } else { SILENCE });
        Clocks {
            limited,
            banks: vec![bank; seats],
            measured: vec![None; seats],
            reported: vec![None; seats],
        }
    }

    /// Whether the match has a clock.
    pub(super) fn is_limited(&self) -> bool {
        self.limited
    }

    /// Updates the clocks, up to the first seat that has run out of time. The caller repeats this
    /// until no further seat has. This seat's own clock runs while its player has to choose and
    /// this side may sign. Another seat's clock runs while this side [waits](Wait) for it.
    pub(super) fn update(&mut self, view: &View<'_>, now: Instant) -> Option<Timeout> {
        let own = self.update_own(view, now);
        let mut others = Seat::all(self.banks.len()).filter(|seat| *seat != view.own);
        own.or_else(|| others.find_map(|seat| self.update_other(seat, view, now)))
    }

    fn update_own(&mut self, view: &View<'_>, now: Instant) -> Option<Timeout> {
        let legal = view.own_choice().filter(|_| self.limited);
        let bank = &mut self.banks[view.own.index()];
        let turn = legal.as_ref().map(|_| view.log.step());
        bank.update(turn, view.is_synced, now);
        let is_out = view.is_synced && bank.is_out();
        legal.filter(|_| is_out).map(Timeout::Own)
    }

    fn update_other(&mut self, seat: Seat, view: &View<'_>, now: Instant) -> Option<Timeout> {
        let step = view.log.step();
        let wait = match view.waits_for(seat) {
            Wait::No if view.is_unreachable(seat) && self.has_late_seat(seat, step) => {
                Wait::Measured(Late::Unreachable)
            }
            wait => wait,
        };
        let bank = &mut self.banks[seat.index()];
        let turn = wait == Wait::Turn;
        bank.update(turn.then_some(step), true, now);
        let measured = &mut self.measured[seat.index()];
        match wait {
            Wait::Measured(_) => {
                let measured = measured.get_or_insert_with(|| bank.clone());
                measured.update(Some(view.turn()), true, now);
            }
            // Before the next try of a hand this side waits for nobody, and the time spent so far
            // still counts.
            Wait::No if view.is_shuffled() && view.log.phase() == Phase::Deal => {
                let measured = measured.iter_mut();
                measured.for_each(|measured| measured.update(Some(view.turn()), false, now));
            }
            _ => *measured = None,
        }
        let reported = self.reported[seat.index()];
        let was_away = |how: &Late| matches!(how, Late::Away | Late::Unreachable);
        if !wait.late().is_some_and(|how| was_away(&how)) {
            // The seat may be away again in the same step.
            self.reported[seat.index()] = reported.filter(|(_, how)| !was_away(how));
            let is_back = reported.is_some_and(|(of, how)| of == step && was_away(&how));
            // Two seats have no use for this news.
            if is_back && view.log.match_info().seats() > 2 {
                return Some(Timeout::Back(seat));
            }
        }
        let how = wait.late()?;
        if !self.is_out(seat) || reported == Some((step, how)) {
            return None;
        }
        self.reported[seat.index()] = Some((step, how));
        Some(match how {
            Late::Away => Timeout::Away(seat),
            Late::AtItsTurn => Timeout::Other(seat),
            Late::Unreachable => Timeout::Unreachable(seat),
        })
    }

    /// Whether a third seat was reported as late in this step.
    fn has_late_seat(&self, seat: Seat, step: u64) -> bool {
        let mut others = Seat::all(self.reported.len()).zip(&self.reported);
        others.any(|(other, reported)| {
            let is_late = reported.is_some_and(|(of, how)| of == step && how != Late::Unreachable);
            other != seat && is_late
        })
    }

    /// The time until the next seat runs out of time, if nothing changes.
    pub(super) fn until_next_timeout(&self, own: Seat) -> Duration {
        let left = |seat: Seat| {
            let bank = self.running(seat);
            let grace = match seat == own {
                true => Duration::ZERO,
                false => GRACE.saturating_sub(bank.late()),
            };
            bank.has_turn().then(|| bank.left().total() + grace)
        };
        let left = Seat::all(self.banks.len()).filter_map(left);
        // Seats with no time left were already reported.
        let left = left.filter(|left| !left.is_zero());
        left.min().unwrap_or(Duration::MAX)
    }

    /// Whether this side waits for another seat, and that seat's time and the grace period are
    /// over.
    pub(super) fn is_out(&self, seat: Seat) -> bool {
        self.running(seat).late() >= GRACE
    }

    /// The bank of a seat, or its copy while the seat is measured.
    fn running(&self, seat: Seat) -> &TimeBank {
        let measured = self.measured[seat.index()].as_ref();
        measured.unwrap_or(&self.banks[seat.index()])
    }

    /// The time that a seat has left. `None` in a match without a clock.
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
    use crate::log::tests::many_seats::{Table, verifiable};
    use crate::log::tests::test_match::{TestMatch, free_deck, holdem};

    const SECOND: Duration = Duration::from_secs(1);

    /// A hand in which the host has to choose. Each seat has 30 s for a move and 60 s in its bank.
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

    /// The view of a seat whose engine is done.
    fn view(log: &MatchLog, own: Seat, connection: ConnectionState) -> View<'_> {
        View {
            log,
            own,
            connections: BTreeMap::from([(own.next(2), connection)]),
            is_synced: connection == ConnectionState::Up,
            needs_engine: log.phase() == Phase::Deal,
        }
    }

    #[test]
    fn seat_that_is_away_at_anothers_turn_has_as_much_time_as_for_its_own_move() {
        let (_, log, mut clocks) = at_the_hosts_choice();
        let (now, away) = (
            Instant::now(),
            view(&log, Seat::HOST, ConnectionState::Missing),
        );
        assert!(clocks.update(&away, now).is_none());
        let update = |clocks: &mut Clocks, at| clocks.update(&away, now + at * SECOND);
        assert!(update(&mut clocks, 89).is_none() && !clocks.is_out(Seat::GUEST));
        assert!(update(&mut clocks, 99).is_none() && !clocks.is_out(Seat::GUEST));
        assert!(matches!(
            update(&mut clocks, 100),
            Some(Timeout::Away(Seat::GUEST))
        ));
        assert!(clocks.is_out(Seat::GUEST));
        assert!(update(&mut clocks, 500).is_none(), "it is reported once");
        // When the seat is back, its bank is unchanged, and it may be away for the same time again.
        let back = view(&log, Seat::HOST, ConnectionState::Up);
        assert!(clocks.update(&back, now + 501 * SECOND).is_none());
        assert!(!clocks.is_out(Seat::GUEST));
        assert_eq!(clocks.left(Seat::GUEST).unwrap().bank, 60 * SECOND);
        assert!(update(&mut clocks, 505).is_none());
        assert!(update(&mut clocks, 604).is_none());
        assert!(matches!(
            update(&mut clocks, 605),
            Some(Timeout::Away(Seat::GUEST))
        ));
    }

    #[test]
    fn table_wakes_up_to_report_that_a_seat_is_away() {
        let log = holdem(2, 1).log();
        let (mut clocks, now) = (
            Clocks::new(log.match_info().header().clock, 2),
            Instant::now(),
        );
        // Both seats have to deal, so no seat's own clock runs. While connected, this side waits
        // for its own player.
        for at in [0, 500] {
            let up = view(&log, Seat::GUEST, ConnectionState::Up);
            assert!(clocks.update(&up, now + at * SECOND).is_none() && !clocks.is_out(Seat::HOST));
        }
        let away = view(&log, Seat::GUEST, ConnectionState::Missing);
        clocks.update(&away, now);
        assert_eq!(clocks.until_next_timeout(Seat::GUEST), 100 * SECOND);
        clocks.update(&away, now + 95 * SECOND);
        assert_eq!(clocks.until_next_timeout(Seat::GUEST), 5 * SECOND);
    }

    #[test]
    fn seat_is_not_away_if_this_side_wants_no_connection_or_if_its_own_clock_runs() {
        let (table, mut log, mut clocks) = at_the_hosts_choice();
        let now = Instant::now();
        for at in [0, 500] {
            let unwanted = view(&log, Seat::HOST, ConnectionState::Unwanted);
            let out = clocks.update(&unwanted, now + at * SECOND);
            assert!(out.is_none() && !clocks.is_out(Seat::GUEST));
        }
        // At its own turn a seat's clock runs, with or without a connection.
        table.sign_next(&mut log);
        assert_eq!(log.waits_for(), [Seat::GUEST]);
        let missing = view(&log, Seat::HOST, ConnectionState::Missing);
        let update = |clocks: &mut Clocks, at| clocks.update(&missing, now + at * SECOND);
        assert!(update(&mut clocks, 600).is_none());
        assert!(update(&mut clocks, 699).is_none());
        assert!(matches!(
            update(&mut clocks, 700),
            Some(Timeout::Other(Seat::GUEST))
        ));
    }

    #[test]
    fn own_clock_stops_while_the_other_seat_is_away() {
        let (_, log, mut clocks) = at_the_hosts_choice();
        let now = Instant::now();
        for at in [0, 50] {
            clocks.update(
                &view(&log, Seat::HOST, ConnectionState::Missing),
                now + at * SECOND,
            );
        }
        let left = clocks.left(Seat::HOST).unwrap();
        assert_eq!(left.total(), 90 * SECOND);
    }

    #[test]
    fn peer_that_stalls_in_the_engine_runs_out_of_time_and_keeps_its_bank() {
        let table = free_deck(2);
        for own in [Seat::HOST, Seat::GUEST] {
            let seals = |log: &MatchLog| log.phase() == Phase::Seal(own);
            let reseals =
                |log: &MatchLog| matches!(log.phase(), Phase::Reseal(seat, _) if seat == own);
            for condition in [&seals as &dyn Fn(&MatchLog) -> bool, &reseals] {
                let mut log = table.log();
                table.play_until(&mut log, condition);
                let (mut clocks, now) = (
                    Clocks::new(log.match_info().header().clock, 2),
                    Instant::now(),
                );
                let other = own.next(2);
                let mut update = |needs_engine, at| {
                    let view = View {
                        needs_engine,
                        ..view(&log, own, ConnectionState::Up)
                    };
                    let out = clocks.update(&view, now + at * SECOND);
                    let is_reported = matches!(out, Some(Timeout::Other(late)) if late == other);
                    (is_reported, clocks.is_out(other))
                };
                assert_eq!(update(true, 0), (false, false));
                assert_eq!(update(true, 99), (false, false));
                assert_eq!(update(true, 100), (true, true));
                assert_eq!(update(true, 200), (false, true));
                // The engines are done.
                assert_eq!(update(false, 201), (false, false));
                assert_eq!(clocks.left(other).unwrap().bank, 60 * SECOND);
            }
        }
    }

    #[test]
    fn all_shuffles_of_a_hand_are_one_turn() {
        let table = holdem(2, 1);
        let mut log = table.log();
        let (mut clocks, now) = (
            Clocks::new(log.match_info().header().clock, 2),
            Instant::now(),
        );
        let mut update = |log: &MatchLog, connection, at| {
            let view = View {
                needs_engine: true,
                ..view(log, Seat::HOST, connection)
            };
            clocks.update(&view, now + at * SECOND);
            clocks.is_out(Seat::GUEST)
        };
        for at in [0, 25, 50, 75] {
            table.play_until(&mut log, |log| log.phase() == Phase::Seal(Seat::HOST));
            assert!(!update(&log, ConnectionState::Up, at));
            // The engine timed out, and the peer reconnected immediately.
            assert!(!update(&log, ConnectionState::Missing, at + 23));
            log.sign(&table.identities[0], Seat::HOST, &Part::Again)
                .unwrap();
            table.sign_next(&mut log);
            assert_eq!(log.waits_for(), [Seat::GUEST]);
            assert!(!update(&log, ConnectionState::Up, at + 24));
        }
        assert!(update(&log, ConnectionState::Up, 100));
    }

    #[test]
    fn without_a_clock_other_seats_have_ten_minutes_per_step_and_this_seat_has_no_limit() {
        let (table, mut log, _) = at_the_hosts_choice();
        let (mut clocks, now) = (Clocks::new(Clock::default(), 2), Instant::now());
        for at in [0, 5000] {
            let own = view(&log, Seat::HOST, ConnectionState::Up);
            assert!(clocks.update(&own, now + at * SECOND).is_none());
        }
        assert_eq!(clocks.until_next_timeout(Seat::HOST), Duration::MAX);
        table.sign_next(&mut log);
        let their_turn = view(&log, Seat::HOST, ConnectionState::Up);
        let update = |clocks: &mut Clocks, at| clocks.update(&their_turn, now + at * SECOND);
        assert!(update(&mut clocks, 5000).is_none());
        assert_eq!(clocks.until_next_timeout(Seat::HOST), 600 * SECOND);
        assert!(update(&mut clocks, 5599).is_none());
        assert!(matches!(
            update(&mut clocks, 5600),
            Some(Timeout::Other(Seat::GUEST))
        ));
        assert_eq!(clocks.left(Seat::GUEST), None);
    }

    #[test]
    fn seat_that_declares_tries_void_gains_no_time_from_the_pause_before_the_next_one() {
        let table = holdem(2, 1);
        let mut log = table.log();
        let (mut clocks, now) = (
            Clocks::new(log.match_info().header().clock, 2),
            Instant::now(),
        );
        let mut is_out = |log: &MatchLog, needs_engine, at| {
            let view = View {
                needs_engine,
                ..view(log, Seat::HOST, ConnectionState::Up)
            };
            clocks.update(&view, now + at * SECOND);
            clocks.is_out(Seat::GUEST)
        };
        // Each try takes 60 s. The limit is 90 s and a grace period of 10 s for all tries together.
        for (at, out) in [(0, false), (100, true)] {
            table.play_until(&mut log, |log| log.phase() == Phase::Seal(Seat::GUEST));
            is_out(&log, true, at);
            assert_eq!(is_out(&log, true, at + 60), out);
            let again = log.sign(&table.identities[1], Seat::GUEST, &Part::Again);
            again.unwrap();
            // During the pause this side has not dealt.
            assert_eq!(is_out(&log, true, at + 60), out);
            assert_eq!(is_out(&log, true, at + 95), out);
        }
    }

    /// All timeouts of the seats at one time.
    fn timeouts(clocks: &mut Clocks, view: &View<'_>, now: Instant) -> Vec<(Late, Seat)> {
        let mut timeouts = Vec::new();
        while let Some(timeout) = clocks.update(view, now) {
            timeouts.push(match timeout {
                Timeout::Other(seat) => (Late::AtItsTurn, seat),
                Timeout::Away(seat) => (Late::Away, seat),
                Timeout::Unreachable(seat) => (Late::Unreachable, seat),
                Timeout::Own(_) | Timeout::Back(_) => panic!("an unexpected timeout"),
            });
        }
        timeouts
    }

    #[test]
    fn each_of_several_seats_is_late_for_itself() {
        use ConnectionState::{Missing, Up};
        const ONE: Seat = Seat::GUEST;
        const TWO: Seat = Seat::new(2);
        let clock = Clock {
            each_move: 30,
            bank: 60,
        };
        // All seats have to make the keys. The second log has the part of its own seat.
        let mut table = Table::new(verifiable(3, 1), 1);
        let first = table.of.log();
        let signed = |table: &mut Table, seat: Seat| {
            table.sign(seat).unwrap();
            table.seats[seat.index()].log.clone()
        };
        let [host, guest] = [Seat::HOST, ONE].map(|seat| signed(&mut table, seat));
        let guests = |one, two| BTreeMap::from([(ONE, one), (TWO, two)]);
        let to_host = |state| BTreeMap::from([(Seat::HOST, state)]);
        let to_both = |host, two| BTreeMap::from([(Seat::HOST, host), (TWO, two)]);
        let (turn, away) = (Late::AtItsTurn, Late::Away);
        for (own, log, connections, is_synced, late) in [
            // The host waits for the histories of its guests.
            (
                Seat::HOST,
                &first,
                guests(Up, Missing),
                false,
                vec![(away, TWO)],
            ),
            (
                Seat::HOST,
                &first,
                guests(Missing, Missing),
                false,
                vec![(away, ONE), (away, TWO)],
            ),
            // The host has signed, or may sign without that connection.
            (
                Seat::HOST,
                &host,
                guests(Up, Missing),
                true,
                vec![(turn, ONE), (turn, TWO)],
            ),
            (Seat::HOST, &first, guests(Up, Missing), true, Vec::new()),
            // A guest without the host does not know what the other guests have signed.
            (
                ONE,
                &first,
                to_host(Missing),
                false,
                vec![(away, Seat::HOST)],
            ),
            (
                ONE,
                &guest,
                to_host(Missing),
                false,
                vec![(away, Seat::HOST)],
            ),
            (
                ONE,
                &guest,
                to_host(Up),
                true,
                vec![(turn, Seat::HOST), (turn, TWO)],
            ),
            // A guest without the host hears a guest to which it is connected.
            (
                ONE,
                &guest,
                to_both(Missing, Up),
                true,
                vec![(away, Seat::HOST), (turn, TWO)],
            ),
            (ONE, &first, to_both(Missing, Up), true, Vec::new()),
        ] {
            let view = View {
                log,
                own,
                connections,
                is_synced,
                needs_engine: false,
            };
            let (mut clocks, now) = (Clocks::new(clock, 3), Instant::now());
            for at in [0, 99] {
                assert!(timeouts(&mut clocks, &view, now + at * SECOND).is_empty());
            }
            assert!(timeouts(&mut clocks, &view, now + 100 * SECOND) == late);
            // From now on, the time of a guest without a connection to this one counts.
            let is_alone = own == ONE && view.connections == to_host(Missing);
            let later = is_alone.then_some((Late::Unreachable, TWO));
            assert!(timeouts(&mut clocks, &view, now + 199 * SECOND).is_empty());
            let more = timeouts(&mut clocks, &view, now + 200 * SECOND);
            assert!(more.into_iter().eq(later));
            assert!(timeouts(&mut clocks, &view, now + 500 * SECOND).is_empty());
            let out = Seat::all(3).filter(|seat| clocks.is_out(*seat));
            assert!(out.eq(late.into_iter().chain(later).map(|(_, seat)| seat)));
        }
    }

    #[test]
    fn seat_that_reconnects_in_the_same_step_is_not_away_any_more() {
        use ConnectionState::{Missing, Up};
        const TWO: Seat = Seat::new(2);
        let clock = Clock {
            each_move: 30,
            bank: 60,
        };
        let mut table = Table::new(verifiable(3, 1), 1);
        table.sign(Seat::GUEST).unwrap();
        let log = &table.seats[1].log;
        let view = |host, others: &[Seat]| {
            let others = others.iter().map(|seat| (*seat, Up));
            View {
                log,
                own: Seat::GUEST,
                connections: others.chain([(Seat::HOST, host)]).collect(),
                is_synced: true,
                needs_engine: false,
            }
        };
        let (mut clocks, now) = (Clocks::new(clock, 3), Instant::now());
        for (at, out) in [
            (0, None),
            (100, Some((Late::Away, Seat::HOST))),
            (200, Some((Late::Unreachable, TWO))),
        ] {
            let away = view(Missing, &[]);
            let found = timeouts(&mut clocks, &away, now + at * SECOND);
            assert!(found.into_iter().eq(out), "{at}");
        }
        for (host, seat) in [(Missing, TWO), (Up, Seat::HOST)] {
            let view = view(host, &[TWO]);
            let back = clocks.update(&view, now + 201 * SECOND);
            assert!(matches!(back, Some(Timeout::Back(found)) if found == seat));
            assert!(clocks.update(&view, now + 201 * SECOND).is_none());
        }
    }
}
