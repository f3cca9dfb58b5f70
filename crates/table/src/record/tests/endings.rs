//! The state of a match at the end of its record.

use super::files::{begun, file, file_of};
use crate::log::tests::test_match::{TestMatch, holdem};
use crate::log::{End, MatchLog, Part, PartKind, Phase, Refused, Stop, Unsettled};
use crate::record::{BadRecord, MatchState, Record};
use crate::seat::Seat;

fn state(table: &TestMatch, log: &MatchLog) -> MatchState {
    let record = Record::read(&file(table, Seat::HOST, log), None).unwrap();
    assert_eq!(record.log.final_stacks(), log.final_stacks());
    record.state()
}

fn chooses(table: &TestMatch) -> MatchLog {
    let mut log = table.log();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Choose { .. }));
    log
}

#[test]
fn an_unfinished_match_is_open_and_waits_for_a_seat() {
    let table = holdem(2, 1);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    for (count, log) in table.prefixes(&parts).iter().enumerate() {
        let read = Record::read(&file_of(&table, Seat::HOST, &parts[..count]), None).unwrap();
        let expected = match log.phase() {
            Phase::Over(end) => MatchState::Over(end),
            _ => MatchState::Open {
                after: log.step().checked_sub(1),
                hand: 1,
                waits_for: log.waits_for(),
            },
        };
        assert_eq!(read.state(), expected);
        let nobody =
            matches!(&expected, MatchState::Open { waits_for, .. } if waits_for.is_empty());
        assert!(!nobody);
    }
}

#[test]
fn signed_parts_decide_a_hand_without_the_losers_signature() {
    let table = holdem(2, 1);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let mut pots = Vec::new();
    for (count, log) in table.prefixes(&parts).iter().enumerate() {
        let read = Record::read(&file_of(&table, Seat::HOST, &parts[..count]), None).unwrap();
        let unsettled = read.log.unsettled();
        assert_eq!(unsettled, log.unsettled());
        match (log.phase(), unsettled) {
            (Phase::Result(outcome), Some(Unsettled::Decided(decided))) => {
                assert_eq!(decided, outcome);
                assert_eq!(decided.stacks, table.played().final_stacks());
                pots.push(0);
            }
            (phase, Some(Unsettled::Undecided { pot })) => {
                assert!(phase.is_sealed());
                pots.push(pot);
            }
            (phase, None) => assert!(!phase.is_sealed()),
            (phase, unsettled) => panic!("{phase:?}: {unsettled:?}"),
        }
    }
    // The blinds, the called bets, and a result that both seats have to sign.
    pots.dedup();
    assert_eq!(pots, [3, 4, 0]);
}

#[test]
fn every_ending_of_a_match_is_read() {
    let table = holdem(2, 1);
    assert_eq!(
        state(&table, &table.played()),
        MatchState::Over(End::Played)
    );
    let mut kinds = [PartKind::Leave, PartKind::Forfeit, PartKind::Dispute].map(|kind| {
        let mut log = chooses(&table);
        let seat = log.waits_for()[0];
        let part = table.part(kind, &log, seat);
        log.sign(&table.identities[seat.index()], seat, &part)
            .unwrap();
        match state(&table, &log) {
            MatchState::Over(End::Stopped(stops)) => stops[0],
            other => panic!("{other:?}"),
        }
    });
    kinds.sort_by_key(|stop| matches!(stop.1, Stop::Dispute { .. }));
    assert_eq!(
        kinds[..2],
        [(Seat::HOST, Stop::Leave), (Seat::HOST, Stop::Forfeit)]
    );
    assert!(matches!(kinds[2], (Seat::HOST, Stop::Dispute { .. })));
}

#[test]
fn a_foul_or_a_fork_is_an_ending_and_not_damage() {
    let table = holdem(2, 1);
    let log = chooses(&table);
    let seat = log.waits_for()[0];
    let foul = table.sign(&log, seat, &Part::Again);
    let mut parts: Vec<_> = log.history(0).cloned().collect();
    parts.push(foul);
    let record = Record::read(&file_of(&table, Seat::GUEST, &parts), None).unwrap();
    assert!(matches!(record.state(), MatchState::Over(End::Foul { seat: by, .. }) if by == seat));
    // A part for an earlier step is a foul as well, and is accepted only once.
    let mut late: Vec<_> = parts[..parts.len() - 1].to_vec();
    let sealed = table.prefixes(&late).into_iter();
    let mut sealed = sealed.filter(|log| log.phase() == Phase::Seal(Seat::GUEST));
    late.push(table.sign(&sealed.next().unwrap(), Seat::HOST, &Part::Leave));
    let record = Record::read(&file_of(&table, Seat::GUEST, &late), None).unwrap();
    assert!(
        matches!(record.state(), MatchState::Over(End::Foul { seat: by, .. }) if by == Seat::HOST)
    );
    late.push(late[late.len() - 1].clone());
    assert!(Record::read(&file_of(&table, Seat::GUEST, &late), None).is_err());
    // No part may follow a foul.
    parts.push(parts[0].clone());
    assert!(Record::read(&file_of(&table, Seat::GUEST, &parts), None).is_err());

    let mut log = table.log();
    let other = table.sign(&log, Seat::HOST, &Part::Leave);
    let said = table.sign_next(&mut log);
    let Err(Refused::Fork(evidence)) = log.accept(other.clone()) else {
        panic!();
    };
    let (mut journal, memory) = begun(&table, Seat::GUEST);
    journal.append([&said]).unwrap();
    journal.append_evidence(&evidence).unwrap();
    let record = Record::read(&memory.bytes(), None).unwrap();
    assert_eq!(
        record.state(),
        MatchState::Over(End::Fork { seat: Seat::HOST })
    );
    journal.append_evidence(&evidence).unwrap();
    let error = Record::read(&memory.bytes(), None).unwrap_err();
    assert!(
        matches!(error, BadRecord::Foreign(place) if place.step == 0),
        "{error}"
    );
    // If both parts are in one file, no program has detected the fork.
    let error = Record::read(&file_of(&table, Seat::GUEST, &[said, other]), None).unwrap_err();
    assert_eq!(
        error.evidence().map(|evidence| evidence.seat()),
        Some(Seat::HOST)
    );
}

#[test]
fn evidence_of_another_match_is_refused() {
    let (table, others) = (holdem(2, 1), holdem(2, 2));
    let mut log = others.log();
    let other = others.sign(&log, Seat::HOST, &Part::Leave);
    others.sign_next(&mut log);
    let Err(Refused::Fork(evidence)) = log.accept(other) else {
        panic!();
    };
    let (mut journal, memory) = begun(&table, Seat::GUEST);
    journal.append_evidence(&evidence).unwrap();
    let error = Record::read(&memory.bytes(), None).unwrap_err();
    assert!(matches!(error, BadRecord::Foreign(_)), "{error}");
}
