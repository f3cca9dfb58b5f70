//! Any bytes are rejected, or are exactly the encoding of the decoded value. The values are stakes,
//! headers, messages before a match, choices, signed parts, evidence, messages of the log, successions
//! and identities.
//!
//! Input: the type of the value, a value of this type, and the changes to its encoding.

#![no_main]

mod edits;
mod moved;
mod seats;
mod several;

use std::net::SocketAddr;
use std::sync::LazyLock;

use dealerless_connection::identity::{Name, PublicIdentity, Succession};
use dealerless_table::Seat;
use dealerless_table::log::{
    Evidence, Header, LogMessage, MatchLog, Signed, SignedAck, SignedPart, Statement,
};
use dealerless_table::play::{Control, Goes, GuestAddresses, Ready, ResultId, Roster, Term};
use dealerless_table::rules::{Choice, Learners, Stakes};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use moved::chain;
use seats::{TABLES, Table};
use several::MATCHES;

/// The succession of a player who has moved twice.
static CHAIN: LazyLock<Succession> = LazyLock::new(|| chain(2));

fn any_choice(input: &mut Unstructured) -> Result<Choice> {
    let to = input.arbitrary()?;
    Ok(match input.int_in_range(0..=5)? {
        0 => Choice::Bet { to },
        1 => Choice::Raise { to },
        2 => Choice::Exchange(input.arbitrary()?),
        3 => Choice::Agree(input.arbitrary()?),
        4 => Choice::Fold,
        _ => {
            let cards: Vec<(u16, Option<u8>)> = input.arbitrary()?;
            let learners =
                |to: Option<u8>| to.map_or(Learners::All, |seat| Learners::Seat(Seat::new(seat)));
            let cards = cards.into_iter().map(|(card, to)| (card, learners(to)));
            Choice::Propose(cards.collect())
        }
    })
}

/// Evidence of two statements of the host, for the history of this log and for that history or
/// another one.
fn evidence(log: &MatchLog, signed: [Signed; 2], other: [u8; 32]) -> Evidence {
    let [one, two] = signed;
    let statement = |before, signed| Statement { before, signed };
    Evidence {
        match_id: log.match_info().id(),
        statements: [statement(log.hash(), one), statement(other, two)],
    }
}

fn two_parts(table: &Table, log: &MatchLog) -> Evidence {
    let parts = [7, 8].map(|kind| table.sign(log, Seat::HOST, vec![kind; 1]));
    evidence(log, parts.map(Signed::Part), log.hash())
}

fn any_message(table: &Table, log: &MatchLog, input: &mut Unstructured) -> Result<LogMessage> {
    let part = table.sign(log, Seat::HOST, input.arbitrary()?);
    let ack = SignedAck {
        step: log.step(),
        seat: Seat::HOST,
        signature: input.arbitrary()?,
    };
    let (part, ack) = (Signed::Part(part), Signed::Ack(ack));
    let statement = |signed| {
        let before = log.hash();
        LogMessage::Statement(Statement { before, signed })
    };
    Ok(match input.int_in_range(0..=4)? {
        0 => LogMessage::Resume(log.resume()),
        1 => statement(part),
        2 => statement(ack),
        3 => LogMessage::Evidence(Box::new(two_parts(table, log))),
        _ => LogMessage::Evidence(Box::new(evidence(log, [part, ack], input.arbitrary()?))),
    })
}

/// A vote that signs a call of two claims, without a part. Its signature is arbitrary.
fn any_vote(log: &MatchLog, input: &mut Unstructured) -> Result<LogMessage> {
    const STATEMENT: u8 = 3;
    const VOTE: u8 = 4;
    const SIGNS: u8 = 1;
    let mut bytes = vec![STATEMENT];
    bytes.extend(log.hash());
    bytes.push(VOTE);
    bytes.extend(log.step().to_le_bytes());
    bytes.push(input.arbitrary()?);
    bytes.extend(input.arbitrary::<[u8; 64]>()?);
    // No statement, part or valid part of one seat, and no vote of the next one.
    let seat = input.int_in_range(0..=254)?;
    bytes.extend([2, seat, input.int_in_range(0..=2)?, seat + 1, 3]);
    bytes.extend(input.arbitrary::<[u8; 32]>()?);
    bytes.push(SIGNS);
    Ok(LogMessage::decode(&bytes).expect("a vote"))
}

/// A message of a match with a verifiable deck.
fn message_of_several(input: &mut Unstructured) -> Result<LogMessage> {
    let played = input.choose(&*MATCHES)?;
    match input.ratio(1, 4)? {
        true => any_vote(input.choose(&played.moments)?, input),
        false => Ok(input.choose(&played.messages)?.clone()),
    }
}

fn any_roster(table: &Table, input: &mut Unstructured) -> Result<Roster> {
    let match_info = &table.of.match_info;
    let mut names = Vec::new();
    let mut addresses = Vec::new();
    for _ in match_info.players() {
        names.push(Name::clean(input.arbitrary()?));
        addresses.push(any_addresses(input)?);
    }
    Ok(Roster::sign(
        &table.of.identities[0],
        match_info.header().clone(),
        match_info.players().to_vec(),
        names,
        addresses,
    ))
}

fn any_addresses(input: &mut Unstructured) -> Result<GuestAddresses> {
    let ports = input.arbitrary::<[u16; 2]>()?;
    let all = ports.map(|port| SocketAddr::from(([192, 0, 2, 1], port.max(1))).into());
    Ok(GuestAddresses::new(all))
}

fn any_result(table: &Table, input: &mut Unstructured) -> Result<ResultId> {
    Ok(ResultId {
        of: table.of.match_info.id(),
        steps: input.arbitrary()?,
        hash: input.arbitrary()?,
    })
}

fn any_ready(table: &Table, input: &mut Unstructured) -> Result<Ready> {
    let past = match input.arbitrary()? {
        true => Some(any_result(table, input)?),
        false => None,
    };
    Ok(Ready {
        past,
        number: input.arbitrary()?,
        nonce: input.arbitrary()?,
        buy: input.arbitrary()?,
        addresses: any_addresses(input)?,
    })
}

fn any_control(table: &Table, input: &mut Unstructured) -> Result<Control> {
    Ok(match input.int_in_range(0..=8)? {
        0 => Control::Resume(table.of.match_info.id()),
        1 => Control::Declines(Term::Game),
        2 => Control::Declines(Term::All),
        3 => Control::Taken,
        4 => Control::Declined,
        5 => Control::Waits {
            place: input.arbitrary()?,
            number: input.arbitrary()?,
            players: vec![Name::clean(input.arbitrary()?)],
        },
        6 => Control::Ready(Box::new(any_ready(table, input)?)),
        7 => {
            let seat = Seat::new(input.arbitrary()?);
            let past = any_result(table, input)?;
            Control::Goes(Box::new(Goes::sign(&table.of.identities[0], past, seat)))
        }
        _ => Control::Roster(Box::new(any_roster(table, input)?)),
    })
}

/// Decodes a value and encodes it again. Returns `None` if it was rejected.
fn read_and_written(which: u8, bytes: &[u8]) -> Option<Vec<u8>> {
    match which {
        0 => Stakes::decode(bytes).ok().map(|read| read.encode()),
        1 => Header::decode(bytes).ok().map(|read| read.encode()),
        2 => Choice::decode(bytes).ok().map(|read| read.encode()),
        3 => SignedPart::decode(bytes).ok().map(|read| read.encode()),
        4 => Evidence::decode_parts(bytes).ok().map(|read| read.encode()),
        5 => LogMessage::decode(bytes).ok().map(|read| read.encode()),
        6 => Succession::decode(bytes).ok().map(|read| read.encode()),
        7 => Control::decode(bytes).map(|read| read.encode()),
        _ => PublicIdentity::decode(bytes)
            .ok()
            .map(|read| read.encode().to_vec()),
    }
}

fn run(input: &mut Unstructured) -> Result<()> {
    let which = input.int_in_range(0..=8)?;
    let table = input.choose(&*TABLES)?;
    let log = &input.choose(&table.moments)?;
    let header = log.match_info().header();
    let mut bytes = match which {
        0 => header.stakes.encode(),
        1 if input.arbitrary()? => input.choose(&*MATCHES)?.of.match_info.header().encode(),
        1 => header.encode(),
        2 => any_choice(input)?.encode(),
        3 => table.sign(log, Seat::HOST, input.arbitrary()?).encode(),
        4 => two_parts(table, log).encode(),
        5 if input.arbitrary()? => message_of_several(input)?.encode(),
        5 => any_message(table, log, input)?.encode(),
        6 => CHAIN.encode(),
        7 => any_control(table, input)?.encode(),
        _ => table.of.identities[0].public().encode().to_vec(),
    };
    // A choice can be encoded even if no rule allows it.
    if which != 2 {
        assert_eq!(read_and_written(which, &bytes).as_ref(), Some(&bytes));
    }
    edits::edit(&mut bytes, input)?;
    if let Some(written) = read_and_written(which, &bytes) {
        assert_eq!(written, bytes);
    }
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
