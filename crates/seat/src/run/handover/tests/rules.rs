//! One test for each rule of the handover, and the times.

use super::super::{DELAY, READY, Refusal, TIME};
use super::*;

/// A handover of the first one of these players, with all others ready.
fn handover(names: &[Fingerprint]) -> Handover {
    let mut handover = Handover::new(names[0], names.to_vec(), None, (1, [1; 32]), SECOND);
    for name in &names[1..] {
        handover.is_ready(*name, ready(1, [2; 32]));
    }
    handover
}

/// Begins the next number after the time of this one; the others are ready for it, except these.
fn goes_on(
    handover: &mut Handover,
    names: &[Fingerprint],
    due: &[Fingerprint],
    late: &[Fingerprint],
) {
    handover.next_number(due, handover.time());
    let end = handover.time() + DELAY * names.len() as u32;
    let next = handover.next_number(due, end).unwrap();
    handover.begin(next, [next as u8; 32], end);
    for name in names
        .iter()
        .filter(|name| **name != names[0] && !late.contains(name))
    {
        handover.is_ready(*name, ready(next, [3; 32]));
    }
}

#[test]
fn s1_and_s2_a_list_has_every_member_that_is_there() {
    let names = players(4);
    let mut handover = handover(&names);
    assert_eq!(handover.check(1, &names), Ok(()));
    assert_eq!(
        handover.check(1, &names[..3]),
        Err(Refusal::Present(names[3]))
    );
    assert!(!handover.may_be_left_out(names[3]));
    // A newcomer does not stand in for a member.
    let with_newcomer = [&names[..3], &players(5)[4..]].concat();
    assert_eq!(
        handover.check(1, &with_newcomer),
        Err(Refusal::Present(names[3]))
    );
    handover.goes(names[3]);
    assert_eq!(handover.check(1, &names[..3]), Ok(()));
    assert_eq!(handover.members().count(), 3);
}

#[test]
fn s2_silence_in_an_earlier_number_counts() {
    let names = players(4);
    let mut handover = handover(&names);
    assert_eq!(
        handover.check(1, &names[..3]),
        Err(Refusal::Present(names[3]))
    );
    goes_on(&mut handover, &names, &[], &names[3..]);
    let before = 2 * SECOND + handover.time() - TIME;
    assert_eq!(handover.next_number(&[], before), None);
    assert_eq!(
        handover.check(2, &names[..3]),
        Err(Refusal::Present(names[3])),
        "not yet late"
    );
    handover.next_number(&[], handover.time() - TIME + READY);
    assert_eq!(handover.check(2, &names[..3]), Ok(()));
    handover.is_ready(names[3], ready(2, [4; 32]));
    assert_eq!(handover.check(2, &names[..3]), Ok(()), "it was silent");
    assert_eq!(
        handover.proposal(handover.time()),
        Some(names.clone()),
        "but it may play"
    );
}

#[test]
fn s2_a_member_at_a_higher_number_is_not_late() {
    let names = players(3);
    let mut handover = handover(&names);
    handover.is_ready(names[2], ready(2, [4; 32]));
    assert!(
        handover
            .ready_of(names[2])
            .is_some_and(|ready| ready.nonce == [2; 32])
    );
    handover.next_number(&[], SECOND + READY);
    assert!(!handover.may_be_left_out(names[2]));
    // It was ready for number 2, and that is not forgotten when it is ready for number 3.
    handover.is_ready(names[2], ready(3, [5; 32]));
    handover.begin(2, [9; 32], 20 * SECOND);
    assert!(
        handover
            .ready_of(names[2])
            .is_some_and(|ready| ready.nonce == [4; 32])
    );
    handover.next_number(&[], handover.time());
    assert!(!handover.may_be_left_out(names[2]));
}

#[test]
fn s2_a_member_has_the_time_of_two_messages_for_what_came_last() {
    let names = players(3);
    let late = &names[2..];
    let mut handover = handover(&names);
    handover.signs();
    handover.next_number(late, handover.time());
    handover.next_number(late, handover.time() + 2 * DELAY - SECOND);
    assert!(!handover.may_be_left_out(names[2]));
    handover.next_number(late, handover.time() + 2 * DELAY);
    assert!(handover.may_be_left_out(names[2]));

    // What is due only after the time does not count in this number.
    let mut handover = self::handover(&names);
    handover.signs();
    handover.next_number(&[], handover.time());
    handover.next_number(late, handover.time() + 2 * DELAY);
    assert!(!handover.may_be_left_out(names[2]));
}

#[test]
fn s2_a_member_may_refuse_a_list_that_leaves_out_another_one_until_it_has_proposed_itself() {
    let names = players(5);
    for number in [1, 7] {
        let mut handover = Handover::new(names[0], names.clone(), None, (number, [1; 32]), SECOND);
        for name in &names[1..4] {
            handover.is_ready(*name, ready(number, [2; 32]));
        }
        handover.next_number(&[], SECOND + READY);
        let mut list = names[..4].to_vec();
        let proposer = handover.proposer().unwrap();
        list.sort_by_key(|name| *name != proposer);
        assert_eq!(handover.check(number, &list), Ok(()));
        handover.signs();
        goes_on(&mut handover, &names, &names[3..4], &[]);
        assert_eq!(handover.may_be_left_out(names[3]), number == 7);
    }
}

#[test]
fn s2_a_program_that_was_restarted_does_not_judge_members_at_other_numbers() {
    let names = players(3);
    let mut handover = Handover::new(names[0], names.clone(), None, (3, [1; 32]), SECOND);
    handover.has_returned();
    handover.is_ready(names[1], ready(1, [2; 32]));
    handover.is_ready(names[2], ready(9, [2; 32]));
    let end = handover.time() + 3 * DELAY;
    for now in [handover.time(), handover.time() + 2 * DELAY] {
        handover.next_number(&names[1..], now);
    }
    assert!(!names.iter().any(|name| handover.may_be_left_out(*name)));
    handover.next_number(&names[1..], end);
    assert!(handover.may_be_left_out(names[1]));
    assert!(!handover.may_be_left_out(names[2]));

    // Nothing has come from a member, or nothing for several numbers.
    let mut handover = Handover::new(names[0], names.clone(), None, (4, [1; 32]), SECOND);
    handover.has_returned();
    handover.is_ready(names[1], ready(1, [2; 32]));
    handover.next_number(&[], SECOND + READY);
    assert!(
        names[1..]
            .iter()
            .all(|name| handover.may_be_left_out(*name))
    );
}

#[test]
fn s4_more_than_half_of_the_members_are_in_a_list_and_newcomers_do_not_count() {
    let names = players(4);
    let mut handover = handover(&names);
    handover.is_absent(names[2]);
    handover.is_absent(names[3]);
    assert_eq!(handover.check(1, &names[..2]), Err(Refusal::TooFew));
    let with_newcomers = [&names[..2], &players(6)[4..]].concat();
    assert_eq!(handover.check(1, &with_newcomers), Err(Refusal::TooFew));
    assert_eq!(handover.check(1, &names[..3]), Ok(()));
    // Members that go are not counted.
    handover.goes(names[3]);
    assert_eq!(handover.check(1, &names[..2]), Ok(()));
    handover.is_absent(names[1]);
    handover.goes(names[2]);
    assert_eq!(handover.check(1, &names[..1]), Err(Refusal::TooFew));
}

#[test]
fn s4_nobody_plays_alone_and_one_member_may_go_on_with_newcomers() {
    let names = players(2);
    let mut handover = Handover::new(names[0], names[..1].to_vec(), None, (1, [1; 32]), SECOND);
    assert_eq!(handover.check(1, &names[..1]), Err(Refusal::TooFew));
    assert_eq!(handover.check(1, &names), Ok(()));
    assert_eq!(handover.proposal(SECOND), Some(names[..1].to_vec()));
}

#[test]
fn s4_the_left_out_ones_could_not_go_on_with_an_open_match() {
    let names = players(7);
    let mut handover = Handover::new(names[0], names.clone(), Some(3), (1, [1; 32]), SECOND);
    names[4..].iter().for_each(|name| handover.is_absent(*name));
    assert_eq!(handover.check(1, &names[..5]), Ok(()));
    assert_eq!(handover.check(1, &names[..4]), Err(Refusal::TooFew));
    // Nor with one that has said that it goes.
    handover.goes(names[6]);
    assert_eq!(handover.check(1, &names[..4]), Err(Refusal::TooFew));
}

#[test]
fn s5_only_the_proposer_of_the_number_proposes() {
    let names = players(3);
    let mut handover = handover(&names);
    let by_other = [names[1], names[2], names[0]];
    assert_eq!(handover.check(1, &by_other), Err(Refusal::Proposer));
    assert_eq!(handover.check(1, &[]), Err(Refusal::Proposer));
    assert_eq!(handover.proposal(SECOND), Some(names.clone()));
    handover.has_proposed(&names);
    assert_eq!(handover.proposal(SECOND), None, "once");
    goes_on(&mut handover, &names, &[], &[]);
    goes_on(&mut handover, &names, &[], &[]);
    assert!(!handover.proposes());
    assert_eq!(handover.proposal(handover.time()), None);
}

#[test]
fn s6_the_first_member_has_two_numbers_and_each_next_one_has_one() {
    let names = players(3);
    let proposers = |without: &[usize]| {
        let turns = (1..=7).map(|number| {
            let mut handover =
                Handover::new(names[0], names.clone(), None, (number, [1; 32]), SECOND);
            without
                .iter()
                .for_each(|member| handover.goes(names[*member]));
            let proposer = handover.proposer().unwrap();
            names.iter().position(|name| *name == proposer).unwrap()
        });
        turns.collect::<Vec<_>>()
    };
    assert_eq!(proposers(&[]), [0, 0, 1, 2, 0, 1, 2]);
    assert_eq!(proposers(&[0]), [1, 1, 2, 1, 2, 1, 2]);
}

#[test]
fn s7_a_member_that_is_ready_and_does_not_sign_is_left_out_of_the_next_list() {
    let names = players(3);
    let mut handover = handover(&names);
    assert_eq!(handover.check(1, &names), Ok(()));
    handover.signs();
    goes_on(&mut handover, &names, &names[2..], &[]);
    assert_eq!(
        handover.proposal(handover.time() - TIME),
        Some(names[..2].to_vec())
    );
    assert_eq!(handover.check(2, &names[..2]), Ok(()));
    assert_eq!(
        handover.check(2, &names),
        Ok(()),
        "it may be in another list"
    );
    // Without it there are too few.
    goes_on(&mut handover, &names, &[], &names[1..2]);
    goes_on(&mut handover, &names, &[], &names[1..2]);
    goes_on(&mut handover, &names, &[], &names[1..2]);
    assert_eq!(
        handover.proposal(handover.time()),
        Some(vec![names[0], names[2]])
    );
}

#[test]
fn s8_one_list_for_each_number_and_only_with_the_current_number() {
    let names = players(3);
    let mut handover = handover(&names);
    assert_eq!(handover.check(2, &names), Err(Refusal::Number));
    handover.signs();
    assert_eq!(handover.check(1, &names), Err(Refusal::Signed));
    assert_eq!(handover.proposal(handover.time()), None);
    goes_on(&mut handover, &names, &[], &[]);
    assert_eq!(handover.check(1, &names), Err(Refusal::Number));
    assert_eq!(handover.check(2, &names), Ok(()));
    assert_eq!(handover.nonce(), [2; 32]);
}

#[test]
fn s10_and_s11_a_number_ends_after_its_time_and_a_delay_for_each_member() {
    let names = players(3);
    for has_signed in [false, true] {
        let mut handover = handover(&names);
        if has_signed {
            handover.signs();
        }
        let end = SECOND + TIME + 3 * DELAY;
        assert_eq!(
            handover.next_number(&[], end - Duration::from_millis(1)),
            None
        );
        assert_eq!(handover.next_number(&[], end), Some(2));
    }
}

#[test]
fn s11_cards_are_opened_in_time_or_after_others() {
    let names = players(3);
    let mut handover = handover(&names);
    let (moment, time) = (Duration::from_millis(1), SECOND + TIME);
    assert_eq!(handover.time(), time);
    assert!(may_open(&handover, 0, 2, time - moment));
    assert!(!may_open(&handover, 0, 2, time));
    assert!(may_open(&handover, 1, 2, time + DELAY - moment));
    assert!(!may_open(&handover, 1, 2, time + DELAY));
    assert!(may_open(&handover, 2, 2, time + 2 * DELAY - moment));
    // A seat that opens last opens before any other one goes on.
    assert!(!may_open(&handover, 2, 2, time + 2 * DELAY));
    handover.has_returned();
    assert!(!may_open(&handover, 1, 2, 2 * SECOND));
    assert!(may_open(&handover, 2, 2, time + 9 * DELAY));
    handover.begin(2, [2; 32], 2 * SECOND);
    assert!(!may_open(&handover, 1, 2, 2 * SECOND));
    handover.begin(3, [2; 32], 2 * SECOND);
    assert!(may_open(&handover, 0, 2, 2 * SECOND));
}

#[test]
fn a_seat_follows_more_than_half_of_the_members_at_once() {
    let names = players(5);
    let mut handover = handover(&names);
    handover.signs();
    handover.is_ready(names[1], ready(9, [3; 32]));
    handover.is_ready(names[2], ready(4, [3; 32]));
    assert_eq!(handover.next_number(&[], 2 * SECOND), None);
    // A newcomer does not count.
    handover.is_ready(players(6)[5], ready(4, [3; 32]));
    assert_eq!(handover.next_number(&[], 2 * SECOND), None);
    handover.is_ready(names[3], ready(3, [3; 32]));
    assert_eq!(handover.next_number(&[], 2 * SECOND), Some(3));
    // Members that go do not count.
    let mut handover = self::handover(&names);
    handover.goes(names[3]);
    handover.goes(names[4]);
    handover.is_ready(names[3], ready(2, [3; 32]));
    handover.is_ready(names[1], ready(2, [3; 32]));
    assert_eq!(handover.next_number(&[], 2 * SECOND), None);
    handover.is_ready(names[2], ready(2, [3; 32]));
    assert_eq!(handover.next_number(&[], 2 * SECOND), Some(2));
}

#[test]
fn one_of_two_members_follows_the_other_one() {
    let names = players(2);
    let mut handover = handover(&names);
    assert_eq!(handover.next_number(&[], 2 * SECOND), None);
    handover.is_ready(names[1], ready(5, [3; 32]));
    assert_eq!(handover.next_number(&[], 2 * SECOND), Some(5));
    // Also after it was silent for some numbers.
    let mut handover = self::handover(&names);
    goes_on(&mut handover, &names, &[], &names[1..]);
    handover.next_number(&[], handover.time());
    assert!(handover.may_be_left_out(names[1]));
    handover.is_ready(names[1], ready(5, [3; 32]));
    assert_eq!(handover.next_number(&[], handover.time()), Some(5));
}

#[test]
fn a_hostile_number_drags_nobody_and_hides_nothing() {
    let names = players(3);
    let mut handover = handover(&names);
    for number in (3..u16::MAX).step_by(1000).chain([u16::MAX]) {
        handover.is_ready(names[2], ready(number, [3; 32]));
    }
    assert!(
        !handover.is_ready(names[2], ready(u16::MAX, [4; 32])),
        "numbers rise"
    );
    assert!(
        handover
            .ready_of(names[2])
            .is_some_and(|ready| ready.nonce == [2; 32])
    );
    assert!(handover.ready[&names[2]].len() <= super::super::KEPT);
    assert_eq!(handover.next_number(&[], handover.time()), None);
    goes_on(&mut handover, &names, &[], &names[2..]);
    assert_eq!(handover.number(), 2);
    handover.next_number(&[], handover.time());
    assert!(
        handover.may_be_left_out(names[2]),
        "it was never ready for this number"
    );
    // The last number has no next one.
    handover.begin(u16::MAX, [1; 32], SECOND);
    assert_eq!(handover.next_number(&[], 1000 * SECOND), None);
    assert_eq!(handover.announces(1000 * SECOND), None);
}

#[test]
fn one_of_two_members_cannot_lead_the_other_to_the_last_number() {
    let names = players(2);
    let mut handover = handover(&names);
    let mut nonce = [3; 32];
    for step in 0..2000_u16 {
        nonce[0] = step as u8;
        let next = handover.number().saturating_add(super::super::MOST_AHEAD);
        if handover.is_ready(names[1], ready(next, nonce))
            && let Some(number) = handover.next_number(&[], 2 * SECOND)
        {
            handover.begin(number, [1; 32], 2 * SECOND);
        }
    }
    assert!(
        (1000..=super::super::MOST_LED).contains(&handover.number()),
        "{}",
        handover.number()
    );
    assert!(handover.is_ready(names[1], ready(handover.number() + 1, [9; 32])));
}

#[test]
fn the_proposer_waits_for_members_that_may_become_ready() {
    let names = players(3);
    let mut handover = Handover::new(names[0], names.clone(), None, (1, [1; 32]), SECOND);
    handover.is_ready(names[1], ready(1, [2; 32]));
    assert_eq!(handover.proposal(READY), None);
    assert_eq!(handover.timer(SECOND), SECOND + READY);
    assert_eq!(handover.proposal(SECOND + READY), Some(names[..2].to_vec()));
    handover.is_absent(names[2]);
    assert_eq!(
        handover.proposal(SECOND),
        Some(names[..2].to_vec()),
        "it was silent already"
    );
    handover.is_ready(names[2], ready(1, [2; 32]));
    assert_eq!(handover.proposal(SECOND), Some(names.clone()));
}

#[test]
fn seats_leave_an_absent_proposer_only_together() {
    let names = players(3);
    let own = |proposer_is_ready: bool| {
        let mut handover = Handover::new(names[1], names.clone(), None, (1, [1; 32]), SECOND);
        handover.is_ready(names[2], ready(1, [2; 32]));
        if proposer_is_ready {
            handover.is_ready(names[0], ready(1, [2; 32]));
        }
        handover
    };
    let after = SECOND + READY;
    assert_eq!(own(true).announces(after), None);
    let mut handover = own(false);
    assert_eq!(handover.announces(after - Duration::from_millis(1)), None);
    assert_eq!(handover.announces(after), Some(2));
    handover.has_announced([7; 32]);
    assert_eq!(handover.announces(after), None, "once");
    assert_eq!(handover.announced(2), Some([7; 32]));
    assert_eq!(handover.announced(3), None);
    assert_eq!(handover.next_number(&[], after), None, "alone");
    assert_eq!(
        handover.check(1, &names),
        Ok(()),
        "it still signs with this number"
    );
    // The word of the proposer does not count.
    handover.is_ready(names[0], ready(2, [2; 32]));
    assert_eq!(handover.next_number(&[], after), None);
    handover.is_ready(names[2], ready(2, [2; 32]));
    assert_eq!(handover.next_number(&[], after), Some(2));
    handover.begin(2, [7; 32], after);
    assert_eq!(handover.announced(3), None);
    // Nor does a seat leave with which the list of the proposer has arrived, or that has signed.
    let mut handover = own(false);
    assert_eq!(handover.check(1, &names), Ok(()));
    assert_eq!(handover.announces(after), None);
    let mut handover = own(false);
    handover.signs();
    assert_eq!(handover.announces(after), None);
    // Nor one of a program that was restarted.
    let mut handover = own(false);
    handover.has_returned();
    assert_eq!(handover.announces(after), None);
}
