//! The log of a match with a verifiable deck, at any moment of the match. Whatever the connection
//! sends, the log accepts only what a seat has signed for its history, and otherwise stays
//! unchanged. It convicts only the hostile seat, and the total of the chips never changes. A
//! decoded message has one encoding.
//!
//! Input: a match and a moment of a seat's log, the hostile seat, and messages: those of the match,
//! and statements and evidence of the hostile seat, with changes.

#![no_main]

mod edits;

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, LazyLock};

use dealerless_table::Seat;
use dealerless_table::identity::{Identity, Name};
use dealerless_table::log::{
    Accepted, Clock, DeckTerms, Evidence, Header, Journal, LogMessage, Match, MatchLog,
    MemoryStorage, NoEvidence, Player, Refused, Resuming, Signed, SignedAck, SignedPart, Sitting,
    Statement, ToDo,
};
use dealerless_table::play::{
    Command, DeckSetting, Event, MemoryVault, News, Order, Orders, Outbox, Play, Setting,
};
use dealerless_table::rules::{
    BettingRules, Choice, Edition, Legal, Limit, Posts, Stakes, Variety,
};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rand::SeedableRng;
use rand::rngs::StdRng;

const STACK: u64 = 100;

/// A finished match of honest seats.
struct Played {
    identities: Vec<Arc<Identity>>,
    of: Match,
    /// The log of a seat after each message that the seat has received.
    moments: Vec<MatchLog>,
    /// All messages, in the order in which they were sent.
    messages: Vec<LogMessage>,
}

static MATCHES: LazyLock<[Played; 3]> = LazyLock::new(|| {
    [
        Played::new(2, None),
        Played::new(3, None),
        Played::new(3, Some(Seat::GUEST)),
    ]
});

type Program = Play<MemoryStorage, MemoryVault, StdRng>;

/// The messages of a seat that have not arrived yet, with sender and receiver.
struct Wires<'a> {
    from: Seat,
    queue: &'a mut VecDeque<(Seat, Seat, Vec<u8>)>,
}

impl Outbox for Wires<'_> {
    fn send(&mut self, to: Seat, message: Vec<u8>) -> io::Result<()> {
        self.queue.push_back((self.from, to, message));
        Ok(())
    }
}

/// A seat of a verifiable deck has no engine.
struct NoEngine;

impl Orders for NoEngine {
    fn order(&mut self, _: Order) {}
}

impl Played {
    /// A match in which all seats call and show, and `leaver` leaves at its first choice.
    fn new(seats: u8, leaver: Option<Seat>) -> Self {
        let rules = BettingRules {
            stack: STACK,
            limit: Limit::NoLimit,
            posts: Posts::Blinds { small: 1, big: 2 },
        };
        let stakes = Stakes::new(Variety::Holdem(rules), seats, 2).expect("the stakes are valid");
        let header = Header {
            log_version: Edition::Four,
            deck: DeckTerms::verifiable(&stakes, stakes.seats()).expect("a game of poker"),
            stakes,
            clock: Clock::default(),
            past: None,
        };
        let identity = |seat| Arc::new(Identity::from_seed([seat; 32]));
        let identities: Vec<_> = (0..seats).map(identity).collect();
        let player = |identity: &Arc<Identity>| Player {
            identity: identity.public().clone(),
            nonce: [9; 32],
        };
        let players = identities.iter().map(player).collect();
        let of = Match::new(header, players).expect("the players have different keys");
        let mut played = Played {
            identities,
            of,
            moments: Vec::new(),
            messages: Vec::new(),
        };
        played.play(leaver);
        played
    }

    fn program(&self, seat: Seat) -> Program {
        let identity = Arc::clone(&self.identities[seat.index()]);
        let sitting = Sitting {
            match_info: self.of.clone(),
            seat,
            names: Seat::all(self.of.seats())
                .map(|seat| Name::clean(&seat.to_string()))
                .collect(),
        };
        let journal = Journal::create(MemoryStorage::default(), identity.file_key(), &sitting);
        let program = Play::new(Setting {
            seat,
            log: MatchLog::new(self.of.clone(), seat),
            journal: journal.expect("the file is empty"),
            deck: DeckSetting::Verifiable(MemoryVault::default()),
            rng: StdRng::seed_from_u64(seat.number().into()),
            identity,
        });
        program.expect("a new seat")
    }

    fn play(&mut self, leaver: Option<Seat>) {
        let seats = self.of.seats();
        let mut programs: Vec<Program> = Seat::all(seats).map(|seat| self.program(seat)).collect();
        let mut queue = VecDeque::new();
        for guest in Seat::all(seats).skip(1) {
            programs[0].begin(guest);
            programs[guest.index()].begin(Seat::HOST);
        }
        for seat in Seat::all(seats) {
            let program = &mut programs[seat.index()];
            if leaver == Some(seat) {
                let leave = program.command(Command::Leave { anyhow: true });
                leave.expect("a seat may always leave");
            }
            advance(program, seat, &mut queue);
        }
        while let Some((from, to, message)) = queue.pop_front() {
            self.messages
                .push(LogMessage::decode(&message).expect("a sent message can be decoded"));
            let program = &mut programs[to.index()];
            program
                .receive(Event::Received(from, message))
                .expect("honest seats");
            advance(program, to, &mut queue);
            self.moments.push(program.log().clone());
        }
    }
}

/// Lets the seat sign all that is due. It checks or calls, and shows.
fn advance(program: &mut Program, seat: Seat, queue: &mut VecDeque<(Seat, Seat, Vec<u8>)>) {
    loop {
        let mut wires = Wires {
            from: seat,
            queue: &mut *queue,
        };
        let advanced = program.advance(&mut wires, &mut NoEngine);
        advanced.expect("honest seats");
        let mut choice = None;
        while let Some(news) = program.news() {
            if let News::YourTurn { legal } = news {
                choice = Some(match legal {
                    Legal::Bet { call: Some(_), .. } => Choice::Call,
                    Legal::Bet { .. } => Choice::Check,
                    _ => Choice::Show,
                });
            }
        }
        let Some(choice) = choice else {
            if program.shuffle_ahead().expect("honest seats") {
                continue;
            }
            return;
        };
        let chosen = program.command(Command::Choose(choice));
        chosen.expect("the rules allow the choice");
    }
}

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
        let identity = &self.played.identities[self.seat.index()];
        let (id, number, place) = (
            self.played.of.id(),
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
        Ok(match input.int_in_range(0..=8)? {
            0..=2 => input.choose(&self.played.messages)?.clone(),
            3 => {
                let statements = [self.statement(log, input)?, self.statement(log, input)?];
                LogMessage::Evidence(Box::new(Evidence {
                    match_id: self.played.of.id(),
                    statements,
                }))
            }
            4 => {
                let step = input.int_in_range(0..=log.step())?;
                LogMessage::Resume(log.resume_from(step))
            }
            5 => LogMessage::RequestAll,
            6 => LogMessage::RequestFrom(input.arbitrary()?),
            _ => {
                let statement = self.statement(log, input)?;
                match (statement.signed, self.played.of.seats()) {
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
    if !matches!(result, Ok(Accepted::New(..) | Accepted::Ack)) {
        assert!(seen(&was) == seen(log), "a refusal has changed the log");
    }
    let stays = result.is_ok();
    accepted(log, result, hostile, convicts);
    stays
}

fn run(input: &mut Unstructured) -> Result<()> {
    let played = input.choose(&*MATCHES)?;
    let mut log = input.choose(&played.moments)?.clone();
    let seats = played.of.seats();
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
        assert_eq!(log.final_stacks().iter().sum::<u64>(), STACK * seats as u64);
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
