//! Several seats that resume a match.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::super::*;
use super::many_seats::{Table, passive, verifiable};
use super::settlement::any_choice;
use crate::rules::{Choice, Legal};
use crate::seat::Seat;

/// The messages with which a side announces and sends its history from the announced step on.
fn messages(log: &MatchLog, resume: Resume) -> Vec<Vec<u8>> {
    let statements = log.statements(resume.from).into_iter();
    let mut messages = vec![LogMessage::Resume(resume).encode()];
    messages.extend(statements.map(|statement| LogMessage::Statement(statement).encode()));
    messages
}

/// The log receives the history of another one.
fn resume_from(log: &mut MatchLog, other: &MatchLog) {
    let mut resuming = Resuming::reconnection();
    let mut messages_left = messages(other, other.resume());
    messages_left.reverse();
    while let Some(bytes) = messages_left.pop() {
        let message = LogMessage::decode(&bytes).unwrap();
        assert_eq!(message.encode(), bytes);
        match resuming.receive(log, message).unwrap() {
            ToDo::AcceptStatement(statement) => {
                log.accept_statement(statement).unwrap();
            }
            ToDo::RequestAll => {
                let all = messages(other, other.resume_from(0));
                messages_left.splice(..0, all.into_iter().rev());
            }
            ToDo::Nothing => {}
            to_do => panic!("{to_do:?}"),
        }
    }
    assert!(resuming.is_complete());
}

/// The states of the logs of all seats in a random match, after each statement.
fn states(
    seats: u8,
    hands: u32,
    seed: u64,
    choose: fn(&Legal, &mut StdRng) -> Choice,
) -> (Table, Vec<Vec<MatchLog>>) {
    let mut table = Table::new(verifiable(seats, hands), seed);
    for seat in &mut table.seats {
        seat.choose = choose;
    }
    let mut states: Vec<Vec<MatchLog>> = vec![Vec::new(); usize::from(seats)];
    loop {
        for (seat, states) in table.seats.iter().zip(&mut states) {
            let now = |log: &MatchLog| (log.step(), log.statements(log.step()).len());
            if states.last().is_none_or(|last| now(last) != now(&seat.log)) {
                states.push(seat.log.clone());
            }
        }
        if !table.advance() {
            return (table, states);
        }
    }
}

fn has_all_of(log: &MatchLog, other: &MatchLog) -> bool {
    let places = (0..=other.step()).flat_map(|step| Seat::all(4).map(move |seat| (step, seat)));
    let has = |(step, seat)| {
        let ack = other.steps().ack(step, seat).is_none() || log.steps().ack(step, seat).is_some();
        let part = other.part(step, seat);
        ack && (part.is_none() || log.part(step, seat) == part)
    };
    places.into_iter().all(has)
}

/// Each seat continues from an old state. All resume on the connections in this order.
fn resume_all(logs: &mut [MatchLog], connections: &[(usize, usize)]) {
    let before = logs.to_vec();
    for &(from, to) in connections {
        let sender = logs[from].clone();
        resume_from(&mut logs[to], &sender);
    }
    let step = logs[0].step();
    let furthest = before.iter().map(MatchLog::step).max();
    assert!(Some(step) >= furthest);
    for log in logs.iter() {
        assert_eq!((log.hash(), log.phase()), (logs[0].hash(), logs[0].phase()));
        // Nothing that one of them had is lost, and the order of the statements is the same.
        assert!(before.iter().all(|other| has_all_of(log, other)));
        assert_eq!(log.statements(0), logs[0].statements(0));
    }
}

#[test]
fn seats_with_different_statements_reach_one_log_in_any_order_of_connections() {
    let mut rng = StdRng::seed_from_u64(5);
    for (seats, seed) in [(3, 1), (4, 2)] {
        let (_, states) = states(seats, 2, seed, any_choice);
        let count = usize::from(seats);
        for _ in 0..40 {
            // States of about the same time, and sometimes a much older one.
            let time = rng.random_range(0.0..1.0);
            let mut pick = |states: &Vec<MatchLog>| {
                let since = match rng.random_range(0..5) {
                    0 => rng.random_range(0.0..=time),
                    _ => f64::max(0.0, time - rng.random_range(0.0..0.1)),
                };
                states[(since * states.len() as f64) as usize].clone()
            };
            let logs: Vec<MatchLog> = states.iter().map(&mut pick).collect();
            // Everybody with everybody, twice, because the first ones learn something later.
            let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
            let mut all: Vec<_> = pairs.filter(|(from, to)| from != to).collect();
            all.shuffle(&mut rng);
            resume_all(&mut logs.clone(), &all.repeat(2));
            // Only with the host, which then sends what it has to the others.
            let mut to_host: Vec<_> = (1..count).map(|guest| (guest, 0)).collect();
            let mut from_host: Vec<_> = (1..count).map(|guest| (0, guest)).collect();
            to_host.shuffle(&mut rng);
            from_host.shuffle(&mut rng);
            resume_all(&mut logs.clone(), &[to_host, from_host].concat());
        }
    }
}

#[test]
fn seat_with_an_old_file_takes_back_its_own_statements_and_signs_nothing_twice() {
    let (table, states) = states(3, 2, 3, any_choice);
    for seat in table.of.seats() {
        let own = &states[seat.index()];
        let other = &states[seat.next(3).index()];
        for now in (0..other.len()).step_by(17) {
            for old in (0..own.len()).step_by(13) {
                let (mut log, other) = (own[old].clone(), &other[now]);
                if log.step() > other.step() {
                    continue;
                }
                resume_from(&mut log, other);
                let of_seat = |log: &MatchLog| -> Vec<Statement> {
                    let all = log.statements(0).into_iter();
                    all.filter(|statement| statement.signed.seat() == seat)
                        .collect()
                };
                let back = of_seat(&log);
                assert!(of_seat(other).iter().all(|one| back.contains(one)));
                let (step, spoke) = (log.step(), log.part(log.step(), seat).is_some());
                assert!(!spoke || log.may_sign(seat).is_empty(), "step {step}");
                let acked = log.steps().ack(step, seat).is_some();
                assert!(!(spoke || acked) || !log.owes_ack(seat), "step {step}");
            }
        }
    }
}

#[test]
fn seats_that_have_forgotten_older_hands_resume_with_each_other() {
    let (_, states) = states(3, 4, 4, passive);
    let mut checked = 0;
    for now in (0..states[0].len()).step_by(9) {
        let mut whole = states[1][now.min(states[1].len() - 1)].clone();
        let mut log = states[0][now].clone();
        log.forget_older_hands();
        if whole.attempt().hand.abs_diff(log.attempt().hand) > 1 {
            continue;
        }
        let before = whole.clone();
        resume_from(&mut whole, &log);
        resume_from(&mut log, &before);
        assert_eq!(whole.hash(), log.hash());
        checked += usize::from(!log.is_whole());
    }
    assert!(checked > 5, "{checked}");
}

#[test]
fn statements_out_of_order_or_of_the_wrong_form_are_refused() {
    let (table, states) = states(3, 1, 6, passive);
    let whole = states[0].last().unwrap();
    let log = table.of.log();
    let sent: Vec<LogMessage> = messages(whole, whole.resume())
        .iter()
        .map(|bytes| LogMessage::decode(bytes).unwrap())
        .collect();
    let begun = || {
        let mut resuming = Resuming::reconnection();
        resuming.receive(&log, sent[0].clone()).unwrap();
        resuming
    };
    for place in 2..sent.len() - 1 {
        let mut resuming = begun();
        resuming.receive(&log, sent[place].clone()).unwrap();
        for earlier in 1..=place {
            let mut resuming = begun();
            resuming.receive(&log, sent[place].clone()).unwrap();
            let refused = resuming.receive(&log, sent[earlier].clone());
            assert_eq!(refused, Err(CannotResume::OutOfOrder), "{place} {earlier}");
        }
    }
    // With more than two seats, a part always names its history.
    let part = whole.history(0).next().unwrap().clone();
    let bare = begun().receive(&log, LogMessage::Part(part));
    assert_eq!(bare, Err(CannotResume::OtherKind));
    let two = Table::new(verifiable(2, 1), 1);
    let mut resuming = Resuming::first_connection();
    let refused = resuming.receive(&two.seats[0].log, sent[1].clone());
    assert_eq!(refused, Err(CannotResume::OtherKind));
}
