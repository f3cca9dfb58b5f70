//! A log accepts the parts signed by a hostile seat only as the rules allow, and otherwise stays
//! unchanged. The log convicts no other seat, and can always continue. The total of the chips never
//! changes. Another log that receives all messages reaches the same state.
//!
//! Input: a table and a moment of its match, the hostile seat, and parts, some of them hostile.

#![no_main]

mod edits;
mod seats;

use dealerless_table::Seat;
use dealerless_table::log::{
    Accepted, End, Evidence, LogMessage, MatchLog, NoEvidence, Phase, Refused, Resuming, Signed,
    SignedPart, Statement, ToDo,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use seats::{TABLES, Table};

/// The complete observable state of a log.
fn seen(log: &MatchLog) -> impl PartialEq + use<> {
    let history: Vec<SignedPart> = log.history(0).cloned().collect();
    let may_sign: Vec<_> = (Seat::all(log.match_info().seats()))
        .map(|seat| log.may_sign(seat))
        .collect();
    let stacks = (log.stacks().to_vec(), log.final_stacks());
    (
        log.hash(),
        log.step(),
        log.phase(),
        history,
        may_sign,
        stacks,
        log.game().cloned(),
    )
}

/// The bytes of a hostile part: an honest part, an earlier part or arbitrary bytes, with changes.
fn any_part(
    table: &Table,
    log: &MatchLog,
    seat: Seat,
    input: &mut Unstructured,
) -> Result<Vec<u8>> {
    let mut bytes = match input.int_in_range(0..=3)? {
        0 => input.arbitrary::<&[u8]>()?.to_vec(),
        1 => {
            let said: Vec<&SignedPart> = log.history(0).collect();
            if said.is_empty() {
                Vec::new()
            } else {
                input.choose(&said)?.part.clone()
            }
        }
        _ => honest_bytes(table, log, seat, input.arbitrary()?).unwrap_or_default(),
    };
    edits::edit(&mut bytes, input)?;
    Ok(bytes)
}

fn honest_bytes(table: &Table, log: &MatchLog, seat: Seat, number: u8) -> Option<Vec<u8>> {
    let part = table.honest(log, seat, number)?;
    let said = log
        .clone()
        .sign(&table.of.identities[seat.index()], seat, &part);
    // After a wrong seal of the deck, an honest opening does not match the seal.
    said.ok().map(|(said, _)| said.part)
}

/// A part that the hostile seat signed, in its own name or another seat's.
fn hostile_part(
    table: &Table,
    log: &MatchLog,
    hostile: Seat,
    input: &mut Unstructured,
) -> Result<SignedPart> {
    let bytes = any_part(table, log, hostile, input)?;
    let step = match input.int_in_range(0..=7)? {
        0 => input.arbitrary()?,
        1 => log.step() + 1,
        2..=3 => log.step().saturating_sub(input.int_in_range(0..=3)?),
        _ => log.step(),
    };
    let mut part = table.sign_in(log, step, hostile, bytes);
    match input.int_in_range(0..=15)? {
        0 => part.seat = Seat::new(input.arbitrary()?),
        1 => part.signature = input.arbitrary()?,
        _ => {}
    }
    Ok(part)
}

/// Accepts a part of the hostile seat. If `convicts` is set, proof of a foul or a fork ends the
/// match.
fn accept(table: &Table, log: &mut MatchLog, part: SignedPart, hostile: Seat, convicts: bool) {
    let was = log.clone();
    let mut over = log.clone();
    match log.accept(part.clone()) {
        Ok(Accepted::New(said, events)) => {
            assert_eq!(part.seat, hostile);
            // The encoding of a part is unique.
            let mut again = was;
            let said = again.sign(&table.of.identities[hostile.index()], hostile, &said);
            let (signed, said_events) = said.expect("an accepted part can be signed");
            assert_eq!((signed.part, said_events), (part.part, events));
            assert!(seen(&again) == seen(log));
            return;
        }
        Ok(Accepted::Ack | Accepted::Ahead | Accepted::Vote(_) | Accepted::Void) => {
            unreachable!("a part of a match without roll calls")
        }
        Ok(Accepted::Known) => assert!(was.part(part.step, part.seat).is_some()),
        Err(Refused::Foul(proof)) => {
            assert_eq!((proof.part.seat, &proof.part), (hostile, &part));
            over.record_foul(*proof);
            assert!(matches!(over.phase(), Phase::Over(End::Foul { seat, .. }) if seat == hostile));
        }
        Err(Refused::Fork(evidence)) => {
            assert_eq!(evidence.seat(), hostile);
            assert_eq!(
                Evidence::decode_parts(&evidence.encode()).as_ref(),
                Ok(&*evidence)
            );
            over.record_fork(*evidence).expect("the evidence is valid");
            assert!(matches!(over.phase(), Phase::Over(End::Fork { seat }) if seat == hostile));
        }
        Err(_) => {}
    }
    assert!(
        seen(&was) == seen(log),
        "a rejected part has changed the log"
    );
    assert_eq!(over.final_stacks().iter().sum::<u64>(), chips(log));
    if convicts {
        *log = over;
    }
}

/// The total number of chips at the table. No honest seat here agrees to a rebuy.
fn chips(log: &MatchLog) -> u64 {
    let stakes = &log.match_info().header().stakes;
    stakes.stack() * stakes.seats() as u64
}

/// The messages that a side sends to resume its match from a step on, encoded.
fn resume_messages(log: &MatchLog, from: u64) -> Vec<Vec<u8>> {
    let resume = LogMessage::Resume(log.resume_from(from));
    let message = |part: &SignedPart| match log.match_info().seats() {
        2 => LogMessage::Part(part.clone()),
        _ => LogMessage::Statement(Statement {
            before: log.hash_before(part.step).expect("a step of the log"),
            signed: Signed::Part(part.clone()),
        }),
    };
    let messages = std::iter::once(resume).chain(log.history(from).map(message));
    messages.map(|message| message.encode()).collect()
}

/// Receives the other side's messages. Returns whether they were complete.
fn receive(log: &mut MatchLog, messages: &[Vec<u8>]) -> bool {
    let mut resuming = Resuming::reconnection();
    for bytes in messages {
        let Ok(message) = LogMessage::decode(bytes) else {
            return false;
        };
        assert_eq!(&message.encode(), bytes);
        let accepted = match resuming.receive(log, message) {
            Ok(ToDo::Accept(part)) => log.accept(part),
            Ok(ToDo::AcceptStatement(statement)) => log.accept_statement(statement),
            Ok(ToDo::Nothing) => continue,
            Ok(ToDo::Convict(evidence)) => match log.record_fork(*evidence) {
                Ok(_) => continue,
                Err(NoEvidence) => return false,
            },
            Ok(ToDo::RequestAll | ToDo::SendAll | ToDo::SendFrom(_)) | Err(_) => return false,
        };
        match accepted {
            Ok(_) => {}
            Err(Refused::Foul(proof)) => {
                log.record_foul(*proof);
            }
            Err(_) => return false,
        }
    }
    resuming.is_complete()
}

/// Checks that the log `from` reaches the state of `log` when it receives all later messages, and
/// that changed messages create or lose no chips.
fn check_resuming(from: &MatchLog, log: &MatchLog, input: &mut Unstructured) -> Result<()> {
    let (mut other, mut log) = (from.clone(), log.clone());
    let mut messages = resume_messages(&log, from.step());
    let first = log.resume_from(from.step()).from;
    let all = receive(&mut other, &messages);
    assert_eq!(all, first == from.step());
    if all {
        for evidence in log.evidence() {
            other
                .record_fork(evidence.clone())
                .expect("the evidence is valid");
        }
        other.forget_older_hands();
        log.forget_older_hands();
        assert!(seen(&other) == seen(&log));
    }

    let at = input.choose_index(messages.len())?;
    edits::edit(&mut messages[at], input)?;
    let mut other = from.clone();
    // The log may reject the changed messages or accept them.
    receive(&mut other, &messages);
    assert_eq!(other.final_stacks().iter().sum::<u64>(), chips(&log));
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    let table = input.choose(&*TABLES)?;
    let from = input.choose(&table.moments)?;
    let hostile = Seat::new(input.int_in_range(0..=table.of.match_info.seats() as u8 - 1)?);
    let mut log = from.clone();
    for _ in 0..input.int_in_range(1..=12)? {
        let seat = match log.waits_for().first() {
            Some(&seat) if input.ratio(1, 2)? => seat,
            _ => hostile,
        };
        if seat == hostile {
            let part = hostile_part(table, &log, hostile, input)?;
            accept(table, &mut log, part, hostile, input.ratio(1, 4)?);
        } else if let Some(part) = table.honest(&log, seat, input.arbitrary()?) {
            let said = log.sign(&table.of.identities[seat.index()], seat, &part);
            said.expect("an honest seat can always continue");
        }
        assert_eq!(log.final_stacks().iter().sum::<u64>(), chips(&log));
        if input.ratio(1, 8)? {
            log.forget_older_hands();
        }
    }
    check_resuming(from, &log, input)
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
