use super::*;
use crate::log::tests::many_seats::{Table, threshold, verifiable};
use crate::log::tests::test_match::{TestMatch, free_deck, holdem};
use crate::log::{Missing, Part};

const SECOND: Duration = Duration::from_secs(1);

/// The time of a program whose machine never sleeps.
fn moment(running: Duration) -> Moment {
    Moment {
        running,
        unix: 1_800_000_000 + running.as_secs(),
    }
}

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
        is_merging: false,
        missing: None,
    }
}

#[test]
fn seat_that_is_away_at_anothers_turn_has_as_much_time_as_for_its_own_move() {
    let (_, log, mut clocks) = at_the_hosts_choice();
    let (now, away) = (
        Duration::ZERO,
        view(&log, Seat::HOST, ConnectionState::Missing),
    );
    assert!(clocks.update(&away, moment(now)).is_none());
    let update = |clocks: &mut Clocks, at| clocks.update(&away, moment(now + at * SECOND));
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
    assert!(clocks.update(&back, moment(now + 501 * SECOND)).is_none());
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
        Duration::ZERO,
    );
    // Both seats have to deal, so no seat's own clock runs. While connected, this side waits
    // for its own player.
    for at in [0, 500] {
        let up = view(&log, Seat::GUEST, ConnectionState::Up);
        assert!(
            clocks.update(&up, moment(now + at * SECOND)).is_none() && !clocks.is_out(Seat::HOST)
        );
    }
    let away = view(&log, Seat::GUEST, ConnectionState::Missing);
    clocks.update(&away, moment(now));
    assert_eq!(clocks.until_next_timeout(Seat::GUEST), 100 * SECOND);
    clocks.update(&away, moment(now + 95 * SECOND));
    assert_eq!(clocks.until_next_timeout(Seat::GUEST), 5 * SECOND);
}

#[test]
fn seat_is_not_away_if_this_side_wants_no_connection_or_if_its_own_clock_runs() {
    let (table, mut log, mut clocks) = at_the_hosts_choice();
    let now = Duration::ZERO;
    for at in [0, 500] {
        let unwanted = view(&log, Seat::HOST, ConnectionState::Unwanted);
        let out = clocks.update(&unwanted, moment(now + at * SECOND));
        assert!(out.is_none() && !clocks.is_out(Seat::GUEST));
    }
    // At its own turn a seat's clock runs, with or without a connection.
    table.sign_next(&mut log);
    assert_eq!(log.waits_for(), [Seat::GUEST]);
    let missing = view(&log, Seat::HOST, ConnectionState::Missing);
    let update = |clocks: &mut Clocks, at| clocks.update(&missing, moment(now + at * SECOND));
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
    let now = Duration::ZERO;
    for at in [0, 50] {
        clocks.update(
            &view(&log, Seat::HOST, ConnectionState::Missing),
            moment(now + at * SECOND),
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
        let reseals = |log: &MatchLog| matches!(log.phase(), Phase::Reseal(seat, _) if seat == own);
        for condition in [&seals as &dyn Fn(&MatchLog) -> bool, &reseals] {
            let mut log = table.log();
            table.play_until(&mut log, condition);
            let (mut clocks, now) = (
                Clocks::new(log.match_info().header().clock, 2),
                Duration::ZERO,
            );
            let other = own.next(2);
            let mut update = |needs_engine, at| {
                let view = View {
                    needs_engine,
                    ..view(&log, own, ConnectionState::Up)
                };
                let out = clocks.update(&view, moment(now + at * SECOND));
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
        Duration::ZERO,
    );
    let mut update = |log: &MatchLog, connection, at| {
        let view = View {
            needs_engine: true,
            ..view(log, Seat::HOST, connection)
        };
        clocks.update(&view, moment(now + at * SECOND));
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
    let (mut clocks, now) = (Clocks::new(Clock::default(), 2), Duration::ZERO);
    for at in [0, 5000] {
        let own = view(&log, Seat::HOST, ConnectionState::Up);
        assert!(clocks.update(&own, moment(now + at * SECOND)).is_none());
    }
    assert_eq!(clocks.until_next_timeout(Seat::HOST), Duration::MAX);
    table.sign_next(&mut log);
    let their_turn = view(&log, Seat::HOST, ConnectionState::Up);
    let update = |clocks: &mut Clocks, at| clocks.update(&their_turn, moment(now + at * SECOND));
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
        Duration::ZERO,
    );
    let mut is_out = |log: &MatchLog, needs_engine, at| {
        let view = View {
            needs_engine,
            ..view(log, Seat::HOST, ConnectionState::Up)
        };
        clocks.update(&view, moment(now + at * SECOND));
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
fn timeouts(clocks: &mut Clocks, view: &View<'_>, now: Duration) -> Vec<(Late, Seat)> {
    let mut timeouts = Vec::new();
    while let Some(timeout) = clocks.update(view, moment(now)) {
        timeouts.push(match timeout {
            Timeout::Other(seat) => (Late::AtItsTurn, seat),
            Timeout::Away(seat) => (Late::Away, seat),
            Timeout::Unreachable(seat) => (Late::Unreachable, seat),
            Timeout::Own(_) | Timeout::Back(_) => {
                panic!("an unexpected timeout")
            }
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
            is_merging: false,
            missing: None,
        };
        let (mut clocks, now) = (Clocks::new(clock, 3), Duration::ZERO);
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
            is_merging: false,
            missing: None,
        }
    };
    let (mut clocks, now) = (Clocks::new(clock, 3), Duration::ZERO);
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
        let back = clocks.update(&view, moment(now + 201 * SECOND));
        assert!(matches!(back, Some(Timeout::Back(found)) if found == seat));
        assert!(clocks.update(&view, moment(now + 201 * SECOND)).is_none());
    }
}

const CLOCK: Clock = Clock {
    each_move: 30,
    bank: 60,
};

/// The view of a host that is connected to one guest, and lacks this of it.
fn lacking(log: &MatchLog, missing: Missing, due: Due) -> View<'_> {
    View {
        log,
        own: Seat::HOST,
        connections: BTreeMap::from([(Seat::GUEST, ConnectionState::Up)]),
        is_synced: true,
        needs_engine: false,
        is_merging: false,
        missing: Some(BTreeMap::from([((Seat::GUEST, missing), due)])),
    }
}

const CHOOSES: Due = Due {
    chooses: true,
    depth: 0,
    is_bound: false,
};
const SIGNS: Due = Due {
    chooses: false,
    depth: 0,
    is_bound: false,
};

#[test]
fn seats_that_can_be_removed_have_the_clock_only_for_the_choices_of_their_players() {
    let log = Table::new(verifiable(3, 1), 1).of.log();
    let vote = Missing::Vote([1; 32]);
    for (missing, due, limit) in [
        (Missing::Part, CHOOSES, 30 + 60 + 10),
        (Missing::Statement, CHOOSES, 30 + 60 + 10),
        (Missing::Part, SIGNS, 20),
        (Missing::Statement, SIGNS, 20),
        (vote, Due { depth: 1, ..SIGNS }, 30),
        (
            vote,
            Due {
                depth: 2,
                ..CHOOSES
            },
            120,
        ),
    ] {
        let mut clocks = Clocks::new(CLOCK, 3);
        let view = lacking(&log, missing, due);
        let late = (0..1000).find(|at| {
            let late = timeouts(&mut clocks, &view, SECOND * *at as u32);
            let is_out = [Seat::GUEST, Seat::new(2)].map(|seat| clocks.is_out(seat));
            assert_eq!(is_out, [!late.is_empty(), false], "{at}");
            assert_eq!(clocks.over().len(), late.len());
            let left = Duration::from_secs(limit - *at);
            assert_eq!(clocks.until_out(Seat::GUEST), Some(left));
            // The time of a third seat begins once this one is late.
            let third = (!late.is_empty()).then_some(100 * SECOND);
            assert_eq!(clocks.until_out(Seat::new(2)), third);
            assert!(late.is_empty() || late == [(Late::AtItsTurn, Seat::GUEST)]);
            !late.is_empty()
        });
        assert_eq!(late, Some(limit), "{missing:?}");
    }
}

#[test]
fn late_ack_takes_no_time_from_the_part_that_follows() {
    let log = Table::new(verifiable(3, 1), 1).of.log();
    let mut clocks = Clocks::new(Clock::default(), 3);
    for at in 0..50 {
        let missing = match at {
            0..19 => Missing::Statement,
            _ => Missing::Part,
        };
        clocks.update(&lacking(&log, missing, SIGNS), moment(at * SECOND));
        assert_eq!(!clocks.over().is_empty(), at >= 39, "{at}");
    }
}

#[test]
fn time_for_a_vote_continues_in_the_next_step() {
    let mut table = Table::new(verifiable(3, 1), 1);
    let before = table.of.log();
    while table.seats[0].log.step() == 0 {
        table.advance();
    }
    let after = &table.seats[0].log;
    let vote = Missing::Vote([1; 32]);
    for (missing, limit) in [(vote, 20), (Missing::Part, 30)] {
        let mut clocks = Clocks::new(CLOCK, 3);
        let late = (0..100).find(|at| {
            let log = if *at < 10 { &before } else { after };
            clocks.update(&lacking(log, missing, SIGNS), moment(SECOND * *at));
            clocks.is_out(Seat::GUEST)
        });
        assert_eq!(late, Some(limit), "{missing:?}");
    }
}

#[test]
fn time_that_may_stand_still_is_left_and_no_time_is_left_without_a_connection() {
    let log = Table::new(verifiable(3, 1), 1).of.log();
    let mut clocks = Clocks::new(CLOCK, 3);
    let bound = Due {
        is_bound: true,
        ..SIGNS
    };
    let mut view = lacking(&log, Missing::Part, bound);
    for at in [0, 1] {
        clocks.update(&view, moment(at * SECOND));
    }
    // All three seats open the cards of this deck, so the times stand still for one limit and the grace.
    assert_eq!(clocks.until_out(Seat::GUEST), Some(49 * SECOND));
    view.connections.clear();
    clocks.update(&view, moment(2 * SECOND));
    assert_eq!(clocks.until_out(Seat::GUEST), None);
}

/// A program that was stopped, or that could not hear anybody, has not waited.
#[test]
fn time_counts_while_the_program_runs_and_is_connected() {
    let log = Table::new(verifiable(3, 1), 1).of.log();
    let mut clocks = Clocks::new(CLOCK, 3);
    let mut is_out = |at: u32, is_up: bool| {
        let mut view = lacking(&log, Missing::Part, SIGNS);
        if !is_up {
            view.connections.clear();
        }
        clocks.update(&view, moment(at * SECOND));
        assert_eq!(
            clocks.until_next_timeout(Seat::HOST) == SECOND,
            is_up && !clocks.is_out(Seat::GUEST)
        );
        clocks.is_out(Seat::GUEST)
    };
    assert!((0..=10).all(|at| !is_out(at, true)));
    assert!(!is_out(500, true), "stopped");
    assert!((500..600).all(|at| !is_out(at, false)));
    assert!((600..609).all(|at| !is_out(at, true)));
    assert!(is_out(609, true));
}

/// A hand of three seats, and the seat that has to choose.
fn at_a_choice() -> (MatchLog, Seat) {
    let mut table = Table::new(threshold(3, 2, 1), 1);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let log = table.seats[0].log.clone();
    match log.phase() {
        Phase::Choose { seat, .. } => (log, seat),
        phase => panic!("{phase:?}"),
    }
}

/// The clock on the screen is what the others allow: it does not stop when the program does.
#[test]
fn own_clock_of_a_seat_that_can_be_removed_never_stops_and_never_begins_again() {
    let (log, own) = at_a_choice();
    let view = |is_synced| View {
        own,
        is_synced,
        missing: Some(BTreeMap::new()),
        ..lacking(&log, Missing::Part, SIGNS)
    };
    let at = |running: u32, unix: u64| Moment {
        running: running * SECOND,
        unix: 1_000_000 + unix,
    };
    let mut clocks = Clocks::new(CLOCK, 3);
    let left = |clocks: &Clocks| clocks.left(own).unwrap().total().as_secs();
    // Not before the turn is shown.
    assert!(clocks.update(&view(false), at(0, 0)).is_none());
    assert!(clocks.update(&view(true), at(5, 5)).is_none());
    assert_eq!(
        (left(&clocks), clocks.own_turn().unwrap().1),
        (90, 1_000_005)
    );
    // Without a connection, and while the machine sleeps.
    assert!(clocks.update(&view(false), at(25, 25)).is_none());
    assert!(clocks.update(&view(false), at(26, 46)).is_none());
    assert_eq!(left(&clocks), 90 - 40);
    // The program starts again.
    let (bank, turn) = (clocks.left(own).unwrap().bank, clocks.own_turn());
    let mut again = Clocks::new(CLOCK, 3);
    let banks: Vec<_> = (0..3).map(|_| bank.max(60 * SECOND)).collect();
    again.restore(&banks, turn);
    assert!(again.update(&view(false), at(0, 66)).is_none());
    assert_eq!(left(&again), 90 - 60);
    // When the time is over, the program chooses as soon as it may sign.
    assert!(again.update(&view(false), at(40, 106)).is_none());
    assert!(matches!(
        again.update(&view(true), at(41, 107)),
        Some(Timeout::Own(_))
    ));
}
