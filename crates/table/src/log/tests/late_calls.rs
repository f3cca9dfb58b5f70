//! Late calls: they say only that votes are lacking. They end no step, and the next common step removes
//! their seats.

use super::super::*;
use super::many_seats::Table;
use super::roll_calls::{A, B, C, D, at_a_bet, signs, table_at};
use crate::seat::{Seat, SeatSet};
use Missing::{Part as NoPart, Removed, Statement as Silent, Vote as NoVote};

/// Returns a table of four seats with the threshold three, before the last choice of a betting round, and
/// the seat that chooses.
fn before_a_release() -> (Table, Seat) {
    let mut table = table_at(4, 3, 1, at_a_bet);
    loop {
        let due = table.seats[0].log.waits_for()[0];
        let mut after = table.copy();
        let choice = after.sign(due).unwrap();
        if matches!(after.seats[due.index()].log.phase(), Phase::Open(_)) {
            return (table, due);
        }
        table.sign(due);
        table.send(&choice);
        table.deliver_all();
    }
}

/// Two seats have called the one that chooses, whose choice was under way, and a fourth seat does not vote.
struct Called {
    table: Table,
    callers: [Seat; 2],
    /// It has passed the step with its choice.
    chooser: Seat,
    silent: Seat,
    step: u64,
}

impl Called {
    fn new() -> Self {
        let (table, chooser) = before_a_release();
        Called::of(table, chooser)
    }

    /// The seat `chooser` is the last one that has to sign in this step.
    fn of(mut table: Table, chooser: Seat) -> Self {
        let seats = table.seats.len();
        let [one, two, silent] = [1, 2, 3].map(|next| chooser.around(seats).nth(next).unwrap());
        let step = table.seats[0].log.step();
        let calls = [one, two].map(|caller| table.call(caller, &[chooser]).unwrap());
        let choice = table.sign(chooser).unwrap();
        let mut called = Called {
            table,
            callers: [one, two],
            chooser,
            silent,
            step,
        };
        for statement in calls.iter().chain([&choice]) {
            called.deliver(statement);
        }
        for caller in called.callers {
            let log = called.log(caller);
            assert!(log.step() == step && log.is_bound(caller) && log.has_spoken(step, chooser));
        }
        assert_eq!(called.log(chooser).step(), step + 1);
        called
    }

    fn log(&self, seat: Seat) -> &MatchLog {
        &self.table.seats[seat.index()].log
    }

    fn remaining(&self) -> [Seat; 3] {
        [self.callers[0], self.callers[1], self.chooser]
    }

    /// The seats that remain receive a statement.
    fn deliver(&mut self, statement: &Statement) {
        for seat in self.remaining() {
            if statement.signed.seat() != seat {
                let log = &mut self.table.seats[seat.index()].log;
                log.accept_statement(statement.clone()).unwrap();
            }
        }
    }

    /// A seat says that the silent ones have not voted.
    fn call_late(&mut self, seat: Seat) -> Option<Statement> {
        let missing = self.log(seat).missing().into_iter();
        let remaining = self.remaining();
        let vote =
            missing.filter(|(of, what)| !remaining.contains(of) && matches!(what, NoVote(_)));
        let vote = vote.collect();
        let identity = &self.table.of.identities[seat.index()];
        let log = &mut self.table.seats[seat.index()].log;
        let called = log.sign_call(identity, &vote);
        called.ok().map(|(statement, _)| statement)
    }
}

#[test]
fn late_call_ends_no_step_and_a_call_of_the_next_common_step_removes_its_seats() {
    let mut called = Called::new();
    let [one, two] = called.callers;
    let (chooser, silent, step) = (called.chooser, called.silent, called.step);
    // The seat that has passed the step signs no late call before the callers have.
    assert!(called.call_late(chooser).is_none());
    for caller in [one, two] {
        let late = called.call_late(caller).unwrap();
        assert_eq!(late.signed.step(), step);
        called.deliver(&late);
    }
    assert!(called.log(one).is_bound(one) && called.log(one).step() == step);
    let late = called.call_late(chooser).unwrap();
    assert_eq!(late.signed.step(), step);
    called.deliver(&late);
    for seat in called.remaining() {
        let log = called.log(seat);
        // The step has ended with the choice. Nobody is gone, and nobody signs a part of the release.
        assert_eq!((log.step(), log.hash()), (step + 1, called.log(one).hash()));
        assert!(log.gone().is_empty() && log.is_bound(seat));
        assert!(log.missing().contains(&(silent, Removed)));
        assert!(!log.missing().contains(&(silent, Silent)));
        // No time has to pass.
        let (of, call) = log.next_call(&Default::default()).unwrap();
        assert_eq!(
            (of, call.named()),
            (step + 1, [silent].into_iter().collect())
        );
    }
    for seat in called.remaining() {
        let call = called.table.call(seat, &[]).unwrap();
        called.deliver(&call);
    }
    for seat in called.remaining() {
        let log = called.log(seat);
        assert_eq!((log.step(), log.gone()), (step + 2, &[silent][..]));
        assert_eq!(log.hash(), called.log(one).hash());
    }
    // The removed seat learns it, and the file of each seat leads to the same log.
    let statements = called.log(one).statements(0);
    let mut out = called.log(silent).clone();
    let mut again = called.table.of.log_of(one);
    for statement in statements {
        let _later = out.accept_statement(statement.clone());
        again.accept_statement(statement).unwrap();
    }
    assert!(out.is_removed());
    assert_eq!(again.hash(), called.log(one).hash());
}

/// The late call is in the last step of the first hand, and the first step of the second hand removes its seat.
#[test]
fn history_of_a_hand_begins_with_the_late_call_that_removes_a_seat_in_its_first_step() {
    let mut table = table_at(4, 3, 2, |log| matches!(log.phase(), Phase::Result(_)));
    let step = table.seats[0].log.step();
    for seat in [B, C, D] {
        while table.seats[seat.index()].log.part(step, seat).is_none() {
            let statement = table.sign(seat).unwrap();
            table.send(&statement);
            table.deliver_all();
        }
    }
    let mut called = Called::of(table, A);
    let mut out = called.log(called.silent).clone();
    for seat in called.remaining() {
        let late = called.call_late(seat).unwrap();
        assert_eq!(late.signed.step(), step);
        called.deliver(&late);
    }
    called.table.play_without(&[called.silent]);
    let log = called.log(A);
    assert_eq!(log.phase(), Phase::Over(End::Played));
    assert!(log.steps().start_of_previous_hand() > step);
    for statement in log.statements(log.resume().from) {
        let _later = out.accept_statement(statement);
    }
    assert!(out.is_removed());
}

/// Returns a table before the last result of the match, which needs the part of seat A, and the logs of the seats from
/// D on, which have only their own parts of it.
fn before_the_last_result(seats: u8) -> (Table, Vec<MatchLog>) {
    let mut table = table_at(seats, 3, 1, |log| matches!(log.phase(), Phase::Result(_)));
    let step = table.seats[0].log.step();
    let mut logs: Vec<MatchLog> = table.seats.iter().map(|seat| seat.log.clone()).collect();
    for seat in table.of.seats().skip(1) {
        while table.seats[seat.index()].log.part(step, seat).is_none() {
            let statement = table.sign(seat).unwrap();
            table.send(&statement);
            logs[seat.index()].accept_statement(statement).unwrap();
            table.deliver_all();
        }
    }
    (table, logs.split_off(D.index()))
}

/// A vote can carry the part that a silent seat lacks, or the part of another silent seat is still under way.
#[test]
fn late_call_of_the_last_step_removes_nobody_in_any_order_of_its_statements() {
    for seats in [4, 5] {
        let (table, silent) = before_the_last_result(seats);
        let mut called = Called::of(table, A);
        let step = called.step;
        for seat in called.remaining() {
            let late = called.call_late(seat).unwrap();
            assert_eq!(late.signed.step(), step);
            called.deliver(&late);
        }
        for log in called.remaining().map(|seat| called.log(seat)) {
            assert_eq!(log.phase(), Phase::Over(End::Played));
            assert!(log.gone().is_empty());
        }
        let mut statements = called.log(A).statements(step);
        for is_reversed in [false, true] {
            for mut log in silent.iter().cloned() {
                for statement in &statements {
                    let _late = log.accept_statement(statement.clone());
                }
                let phase = log.phase();
                assert_eq!(phase, Phase::Over(End::Played), "{seats}, {is_reversed}");
                assert_eq!(log.hash(), called.log(A).hash());
            }
            statements.reverse();
        }
    }
}

/// The call claims that a part is missing, so it ends the step without its seat.
#[test]
fn call_of_the_last_step_removes_its_seat_in_any_order_of_its_statements() {
    let mut table = table_at(4, 3, 1, |log| matches!(log.phase(), Phase::Result(_)));
    let step = table.seats[0].log.step();
    let mut part = None;
    for seat in [D, A, B, C] {
        let own = table.sign(seat).unwrap();
        // The part of D is under way.
        if seat == D {
            part = Some(own);
        } else {
            table.send(&own);
            table.deliver_all();
        }
    }
    let out = table.seats[D.index()].log.clone();
    let votes = [A, B, C].map(|seat| table.call(seat, &[D]).unwrap());
    let called = &mut table.seats[A.index()].log;
    for vote in &votes[1..] {
        called.accept_statement(vote.clone()).unwrap();
    }
    assert_eq!(called.phase(), Phase::Over(End::Played));
    assert_eq!(called.gone(), [D]);
    let _void = called.accept_statement(part.unwrap());
    let mut statements = called.statements(step);
    for _ in 0..2 {
        let mut out = out.clone();
        for statement in &statements {
            let _later = out.accept_statement(statement.clone());
        }
        assert_eq!(out.phase(), Phase::Over(End::Removed));
        statements.reverse();
    }
}

/// Until the common step, the others need its parts.
#[test]
fn late_call_removes_its_seat_once_the_seat_comes_to_the_common_step() {
    let mut table = table_at(4, 3, 1, at_a_bet);
    let chooser = table.seats[0].log.waits_for()[0];
    // Another seat chooses next.
    let next = chooser.next(4);
    let others: Vec<Seat> = next.around(4).filter(|seat| *seat != chooser).collect();
    let step = table.seats[0].log.step();
    let calls = [others[1], others[2]].map(|caller| table.call(caller, &[chooser]).unwrap());
    let choice = table.sign(chooser).unwrap();
    let mut called = Called {
        callers: [others[1], others[2]],
        chooser,
        silent: next,
        step,
        table,
    };
    for statement in calls.iter().chain([&choice]) {
        called.deliver(statement);
    }
    for seat in called.remaining() {
        let late = called.call_late(seat).unwrap();
        called.deliver(&late);
    }
    let mut out = called.log(next).clone();
    for statement in called.log(chooser).statements(step) {
        out.accept_statement(statement).unwrap();
    }
    assert_eq!(
        (out.step(), out.hash()),
        (step + 1, called.log(chooser).hash())
    );
    assert!(!out.is_removed() && !out.may_sign(next).is_empty());
    called.table.seats[next.index()].log = out;
    loop {
        let log = called.log(next);
        if log.is_removed() {
            break;
        }
        let due = log.waits_for()[0];
        let choice = called.table.sign(due).unwrap();
        called.deliver(&choice);
        if due != next {
            let log = &mut called.table.seats[next.index()].log;
            log.accept_statement(choice).unwrap();
        }
    }
    let log = called.log(chooser);
    assert!(matches!(log.phase(), Phase::Open(_)) && log.step() == called.log(next).step());
    assert!(log.missing().contains(&(next, Removed)));
}

#[test]
fn open_late_call_holds_a_seat_in_the_common_step() {
    let mut called = Called::new();
    let (chooser, silent, step) = (called.chooser, called.silent, called.step);
    let late = called
        .callers
        .map(|caller| called.call_late(caller).unwrap());
    called.deliver(&late[0]);
    let own = called.call_late(chooser).unwrap();
    assert_eq!(own.signed.step(), step);
    // The vote of one caller is still under way.
    let log = called.log(chooser);
    assert!(log.is_bound(chooser) && log.gone().is_empty());
    assert!(!log.missing().contains(&(silent, Removed)));
    // No call ends the common step now.
    let others = called.callers;
    let statements = others.map(|seat| signs(&called.table, seat, &[(silent, Silent)]));
    let now = log.step();
    for statement in statements {
        let log = &mut called.table.seats[chooser.index()].log;
        let _early = log.accept_statement(statement);
    }
    assert_eq!(called.log(chooser).step(), now);
    called.deliver(&late[1]);
    assert!(called.log(chooser).missing().contains(&(silent, Removed)));
}

#[test]
fn won_late_call_makes_the_call_void_for_the_seat_that_it_names() {
    let mut called = Called::new();
    let [one, two] = called.callers;
    for seat in [one, two, called.chooser] {
        let late = called.call_late(seat).unwrap();
        called.deliver(&late);
    }
    // The silent seat has not received the choice, and now signs the call.
    let late_vote = called.table.call(called.silent, &[called.chooser]).unwrap();
    assert_eq!(late_vote.signed.step(), called.step);
    called.deliver(&late_vote);
    for seat in called.remaining() {
        let log = called.log(seat);
        assert!(!log.is_removed() && log.gone().is_empty(), "{seat}");
        assert!(log.missing().contains(&(called.silent, Removed)));
    }
}

/// A foul needs no time, and would end the step.
#[test]
fn foul_of_the_silent_seat_is_called_in_the_next_step() {
    let mut called = Called::new();
    let (chooser, silent, step) = (called.chooser, called.silent, called.step);
    let log = called.log(chooser);
    let (of, before) = (log.match_info().id(), log.hash_before(step).unwrap());
    let bytes = log.part(step, chooser).unwrap().part.clone();
    let identity = &called.table.of.identities[silent.index()];
    let part = SignedPart::sign(identity, of.as_bytes(), step, &before, silent, bytes);
    for seat in called.remaining() {
        let log = &mut called.table.seats[seat.index()].log;
        let Err(Refused::Foul(proof)) = log.accept(part.clone()) else {
            panic!("a choice of a seat that has no choice");
        };
        log.record_foul(*proof);
    }
    for caller in called.callers {
        let late = called.call_late(caller).unwrap();
        assert_eq!(late.signed.step(), step);
        called.deliver(&late);
    }
    // The seat that has passed the step signs a call there, too.
    let foul = called.call_late(chooser).unwrap();
    let late = called.call_late(chooser).unwrap();
    assert_eq!([foul.signed.step(), late.signed.step()], [step + 1, step]);
    called.deliver(&late);
    called.deliver(&foul);
    for seat in called.remaining() {
        let call = called.table.call(seat, &[]).unwrap();
        assert_eq!(call.signed.step(), step + 1);
        called.deliver(&call);
    }
    assert_eq!(called.log(chooser).gone(), [silent]);
}

#[test]
fn false_call_is_refused_until_the_next_common_step() {
    let mut table = table_at(4, 3, 1, |log| matches!(log.phase(), Phase::Open(_)));
    let release = table.seats[0].log.step();
    while table.seats[0].log.step() < release + 4 {
        assert!(table.advance());
        table.deliver_all();
    }
    // All others have chosen since the release.
    assert!(at_a_bet(&table.seats[0].log));
    let due = table.seats[0].log.waits_for()[0];
    let [victim, cheat] = [1, 2].map(|next| due.around(4).nth(next).unwrap());
    let log = &mut table.seats[due.index()].log;
    assert!(
        [victim, cheat]
            .iter()
            .all(|seat| log.last_signed(*seat) > Some(release))
    );
    let (of, before) = (log.match_info().id(), log.hash_before(release).unwrap());
    let call = Call::new(release, [(victim, Silent)]).unwrap();
    let identity = &table.of.identities[cheat.index()];
    let answer = super::super::roll_call::Answer::Signs(None);
    let vote = SignedVote::sign(identity, &of, &before, (release, cheat), call, answer);
    log.accept_signed(Signed::Vote(Box::new(vote))).unwrap();
    let identity = &table.of.identities[due.index()];
    let (refusal, _) = log.sign_refusal(identity).unwrap();
    assert_eq!(refusal.signed.step(), release);
}

#[test]
fn delayed_refusal_loses_the_late_call() {
    let mut called = Called::new();
    let [one, two] = called.callers;
    for caller in [one, two] {
        let late = called.call_late(caller).unwrap();
        called.deliver(&late);
    }
    // The silent seat had the choice, and refuses the first call. The chooser passes this on.
    let silent = called.silent;
    for statement in called.log(called.chooser).statements(called.step) {
        let log = &mut called.table.seats[silent.index()].log;
        let _later = log.accept_statement(statement);
    }
    let identity = &called.table.of.identities[silent.index()];
    let log = &mut called.table.seats[silent.index()].log;
    let (refusal, _) = log.sign_refusal(identity).unwrap();
    called.deliver(&refusal);
    assert!(called.call_late(called.chooser).is_none());
    let chooser = called.chooser;
    let identity = &called.table.of.identities[chooser.index()];
    let log = &mut called.table.seats[chooser.index()].log;
    let (refusal, _) = log.sign_refusal(identity).unwrap();
    called.deliver(&refusal);
    for caller in [one, two] {
        let log = called.log(caller);
        assert_eq!((log.step(), log.gone()), (called.step + 1, &[][..]));
        assert!(!log.is_bound(caller) && !log.missing().contains(&(silent, Removed)));
    }
}

#[test]
fn seats_with_an_open_call_in_an_earlier_step_are_known() {
    let mut called = Called::new();
    let open = |called: &Called| {
        let calls = called.log(called.chooser).calls();
        let calls = calls.iter().map(|calls| (calls.step, calls.open));
        calls.collect::<Vec<_>>()
    };
    let callers: SeatSet = called.callers.into_iter().collect();
    assert_eq!(open(&called), [(called.step, callers)]);
    for caller in called.callers {
        let late = called.call_late(caller).unwrap();
        called.deliver(&late);
    }
    let late = called.call_late(called.chooser).unwrap();
    called.deliver(&late);
    assert_eq!(open(&called), [(called.step, SeatSet::default())]);
}

#[test]
fn call_that_says_falsely_that_a_late_call_has_removed_a_seat_has_no_effect() {
    let table = table_at(4, 2, 1, |log| matches!(log.phase(), Phase::Open(_)));
    let false_call = signs(&table, D, &[(C, Removed)]);
    let mut log = table.seats[A.index()].log.clone();
    assert!(log.accept_statement(false_call.clone()).is_ok());
    assert!(log.has_spoken(log.step(), D) && !log.is_named(C));
    assert!(log.calls()[0].open.is_empty() && log.waits_for_votes().is_empty());
    let of = |log: &MatchLog| {
        log.missing()
            .into_iter()
            .map(|(seat, _)| seat)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&log), [B, C]);
    let all = log.missing();
    let (_, call) = log.next_call(&all).unwrap();
    assert_eq!(call.named(), [B, C].into_iter().collect());
    // In a step that is not common, it is no call.
    let table = table_at(4, 2, 1, at_a_bet);
    let mut log = table.seats[A.index()].log.clone();
    let refused = log.accept_statement(signs(&table, D, &[(C, Removed)]));
    assert_eq!(refused, Err(Refused::Vote(D)));
}

/// Two cheats that lack each other's parts by their calls are bound. The others call both once their time is
/// over, and not before.
#[test]
fn cheats_that_call_each_other_are_called_once_their_time_is_over() {
    let mut table = table_at(5, 3, 1, |log| matches!(log.phase(), Phase::Open(_)));
    while let Some(seat) = (table.of.seats()).find(|s| table.seats[s.index()].log.owes_ack(*s)) {
        let ack = table.sign(seat).unwrap();
        table.send(&ack);
        table.deliver_all();
    }
    let log = &table.seats[A.index()].log;
    let (due, _) = log.due_at(log.step());
    let others: Vec<Seat> = due.iter().filter(|seat| *seat != A).collect();
    let [one, two, ..] = others[..] else {
        panic!("the seat opens cards with two others: {due:?}");
    };
    // Only the parts of the cheats are missing.
    for seat in due.iter().filter(|seat| ![one, two].contains(seat)) {
        let part = table.sign(seat).unwrap();
        table.send(&part);
        table.deliver_all();
    }
    let log = &table.seats[A.index()].log;
    let calls = [(one, two), (two, one)].map(|(by, of)| signs(&table, by, &[(of, NoPart)]));
    let mut log = log.clone();
    for call in calls {
        log.accept_statement(call).unwrap();
    }
    assert!(log.is_bound(one) && log.is_bound(two));
    assert_eq!(log.next_call(&Default::default()), None);
    let over = [(one, NoPart), (two, NoPart)].into_iter().collect();
    // First a call that is known, then one of both.
    let identity = &table.of.identities[A.index()];
    log.sign_call(identity, &over).unwrap();
    let (_, call) = log.next_call(&over).unwrap();
    assert_eq!(call.named(), [one, two].into_iter().collect());
}

/// A cheat signs as many false calls as a log keeps, in each release of a match.
#[test]
fn false_calls_in_each_common_step_cost_no_more_than_their_number() {
    let mut table = table_at(4, 3, 2, |log| matches!(log.phase(), Phase::Open(_)));
    let cheat = D;
    let mut releases = 0;
    while !matches!(table.seats[0].log.phase(), Phase::Over(_)) {
        let log = &table.seats[0].log;
        let is_new =
            matches!(log.phase(), Phase::Open(_)) && log.steps().votes(log.step()).is_empty();
        if is_new && table.seats.iter().all(|seat| seat.log.step() == log.step()) {
            releases += 1;
            let claims = [&[(A, Removed)][..], &[(B, Removed)], &[(C, Removed)]];
            let more = [(A, Silent), (B, Silent), (C, Silent)];
            let mixed = more.map(|claim| vec![claim, (claim.0, Removed)]);
            let calls = claims.iter().map(|claims| claims.to_vec()).chain(mixed);
            let votes: Vec<_> = calls.map(|claims| signs(&table, cheat, &claims)).collect();
            for vote in votes {
                for seat in [A, B, C] {
                    let log = &mut table.seats[seat.index()].log;
                    log.accept_statement(vote.clone()).unwrap();
                }
            }
        }
        assert!(table.advance(), "the match cannot go on");
        table.deliver_all();
    }
    assert!(releases > 5, "{releases}");
    assert_eq!(table.seats[0].log.phase(), Phase::Over(End::Played));
}
