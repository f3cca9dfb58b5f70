//! Two sides that meet again.

use super::super::*;
use super::test_match::{TestMatch, holdem};
use crate::seat::Seat;

/// What a side tells when it meets the other, and again when it was asked for all.
fn telling(log: &MatchLog, resume: Resume) -> Vec<LogMessage> {
    let parts = log.history(resume.from).cloned().map(LogMessage::Part);
    let mut messages = vec![LogMessage::Resume(resume)];
    messages.extend(parts);
    messages
}

/// How a meeting went: whether the other was asked for all.
#[derive(Debug, PartialEq)]
enum Went {
    Together { asked: bool },
    Cannot(CannotResume),
    Refused(Refused),
}

/// Hears what the other tells, over the bytes that travel.
fn meet(log: &mut MatchLog, other: &MatchLog) -> Went {
    let (mut resuming, mut asked) = (Resuming::reconnection(), false);
    let mut messages: Vec<LogMessage> = telling(other, other.resume());
    messages.reverse();
    while let Some(message) = messages.pop() {
        let message = LogMessage::decode(&message.encode()).unwrap();
        match resuming.receive(log, message) {
            Ok(ToDo::Nothing) => {}
            Ok(ToDo::Accept(part)) => match log.accept(part) {
                Ok(_) => {}
                Err(refused) => return Went::Refused(refused),
            },
            Ok(ToDo::RequestAll) => {
                asked = true;
                messages.splice(..0, telling(other, other.resume_from(0)).into_iter().rev());
            }
            Ok(ToDo::SendAll) => panic!("nobody asks here"),
            Err(error) => return Went::Cannot(error),
        }
    }
    assert!(resuming.is_complete());
    Went::Together { asked }
}

#[test]
fn whatever_two_sides_had_they_have_the_same_when_they_have_met() {
    let table = holdem(2, 4);
    let whole = table.played();
    let parts: Vec<SignedPart> = whole.history(0).cloned().collect();
    let (prefixes, mut all) = (table.prefixes(&parts), 0);
    for one in (0..=parts.len()).step_by(3) {
        for other in (0..=parts.len()).step_by(4) {
            let mut logs = [prefixes[one].clone(), prefixes[other].clone()];
            let before = logs.clone();
            let lacks = other.saturating_sub(one);
            let Went::Together { asked } = meet(&mut logs[0], &before[1]) else {
                panic!("{one} {other}");
            };
            assert!(matches!(
                meet(&mut logs[1], &before[0]),
                Went::Together { .. }
            ));
            // Who lacks less than a hand is told no more than two.
            assert!(!asked || lacks > 20, "{one} {other}");
            all += usize::from(asked);
            assert_eq!(logs[0].hash(), logs[1].hash());
            assert!(logs[0].history(0).eq(logs[1].history(0)));
        }
    }
    assert!(all > 0);
}

/// The parts of a match, and its logs after each of them.
fn prefixes(table: &TestMatch) -> Vec<MatchLog> {
    let parts: Vec<SignedPart> = table.played().history(0).cloned().collect();
    table.prefixes(&parts)
}

#[test]
fn who_lacks_no_more_than_a_hand_needs_nothing_that_the_other_has_forgotten() {
    let table = holdem(2, 5);
    let whole = table.played();
    let mut log = table.log();
    let mut behind = vec![table.log()];
    for part in whole.history(0) {
        log.accept(part.clone()).unwrap();
        log.forget_older_hands();
        let lags = |old: &&MatchLog| old.attempt().hand + 1 >= log.attempt().hand;
        for old in behind.iter().rev().filter(lags).step_by(3) {
            let before = old.clone();
            let mut old = old.clone();
            assert_eq!(meet(&mut old, &log), Went::Together { asked: false });
            let mut log = log.clone();
            assert_eq!(meet(&mut log, &before), Went::Together { asked: false });
            assert_eq!(old.hash(), log.hash());
        }
        behind.push(log.clone());
    }
    assert!(behind.len() > 60);
}

#[test]
fn a_side_that_goes_on_from_a_state_that_was_put_back_is_convicted_by_the_other() {
    let table = holdem(2, 1);
    let prefixes = prefixes(&table);
    for back in 0..prefixes.len() - 2 {
        let mut put_back = prefixes[back].clone();
        let seat = put_back.waits_for()[0];
        let identity = &table.identities[seat.index()];
        put_back.sign(identity, seat, &Part::Leave).unwrap();
        let mut other = prefixes[back + 1].clone();
        let went = meet(&mut other, &put_back);
        let Went::Refused(Refused::Fork(evidence)) = went else {
            panic!("{back} {went:?}");
        };
        assert_eq!(evidence.seat(), seat);
        other.record_fork(*evidence).unwrap();
    }
}

#[test]
fn a_side_that_was_put_back_and_says_nothing_gets_its_own_parts_again() {
    let table = holdem(2, 3);
    let whole = table.played();
    let mut empty = table.log();
    assert_eq!(meet(&mut empty, &whole), Went::Together { asked: true });
    assert_eq!(empty.phase(), Phase::Over(End::Played));
}

#[test]
fn parts_of_somebody_elses_making_change_nothing() {
    let table = holdem(2, 1);
    let (log, other) = (table.log(), holdem(2, 2).played());
    let went = meet(&mut log.clone(), &other);
    assert_eq!(went, Went::Cannot(CannotResume::OtherMatch));
    for part in table.played().history(0) {
        let mut forged = part.clone();
        forged.signature = [1; 64];
        let mut log = log.clone();
        let refused = log.accept(forged).unwrap_err();
        let early = matches!(refused, Refused::TooEarly { .. });
        assert!(early || refused == Refused::Signature(part.seat));
        assert_eq!(log.history(0).count(), 0);
    }
}

#[test]
fn histories_that_parted_long_ago_are_told_from_the_start_and_convict_who_signed_both() {
    let table = holdem(2, 4);
    let fourth = |log: &MatchLog| log.attempt().hand == 4;
    let (mut one, mut other) = (table.log(), table.log());
    table.play_until(&mut one, fourth);
    let deal = other.deal([77; 32], vec![false; 2], 0);
    let identity = &table.identities[0];
    other.sign(identity, Seat::HOST, &Part::Deal(deal)).unwrap();
    table.play_until(&mut other, fourth);
    assert_eq!(one.step(), other.step());
    let went = meet(&mut one, &other);
    let Went::Refused(Refused::Fork(evidence)) = went else {
        panic!("{went:?}");
    };
    assert_eq!(
        (evidence.seat(), evidence.before),
        (Seat::HOST, table.match_info.id())
    );
}

#[test]
fn what_is_told_out_of_order_twice_or_for_ever_is_refused() {
    let table = holdem(2, 1);
    let (log, told) = (table.log(), table.played());
    let [resume, parts @ ..] = &telling(&told, told.resume())[..] else {
        panic!("nothing told");
    };
    let out_of_order = |messages: &[&LogMessage]| {
        let (mut resuming, mut log) = (Resuming::reconnection(), log.clone());
        for (place, &message) in messages.iter().enumerate() {
            let last = place + 1 == messages.len();
            match resuming.receive(&log, message.clone()) {
                Ok(todo) if !last => {
                    if let ToDo::Accept(part) = todo {
                        log.accept(part).unwrap();
                    }
                }
                answer => assert_eq!(answer, Err(CannotResume::OutOfOrder), "{place}"),
            }
        }
    };
    let ask = &LogMessage::RequestAll;
    out_of_order(&[&parts[0]]);
    out_of_order(&[resume, resume]);
    out_of_order(&[resume, &parts[0], resume]);
    out_of_order(&[resume, &parts[0], &parts[0]]);
    out_of_order(&[resume, &parts[0], &parts[1], &parts[0]]);
    out_of_order(&[ask, ask]);
    let mut whole = vec![resume];
    whole.extend(parts);
    whole.push(resume);
    out_of_order(&whole);

    // On the line on which the match begins nobody has anything to tell.
    for message in [resume, ask] {
        let answer = Resuming::first_connection().receive(&log, message.clone());
        assert_eq!(answer, Err(CannotResume::OutOfOrder));
    }

    // Who was asked for all and tells again what cannot be compared.
    let elsewhere = LogMessage::Resume(Resume {
        from: 3,
        before: [9; 32],
        ..told.resume()
    });
    let mut resuming = Resuming::reconnection();
    assert_eq!(
        resuming.receive(&log, elsewhere.clone()),
        Ok(ToDo::RequestAll)
    );
    for part in parts {
        assert_eq!(resuming.receive(&log, part.clone()), Ok(ToDo::Nothing));
    }
    // It has said more before it heard that it was asked.
    assert_eq!(resuming.receive(&log, parts[0].clone()), Ok(ToDo::Nothing));
    let answer = resuming.receive(&log, elsewhere);
    assert_eq!(answer, Err(CannotResume::OtherBeginning));
}

#[test]
fn a_foul_is_told_behind_its_step_if_it_comes_last_and_nothing_else_is() {
    let table = holdem(2, 1);
    let mut log = table.log();
    // The guest deals first, and then the host commits its foul in the same step.
    let deal = table.honest(&log, Seat::GUEST);
    let identity = &table.identities[Seat::GUEST.index()];
    log.sign(identity, Seat::GUEST, &deal).unwrap();
    let no_part = vec![PartKind::Leave as u8; 40];
    let foul = table.sign_bytes(&log, Seat::HOST, no_part);
    let Err(Refused::Foul(proof)) = log.accept(foul.clone()) else {
        panic!("a host may say that");
    };
    log.record_foul(*proof);
    let went = meet(&mut table.log(), &log);
    assert!(matches!(went, Went::Refused(Refused::Foul(_))), "{went:?}");

    let (mut resuming, other) = (Resuming::reconnection(), table.log());
    let mut told = telling(&log, log.resume());
    let [LogMessage::Resume(resume), ..] = &mut told[..] else {
        panic!("nothing told");
    };
    resume.parts += 1;
    let answers: Vec<_> = (told.into_iter())
        .map(|message| resuming.receive(&other, message))
        .collect();
    assert!(matches!(answers[1], Ok(ToDo::Accept(_))));
    assert_eq!(answers[2], Err(CannotResume::OutOfOrder));
}

#[test]
fn a_late_foul_of_which_one_side_knows_is_known_to_both_when_they_have_met() {
    let table = holdem(2, 2);
    let all: Vec<SignedPart> = table.played().history(0).cloned().collect();
    let logs = table.prefixes(&all);
    let sealed = logs
        .iter()
        .find(|log| log.phase() == Phase::Seal(Seat::GUEST));
    let late = table.sign(sealed.unwrap(), Seat::HOST, &Part::Leave);
    for knows in (5..logs.len()).step_by(4) {
        let mut one = logs[knows].clone();
        let Err(Refused::Foul(proof)) = one.accept(late.clone()) else {
            panic!("{knows}");
        };
        one.record_foul(*proof);
        for lacks in (0..=knows).step_by(3) {
            let mut other = logs[lacks].clone();
            // It does not know of the end, and tells what it has.
            assert!(matches!(
                meet(&mut one.clone(), &other),
                Went::Together { .. }
            ));
            let Went::Refused(Refused::Foul(proof)) = meet(&mut other, &one) else {
                panic!("{knows} {lacks}");
            };
            other.record_foul(*proof);
            assert_eq!((other.phase(), other.hash()), (one.phase(), one.hash()));
            assert!(other.history(0).eq(one.history(0)));
            // Once both know it, nothing is new.
            assert!(matches!(meet(&mut other, &one), Went::Together { .. }));
        }
    }
}

#[test]
fn only_what_is_written_is_a_message_of_the_log() {
    let table = holdem(2, 1);
    let told = telling(&table.played(), table.played().resume());
    for message in told.iter().take(2).chain([&LogMessage::RequestAll]) {
        let bytes = message.encode();
        assert_eq!(LogMessage::decode(&bytes).as_ref(), Ok(message));
        let rest = match message {
            // A part is as long as what is left.
            LogMessage::Part(_) => 1 + SignedPart::OVERHEAD,
            _ => bytes.len(),
        };
        for cut in 0..rest {
            assert_eq!(LogMessage::decode(&bytes[..cut]), Err(BadLogMessage));
        }
        if !matches!(message, LogMessage::Part(_)) {
            let longer = [&bytes[..], &[0]].concat();
            assert_eq!(LogMessage::decode(&longer), Err(BadLogMessage));
        }
    }
    for kind in 3..=u8::MAX {
        assert_eq!(LogMessage::decode(&[kind]), Err(BadLogMessage));
    }
}
