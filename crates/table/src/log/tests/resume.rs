//! Two sides that resume a match.

use super::super::*;
use super::test_match::{TestMatch, holdem};
use crate::seat::Seat;
use dealerless_connection::wire::Malformed;

/// The messages that a side sends after a reconnection, or when its whole history is requested.
fn history_messages(log: &MatchLog, resume: Resume) -> Vec<LogMessage> {
    let parts = log.history(resume.from).cloned().map(LogMessage::Part);
    let mut messages = vec![LogMessage::Resume(resume)];
    messages.extend(parts);
    messages
}

/// The outcome of a reconnection. `asked` tells whether this side requested the whole history.
#[derive(Debug, PartialEq)]
enum Outcome {
    Synced { asked: bool },
    Cannot(CannotResume),
    Refused(Refused),
}

/// Resumes with the messages of the other log, encoded and decoded.
fn resume_with(log: &mut MatchLog, other: &MatchLog) -> Outcome {
    let (mut resuming, mut asked) = (Resuming::reconnection(), false);
    let mut messages: Vec<LogMessage> = history_messages(other, other.resume());
    messages.reverse();
    while let Some(message) = messages.pop() {
        let message = LogMessage::decode(&message.encode()).unwrap();
        match resuming.receive(log, message) {
            Ok(ToDo::Nothing) => {}
            Ok(ToDo::Accept(part)) => match log.accept(part) {
                Ok(_) => {}
                Err(refused) => return Outcome::Refused(refused),
            },
            Ok(ToDo::RequestAll) => {
                asked = true;
                messages.splice(
                    ..0,
                    history_messages(other, other.resume_from(0))
                        .into_iter()
                        .rev(),
                );
            }
            Ok(ToDo::AcceptStatement(statement)) => match log.accept_statement(statement) {
                Ok(_) => {}
                Err(refused) => return Outcome::Refused(refused),
            },
            Ok(ToDo::Convict(_)) => panic!("the other side has no evidence"),
            Ok(ToDo::SendAll | ToDo::SendFrom(_)) => panic!("the other side did not ask"),
            Err(error) => return Outcome::Cannot(error),
        }
    }
    assert!(resuming.is_complete());
    Outcome::Synced { asked }
}

#[test]
fn two_sides_have_the_same_log_after_a_reconnection() {
    let table = holdem(2, 4);
    let whole = table.played();
    let parts: Vec<SignedPart> = whole.history(0).cloned().collect();
    let (prefixes, mut all) = (table.prefixes(&parts), 0);
    for one in (0..=parts.len()).step_by(3) {
        for other in (0..=parts.len()).step_by(4) {
            let mut logs = [prefixes[one].clone(), prefixes[other].clone()];
            let before = logs.clone();
            let lacks = other.saturating_sub(one);
            let Outcome::Synced { asked } = resume_with(&mut logs[0], &before[1]) else {
                panic!("{one} {other}");
            };
            assert!(matches!(
                resume_with(&mut logs[1], &before[0]),
                Outcome::Synced { .. }
            ));
            // A side that lacks less than a hand does not request the whole history.
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
fn side_that_lacks_at_most_a_hand_needs_nothing_that_the_other_has_forgotten() {
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
            assert_eq!(
                resume_with(&mut old, &log),
                Outcome::Synced { asked: false }
            );
            let mut log = log.clone();
            assert_eq!(
                resume_with(&mut log, &before),
                Outcome::Synced { asked: false }
            );
            assert_eq!(old.hash(), log.hash());
        }
        behind.push(log.clone());
    }
    assert!(behind.len() > 60);
}

#[test]
fn side_that_continues_from_an_old_state_is_convicted() {
    let table = holdem(2, 1);
    let prefixes = prefixes(&table);
    for back in 0..prefixes.len() - 2 {
        let mut restored = prefixes[back].clone();
        let seat = restored.waits_for()[0];
        let identity = &table.identities[seat.index()];
        restored.sign(identity, seat, &Part::Leave).unwrap();
        let mut other = prefixes[back + 1].clone();
        let outcome = resume_with(&mut other, &restored);
        let Outcome::Refused(Refused::Fork(evidence)) = outcome else {
            panic!("{back} {outcome:?}");
        };
        assert_eq!(evidence.seat(), seat);
        other.record_fork(*evidence).unwrap();
    }
}

#[test]
fn side_with_an_old_state_that_signs_nothing_gets_its_own_parts_back() {
    let table = holdem(2, 3);
    let whole = table.played();
    let mut empty = table.log();
    assert_eq!(
        resume_with(&mut empty, &whole),
        Outcome::Synced { asked: true }
    );
    assert_eq!(empty.phase(), Phase::Over(End::Played));
}

#[test]
fn forged_parts_and_parts_of_another_match_change_nothing() {
    let table = holdem(2, 1);
    let (log, other) = (table.log(), holdem(2, 2).played());
    let outcome = resume_with(&mut log.clone(), &other);
    assert_eq!(outcome, Outcome::Cannot(CannotResume::OtherMatch));
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
fn histories_that_diverged_long_ago_are_sent_from_the_start_and_convict_the_signer_of_both() {
    let table = holdem(2, 4);
    let fourth = |log: &MatchLog| log.attempt().hand == 4;
    let (mut one, mut other) = (table.log(), table.log());
    table.play_until(&mut one, fourth);
    let deal = other.deal(other.sealed_input([77; 32], 0).unwrap(), vec![false; 2]);
    let identity = &table.identities[0];
    other.sign(identity, Seat::HOST, &Part::Deal(deal)).unwrap();
    table.play_until(&mut other, fourth);
    assert_eq!(one.step(), other.step());
    let outcome = resume_with(&mut one, &other);
    let Outcome::Refused(Refused::Fork(evidence)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        (evidence.seat(), evidence.statements[0].before),
        (Seat::HOST, *table.match_info.id().as_bytes())
    );
}

#[test]
fn messages_out_of_order_repeated_or_beyond_the_announced_number_are_refused() {
    let table = holdem(2, 1);
    let (log, other) = (table.log(), table.played());
    let [resume, parts @ ..] = &history_messages(&other, other.resume())[..] else {
        panic!("nothing sent");
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

    // On the connection on which the match begins, neither side has a history to send.
    for message in [resume, ask] {
        let answer = Resuming::first_connection().receive(&log, message.clone());
        assert_eq!(answer, Err(CannotResume::OutOfOrder));
    }

    // The other side's whole history is requested, but it sends another history that does not fit.
    let elsewhere = LogMessage::Resume(Resume {
        from: 3,
        before: [9; 32],
        ..other.resume()
    });
    let mut resuming = Resuming::reconnection();
    assert_eq!(
        resuming.receive(&log, elsewhere.clone()),
        Ok(ToDo::RequestAll)
    );
    for part in parts {
        assert_eq!(resuming.receive(&log, part.clone()), Ok(ToDo::Nothing));
    }
    // The other side sent this part before it received the request.
    assert_eq!(resuming.receive(&log, parts[0].clone()), Ok(ToDo::Nothing));
    let answer = resuming.receive(&log, elsewhere);
    assert_eq!(answer, Err(CannotResume::OtherBeginning));
}

#[test]
fn only_a_foul_in_last_place_is_accepted_after_its_step() {
    let table = holdem(2, 1);
    let mut log = table.log();
    // The guest deals first, and then the host commits its foul in the same step.
    let deal = table.honest(&log, Seat::GUEST);
    let identity = &table.identities[Seat::GUEST.index()];
    log.sign(identity, Seat::GUEST, &deal).unwrap();
    let no_part = vec![PartKind::Leave as u8; 40];
    let foul = table.sign_bytes(&log, Seat::HOST, no_part);
    let Err(Refused::Foul(proof)) = log.accept(foul.clone()) else {
        panic!("the part is allowed");
    };
    log.record_foul(*proof);
    let outcome = resume_with(&mut table.log(), &log);
    assert!(
        matches!(outcome, Outcome::Refused(Refused::Foul(_))),
        "{outcome:?}"
    );

    let (mut resuming, other) = (Resuming::reconnection(), table.log());
    let mut messages = history_messages(&log, log.resume());
    let [LogMessage::Resume(resume), ..] = &mut messages[..] else {
        panic!("nothing sent");
    };
    resume.parts += 1;
    let answers: Vec<_> = (messages.into_iter())
        .map(|message| resuming.receive(&other, message))
        .collect();
    assert!(matches!(answers[1], Ok(ToDo::Accept(_))));
    assert_eq!(answers[2], Err(CannotResume::OutOfOrder));
}

#[test]
fn late_foul_known_to_one_side_is_known_to_both_after_a_reconnection() {
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
            // The other side does not know that the match is over, and sends its history.
            assert!(matches!(
                resume_with(&mut one.clone(), &other),
                Outcome::Synced { .. }
            ));
            let Outcome::Refused(Refused::Foul(proof)) = resume_with(&mut other, &one) else {
                panic!("{knows} {lacks}");
            };
            other.record_foul(*proof);
            assert_eq!((other.phase(), other.hash()), (one.phase(), one.hash()));
            assert!(other.history(0).eq(one.history(0)));
            // Once both know the foul, nothing is new.
            assert!(matches!(
                resume_with(&mut other, &one),
                Outcome::Synced { .. }
            ));
        }
    }
}

#[test]
fn log_messages_have_one_encoding() {
    let table = holdem(2, 1);
    let messages = history_messages(&table.played(), table.played().resume());
    for message in messages.iter().take(2).chain([&LogMessage::RequestAll]) {
        let bytes = message.encode();
        assert_eq!(LogMessage::decode(&bytes).as_ref(), Ok(message));
        let rest = match message {
            // A part takes all remaining bytes.
            LogMessage::Part(_) => 1 + SignedPart::OVERHEAD,
            _ => bytes.len(),
        };
        for cut in 0..rest {
            assert_eq!(LogMessage::decode(&bytes[..cut]), Err(Malformed));
        }
        if !matches!(message, LogMessage::Part(_)) {
            let longer = [&bytes[..], &[0]].concat();
            assert_eq!(LogMessage::decode(&longer), Err(Malformed));
        }
    }
    for kind in 3..=u8::MAX {
        assert_eq!(LogMessage::decode(&[kind]), Err(Malformed));
    }
}
