//! The encodings of statements, evidence and entries in matches with more than two seats.

use std::io;
use std::sync::{Arc, Mutex};

use dealerless_connection::storage::Storage;
use dealerless_connection::wire::Malformed;
use proptest::prelude::*;

use super::super::match_file::MatchFile;
use super::super::*;
use super::many_seats::{Table, verifiable, verifiable_draw};
use crate::seat::Seat;

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Storage for Memory {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().truncate(len as usize);
        Ok(())
    }
}

/// A part of a seat for this history. The content need not be valid.
fn part(table: &Table, seat: usize, step: u64, before: [u8; 32], content: u8) -> Statement {
    let of = table.of.match_info.id();
    let (identity, seat) = (&table.of.identities[seat], Seat::new(seat as u8));
    let part = SignedPart::sign(
        identity,
        of.as_bytes(),
        step,
        &before,
        seat,
        vec![content; 20],
    );
    Statement {
        before,
        signed: Signed::Part(part),
    }
}

fn ack(table: &Table, seat: usize, step: u64, before: [u8; 32]) -> Statement {
    let of = table.of.match_info.id();
    let (identity, seat) = (&table.of.identities[seat], Seat::new(seat as u8));
    let ack = SignedAck::sign(identity, &of, step, &before, seat);
    Statement {
        before,
        signed: Signed::Ack(ack),
    }
}

fn evidence(table: &Table, one: Statement, other: Statement) -> Evidence {
    Evidence {
        match_id: table.of.match_info.id(),
        statements: [one, other],
    }
}

const ONE: [u8; 32] = [1; 32];
const TWO: [u8; 32] = [2; 32];

/// Evidence of all kinds against a seat.
fn all_evidence(table: &Table) -> Vec<Evidence> {
    vec![
        evidence(table, part(table, 1, 5, ONE, 1), part(table, 1, 5, ONE, 2)),
        evidence(table, part(table, 1, 5, ONE, 1), part(table, 1, 5, TWO, 1)),
        evidence(table, part(table, 1, 5, ONE, 1), part(table, 1, 5, TWO, 2)),
        evidence(table, ack(table, 1, 5, ONE), ack(table, 1, 5, TWO)),
        evidence(table, part(table, 1, 5, ONE, 1), ack(table, 1, 5, TWO)),
        evidence(table, ack(table, 1, 5, ONE), part(table, 1, 5, TWO, 1)),
    ]
}

fn decode(bytes: &[u8]) -> Result<Evidence, Malformed> {
    match LogMessage::decode(bytes)? {
        LogMessage::Evidence(evidence) => Ok(*evidence),
        _ => Err(Malformed),
    }
}

#[test]
fn changed_evidence_convicts_nobody() {
    let table = Table::new(verifiable(3, 1), 1);
    let of = &table.of.match_info;
    for (number, evidence) in all_evidence(&table).into_iter().enumerate() {
        assert!(evidence.holds(of), "evidence {number}");
        assert_eq!((evidence.seat(), evidence.step()), (Seat::new(1), 5));
        let message = LogMessage::Evidence(Box::new(evidence.clone()));
        let bytes = message.encode();
        assert_eq!(bytes[0], if number == 0 { 4 } else { 5 });
        assert_eq!(decode(&bytes), Ok(evidence.clone()));
        for at in 0..bytes.len() {
            for bit in [1, 128] {
                let mut other = bytes.clone();
                other[at] ^= bit;
                let holds = decode(&other).is_ok_and(|changed| changed.holds(of));
                assert!(!holds, "byte {at} of evidence {number}");
            }
            let holds = decode(&bytes[..at]).is_ok_and(|cut| cut.holds(of));
            assert!(!holds, "evidence {number} cut at {at}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(!decode(&longer).is_ok_and(|longer| longer.holds(of)));
        // The other order of the two statements is evidence as well.
        let [one, other] = evidence.statements.clone();
        let swapped = Evidence {
            statements: [other, one],
            ..evidence
        };
        assert!(swapped.holds(of));
    }
}

#[test]
fn statements_that_do_not_conflict_convict_nobody() {
    let table = Table::new(verifiable(3, 1), 1);
    let of = &table.of.match_info;
    let pairs = [
        // The same statement twice.
        (part(&table, 1, 5, ONE, 1), part(&table, 1, 5, ONE, 1)),
        (ack(&table, 1, 5, ONE), ack(&table, 1, 5, ONE)),
        // A part and an ack for the same history.
        (part(&table, 1, 5, ONE, 1), ack(&table, 1, 5, ONE)),
        // Statements of two seats or for two steps.
        (part(&table, 1, 5, ONE, 1), part(&table, 2, 5, ONE, 2)),
        (part(&table, 1, 5, ONE, 1), part(&table, 2, 5, TWO, 2)),
        (ack(&table, 1, 5, ONE), ack(&table, 2, 5, TWO)),
        (part(&table, 1, 5, ONE, 1), part(&table, 1, 6, ONE, 2)),
        (part(&table, 1, 5, ONE, 1), part(&table, 1, 6, TWO, 1)),
        (ack(&table, 1, 5, ONE), ack(&table, 1, 6, TWO)),
    ];
    for (number, (one, other)) in pairs.into_iter().enumerate() {
        let evidence = evidence(&table, one, other);
        assert!(!evidence.holds(of), "pair {number}");
        assert!(table.of.log().record_fork(evidence).is_err());
    }
    // A signature for another history or of another seat.
    for evidence in all_evidence(&table) {
        for changed in 0..2 {
            let mut history = evidence.clone();
            history.statements[changed].before = [3; 32];
            assert!(!history.holds(of));
            let mut seat = evidence.clone();
            for statement in &mut seat.statements {
                match &mut statement.signed {
                    Signed::Part(part) => part.seat = Seat::new(2 * changed as u8),
                    Signed::Ack(ack) => ack.seat = Seat::new(7),
                    Signed::Ahead(ahead) => ahead.part.seat = Seat::new(7),
                    Signed::Vote(vote) => vote.seat = Seat::new(7),
                }
            }
            assert!(!seat.holds(of));
        }
        // Another match, also under the name of this one.
        let other = Table::new(verifiable(3, 2), 1);
        let match_id = other.of.match_info.id();
        assert!(!evidence.holds(&other.of.match_info));
        let renamed = Evidence {
            match_id,
            ..evidence
        };
        assert!(!renamed.holds(&other.of.match_info));
    }
    // In a match of two, only two parts for one history convict.
    let table = Table::new(verifiable(2, 1), 1);
    for (number, evidence) in all_evidence(&table).into_iter().enumerate() {
        assert_eq!(evidence.holds(&table.of.match_info), number == 0);
    }
}

#[test]
fn statements_have_one_encoding() {
    let mut table = Table::new(verifiable(3, 1), 1);
    table.play_until(|log| log.phase() == Phase::Deal);
    let mut statements = table.seats[0].log.statements(0);
    statements.push(ack(&table, 2, u64::MAX, TWO));
    for statement in statements {
        let is_ack = matches!(statement.signed, Signed::Ack(_));
        let bytes = LogMessage::Statement(statement.clone()).encode();
        let decoded = LogMessage::decode(&bytes);
        assert_eq!(decoded, Ok(LogMessage::Statement(statement)));
        for cut in 0..bytes.len() {
            // A part takes all remaining bytes.
            let decoded = LogMessage::decode(&bytes[..cut]);
            let least = 1 + 32 + 1 + SignedPart::OVERHEAD;
            assert_eq!(decoded.is_err(), is_ack || cut < least, "{cut}");
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(LogMessage::decode(&longer).is_err(), is_ack);
    }
}

#[test]
fn header_of_a_verifiable_deck_has_one_encoding() {
    for seats in 2..=10 {
        let mut all = vec![verifiable(seats, 3)];
        if seats <= 5 {
            all.push(verifiable_draw(seats, 3));
        }
        for of in all {
            let header = of.match_info.header();
            let bytes = header.encode();
            assert_eq!(Header::decode(&bytes).as_ref(), Ok(header));
            for cut in 0..bytes.len() {
                assert!(Header::decode(&bytes[..cut]).is_err(), "{cut}");
            }
            assert!(Header::decode(&[&bytes[..], &[0]].concat()).is_err());
            // The threshold, then the clock, and the id, number, flag and buys of the table.
            let at = bytes.len() - (1 + 8 + 32 + 2 + 1 + 8 * usize::from(seats));
            assert_eq!(bytes[at], seats);
            for threshold in 0..=u8::MAX {
                let mut other = bytes.clone();
                other[at] = threshold;
                let decoded = Header::decode(&other);
                let valid = (2..=seats).contains(&threshold);
                assert_eq!(decoded.is_ok(), valid, "{threshold} of {seats}");
            }
            for at in 0..bytes.len() {
                let mut other = bytes.clone();
                other[at] ^= 1;
                if let Ok(decoded) = Header::decode(&other) {
                    assert_eq!(decoded.encode(), other);
                }
            }
        }
    }
}

/// The seat's file after its match was played to this log, with evidence at its end.
fn file(table: &Table, evidence: &Evidence) -> (Vec<u8>, Vec<usize>) {
    let memory = Memory::default();
    let (sitting, key) = (
        table.of.sitting(Seat::HOST),
        table.of.identities[0].file_key(),
    );
    let mut journal = Journal::create(memory.clone(), key, &sitting).unwrap();
    let len = || memory.0.lock().unwrap().len();
    let mut ends = vec![len()];
    for statement in table.seats[0].log.statements(0) {
        journal.append([statement.signed]).unwrap();
        ends.push(len());
    }
    journal.append_evidence(evidence).unwrap();
    ends.push(len());
    (memory.0.lock().unwrap().clone(), ends)
}

#[test]
fn file_with_acks_and_evidence_of_two_histories_survives_a_crash_at_each_byte() {
    let mut table = Table::new(verifiable(3, 1), 1);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    let log = table.seats[0].log.clone();
    let key = || table.of.identities[0].file_key();
    for (number, evidence) in all_evidence(&table).into_iter().enumerate() {
        let (bytes, ends) = file(&table, &evidence);
        let acks = log.statements(0).len() - log.history(0).count();
        assert!(acks > 0);
        let opened = Journal::open(Memory(Arc::new(Mutex::new(bytes.clone()))), key()).unwrap();
        assert_eq!(opened.log.evidence(), [evidence]);
        assert_eq!(opened.log.statements(0), log.statements(0));
        let end = End::Fork { seat: Seat::new(1) };
        assert_eq!(opened.log.phase(), Phase::Over(end));
        // The last entries: a part or an ack, and the evidence.
        let last = ends[ends.len() - 3];
        for cut in last..bytes.len() {
            let (_, mut entries) = MatchFile::read(&bytes[..cut], Some(key())).unwrap();
            let read = entries.by_ref().map(Result::unwrap).count();
            let complete = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(read, complete - 1, "evidence {number} cut at {cut}");
            assert_eq!(entries.torn(), cut - ends[complete - 1]);
            assert!(entries.may_be_torn(log.shape().longest()));
        }
        for at in last..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let (_, entries) = MatchFile::read(&changed, Some(key())).unwrap();
            let good = entries.take_while(Result::is_ok).count();
            assert!(good < ends.len() - 1, "byte {at} of evidence {number}");
        }
    }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    // Mostly the kinds that exist.
    let kind = prop_oneof![4 => 0..7u8, 1 => any::<u8>()];
    (kind, proptest::collection::vec(any::<u8>(), 0..600))
        .prop_map(|(kind, rest)| [&[kind], &rest[..]].concat())
}

proptest! {
    #[test]
    fn random_bytes_are_refused_or_are_the_encoding_of_what_they_decode_to(bytes in bytes()) {
        if let Ok(message) = LogMessage::decode(&bytes) {
            prop_assert_eq!(message.encode(), bytes.clone());
        }
        if let Ok(evidence) = Evidence::decode_parts(&bytes) {
            prop_assert_eq!(evidence.encode(), bytes.clone());
        }
        if let Ok(evidence) = Evidence::decode_statements(&bytes) {
            prop_assert_eq!(evidence.encode(), bytes.clone());
        }
        if let Ok(header) = Header::decode(&bytes) {
            prop_assert_eq!(header.encode(), bytes.clone());
        }
        let _ = MatchFile::read(&bytes, None);
    }

    #[test]
    fn random_parts_are_refused(bytes in bytes(), kind in 0..24u8, seat in 0..3usize) {
        let table = verifiable(3, 1);
        let (log, of) = (table.log(), table.match_info.id());
        let part = [&[kind], &bytes[..]].concat();
        let (identity, seat) = (&table.identities[seat], Seat::new(seat as u8));
        let signed = SignedPart::sign(identity, of.as_bytes(), 0, &log.hash(), seat, part);
        let refused = log.clone().accept(signed);
        prop_assert!(matches!(refused, Err(Refused::Foul(proof)) if proof.part.seat == seat));
    }
}
