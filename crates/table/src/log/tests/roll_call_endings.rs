//! Seats that leave or commit fouls in matches with roll calls, and hands for which too few seats are
//! left.

use rand::rngs::StdRng;

use super::super::roll_call::Answer;
use super::super::*;
use super::many_seats::{Table, threshold};
use super::roll_calls::{A, B, C, D, at_a_bet, call, signs, table_at, vote};
use crate::rules::{Choice, Legal};
use crate::seat::Seat;
use crate::testing::choices;

fn chips(log: &MatchLog) -> u64 {
    log.final_stacks().iter().sum()
}

#[test]
fn seat_that_leaves_publishes_nothing_and_the_match_goes_on() {
    let mut table = table_at(4, 3, 2, at_a_bet);
    let leaver = table.seats[0].log.waits_for()[0];
    table.seats[leaver.index()].leaves = true;
    table.play();
    assert_eq!(table.phase(), Phase::Over(End::Played));
    assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
    let log = &table.seats[0].log;
    assert_eq!(log.gone(), [leaver]);
    assert_eq!(chips(log), 400);
    let kinds = log
        .history(0)
        .map(|part| Part::decode(&part.part, log.shape()).unwrap().kind());
    assert!(kinds.into_iter().all(|kind| kind != PartKind::Key));
    assert_eq!(log.deals(leaver).len(), 1);
    assert_eq!(log.deals(leaver.next(4)).len(), 2);
}

#[test]
fn hand_cannot_go_on_once_too_few_seats_are_left() {
    // Two of three open a card, and two leave: the one that stays takes the pot.
    let mut table = table_at(3, 2, 2, at_a_bet);
    let first = table.seats[0].log.waits_for()[0];
    let pot = |log: &MatchLog| log.game().unwrap().pot();
    table.seats[first.index()].leaves = true;
    table.seats[first.next(3).index()].leaves = true;
    let before = pot(&table.seats[0].log);
    table.play();
    let Phase::Over(End::TooFew(left)) = table.phase() else {
        panic!("{:?}", table.phase());
    };
    assert_eq!(left, [first.next(3)]);
    let stays = first.next(3).next(3);
    for seat in &table.seats {
        let log = &seat.log;
        assert_eq!(chips(log), 300);
        let own = log.final_stacks()[stays.index()];
        assert!(own > 100 || before == 0, "{:?}", log.final_stacks());
        assert_eq!(Past::of(log).unwrap().steps, log.step());
        assert!(log.missing().is_empty() && log.unconfirmed().is_empty());
    }
    // Four of five, and two leave: the others take back their bets, and divide those of the leavers.
    let mut table = table_at(5, 4, 2, at_a_bet);
    let first = table.seats[0].log.waits_for()[0];
    table.seats[first.index()].leaves = true;
    table.seats[first.next(5).index()].leaves = true;
    table.play();
    assert!(matches!(table.phase(), Phase::Over(End::TooFew(_))));
    for seat in &table.seats {
        assert_eq!(chips(&seat.log), 500);
        assert_eq!(seat.log.final_stacks(), table.seats[0].log.final_stacks());
    }
}

fn all_in(legal: &Legal, _: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet {
            raise: Some(raise), ..
        } => Choice::Raise { to: raise.max },
        Legal::Bet { bet: Some(bet), .. } => Choice::Bet { to: bet.max },
        _ => choices::passive(legal),
    }
}

/// Folds if there is a bet.
fn folding(legal: &Legal, _: &mut StdRng) -> Choice {
    match legal {
        Legal::Bet { call: Some(_), .. } => Choice::Fold,
        legal => choices::passive(legal),
    }
}

#[test]
fn match_ends_when_only_one_of_the_seats_that_were_not_removed_has_chips() {
    let last = Seat::new(3);
    for is_removed in [false, true] {
        let mut table = Table::new(threshold(4, 3, 2), 3);
        table.seats.iter_mut().for_each(|seat| seat.choose = all_in);
        table.seats[last.index()].choose = folding;
        while !matches!(table.seats[0].log.phase(), Phase::Result(_)) {
            assert!(table.advance());
            table.deliver_all();
        }
        let Phase::Result(outcome) = table.seats[0].log.phase() else {
            unreachable!();
        };
        let with_chips = table
            .of
            .seats()
            .filter(|seat| outcome.stacks[seat.index()] > 0);
        assert_eq!(with_chips.count(), 2);
        assert!(outcome.stacks[last.index()] > 0);
        // The others sign the result, and then calls, if the last seat is silent.
        let silent: &[Seat] = if is_removed { &[last] } else { &[] };
        let is_result = |table: &Table| matches!(table.seats[0].log.phase(), Phase::Result(_));
        while is_result(&table) {
            while is_result(&table) && table.advance_without(silent) {}
            for seat in table.of.seats().filter(|seat| !silent.contains(seat)) {
                if let Some(call) = table.call(seat, silent) {
                    table.send(&call);
                }
            }
            table.deliver_all();
        }
        let log = &table.seats[0].log;
        assert_eq!(log.gone(), silent);
        let after = if is_removed {
            Phase::Over(End::NoChips)
        } else {
            Phase::Deal
        };
        assert_eq!(log.phase(), after);
    }
}

/// The seat signs a part that the rules do not allow, and the others receive it.
fn commit_foul(table: &mut Table, seat: Seat) {
    let log = &table.seats[0].log;
    let (of, step, before) = (log.match_info().id(), log.step(), log.hash());
    let identity = &table.of.identities[seat.index()];
    let part = SignedPart::sign(identity, of.as_bytes(), step, &before, seat, vec![250; 9]);
    let signed = Signed::Part(part);
    for other in &mut table.seats {
        let statement = Statement {
            before,
            signed: signed.clone(),
        };
        let Err(Refused::Foul(proof)) = other.log.accept_statement(statement) else {
            panic!("a foul");
        };
        assert!(other.log.record_foul(*proof));
    }
}

#[test]
fn seat_that_commits_a_foul_is_removed_once_its_part_is_due_and_the_match_goes_on() {
    for offset in 0..4 {
        let mut table = table_at(4, 3, 2, at_a_bet);
        let seat = Seat::new(offset);
        commit_foul(&mut table, seat);
        let others: Vec<Seat> = table.of.seats().filter(|other| *other != seat).collect();
        // No time has to pass, once its part is due.
        let log = &table.seats[0].log;
        let is_due = log.due_at(log.step()).0.contains(seat);
        for other in &others {
            let log = &table.seats[other.index()].log;
            assert!(!log.is_convicted());
            assert_eq!(log.missing().contains(&(seat, Missing::Foul)), is_due);
            let call = table.call(*other, &[]);
            assert_eq!(call.is_some(), is_due);
            if let Some(call) = call {
                table.send(&call);
            }
        }
        table.play_without(&[seat]);
        for other in &others {
            let log = &table.seats[other.index()].log;
            assert_eq!(log.phase(), Phase::Over(End::Played));
            assert_eq!(log.gone(), [seat]);
            assert_eq!(
                (chips(log), log.hash()),
                (400, table.seats[others[0].index()].log.hash())
            );
        }
    }
}

#[test]
fn fouls_end_the_match_once_too_few_seats_are_left() {
    let mut table = table_at(4, 3, 2, at_a_bet);
    commit_foul(&mut table, B);
    commit_foul(&mut table, C);
    for seat in [A, D] {
        let log = &table.seats[seat.index()].log;
        assert!(matches!(
            log.phase(),
            Phase::Over(End::Foul { seat: B, .. })
        ));
        assert!(log.missing().is_empty());
        assert_eq!(chips(log), 400);
        assert_eq!(log.final_stacks(), table.seats[0].log.final_stacks());
    }
    // The remaining seats confirm the end.
    for seat in [A, D] {
        assert!(table.seats[seat.index()].log.owes_ack(seat));
        let ack = table.sign(seat).unwrap();
        table.send(&ack);
    }
    table.deliver_all();
    assert!(table.seats[0].log.unconfirmed().is_empty());
}

#[test]
fn foul_in_the_keys_ends_the_match() {
    let mut table = Table::new(threshold(4, 3, 1), 1);
    commit_foul(&mut table, D);
    let log = &table.seats[0].log;
    assert!(matches!(
        log.phase(),
        Phase::Over(End::Foul { seat: D, .. })
    ));
    assert_eq!(log.final_stacks(), [100; 4]);
}

#[test]
fn foul_that_a_vote_carries_counts_as_a_foul_and_not_as_a_part() {
    let mut table = table_at(4, 2, 1, at_a_bet);
    let due = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|seat| *seat != due).collect();
    let [one, cheat, other] = others[..] else {
        panic!();
    };
    let log = &table.seats[0].log;
    let (of, step, before) = (log.match_info().id(), log.step(), log.hash());
    let identity = &table.of.identities[cheat.index()];
    // It is not its turn.
    let foul = SignedPart::sign(identity, of.as_bytes(), step, &before, cheat, vec![250; 9]);
    let own = Answer::Signs(Some((foul.signature, foul.part.clone())));
    let called = vote(
        &table,
        cheat,
        call(&table, &[(due, Missing::Statement)]),
        own,
    );
    let calls = [
        called,
        table.call(one, &[due]).unwrap(),
        table.call(other, &[due]).unwrap(),
    ];
    for seat in [one, other] {
        let log = &mut table.seats[seat.index()].log;
        for call in &calls {
            let accepted = log.accept_statement(call.clone()).unwrap();
            assert!(matches!(accepted, Accepted::Vote(_) | Accepted::Known));
        }
        assert_eq!(log.gone(), [due]);
        assert_eq!(log.fouls().len(), 1);
        let (due, _) = log.due_at(log.step());
        let is_called = log.missing().contains(&(cheat, Missing::Foul));
        assert_eq!(is_called, due.contains(cheat));
    }
    let hashes = [one, other].map(|seat| table.seats[seat.index()].log.hash());
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn deals_that_votes_carry_count_and_the_deck_made_ahead_does_not() {
    // The second hand, with a deck made ahead.
    let mut table = Table::new(threshold(4, 3, 2), 3);
    while table.seats[0].log.attempt().hand < 2 || table.seats[0].log.deal_waits_for().is_some() {
        assert!(table.advance());
        table.deliver_all();
    }
    let chain = table.seats[0].log.ahead_end();
    assert_ne!(chain, [0; 32]);
    // Two seats have dealt. Their votes carry the deals.
    let dealt: Vec<Seat> = [A, B].to_vec();
    for seat in &dealt {
        if table.seats[seat.index()]
            .log
            .part(table.seats[0].log.step(), *seat)
            .is_none()
        {
            let deal = table.sign(*seat).unwrap();
            table.send(&deal);
        }
    }
    table.deliver_all();
    let before = table.seats[0].log.step();
    table.play_without(&[C]);
    let log = &table.seats[0].log;
    assert_eq!(log.phase(), Phase::Over(End::Played));
    assert_eq!(log.gone(), [C]);
    let kind = |part: &SignedPart| Part::decode(&part.part, log.shape()).unwrap().kind();
    let deals = log
        .history(before)
        .filter(|part| kind(part) == PartKind::Deal);
    let seats: Vec<Seat> = deals.map(|part| part.seat).collect();
    assert_eq!(seats.len(), 3, "each of the others deals once: {seats:?}");
    let shuffles = log
        .history(before)
        .filter(|part| kind(part) == PartKind::Shuffle);
    assert_eq!(shuffles.count(), 3, "the shuffles are steps of the hand");
    assert_eq!(chips(log), 400);
}

#[test]
fn silent_seat_whose_shuffle_ahead_is_due_is_missing_also_if_it_has_dealt() {
    let mut table = Table::new(threshold(4, 3, 2), 3);
    let is_between = |log: &MatchLog| log.phase() == Phase::Deal && log.attempt().hand == 2;
    while !is_between(&table.seats[0].log) {
        assert!(table.advance_without_shuffles_of(C));
        table.deliver_all();
    }
    let log = &mut table.seats[C.index()].log;
    let input = DealInput::Verifiable {
        out: false,
        end: [0; 32],
    };
    let deal = Part::Deal(log.deal(input, vec![false; 4]));
    let (before, identity) = (log.hash(), &table.of.identities[C.index()]);
    let signed = Signed::Part(log.sign(identity, C, &deal).unwrap().0);
    table.send(&Statement { before, signed });
    table.deliver_all();
    let log = &table.seats[0].log;
    assert!(log.part(log.step(), C).is_some());
    assert_eq!(log.deal_waits_for(), Some(C));
    assert_eq!(log.missing(), [(C, Missing::Shuffle)].into_iter().collect());
    table.play_without(&[C]);
    let log = &table.seats[0].log;
    assert_eq!(log.phase(), Phase::Over(End::Played));
    assert_eq!(log.gone(), [C]);
}

impl Table {
    /// Does one thing. The seat shuffles no deck ahead.
    fn advance_without_shuffles_of(&mut self, seat: Seat) -> bool {
        let all: Vec<Seat> = self.of.seats().collect();
        for other in all {
            let owes = other == seat && self.seats[other.index()].log.owes_ahead(other);
            let signs = !self.seats[other.index()].log.may_sign(other).is_empty()
                && self.seats[other.index()].log.lacks(other).is_empty()
                || self.seats[other.index()].log.owes_ack(other);
            if owes && !signs {
                continue;
            }
            if let Some(statement) = self.sign(other) {
                self.send(&statement);
                return true;
            }
        }
        false
    }
}

#[test]
fn equivocation_ends_the_match_with_and_without_a_removed_seat() {
    let mut table = table_at(4, 2, 1, at_a_bet);
    let due = table.seats[0].log.waits_for()[0];
    let others: Vec<Seat> = table.of.seats().filter(|seat| *seat != due).collect();
    let [one, cheat, other] = others[..] else {
        panic!();
    };
    // The cheat signs the call with one of them, and refuses it for the other one: their logs part.
    let calls = [one, other].map(|seat| table.call(seat, &[due]).unwrap());
    let part = table.sign(due).unwrap();
    let silent = call(&table, &[(due, Missing::Statement)]);
    let refuses = Answer::Refuses(Box::new(part.clone()));
    let split = [
        signs(&table, cheat, &[(due, Missing::Statement)]),
        vote(&table, cheat, silent, refuses),
    ];
    for (seat, lie) in [(one, &split[0]), (other, &split[1])] {
        let log = &mut table.seats[seat.index()].log;
        for statement in calls.iter().chain([lie, &part]) {
            log.accept_statement(statement.clone()).unwrap();
        }
    }
    let [a, b] = [one, other].map(|seat| table.seats[seat.index()].log.clone());
    assert_eq!((a.gone(), b.gone()), (&[due][..], &[][..]));
    assert_ne!(a.hash(), b.hash());
    // Together they convict the cheat, and the step in which they part does not count.
    for (seat, from) in [(one, &b), (other, &a)] {
        let log = &mut table.seats[seat.index()].log;
        for statement in from.statements(0) {
            match log.accept_statement(statement) {
                Err(Refused::Fork(evidence)) => {
                    assert_eq!(evidence.seat(), cheat);
                    log.record_fork(*evidence).unwrap();
                }
                Ok(_) | Err(Refused::OtherHistory { .. } | Refused::Over) => {}
                Err(refused) => panic!("{refused:?}"),
            }
        }
    }
    let logs = [one, other].map(|seat| &table.seats[seat.index()].log);
    for log in logs {
        assert_eq!(log.phase(), Phase::Over(End::Fork { seat: cheat }));
        assert_eq!(log.counted_steps(), a.step() - 1);
        assert_eq!(chips(log), 400);
    }
    assert_eq!(logs[0].final_stacks(), logs[1].final_stacks());
}
