//! Roll calls: when they are won, lost or open, whom they bind, and who is missing.

use super::super::*;
use super::many_seats::{Table, threshold};
use crate::seat::{Seat, SeatSet};

pub(super) const A: Seat = Seat::new(0);
pub(super) const B: Seat = Seat::new(1);
pub(super) const C: Seat = Seat::new(2);
pub(super) const D: Seat = Seat::new(3);

/// A table at which all seats have everything, and this is true for their logs.
pub(super) fn table_at(
    seats: u8,
    least: usize,
    hands: u32,
    at: impl Fn(&MatchLog) -> bool,
) -> Table {
    let mut table = Table::new(threshold(seats, least, hands), 3);
    let first = |table: &Table| at(&table.seats[0].log);
    while !first(&table) {
        assert!(table.advance(), "the match cannot go on");
        table.deliver_all();
    }
    table
}

fn at_a_bet(log: &MatchLog) -> bool {
    matches!(log.phase(), Phase::Choose { .. })
}

/// The roll call of any seat for the current step of the first log, without the seat's part.
pub(super) fn roll_call(table: &Table, seat: Seat, round: u8, missing: &[Seat]) -> Statement {
    let log = &table.seats[0].log;
    let (of, before) = (log.match_info().id(), log.hash());
    let identity = &table.of.identities[seat.index()];
    let missing = missing.iter().copied().collect::<SeatSet>();
    let place = (log.step(), seat);
    let call = SignedRollCall::sign(identity, &of, &before, place, (round, missing), None);
    Statement {
        before,
        signed: Signed::RollCall(Box::new(call)),
    }
}

fn log_of(table: &mut Table, seat: Seat) -> &mut MatchLog {
    &mut table.seats[seat.index()].log
}

/// The logs of all seats after each has received the roll calls of these seats, with these numbers.
fn after(calls: &[(Seat, u8, &[Seat])]) -> Vec<MatchLog> {
    let mut table = table_at(4, 2, 1, at_a_bet);
    let calls: Vec<_> = (calls.iter())
        .map(|&(seat, round, missing)| roll_call(&table, seat, round, missing))
        .collect();
    for seat in table.of.seats() {
        for call in &calls {
            log_of(&mut table, seat)
                .accept_statement(call.clone())
                .unwrap();
        }
    }
    table.seats.into_iter().map(|seat| seat.log).collect()
}

#[test]
fn roll_calls_that_cross_add_up_or_make_each_other_lost() {
    // They add up. The third seat decides.
    let logs = after(&[(A, 0, &[C]), (B, 0, &[C])]);
    assert!(logs[0].is_bound(A) && logs[1].is_bound(B));
    let logs = after(&[(A, 0, &[C]), (B, 0, &[C]), (D, 0, &[C])]);
    for seat in [A, B, D] {
        assert_eq!(logs[seat.index()].gone(), [C], "{seat}");
    }
    assert!(logs[2].is_removed());
    assert_eq!(logs[2].phase(), Phase::Over(End::Removed));
    // Each makes the other lost.
    let logs = after(&[(A, 0, &[C]), (B, 0, &[D])]);
    assert!(!logs[0].is_bound(A) && !logs[1].is_bound(B));
    // One of them names the other: only the other one is lost.
    let logs = after(&[(A, 0, &[B]), (B, 0, &[C])]);
    assert!(logs[0].is_bound(A) && !logs[1].is_bound(B));
    // They name each other: neither is lost. A third seat decides.
    let logs = after(&[(A, 0, &[B]), (B, 0, &[A])]);
    assert!(logs[0].is_bound(A) && logs[1].is_bound(B));
    let logs = after(&[(A, 0, &[B]), (B, 0, &[A]), (C, 0, &[A])]);
    assert!(!logs[0].is_bound(A) && logs[1].is_bound(B));
    // An answer of a seat that it does not name makes it lost; one of a named seat does not.
    let logs = after(&[(A, 0, &[C]), (B, 0, &[])]);
    assert!(!logs[0].is_bound(A));
    let logs = after(&[(A, 0, &[C]), (C, 0, &[])]);
    assert!(logs[0].is_bound(A));
    // An answer with another number decides nothing.
    let logs = after(&[(A, 0, &[C]), (B, 1, &[])]);
    assert!(logs[0].is_bound(A));
}

#[test]
fn earlier_roll_call_is_not_won_while_a_later_one_is_open() {
    let first: &[Seat] = &[C];
    let calls = [(A, 0, first), (A, 1, &[C, D]), (B, 0, first), (D, 0, first)];
    let logs = after(&calls);
    assert!(logs[0].is_bound(A) && logs[0].gone().is_empty());
    assert_eq!(logs[1].gone(), [C]);
    // The others have passed the step, and answer the later one.
    let logs = after(&[&calls[..], &[(B, 1, &[])]].concat());
    assert_eq!(logs[0].gone(), [C]);
    assert_eq!(logs[0].hash(), logs[1].hash());
}

#[test]
fn bound_seat_signs_no_part_and_completes_the_step_by_no_parts() {
    let mut table = table_at(4, 3, 1, |log| {
        // The turn.
        matches!(log.phase(), Phase::Open(openings) if openings.len() == 3)
    });
    let parts = table.copy();
    // All acks are there. A calls the roll, and then all parts arrive.
    while let Some(seat) = table
        .of
        .seats()
        .find(|s| table.seats[s.index()].log.owes_ack(*s))
    {
        let ack = table.sign(seat).unwrap();
        table.send(&ack);
        table.deliver_all();
    }
    assert!(!parts.seats[0].log.lacks(A).is_empty() && table.seats[0].log.lacks(A).is_empty());
    let is_due = |seat: &Seat| !table.seats[0].log.may_sign(*seat).is_empty();
    let due: Vec<Seat> = table.of.seats().filter(is_due).collect();
    let step = table.seats[0].log.step();
    let caller = due[0];
    let late: Vec<Seat> = due[1..].to_vec();
    assert!(table.call(caller, &late).is_none(), "too few would be left");
    // Another seat does sign.
    let other = due[1];
    let part = table.sign(other).unwrap();
    table.send(&part);
    table.deliver_all();
    let call = table.call(caller, &late).expect("one seat is missing");
    assert!(table.seats[caller.index()].log.is_bound(caller));
    assert!(table.seats[caller.index()].log.may_sign(caller).is_empty());
    assert!(table.sign(caller).is_none());
    let again = table.call(caller, &late);
    assert!(again.is_none(), "it names no more seats");
    let identity = &table.of.identities[caller.index()];
    let mut copy = table.seats[caller.index()].log.clone();
    let refused = copy.sign(identity, caller, &Part::Fine);
    assert_eq!(refused, Err(CannotSign::Bound));
    let part = table.sign(due[2]).unwrap();
    table.send(&part);
    table.deliver_all();
    let log = &table.seats[caller.index()].log;
    assert_eq!(log.step(), step);
    assert!(log.part(step, due[2]).is_some(), "it keeps the part");
    // The others are not bound, and do not count it as missing.
    let log = &mut table.seats[other.index()].log;
    log.accept_statement(call.clone()).unwrap();
    assert!(log.missing().is_empty());
    // They lack nothing, so they answer. The caller signs its part then.
    let answer = table.sign(other).unwrap();
    assert!(matches!(&answer.signed, Signed::RollCall(call) if call.is_answer()));
    log_of(&mut table, caller).accept_statement(answer).unwrap();
    assert!(!table.seats[caller.index()].log.is_bound(caller));
    assert!(table.sign(caller).is_some());
    assert_eq!(table.seats[caller.index()].log.step(), step + 1);
}

#[test]
fn seat_that_has_passed_the_step_answers_and_so_does_a_named_seat() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let part = table.sign(seat).unwrap();
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let [caller, passed, behind] = others[..] else {
        panic!();
    };
    log_of(&mut table, passed)
        .accept_statement(part.clone())
        .unwrap();
    let step = table.seats[caller.index()].log.step();
    assert_eq!(
        table.seats[caller.index()].log.missing(),
        [(seat, Missing::Part)]
    );
    assert!(table.call(caller, &[]).is_none(), "its time is not over");
    let call = table.call(caller, &[seat]).unwrap();
    for other in [seat, passed, behind] {
        log_of(&mut table, other)
            .accept_statement(call.clone())
            .unwrap();
    }
    // The seat without the part lacks something.
    assert_eq!(table.seats[behind.index()].log.owes_answer(), None);
    for other in [seat, passed] {
        assert_eq!(
            table.seats[other.index()].log.owes_answer(),
            Some((step, 0))
        );
        let answer = table.sign(other).unwrap();
        let Signed::RollCall(signed) = &answer.signed else {
            panic!();
        };
        assert!(signed.is_answer() && signed.step == step);
        assert_eq!(signed.own_part().is_some(), other == seat);
        assert_eq!(table.seats[other.index()].log.owes_answer(), None);
        let log = log_of(&mut table, caller);
        log.accept_statement(answer).unwrap();
    }
    // The answer of the named seat carried its part.
    let log = &table.seats[caller.index()].log;
    assert!(!log.is_bound(caller));
    assert_eq!(log.step(), step + 1);
}

#[test]
fn invalid_part_is_a_foul_before_and_after_the_roll_call_that_ends_its_step() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let log = &table.seats[others[0].index()].log;
    let (of, step, before) = (table.of.match_info.id(), log.step(), log.hash());
    let identity = &table.of.identities[seat.index()];
    let part = SignedPart::sign(identity, &of, step, &before, seat, vec![1; 12]);
    let calls: Vec<_> = others
        .iter()
        .map(|s| table.call(*s, &[seat]).unwrap())
        .collect();
    let ends = [true, false].map(|is_first| {
        let log = log_of(&mut table, others[usize::from(is_first)]);
        let foul = |log: &mut MatchLog| match log.accept(part.clone()) {
            Err(Refused::Foul(proof)) => assert!(log.record_foul(*proof)),
            other => panic!("{other:?}"),
        };
        if is_first {
            foul(log);
        }
        for call in &calls {
            log.accept_statement(call.clone()).unwrap();
        }
        if !is_first {
            foul(log);
        }
        assert_eq!((log.fouls().len(), log.gone()), (1, &[seat][..]));
        (log.step(), log.hash(), log.phase())
    });
    assert_eq!(ends[0], ends[1]);
    assert_eq!(ends[0].0, step + 1);
}

#[test]
fn later_part_of_a_removed_seat_is_no_foul() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let part = table.sign(seat).unwrap();
    let silent = [seat];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let calls: Vec<_> = others
        .iter()
        .map(|s| table.call(*s, &silent).unwrap())
        .collect();
    for other in &others {
        for call in &calls {
            let log = log_of(&mut table, *other);
            assert_ne!(log.accept_statement(call.clone()), Ok(Accepted::Void));
        }
        let log = log_of(&mut table, *other);
        assert_eq!(log.gone(), silent);
        assert_eq!(log.accept_statement(part.clone()), Ok(Accepted::Void));
        assert_eq!(log.accept_statement(part.clone()), Ok(Accepted::Known));
        assert!(log.fouls().is_empty());
        assert!(!log.game().unwrap().is_live(seat));
    }
    // A second part for the step convicts the seat all the same.
    let step = part.signed.step();
    let of = table.of.match_info.id();
    let identity = &table.of.identities[seat.index()];
    let other = SignedPart::sign(identity, &of, step, &part.before, seat, vec![1; 12]);
    let log = log_of(&mut table, others[0]);
    assert!(matches!(log.accept(other), Err(Refused::Fork(_))));
    // The seat learns that it is gone, though its own log is a step ahead.
    let log = log_of(&mut table, seat);
    assert_eq!(log.step(), step + 1);
    for call in calls {
        log.accept_statement(call).unwrap();
    }
    assert!(log.is_removed());
    assert_eq!(log.phase(), Phase::Over(End::Removed));
    assert!(log.owes_answer().is_none() && !log.owes_ack(seat) && log.missing().is_empty());
    assert_eq!(Past::of(log), None);
    assert!(table.sign(seat).is_none());
}

#[test]
fn roll_calls_that_no_honest_seat_signs_are_refused() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let refused = |table: &mut Table, statement| log_of(table, B).accept_statement(statement);
    for missing in [&[A][..], &[C, D], &[Seat::new(4)], &[C, Seat::new(9)]] {
        let call = roll_call(&table, A, 0, missing);
        assert_eq!(
            refused(&mut table, call),
            Err(Refused::RollCall(A)),
            "{missing:?}"
        );
    }
    let call = roll_call(&table, A, 32, &[C]);
    assert_eq!(refused(&mut table, call), Err(Refused::RollCall(A)));
    let call = roll_call(&table, A, 31, &[C]);
    assert!(refused(&mut table, call).is_ok());
    // The signature of another seat, or for another history.
    let mut call = roll_call(&table, A, 1, &[C]);
    let Signed::RollCall(signed) = &mut call.signed else {
        panic!();
    };
    signed.seat = D;
    assert_eq!(refused(&mut table, call), Err(Refused::Signature(D)));
    let mut call = roll_call(&table, A, 1, &[C]);
    call.before = [7; 32];
    assert_eq!(refused(&mut table, call), Err(Refused::Signature(A)));
    // While the keys are made, and if all seats together open a card, there are none.
    let mut table = Table::new(threshold(4, 3, 1), 1);
    let call = roll_call(&table, A, 0, &[C]);
    assert_eq!(refused(&mut table, call), Err(Refused::RollCall(A)));
    let all: Vec<Seat> = table.of.seats().collect();
    assert!(table.call(A, &all).is_none());
    let mut table = table_at(4, 4, 1, at_a_bet);
    assert!(table.call(A, &all).is_none());
    let call = roll_call(&table, A, 0, &[C]);
    assert_eq!(refused(&mut table, call), Err(Refused::RollCall(A)));
}

#[test]
fn seat_that_never_stops_calling_the_roll_is_excused_three_times() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let [one, two, three] = others[..] else {
        panic!();
    };
    for round in 0..4 {
        assert_eq!(
            table.seats[one.index()].log.missing(),
            [(seat, Missing::Part)]
        );
        let call = roll_call(&table, seat, round, &[three]);
        let log = log_of(&mut table, one);
        log.accept_statement(call).unwrap();
        // While it is open, its seat is bound.
        assert_eq!(log.missing().is_empty(), round < 3, "{round}");
        let answer = roll_call(&table, two, round, &[]);
        log_of(&mut table, one).accept_statement(answer).unwrap();
    }
}

#[test]
fn seat_that_has_started_again_signs_no_roll_call_and_no_answer_in_old_steps() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let [one, two, _] = others[..] else {
        panic!();
    };
    let step = table.seats[0].log.step();
    log_of(&mut table, one).forbid_roll_calls_up_to(step);
    log_of(&mut table, one).forbid_roll_calls_up_to(step - 1);
    assert!(table.call(one, &[seat]).is_none());
    let part = table.sign(seat).unwrap();
    log_of(&mut table, one)
        .accept_statement(part.clone())
        .unwrap();
    let call = table.call(two, &[seat]).unwrap();
    log_of(&mut table, one).accept_statement(call).unwrap();
    assert_eq!(table.seats[one.index()].log.owes_answer(), None);
    // In the next step it may.
    let next = table.seats[one.index()].log.waits_for();
    if let [next] = next[..]
        && next != one
    {
        assert!(table.call(one, &[next]).is_some());
    }
}

/// A cheat can sign roll calls with all numbers in every step. An answer costs a write to the disk.
#[test]
fn roll_calls_in_steps_that_all_others_have_passed_are_not_answered() {
    let mut table = table_at(4, 2, 1, at_a_bet);
    let step = table.seats[0].log.step();
    let calls: Vec<_> = (0..32)
        .map(|round| roll_call(&table, A, round, &[C]))
        .collect();
    let owes = |table: &Table| {
        let mut log = table.seats[1].log.clone();
        for call in &calls {
            log.accept_statement(call.clone()).unwrap();
        }
        log.owes_answer()
    };
    let have_passed = |table: &Table| {
        let log = &table.seats[1].log;
        [A, C, D]
            .iter()
            .all(|seat| log.last_signed(*seat) > Some(step))
    };
    let mut passed = 0;
    while !have_passed(&table) {
        // The seats that have not signed since can still be there.
        if table.seats[1].log.step() > step {
            assert_eq!(owes(&table), Some((step, 0)));
            passed += 1;
        }
        assert!(table.advance());
        table.deliver_all();
    }
    assert!(passed > 0);
    assert_eq!(owes(&table), None);
}

/// The others have removed the seat in a later step. It learns this when it comes to that step.
#[test]
fn roll_call_of_a_seat_that_was_removed_later_is_answered() {
    let mut table = table_at(3, 2, 1, at_a_bet);
    let step = table.seats[0].log.step();
    let signer = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != signer).collect();
    let [caller, third] = others[..] else {
        panic!();
    };
    let call = table.call(caller, &[signer]).unwrap();
    table.play_without(&[caller]);
    let log = log_of(&mut table, third);
    assert_eq!(log.gone(), [caller]);
    assert!(log.live_at(step + 1).contains(caller));
    log.accept_statement(call).unwrap();
    assert_eq!(log.owes_answer(), Some((step, 0)));
}

#[test]
fn two_roll_calls_with_one_number_are_evidence() {
    let mut table = table_at(4, 2, 2, at_a_bet);
    let of = table.of.match_info.clone();
    let one = roll_call(&table, A, 0, &[C]);
    for other in [roll_call(&table, A, 0, &[D]), roll_call(&table, A, 0, &[])] {
        let mut log = table.seats[1].log.clone();
        log.accept_statement(one.clone()).unwrap();
        let Err(Refused::Fork(evidence)) = log.accept_statement(other) else {
            panic!("two roll calls");
        };
        assert!(evidence.holds(&of));
        assert_eq!(evidence.seat(), A);
        assert_eq!(log.record_fork(*evidence), Ok(true));
        assert_eq!(log.phase(), Phase::Over(End::Fork { seat: A }));
    }
    // With other numbers they are not.
    let log = log_of(&mut table, B);
    log.accept_statement(one).unwrap();
    let other = roll_call(&table, A, 1, &[D]);
    table.seats[1].log.accept_statement(other).unwrap();
}
