//! The log of a match with a verifiable deck, at any moment of the match. Whatever the connection
//! sends, the log accepts only what a seat has signed for its history, and otherwise stays
//! unchanged. It convicts only the hostile seat, and the total of the chips never changes. A
//! decoded message has one encoding.
//!
//! Input: a match and a moment of a seat's log, the hostile seat, and messages: those of the match,
//! and statements and evidence of the hostile seat, with changes.

#![no_main]

mod edits;
mod several;

use dealerless_table::Seat;
use dealerless_table::log::{
    Accepted, Evidence, LogMessage, MatchLog, NoEvidence, Refused, Resuming, Signed, SignedAck,
    SignedAhead, SignedPart, Statement, ToDo,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use several::{MATCHES, Played};

/// The observable state of a log.
fn seen(log: &MatchLog) -> impl PartialEq + use<> {
    let seats: Vec<Seat> = Seat::all(log.match_info().seats()).collect();
    let history: Vec<SignedPart> = log.history(0).cloned().collect();
    let lacks: Vec<_> = seats.iter().map(|seat| log.lacks(*seat)).collect();
    let acks: Vec<_> = seats.iter().map(|seat| log.owes_ack(*seat)).collect();
    (log.hash(), log.phase(), history, lacks, acks)
}

/// A seat whose program an attacker has written.
struct Hostile<'a> {
    played: &'a Played,
    seat: Seat,
}

impl Hostile<'_> {
    /// A history: that of the log before this step, or any other.
    fn history(&self, log: &MatchLog, step: u64, input: &mut Unstructured) -> Result<[u8; 32]> {
        match log.hash_before(step) {
            Some(before) if input.ratio(3, 4)? => Ok(before),
            _ => input.arbitrary(),
        }
    }

    /// A statement with a valid signature.
    fn statement(&self, log: &MatchLog, input: &mut Unstructured) -> Result<Statement> {
        let step = match input.int_in_range(0..=3)? {
            0 => input.arbitrary()?,
            1 => log.step().saturating_sub(input.int_in_range(0..=8)?),
            _ => log.step(),
        };
        let before = self.history(log, step, input)?;
        let identity = &self.played.of.identities[self.seat.index()];
        let (id, number, place) = (
            *self.played.of.match_info.id().as_bytes(),
            step.to_le_bytes(),
            [self.seat.number()],
        );
        let signed = if input.arbitrary()? {
            Signed::Ack(SignedAck {
                step,
                seat: self.seat,
                signature: identity.sign("ack", &[&id, &number, &before, &place]),
            })
        } else {
            let part = self.part(input)?;
            Signed::Part(SignedPart {
                step,
                seat: self.seat,
                signature: identity.sign("part", &[&id, &number, &before, &place, &part]),
                part,
            })
        };
        Ok(Statement { before, signed })
    }

    /// A shuffle for the next hand with a valid signature: one of the match that the seat signs again, with
    /// changes.
    fn ahead(&self, input: &mut Unstructured) -> Result<Option<Statement>> {
        let aheads: Vec<_> = (self.played.messages.iter())
            .filter_map(|message| match message {
                LogMessage::Statement(Statement {
                    before,
                    signed: Signed::Ahead(ahead),
                }) => Some((*before, ahead)),
                _ => None,
            })
            .collect();
        if aheads.is_empty() {
            return Ok(None);
        }
        let (honest, ahead) = *input.choose(&aheads)?;
        let mut ahead = ahead.clone();
        let before = if input.ratio(3, 4)? {
            honest
        } else {
            input.arbitrary()?
        };
        if input.ratio(1, 4)? {
            ahead.head.hand = input.arbitrary()?;
        }
        if input.ratio(1, 4)? {
            ahead.part.step = input.int_in_range(0..=3)?;
        }
        if input.ratio(1, 2)? {
            edits::edit(&mut ahead.part.part, input)?;
        }
        ahead.part.seat = self.seat;
        // The signature names the chain by the hash before its first shuffle.
        let is_first = |other: &&([u8; 32], &Box<SignedAhead>)| {
            other.1.head == ahead.head && other.1.part.step == 0
        };
        let chain = aheads.iter().find(is_first).map_or(before, |first| first.0);
        let (number, place) = (ahead.part.step.to_le_bytes(), [self.seat.number()]);
        let fields: [&[u8]; 5] = [&chain, &number, &before, &place, &ahead.part.part];
        let identity = &self.played.of.identities[self.seat.index()];
        ahead.part.signature = identity.sign("part", &fields);
        let signed = Signed::Ahead(ahead);
        Ok(Some(Statement { before, signed }))
    }

    /// The bytes of a part of the match, or arbitrary bytes, with changes.
    fn part(&self, input: &mut Unstructured) -> Result<Vec<u8>> {
        let mut bytes = match signed(input.choose(&self.played.messages)?) {
            Some(Signed::Part(part)) => part.part,
            _ => input.bytes(input.len().min(40))?.to_vec(),
        };
        edits::edit(&mut bytes, input)?;
        Ok(bytes)
    }

    fn message(&self, log: &MatchLog, input: &mut Unstructured) -> Result<LogMessage> {
        Ok(match input.int_in_range(0..=9)? {
            0..=2 => input.choose(&self.played.messages)?.clone(),
            3 => {
                let statements = [self.statement(log, input)?, self.statement(log, input)?];
                LogMessage::Evidence(Box::new(Evidence {
                    match_id: self.played.of.match_info.id(),
                    statements,
                }))
            }
            4 => {
                let step = input.int_in_range(0..=log.step())?;
                LogMessage::Resume(log.resume_from(step))
            }
            5 => LogMessage::RequestAll,
            6 => LogMessage::RequestFrom(input.arbitrary()?),
            7 => match self.ahead(input)? {
                Some(statement) => LogMessage::Statement(statement),
                None => LogMessage::RequestAll,
            },
            _ => {
                let statement = self.statement(log, input)?;
                match (statement.signed, self.played.of.match_info.seats()) {
                    (Signed::Part(part), 2) => LogMessage::Part(part),
                    (signed, _) => LogMessage::Statement(Statement {
                        before: statement.before,
                        signed,
                    }),
                }
            }
        })
    }
}

/// The part or ack in a message.
fn signed(message: &LogMessage) -> Option<Signed> {
    match message {
        LogMessage::Part(part) => Some(Signed::Part(part.clone())),
        LogMessage::Statement(statement) => Some(statement.signed.clone()),
        _ => None,
    }
}

/// A connection on which the other side has sent its history.
fn connection(log: &MatchLog) -> Resuming {
    let mut resuming = Resuming::reconnection();
    let mut resume = log.resume_from(log.step());
    resume.parts = 0;
    let received = resuming.receive(log, LogMessage::Resume(resume));
    assert_eq!(received, Ok(ToDo::Nothing));
    resuming
}

/// Processes the result of accepting a statement. If `convicts` is set, the proof of a foul or a
/// conflict ends the match.
fn accepted(
    log: &mut MatchLog,
    accepted: std::result::Result<Accepted, Refused>,
    hostile: Seat,
    convicts: bool,
) {
    match accepted {
        Err(Refused::Foul(proof)) => {
            assert_eq!(proof.part.seat, hostile);
            if convicts {
                log.record_foul(*proof);
                assert!(log.waits_for().is_empty());
            }
        }
        Err(Refused::Fork(evidence)) => {
            assert_eq!(evidence.seat(), hostile);
            assert!(evidence.holds(log.match_info()));
            if convicts {
                log.record_fork(*evidence).expect("the evidence is valid");
                assert!(log.waits_for().is_empty());
            }
        }
        Ok(_) | Err(_) => {}
    }
}

/// Processes a message as a program does. Returns `false` if the connection ends.
fn receive(
    log: &mut MatchLog,
    resuming: &mut Resuming,
    message: LogMessage,
    (hostile, convicts): (Seat, bool),
) -> bool {
    let was = log.clone();
    let result = match resuming.receive(log, message) {
        Ok(ToDo::Accept(part)) => log.accept_signed(part.into()),
        Ok(ToDo::AcceptStatement(statement)) => log.accept_statement(statement),
        Ok(ToDo::Convict(evidence)) => {
            let seat = evidence.seat();
            match log.record_fork(*evidence) {
                Ok(_) => assert_eq!(seat, hostile),
                Err(NoEvidence) => assert!(seen(&was) == seen(log)),
            }
            return true;
        }
        Ok(_) => return true,
        Err(_) => return false,
    };
    if !matches!(
        result,
        Ok(Accepted::New(..) | Accepted::Ack | Accepted::Ahead)
    ) {
        assert!(seen(&was) == seen(log), "a refusal has changed the log");
    }
    let stays = result.is_ok();
    accepted(log, result, hostile, convicts);
    stays
}

fn run(input: &mut Unstructured) -> Result<()> {
    let played = input.choose(&*MATCHES)?;
    let mut log = input.choose(&played.moments)?.clone();
    let seats = played.of.match_info.seats();
    let hostile = Hostile {
        played,
        seat: Seat::new(input.int_in_range(0..=seats as u8 - 1)?),
    };
    let mut resuming = connection(&log);
    for _ in 0..input.int_in_range(1..=8)? {
        let mut bytes = hostile.message(&log, input)?.encode();
        if input.ratio(1, 2)? {
            edits::edit(&mut bytes, input)?;
        }
        let Ok(message) = LogMessage::decode(&bytes) else {
            continue;
        };
        assert_eq!(message.encode(), bytes);
        let convicts = input.ratio(1, 4)?;
        if !receive(&mut log, &mut resuming, message, (hostile.seat, convicts)) {
            resuming = match input.arbitrary()? {
                true => connection(&log),
                false => Resuming::reconnection(),
            };
        }
        let stack = played.of.match_info.header().stakes.stack();
        assert_eq!(log.final_stacks().iter().sum::<u64>(), stack * seats as u64);
        if input.ratio(1, 16)? {
            log.forget_older_hands();
        }
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
