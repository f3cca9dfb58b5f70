//! Histories that are sent again, withheld parts, and forks.

use super::super::*;
use super::test_match::{draw, holdem};
use crate::seat::Seat;

/// Adds all parts of another log, as after a reconnection.
fn merge(into: &mut MatchLog, from: &MatchLog) -> Result<(), Refused> {
    for part in from.history(0) {
        into.accept(part.clone())?;
    }
    Ok(())
}

#[test]
fn two_sides_that_lost_parts_have_the_same_log_after_a_reconnection() {
    let table = holdem(2, 1);
    let all: Vec<SignedPart> = table.played().history(0).cloned().collect();
    let prefixes = table.prefixes(&all);
    for one in 0..=all.len() {
        for other in 0..=all.len() {
            let mut logs = [prefixes[one].clone(), prefixes[other].clone()];
            let before = logs.clone();
            merge(&mut logs[0], &before[1]).unwrap();
            merge(&mut logs[1], &before[0]).unwrap();
            let longer = &prefixes[one.max(other)];
            for log in &logs {
                assert_eq!((log.hash(), log.phase()), (longer.hash(), longer.phase()));
                assert!(log.history(0).eq(longer.history(0)));
            }
        }
    }
}

#[test]
fn two_halves_of_a_step_are_merged() {
    let table = holdem(2, 1);
    let mut logs = [table.log(), table.log()];
    for (seat, log) in Seat::all(2).zip(&mut logs) {
        let deal = table.honest(log, seat);
        log.sign(&table.identities[seat.index()], seat, &deal)
            .unwrap();
        assert_eq!(log.waits_for(), [seat.next(2)]);
        assert!(log.lost_engine_run());
    }
    let before = logs.clone();
    merge(&mut logs[0], &before[1]).unwrap();
    merge(&mut logs[1], &before[0]).unwrap();
    assert_eq!(logs[0].hash(), logs[1].hash());
    assert_eq!(logs[0].phase(), Phase::Seal(Seat::HOST));
    assert!(logs[0].lost_engine_run());
    table.sign_next(&mut logs[0]);
    assert!(!logs[0].lost_engine_run());
}

#[test]
fn log_waits_for_a_withheld_part_and_names_the_seat() {
    let table = holdem(2, 1);
    let all: Vec<SignedPart> = table.played().history(0).cloned().collect();
    let prefixes = table.prefixes(&all);
    for (at, withheld) in all.iter().enumerate() {
        let mut log = prefixes[at].clone();
        for later in &all[at + 1..] {
            let result = log.accept(later.clone());
            match later.step == withheld.step {
                true => assert!(matches!(result, Ok(Accepted::New(..)))),
                false => assert!(matches!(result, Err(Refused::TooEarly { .. }))),
            }
        }
        assert_eq!(log.waits_for(), [withheld.seat]);
        assert_eq!(log.step(), withheld.step);
        log.accept(withheld.clone()).unwrap();
        assert_eq!(log.step(), withheld.step + 1);
    }
}

#[test]
fn two_parts_of_one_seat_for_one_step_are_evidence_whenever_the_second_arrives() {
    for table in [holdem(2, 1), draw(3, 1)] {
        let mut whole = table.played();
        let all: Vec<SignedPart> = whole.history(0).cloned().collect();
        let prefixes = table.prefixes(&all);
        for (at, honest) in all.iter().enumerate() {
            let forked = table.sign(&prefixes[at], honest.seat, &Part::Leave);
            // The second part arrives right after the first part, and after the end of the match.
            let mut soon = prefixes[at + 1].clone();
            for log in [&mut soon, &mut whole] {
                let hash = log.hash();
                let Err(Refused::Fork(evidence)) = log.accept(forked.clone()) else {
                    panic!("{honest:?}");
                };
                assert_eq!(log.hash(), hash);
                assert_eq!(evidence.seat(), honest.seat);
                assert!(evidence.holds(&table.match_info));
                assert_eq!(
                    Evidence::decode_parts(&evidence.encode()),
                    Ok(*evidence.clone())
                );
            }
        }
    }
}

#[test]
fn changed_evidence_convicts_nobody() {
    let table = holdem(2, 1);
    let mut log = table.log();
    let forked = table.sign(&log, Seat::HOST, &Part::Leave);
    table.sign_next(&mut log);
    let Err(Refused::Fork(evidence)) = log.accept(forked.clone()) else {
        panic!();
    };
    let one = evidence.statements[0].clone();
    let twice = Evidence {
        statements: [one.clone(), one],
        ..(*evidence).clone()
    };
    assert!(!twice.holds(&table.match_info));
    assert!(!evidence.holds(&holdem(2, 2).match_info));
    let bytes = evidence.encode();
    for at in 0..bytes.len() {
        let mut other = bytes.clone();
        other[at] ^= 1;
        let changed = Evidence::decode_parts(&other);
        assert!(
            changed.is_err() || !changed.unwrap().holds(&table.match_info),
            "{at}"
        );
        assert!(Evidence::decode_parts(&bytes[..at]).is_err() || at > bytes.len() - 400);
    }
    assert!(log.record_fork(twice).is_err());
    assert_eq!(log.phase(), Phase::Deal);
    assert!(log.record_fork(*evidence).unwrap());
    assert_eq!(log.phase(), Phase::Over(End::Fork { seat: Seat::HOST }));
}

#[test]
fn ending_part_next_to_another_part_ends_the_match_in_either_order() {
    let table = holdem(2, 1);
    let mut log = table.log();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Result(_)));
    let Phase::Result(outcome) = log.phase() else {
        panic!();
    };
    let result = table.sign(
        &log,
        Seat::HOST,
        &Part::Result {
            stacks: outcome.stacks.clone(),
            next: AfterHand::Stay,
            buy: 0,
        },
    );
    let leave = table.sign(&log, Seat::GUEST, &Part::Leave);
    let mut other = log.clone();
    log.accept(result.clone()).unwrap();
    log.accept(leave.clone()).unwrap();
    other.accept(leave).unwrap();
    assert_eq!(other.waits_for(), []);
    other.accept(result).unwrap();
    for log in [log, other] {
        let stopped = End::Stopped(vec![(Seat::GUEST, Stop::Leave)]);
        assert_eq!(log.phase(), Phase::Over(stopped));
        assert_eq!(log.final_stacks(), outcome.stacks);
    }
}

#[test]
fn history_with_a_foul_ends_the_match_at_the_receiver() {
    let table = holdem(2, 1);
    let mut log = table.log();
    let foul = table.sign(&log, Seat::HOST, &Part::Again);
    let Err(Refused::Foul(proof)) = log.accept(foul) else {
        panic!();
    };
    log.record_foul(*proof);
    let mut other = table.log();
    let Err(Refused::Foul(proof)) = merge(&mut other, &log) else {
        panic!();
    };
    other.record_foul(*proof);
    assert_eq!(other.phase(), log.phase());
    assert_eq!(other.fouls(), log.fouls());
    assert!(matches!(
        other.phase(),
        Phase::Over(End::Foul {
            seat: Seat::HOST,
            ..
        })
    ));
}

#[test]
fn log_that_forgets_older_hands_reaches_the_same_state_and_stays_short() {
    let table = holdem(2, 6);
    let played = table.played();
    let all: Vec<SignedPart> = played.history(0).cloned().collect();
    let mut log = table.log();
    let mut longest = 0;
    for part in &all {
        log.accept(part.clone()).unwrap();
        log.forget_older_hands();
        longest = longest.max(log.history(0).count());
    }
    assert_eq!((log.hash(), log.step()), (played.hash(), played.step()));
    assert!(
        log.history(0)
            .eq(all[all.len() - log.history(0).count()..].iter())
    );
    assert!(
        longest <= 3 * all.len().div_ceil(6),
        "{longest} of {}",
        all.len()
    );
    // Forgotten parts can be neither compared nor added again.
    let refused = log.clone().accept(all[0].clone());
    assert_eq!(refused, Err(Refused::Forgotten { step: 0 }));
    assert_eq!(log.part(0, Seat::HOST), None);
    let resume = log.resume_from(0);
    assert_eq!(Some(resume.before), played.hash_before(resume.from));
}
