//! Two sides that meet again.

use super::super::*;
use super::table::holdem;
use crate::seat::Seat;

/// Meets, over the bytes that travel. Gives whether the other had to tell all.
fn meet(log: &mut MatchLog, other: &MatchLog) -> Result<bool, CannotResume> {
    let theirs = Resume::decode(&other.resume().encode()).unwrap();
    let (mut met, mut new) = log.meet(&theirs)?;
    let asked = met == Met::AskForAll;
    let before = log.history(0).count() - new.len();
    if asked {
        (met, new) = log.meet(&other.resume_from(0))?;
    }
    assert_eq!(met, Met::Together);
    assert_eq!(log.history(0).count(), before + new.len());
    Ok(asked)
}

#[test]
fn whatever_two_sides_had_they_have_the_same_when_they_have_met() {
    let table = holdem(2, 4);
    let whole = table.played();
    let parts: Vec<SignedPart> = whole.history(0).cloned().collect();
    let (prefixes, mut asked) = (table.prefixes(&parts), 0);
    for one in (0..=parts.len()).step_by(3) {
        for other in (0..=parts.len()).step_by(4) {
            let mut logs = [prefixes[one].clone(), prefixes[other].clone()];
            let before = logs.clone();
            let lacks = other.saturating_sub(one);
            let all = meet(&mut logs[0], &before[1]).unwrap();
            meet(&mut logs[1], &before[0]).unwrap();
            // Who lacks less than a hand is told no more than two.
            assert!(!all || lacks > 20, "{one} {other}");
            asked += usize::from(all);
            assert_eq!(logs[0].hash(), logs[1].hash());
            assert!(logs[0].history(0).eq(logs[1].history(0)));
        }
    }
    assert!(asked > 0);
}

#[test]
fn a_side_that_goes_on_from_a_state_that_was_put_back_is_convicted_by_the_other() {
    let table = holdem(2, 1);
    let parts: Vec<SignedPart> = table.played().history(0).cloned().collect();
    let prefixes = table.prefixes(&parts);
    for back in 0..parts.len() - 1 {
        let mut put_back = prefixes[back].clone();
        let seat = put_back.waits_for()[0];
        let identity = &table.identities[seat.index()];
        put_back.say(identity, seat, &Part::Leave).unwrap();
        let mut other = prefixes[back + 1].clone();
        let met = meet(&mut other, &put_back);
        let Err(CannotResume::Refused(Refused::Fork(evidence))) = met else {
            panic!("{back} {met:?}");
        };
        assert_eq!(evidence.seat(), seat);
        other.convict(*evidence).unwrap();
    }
}

#[test]
fn a_side_that_was_put_back_and_says_nothing_gets_its_own_parts_again() {
    let table = holdem(2, 3);
    let whole = table.played();
    let mut empty = table.log();
    assert!(meet(&mut empty, &whole).unwrap());
    assert_eq!(empty.phase(), Phase::Over(End::Played));
}

#[test]
fn another_match_and_bytes_that_tell_nothing_are_refused() {
    let table = holdem(2, 1);
    let (mut log, other) = (table.log(), holdem(2, 2).played());
    assert_eq!(log.meet(&other.resume()), Err(CannotResume::OtherMatch));
    let bytes = table.played().resume().encode();
    for cut in 0..bytes.len() {
        assert_eq!(Resume::decode(&bytes[..cut]), Err(BadResume));
    }
    assert_eq!(Resume::decode(&[&bytes[..], &[0]].concat()), Err(BadResume));
    // Parts of somebody else's making change nothing.
    let mut forged = table.played().resume();
    forged
        .parts
        .iter_mut()
        .for_each(|part| part.signature = [1; 64]);
    let refused = Refused::Signature(Seat::HOST);
    assert_eq!(log.meet(&forged), Err(CannotResume::Refused(refused)));
    assert_eq!(log.history(0).count(), 0);
}

#[test]
fn histories_that_parted_long_ago_are_told_from_the_start_and_convict_who_signed_both() {
    let table = holdem(2, 4);
    let fourth = |log: &MatchLog| log.attempt().hand == 4;
    let (mut one, mut other) = (table.log(), table.log());
    table.play_until(&mut one, fourth);
    let deal = other.deal([77; 32], vec![false; 2], 0);
    let identity = &table.identities[0];
    other.say(identity, Seat::HOST, &Part::Deal(deal)).unwrap();
    table.play_until(&mut other, fourth);
    assert_eq!(one.step(), other.step());
    let met = meet(&mut one, &other);
    let Err(CannotResume::Refused(Refused::Fork(evidence))) = met else {
        panic!("{met:?}");
    };
    assert_eq!(
        (evidence.seat(), evidence.before),
        (Seat::HOST, table.of.id())
    );
}
