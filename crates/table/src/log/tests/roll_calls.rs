//! Roll calls: when calls are won, lost or open, whom they bind, and who may sign or refuse them.

use super::super::roll_call::Answer;
use super::super::*;
use super::many_seats::{Table, threshold};
use crate::seat::Seat;
use Missing::{Part as NoPart, Statement as Silent, Vote as NoVote};

pub(super) const A: Seat = Seat::new(0);
pub(super) const B: Seat = Seat::new(1);
pub(super) const C: Seat = Seat::new(2);
pub(super) const D: Seat = Seat::new(3);
const E: Seat = Seat::new(4);

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

pub(super) fn at_a_bet(log: &MatchLog) -> bool {
    matches!(log.phase(), Phase::Choose { .. })
}

/// No seat has signed an ack for it yet.
fn at_a_release(log: &MatchLog) -> bool {
    matches!(log.phase(), Phase::Open(_))
}

/// A call in the current step of the first log.
pub(super) fn call(table: &Table, claims: &[(Seat, Missing)]) -> Call {
    call_in(&table.seats[0].log, claims)
}

fn call_in(log: &MatchLog, claims: &[(Seat, Missing)]) -> Call {
    Call::new(log.step(), claims.iter().copied()).unwrap()
}

/// The vote of any seat for the current step of the first log.
pub(super) fn vote(table: &Table, seat: Seat, call: Call, answer: Answer) -> Statement {
    let log = &table.seats[0].log;
    let (of, before) = (log.match_info().id(), log.hash());
    let identity = &table.of.identities[seat.index()];
    let vote = SignedVote::sign(identity, &of, &before, (log.step(), seat), call, answer);
    let signed = Signed::Vote(Box::new(vote));
    Statement { before, signed }
}

/// A signed call without a part.
pub(super) fn signs(table: &Table, seat: Seat, claims: &[(Seat, Missing)]) -> Statement {
    vote(table, seat, call(table, claims), Answer::Signs(None))
}

/// The ack of any seat for the current step of the first log.
fn ack(table: &Table, seat: Seat) -> Statement {
    let log = &table.seats[0].log;
    let (of, before) = (log.match_info().id(), log.hash());
    let identity = &table.of.identities[seat.index()];
    let ack = SignedAck::sign(identity, &of, log.step(), &before, seat);
    let signed = Signed::Ack(ack);
    Statement { before, signed }
}

/// A refusal of any seat, with any proof.
fn refuses(table: &Table, seat: Seat, claims: &[(Seat, Missing)], proof: Statement) -> Statement {
    vote(
        table,
        seat,
        call(table, claims),
        Answer::Refuses(Box::new(proof)),
    )
}

fn log_of(table: &mut Table, seat: Seat) -> &mut MatchLog {
    &mut table.seats[seat.index()].log
}

/// All seats receive these statements.
fn tell(table: &mut Table, statements: &[Statement]) {
    for seat in &mut table.seats {
        for statement in statements {
            seat.log.accept_statement(statement.clone()).unwrap();
        }
    }
}

/// The logs of all seats after each has received these signed calls, in the first release.
fn after(calls: &[(Seat, &[(Seat, Missing)])]) -> Vec<MatchLog> {
    let mut table = table_at(4, 2, 1, at_a_release);
    let calls: Vec<_> = (calls.iter())
        .map(|&(seat, claims)| signs(&table, seat, claims))
        .collect();
    tell(&mut table, &calls);
    table.seats.into_iter().map(|seat| seat.log).collect()
}

#[test]
fn call_is_won_once_all_seats_that_it_does_not_name_have_signed_it() {
    let of_c: &[(Seat, Missing)] = &[(C, Silent)];
    let logs = after(&[(A, of_c), (B, of_c)]);
    assert!(logs[0].is_bound(A) && logs[1].is_bound(B) && !logs[3].is_bound(D));
    let logs = after(&[(A, of_c), (B, of_c), (D, of_c)]);
    for seat in [A, B, D] {
        assert_eq!(logs[seat.index()].gone(), [C], "{seat}");
        assert_eq!(logs[seat.index()].hash(), logs[0].hash());
    }
    assert_eq!(logs[2].phase(), Phase::Over(End::Removed));
}

#[test]
fn calls_that_cross_stay_open_until_one_supersedes_them() {
    let (of_c, of_d): (&[_], &[_]) = (&[(C, Silent)], &[(D, Silent)]);
    let both: &[_] = &[(C, Silent), (D, Silent)];
    let logs = after(&[(A, of_c), (B, of_d)]);
    assert!(logs[0].is_bound(A) && logs[1].is_bound(B));
    // A seat must not sign a call that does not supersede its open one.
    let over = [(D, Silent), (C, Silent)].into_iter().collect();
    let next = logs[0].next_call(&over).unwrap();
    assert_eq!(next, (logs[0].step(), call_in(&logs[0], both)));
    let over = [(D, Silent)].into_iter().collect();
    assert_eq!(logs[0].next_call(&over), None);
    let logs = after(&[(A, of_c), (B, of_d), (A, both), (B, both)]);
    for log in &logs[..2] {
        assert_eq!(log.gone(), [C, D]);
    }
    assert!(logs[2].is_removed() && logs[3].is_removed());
    // They name each other: a third seat decides.
    let (of_b, of_a): (&[_], &[_]) = (&[(B, Silent)], &[(A, Silent)]);
    let logs = after(&[(A, of_b), (B, of_a)]);
    assert!(logs[0].is_bound(A) && logs[1].is_bound(B));
}

#[test]
fn earlier_call_is_not_won_while_a_later_one_is_open() {
    let (first, later): (&[_], &[_]) = (&[(C, Silent)], &[(C, Silent), (D, Silent)]);
    let calls = [(A, first), (A, later), (B, first), (D, first)];
    let mut logs = after(&calls);
    assert!(logs[0].is_bound(A) && logs[0].gone().is_empty());
    assert_eq!(logs[1].gone(), [C]);
    // The others have passed the step. D has signed something, so B refuses the later one.
    let table = table_at(4, 2, 1, at_a_release);
    let (refusal, _) = logs[1].sign_refusal(&table.of.identities[1]).unwrap();
    logs[0].accept_statement(refusal).unwrap();
    assert_eq!(logs[0].gone(), [C]);
    assert_eq!(logs[0].hash(), logs[1].hash());
    // The owner of a log is out under the same condition.
    let named: &[_] = &[(A, Silent)];
    let logs = after(&[(A, first), (B, named), (C, named), (D, named)]);
    assert!(logs[0].is_removed());
}

/// The logs after B and D have signed a call that names C, other calls have arrived, and then A has signed the first
/// one.
fn with_doubts(doubts: &[(Seat, &[(Seat, Missing)])]) -> Vec<MatchLog> {
    let of_c: &[_] = &[(C, Silent)];
    let signed = [(B, of_c), (D, of_c)];
    after(&[&signed[..], doubts, &[(A, of_c)]].concat())
}

#[test]
fn call_in_doubt_is_not_won_before_the_doubt_is_refused() {
    let table = table_at(4, 2, 1, at_a_release);
    let of_c = call(&table, &[(C, Silent)]).id();
    let mut logs = with_doubts(&[(B, &[(A, NoVote(of_c))])]);
    assert!(logs[0].gone().is_empty() && logs[0].is_bound(A));
    // D has the vote of A.
    let (refusal, _) = logs[3].sign_refusal(&table.of.identities[3]).unwrap();
    logs[0].accept_statement(refusal).unwrap();
    assert_eq!(logs[0].gone(), [C]);
}

#[test]
fn cheat_cannot_put_a_call_in_doubt_if_nobody_else_could_refuse() {
    let table = table_at(4, 2, 1, at_a_release);
    let of_c = NoVote(call(&table, &[(C, Silent)]).id());
    let gone = |doubts: &[(Seat, &[(Seat, Missing)])]| with_doubts(doubts)[0].gone().to_vec();
    // Only B and C, which is silent, could vote on it.
    assert_eq!(gone(&[(B, &[(A, of_c), (D, of_c)])]), [C]);
    // C can vote on it, and does.
    let of_two: &[_] = &[(A, of_c), (D, of_c)];
    assert_eq!(gone(&[(B, of_two), (C, of_two)]), []);
    // The seat that the call names.
    assert_eq!(gone(&[(C, &[(A, of_c)])]), [C]);
    // Other logs have as many votes of B as they count, and ignore the doubt.
    let others: Vec<_> = (0..6).map(|number| [(C, NoVote([number; 32]))]).collect();
    let many: Vec<_> = others.iter().map(|claims| (B, &claims[..])).collect();
    let doubt: [(Seat, &[_]); 1] = [(B, &[(A, of_c)])];
    assert_eq!(gone(&[&many[..], &doubt].concat()), [C]);
    assert_eq!(gone(&[&many[1..], &doubt].concat()), []);
}

#[test]
fn seat_that_has_the_statement_refuses_and_sends_it() {
    let mut table = table_at(4, 2, 1, at_a_release);
    let of_c: &[_] = &[(C, Silent)];
    let ack = ack(&table, C);
    log_of(&mut table, B).accept_statement(ack).unwrap();
    let called = signs(&table, A, of_c);
    tell(&mut table, &[called]);
    // D has nothing of C, and C is named.
    for seat in [A, C, D] {
        let identity = &table.of.identities[seat.index()];
        let refusal = table.seats[seat.index()].log.sign_refusal(identity);
        assert_eq!(refusal.err(), Some(CannotSign::NoVote), "{seat}");
    }
    let identity = &table.of.identities[B.index()];
    let (refusal, _) = table.seats[B.index()].log.sign_refusal(identity).unwrap();
    let again = table.seats[B.index()].log.sign_refusal(identity);
    assert_eq!(again.err(), Some(CannotSign::NoVote));
    for seat in [A, D] {
        let log = log_of(&mut table, seat);
        log.accept_statement(refusal.clone()).unwrap();
        assert!(!log.is_bound(A) && log.has_spoken(log.step(), C));
    }
}

#[test]
fn false_refusals_are_ignored() {
    let mut table = table_at(4, 2, 1, at_a_release);
    let of_c: &[_] = &[(C, Silent)];
    let called = signs(&table, A, of_c);
    tell(&mut table, &[called]);
    let elsewhere = {
        let log = &table.seats[0].log;
        let (of, identity) = (log.match_info().id(), &table.of.identities[C.index()]);
        let sign = |step, before| Statement {
            before,
            signed: Signed::Ack(SignedAck::sign(identity, &of, step, &before, C)),
        };
        [sign(log.step() - 1, log.hash()), sign(log.step(), [7; 32])]
    };
    let other = call(&table, &[(D, Silent)]);
    let proofs = [
        // Of another seat, for another step, for another history, a vote of another seat.
        ack(&table, D),
        elsewhere[0].clone(),
        elsewhere[1].clone(),
        vote(&table, A, other.clone(), Answer::Signs(None)),
        // A false refusal of another call.
        refuses(&table, D, &[(C, NoPart)], ack(&table, C)),
    ];
    for proof in proofs {
        let refusal = refuses(&table, B, of_c, proof);
        let log = log_of(&mut table, A);
        assert_eq!(log.accept_statement(refusal), Ok(Accepted::Known));
        assert!(log.is_bound(A));
    }
    // A proof that the seat has not signed.
    let mut forged = ack(&table, C);
    let Signed::Ack(signed) = &mut forged.signed else {
        unreachable!();
    };
    signed.signature[0] ^= 1;
    let refusal = refuses(&table, B, of_c, forged);
    let refused = log_of(&mut table, A).accept_statement(refusal);
    assert_eq!(refused, Err(Refused::Signature(C)));
    // An ack does not show that the part is there.
    let due = match table.seats[0].log.phase() {
        Phase::Open(openings) => openings
            .iter()
            .map(|opening| opening.opener)
            .find(|s| *s != A),
        _ => None,
    };
    let due = due.unwrap();
    let no_part: &[_] = &[(due, NoPart)];
    let by = table
        .of
        .seats()
        .find(|seat| ![A, due].contains(seat))
        .unwrap();
    let called = signs(&table, A, no_part);
    let refusal = refuses(&table, by, no_part, ack(&table, due));
    let log = log_of(&mut table, A);
    log.accept_statement(called).unwrap();
    assert_eq!(log.accept_statement(refusal), Ok(Accepted::Known));
}

#[test]
fn seat_that_does_not_vote_is_named_by_the_next_call() {
    let mut table = table_at(5, 3, 1, at_a_release);
    let first: &[_] = &[(C, Silent)];
    let calls = [A, B].map(|seat| signs(&table, seat, first));
    tell(&mut table, &calls);
    let on_first = NoVote(call(&table, first).id());
    let missing = table.seats[0].log.missing();
    for seat in [D, E] {
        assert!(missing.contains(&(seat, on_first)));
    }
    // D has signed nothing: its statement is missing, too. E votes in time.
    let vote = signs(&table, E, first);
    tell(&mut table, &[vote]);
    let over = [(C, Silent), (D, on_first)];
    let step = table.seats[0].log.step();
    let next = table.seats[0].log.next_call(&over.into_iter().collect());
    assert_eq!(next, Some((step, call(&table, &over))));
    let id = call(&table, first).id();
    let calls = table.seats[0].log.calls();
    assert_eq!((calls[0].step, calls[0].depths[&id]), (step, 1));
    let calls = [A, B, E].map(|seat| signs(&table, seat, &over));
    tell(&mut table, &calls);
    assert_eq!(table.seats[0].log.gone(), [C, D]);
    assert!(table.seats[2].log.is_removed() && table.seats[3].log.is_removed());
}

#[test]
fn claim_about_a_vote_is_refuted_by_the_vote_or_by_any_refusal() {
    let mut table = table_at(5, 3, 1, at_a_release);
    let first: &[_] = &[(C, Silent)];
    let next: &[_] = &[(D, NoVote(call(&table, first).id()))];
    let calls = [A, B].map(|seat| signs(&table, seat, first));
    tell(&mut table, &calls);
    let vote = signs(&table, D, first);
    let refusal = refuses(&table, E, first, ack(&table, C));
    for held in [vote, refusal] {
        let mut table = table.copy();
        log_of(&mut table, B)
            .accept_statement(held.clone())
            .unwrap();
        let called = signs(&table, A, next);
        tell(&mut table, &[called]);
        let identity = &table.of.identities[B.index()];
        let (refusal, _) = table.seats[B.index()].log.sign_refusal(identity).unwrap();
        let log = log_of(&mut table, A);
        log.accept_statement(refusal).unwrap();
        // The statement came with it. The first call is open again, or lost.
        assert_eq!(log.last_signed(held.signed.seat()), Some(log.step()));
        assert_eq!(log.is_bound(A), held.signed.seat() == D);
    }
}

#[test]
fn call_that_refers_to_an_unknown_call_counts_once_that_one_is_known() {
    let table = table_at(5, 3, 1, at_a_release);
    let first: &[_] = &[(C, Silent)];
    let next: &[_] = &[(C, Silent), (D, NoVote(call(&table, first).id()))];
    let mut log = table.seats[1].log.clone();
    for seat in [A, E] {
        log.accept_statement(signs(&table, seat, next)).unwrap();
    }
    assert!(!log.is_bound(A) && !log.is_named(C));
    log.accept_statement(signs(&table, A, first)).unwrap();
    assert!(log.is_bound(A) && log.is_named(D));
    // The seat that starts again has its own calls back before those of others.
    let mut own = table.seats[0].log.clone();
    own.accept_statement(signs(&table, A, next)).unwrap();
    assert!(own.is_bound(A));
}

#[test]
fn named_seat_that_has_signed_nothing_signs_an_ack() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let caller = table.of.seats().find(|other| *other != seat).unwrap();
    let silent = table.seats[caller.index()].log.missing();
    assert_eq!(silent, [(seat, Silent)].into_iter().collect());
    assert!(!table.seats[seat.index()].log.owes_ack(seat));
    let called = table.call(caller, &[seat]).unwrap();
    table.send(&called);
    table.deliver_all();
    assert!(table.seats[seat.index()].log.owes_ack(seat));
    let ack = table.sign(seat).unwrap();
    assert!(matches!(ack.signed, Signed::Ack(_)));
    table.send(&ack);
    table.deliver_all();
    // The others refuse with the ack, and the caller lacks the part, for which a new time begins.
    let other = table
        .of
        .seats()
        .find(|other| ![seat, caller].contains(other));
    let refusal = table.sign(other.unwrap()).unwrap();
    table.send(&refusal);
    table.deliver_all();
    let log = &table.seats[caller.index()].log;
    assert!(!log.is_bound(caller));
    assert_eq!(log.missing(), [(seat, NoPart)].into_iter().collect());
}

#[test]
fn bound_seat_signs_no_part_and_completes_the_step_by_no_parts() {
    let mut table = table_at(4, 3, 1, |log| {
        // The turn.
        matches!(log.phase(), Phase::Open(openings) if openings.len() == 3)
    });
    // All acks are there. A seat calls the roll, and then all parts arrive.
    while let Some(seat) = (table.of.seats()).find(|s| table.seats[s.index()].log.owes_ack(*s)) {
        let ack = table.sign(seat).unwrap();
        table.send(&ack);
        table.deliver_all();
    }
    let is_due = |seat: &Seat| !table.seats[0].log.may_sign(*seat).is_empty();
    let due: Vec<Seat> = table.of.seats().filter(is_due).collect();
    let step = table.seats[0].log.step();
    let [caller, other, last] = due[..] else {
        panic!();
    };
    assert!(
        table.call(caller, &[other, last]).is_none(),
        "too few would be left"
    );
    let part = table.sign(other).unwrap();
    table.send(&part);
    table.deliver_all();
    let called = table.call(caller, &[last]).expect("one seat is missing");
    let log = &table.seats[caller.index()].log;
    assert!(log.is_bound(caller) && log.may_sign(caller).is_empty());
    assert!(table.sign(caller).is_none());
    assert!(
        table.call(caller, &[last]).is_none(),
        "it has signed this call"
    );
    let identity = &table.of.identities[caller.index()];
    let mut copy = table.seats[caller.index()].log.clone();
    let refused = copy.sign(identity, caller, &Part::Fine);
    assert_eq!(refused, Err(CannotSign::Bound));
    let part = table.sign(last).unwrap();
    table.send(&part);
    table.deliver_all();
    let log = &table.seats[caller.index()].log;
    assert_eq!(log.step(), step);
    assert!(log.part(step, last).is_some(), "it keeps the part");
    // Another seat refuses with this part. The caller signs its own part then.
    log_of(&mut table, other).accept_statement(called).unwrap();
    let refusal = table.sign(other).unwrap();
    assert!(matches!(&refusal.signed, Signed::Vote(vote) if vote.refuses()));
    log_of(&mut table, caller)
        .accept_statement(refusal)
        .unwrap();
    assert!(!table.seats[caller.index()].log.is_bound(caller));
    assert!(table.sign(caller).is_some());
    assert_eq!(table.seats[caller.index()].log.step(), step + 1);
}

#[test]
fn seat_that_has_passed_the_step_refuses() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let part = table.sign(seat).unwrap();
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let [caller, passed, behind] = others[..] else {
        panic!();
    };
    log_of(&mut table, passed).accept_statement(part).unwrap();
    let step = table.seats[caller.index()].log.step();
    assert!(table.call(caller, &[]).is_none(), "its time is not over");
    let called = table.call(caller, &[seat]).unwrap();
    for other in [seat, passed, behind] {
        log_of(&mut table, other)
            .accept_statement(called.clone())
            .unwrap();
    }
    let identity = &table.of.identities[behind.index()];
    let refusal = table.seats[behind.index()].log.sign_refusal(identity);
    assert_eq!(refusal.err(), Some(CannotSign::NoVote));
    let refusal = table.sign(passed).unwrap();
    assert_eq!(refusal.signed.step(), step);
    let log = log_of(&mut table, caller);
    log.accept_statement(refusal).unwrap();
    // The refusal carried the part.
    assert!(!log.is_bound(caller));
    assert_eq!(log.step(), step + 1);
}

#[test]
fn invalid_part_is_a_foul_before_and_after_the_call_that_ends_its_step() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let seat = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
    let log = &table.seats[others[0].index()].log;
    let (of, step, before) = (table.of.match_info.id(), log.step(), log.hash());
    let identity = &table.of.identities[seat.index()];
    let part = SignedPart::sign(identity, of.as_bytes(), step, &before, seat, vec![1; 12]);
    let calls: Vec<_> = (others.iter())
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
    let calls: Vec<_> = (others.iter())
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
    let other = SignedPart::sign(
        identity,
        of.as_bytes(),
        step,
        &part.before,
        seat,
        vec![1; 12],
    );
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
    assert!(!log.owes_ack(seat) && log.missing().is_empty());
    assert_eq!(Past::of(log), None);
    assert!(table.sign(seat).is_none());
}

#[test]
fn votes_that_no_honest_seat_signs_are_refused() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let due = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|seat| *seat != due).collect();
    let [one, two, _] = others[..] else {
        panic!();
    };
    let impossible: [&[(Seat, Missing)]; 7] = [
        // The signer itself, too many seats, no seat of the match.
        &[(one, NoVote([0; 32]))],
        &[(due, Silent), (two, NoVote([0; 32]))],
        &[(Seat::new(4), NoPart)],
        &[(Seat::new(9), NoVote([0; 32]))],
        // Not due, also outside a release.
        &[(two, Silent)],
        &[(two, NoPart)],
        // Both at once.
        &[(due, Silent), (due, NoPart)],
    ];
    for claims in impossible {
        let statement = signs(&table, one, claims);
        let refused = log_of(&mut table, two).accept_statement(statement);
        assert_eq!(refused, Err(Refused::Vote(one)), "{claims:?}");
    }
    // Foul without one: the call is never possible.
    let statement = signs(&table, one, &[(due, Missing::Foul)]);
    log_of(&mut table, two).accept_statement(statement).unwrap();
    assert!(!table.seats[two.index()].log.is_bound(one));
    // The signature of another seat, or for another history.
    let silent: &[_] = &[(due, Silent)];
    let mut of_another = signs(&table, one, silent);
    let Signed::Vote(signed) = &mut of_another.signed else {
        panic!();
    };
    signed.seat = two;
    let refused = log_of(&mut table, two).accept_statement(of_another);
    assert_eq!(refused, Err(Refused::Signature(two)));
    let mut elsewhere = signs(&table, one, silent);
    elsewhere.before = [7; 32];
    let refused = log_of(&mut table, two).accept_statement(elsewhere);
    assert_eq!(refused, Err(Refused::Signature(one)));
    // While the keys are made, and if all seats together open a card, there are none.
    let mut table = Table::new(threshold(4, 3, 1), 1);
    let statement = signs(&table, A, &[(C, Silent)]);
    let refused = log_of(&mut table, B).accept_statement(statement);
    assert_eq!(refused, Err(Refused::Vote(A)));
    let all: Vec<Seat> = table.of.seats().collect();
    assert!(table.call(A, &all).is_none());
    let mut table = table_at(4, 4, 1, at_a_release);
    assert!(table.call(A, &all).is_none());
    let statement = signs(&table, A, &[(C, Silent)]);
    let refused = log_of(&mut table, B).accept_statement(statement);
    assert_eq!(refused, Err(Refused::Vote(A)));
}

/// A cheat could fill the files of the others.
#[test]
fn votes_of_a_seat_on_more_than_two_calls_for_each_seat_are_ignored() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    for number in 0..9u8 {
        let statement = signs(&table, A, &[(C, NoVote([number; 32]))]);
        let accepted = log_of(&mut table, B).accept_statement(statement).unwrap();
        assert_eq!(accepted == Accepted::Known, number >= 8, "{number}");
    }
}

/// A cheat can call in every step that it knows. A refusal costs a write to the disk. Until the others have
/// passed the next common step, which is the next release here, they can sign late calls.
#[test]
fn calls_in_steps_that_all_others_have_passed_are_not_refused() {
    let mut table = table_at(4, 2, 1, at_a_release);
    let step = table.seats[0].log.step();
    let called = signs(&table, A, &[(C, Silent)]);
    let refuses = |table: &Table| {
        let mut log = table.seats[1].log.clone();
        log.accept_statement(called.clone()).unwrap();
        log.sign_refusal(&table.of.identities[1]).is_ok()
    };
    let mut next = None;
    let mut have_passed = |table: &Table| {
        let log = &table.seats[1].log;
        if log.step() > step && at_a_release(log) {
            next.get_or_insert(log.step());
        }
        let mut others = [A, C, D].iter();
        next.is_some() && others.all(|seat| log.last_signed(*seat) > next)
    };
    let mut passed = 0;
    while !have_passed(&table) {
        // The seats that have not signed since can still be there.
        if table.seats[1].log.step() > step {
            assert!(refuses(&table));
            passed += 1;
        }
        assert!(table.advance());
        table.deliver_all();
    }
    assert!(passed > 0);
    assert!(!refuses(&table));
}

/// The others have removed the seat in a later step. It learns this when it comes to that step.
#[test]
fn call_of_a_seat_that_was_removed_later_is_refused() {
    let mut table = table_at(3, 2, 1, at_a_bet);
    let step = table.seats[0].log.step();
    let signer = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|other| *other != signer).collect();
    let [caller, third] = others[..] else {
        panic!();
    };
    let called = table.call(caller, &[signer]).unwrap();
    table.play_without(&[caller]);
    let identity = &table.of.identities[third.index()];
    let log = &mut table.seats[third.index()].log;
    assert_eq!(log.gone(), [caller]);
    assert!(log.live_at(step + 1).contains(caller));
    log.accept_statement(called).unwrap();
    let (refusal, _) = log.sign_refusal(identity).unwrap();
    assert_eq!(refusal.signed.step(), step);
}

#[test]
fn two_answers_to_one_call_are_evidence() {
    let mut table = table_at(4, 2, 2, at_a_release);
    let of = table.of.match_info.clone();
    let of_c: &[_] = &[(C, Silent), (D, Silent)];
    let signed = signs(&table, A, of_c);
    let refused = [C, D].map(|seat| refuses(&table, A, of_c, ack(&table, seat)));
    let mut log = table.seats[1].log.clone();
    log.accept_statement(signed.clone()).unwrap();
    let Err(Refused::Fork(evidence)) = log.accept_statement(refused[0].clone()) else {
        panic!("two votes");
    };
    assert!(evidence.holds(&of));
    assert_eq!(evidence.seat(), A);
    assert_eq!(log.record_fork(*evidence), Ok(true));
    assert_eq!(log.phase(), Phase::Over(End::Fork { seat: A }));
    // Two refusals with different proofs are not. Nor are votes on two calls.
    let log = log_of(&mut table, B);
    log.accept_statement(refused[0].clone()).unwrap();
    assert_eq!(
        log.accept_statement(refused[1].clone()),
        Ok(Accepted::Known)
    );
    let other = signs(&table, A, &[(D, Silent)]);
    table.seats[1].log.accept_statement(other).unwrap();
}

/// Otherwise each level would multiply the work by the number of claims.
#[test]
fn nested_refusals_are_judged_once_each() {
    let table = table_at(5, 3, 1, at_a_release);
    let claims: Vec<_> = (0..64).map(|id| (C, NoVote([id; 32]))).collect();
    let mut proof = ack(&table, D);
    for _ in 0..9 {
        proof = refuses(&table, A, &claims, proof);
    }
    let mut log = table.seats[1].log.clone();
    assert_eq!(log.accept_statement(proof), Ok(Accepted::Known));
}

/// A cheat could use up the votes of an honest seat with false calls, all of which it refuses.
#[test]
fn votes_on_calls_of_the_owner_always_count() {
    let mut table = table_at(5, 3, 1, at_a_release);
    for number in 0..12u8 {
        let statement = signs(&table, B, &[(D, NoVote([number; 32]))]);
        log_of(&mut table, A).accept_statement(statement).unwrap();
    }
    let of_c: &[_] = &[(C, Silent)];
    let calls = [A, D, E, B].map(|seat| signs(&table, seat, of_c));
    tell(&mut table, &calls);
    assert_eq!(table.seats[0].log.gone(), [C]);
}

#[test]
fn refusal_is_no_statement_of_its_seat() {
    let mut table = table_at(5, 3, 1, at_a_release);
    let of_c: &[_] = &[(C, Silent)];
    let refusal = refuses(&table, D, of_c, ack(&table, C));
    let log = log_of(&mut table, B);
    log.accept_statement(refusal.clone()).unwrap();
    let step = log.step();
    assert!(!log.has_spoken(step, D) && log.last_signed(D) == Some(step));
    let of_d: &[_] = &[(D, Silent)];
    let other = refuses(&table, E, of_d, refusal);
    let log = log_of(&mut table, B);
    assert_eq!(log.accept_statement(other), Ok(Accepted::Known));
}
