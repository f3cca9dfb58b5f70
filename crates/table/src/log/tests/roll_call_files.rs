//! Roll calls on the wire, in files and after a reconnection.

use proptest::prelude::*;

use super::super::match_file::MatchFile;
use super::super::*;
use super::many_seats::{Table, threshold};
use super::roll_calls::{A, B, C, D, roll_call, table_at};
use crate::record::{Record, compare};
use crate::seat::{Seat, SeatSet};
use crate::storage::{MemoryStorage, Storage};

fn at_a_bet(log: &MatchLog) -> bool {
    matches!(log.phase(), Phase::Choose { .. })
}

/// Roll calls of a seat with and without its part, and an answer.
fn all_calls(table: &Table) -> Vec<Statement> {
    let seat = table.seats[0].log.waits_for()[0];
    let mut copy = table.copy();
    let part = match copy.sign(seat).unwrap().signed {
        Signed::Part(part) => part,
        other => panic!("{other:?}"),
    };
    let log = &table.seats[0].log;
    let (of, before, step) = (log.match_info().id(), log.hash(), log.step());
    let identity = &table.of.identities[seat.index()];
    let named: SeatSet = [seat.next(4)].into_iter().collect();
    let calls = [
        (0, named, None),
        (1, named, Some(&part)),
        (2, SeatSet::default(), Some(&part)),
    ];
    let calls = calls.map(|(round, named, own)| {
        SignedRollCall::sign(identity, &of, &before, (step, seat), (round, named), own)
    });
    let statement = |call| Statement {
        before,
        signed: Signed::RollCall(Box::new(call)),
    };
    calls.map(statement).to_vec()
}

#[test]
fn roll_call_has_one_encoding_and_no_byte_of_it_can_be_changed() {
    let table = table_at(4, 3, 1, at_a_bet);
    let log = &table.seats[0].log;
    for statement in all_calls(&table) {
        let Signed::RollCall(call) = &statement.signed else {
            panic!();
        };
        let message = LogMessage::Statement(statement.clone());
        let bytes = message.encode();
        assert_eq!(LogMessage::decode(&bytes), Ok(message));
        // The message's kind, the hash, the kind of the statement, the step, the seat, the signature,
        // the number, the missing seats, whether a part follows, the part with its signature.
        let own = call.own_part().map_or(0, |part| 64 + part.part.len());
        assert_eq!(bytes.len(), 1 + 110 + own);
        assert!(log.clone().accept_statement(statement.clone()).is_ok());
        for at in 1..bytes.len() {
            for bit in [1, 128] {
                let mut other = bytes.clone();
                other[at] ^= bit;
                if let Ok(LogMessage::Statement(changed)) = LogMessage::decode(&other) {
                    let accepted = log.clone().accept_statement(changed);
                    assert!(accepted.is_err(), "byte {at}: {accepted:?}");
                }
            }
        }
        for cut in 1..bytes.len() {
            if let Ok(LogMessage::Statement(changed)) = LogMessage::decode(&bytes[..cut]) {
                assert!(
                    log.clone().accept_statement(changed).is_err(),
                    "cut at {cut}"
                );
            }
        }
        if own == 0 {
            assert!(LogMessage::decode(&[&bytes[..], &[0]].concat()).is_err());
        }
    }
}

#[test]
fn changed_evidence_of_two_roll_calls_convicts_nobody() {
    let table = table_at(4, 2, 1, at_a_bet);
    let of = &table.of.match_info;
    let pair = |one, other| Evidence {
        match_id: of.id(),
        statements: [one, other],
    };
    let call = |round, missing: &[Seat]| roll_call(&table, A, round, missing);
    let calls = all_calls(&table);
    let seat = calls[0].signed.seat();
    let identity = &table.of.identities[seat.index()];
    let (before, step) = (calls[0].before, calls[0].signed.step());
    let named: SeatSet = [seat.next(4)].into_iter().collect();
    let without = SignedRollCall::sign(identity, &of.id(), &before, (step, seat), (1, named), None);
    let without = Statement {
        before,
        signed: Signed::RollCall(Box::new(without)),
    };
    let mut elsewhere = table.seats[0].log.clone();
    elsewhere.hash = [3; 32];
    let other_history = {
        let identity = &table.of.identities[0];
        let place = (elsewhere.step(), A);
        let missing = [C].into_iter().collect();
        let call = SignedRollCall::sign(identity, &of.id(), &[3; 32], place, (7, missing), None);
        Statement {
            before: [3; 32],
            signed: Signed::RollCall(Box::new(call)),
        }
    };
    let valid = [
        pair(call(0, &[C]), call(0, &[D])),
        pair(call(0, &[C]), call(0, &[])),
        // One carries the part, and the other does not.
        pair(calls[1].clone(), without),
        // Two histories.
        pair(call(0, &[C]), other_history),
    ];
    for (number, evidence) in valid.into_iter().enumerate() {
        assert!(evidence.holds(of), "{number}");
        let bytes = LogMessage::Evidence(Box::new(evidence.clone())).encode();
        let decode = |bytes: &[u8]| match LogMessage::decode(bytes) {
            Ok(LogMessage::Evidence(evidence)) => Some(*evidence),
            _ => None,
        };
        assert_eq!(decode(&bytes), Some(evidence.clone()));
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert!(
                !decode(&other).is_some_and(|changed| changed.holds(of)),
                "{number}: {at}"
            );
        }
        assert!(bytes.len() <= 1 + Evidence::max_len(table.seats[0].log.longest_part()));
        // In a match without roll calls, it convicts nobody.
        let all = table_at(4, 4, 1, |_| true);
        assert!(!evidence.holds(&all.of.match_info));
    }
    let invalid = [
        pair(call(0, &[C]), call(1, &[D])),
        pair(call(0, &[C]), call(0, &[C])),
        pair(call(0, &[C]), roll_call(&table, B, 0, &[D])),
    ];
    assert!(invalid.iter().all(|evidence| !evidence.holds(of)));
}

/// Logs of matches in which seats were removed, with their owners.
fn played() -> Vec<Table> {
    let mut tables = Vec::new();
    for (seats, least, silent) in [(4, 3, 1), (5, 3, 2)] {
        let mut table = Table::new(threshold(seats, least, 2), 4);
        table.play_until(|log| log.step() > 12);
        let silent: Vec<Seat> = (1..=silent).map(Seat::new).collect();
        table.play_without(&silent);
        tables.push(table);
    }
    tables
}

/// The file of a seat whose statements arrived in the order of its log. A part can come with a roll call.
fn file(table: &Table, seat: Seat) -> Vec<u8> {
    let memory = MemoryStorage::default();
    let key = table.of.identities[seat.index()].file_key();
    let mut journal = Journal::create(memory.clone(), key, &table.of.sitting(seat)).unwrap();
    let mut log = table.of.log_of(seat);
    for statement in table.seats[seat.index()].log.statements(0) {
        if log.accept_statement(statement.clone()) != Ok(Accepted::Known) {
            journal.append([statement.signed]).unwrap();
        }
    }
    memory.bytes()
}

#[test]
fn file_with_roll_calls_is_read_by_its_owner_and_by_anybody() {
    for table in played() {
        let mut records = Vec::new();
        for seat in table.of.seats() {
            let log = &table.seats[seat.index()].log;
            let bytes = file(&table, seat);
            let key = table.of.identities[seat.index()].file_key();
            let storage = MemoryStorage::default();
            let mut copy = storage.clone();
            copy.append(&bytes).unwrap();
            let opened = Journal::open(storage, key).unwrap();
            assert_eq!(opened.log.hash(), log.hash());
            assert_eq!(opened.log.phase(), log.phase());
            assert_eq!(opened.log.statements(0), log.statements(0));
            let record = Record::read(&bytes, None).unwrap();
            assert_eq!(record.log.hash(), log.hash());
            assert_eq!(record.log.gone(), log.gone());
            records.push((seat, record));
            // A crash at each byte of the last records.
            for cut in bytes.len() - 400..bytes.len() {
                let (_, mut entries) = MatchFile::read(&bytes[..cut], None).unwrap();
                assert!(entries.by_ref().all(|entry| entry.is_ok()));
                assert!(entries.may_be_torn(log.longest_part()));
            }
        }
        let [(_, one), .., (_, other)] = &records[..] else {
            panic!();
        };
        assert!(matches!(
            compare(one, other),
            crate::record::Compared::Together { more: [0, 0], .. }
        ));
    }
}

#[test]
fn seats_resume_with_histories_that_contain_roll_calls() {
    for table in played() {
        let source = &table.seats[0].log;
        let all = source.statements(0);
        let last = Seat::new(table.seats.len() as u8 - 1);
        let mut log = table.of.log_of(last);
        for known in (0..all.len()).step_by(7) {
            let mut behind = log.clone();
            let mut resuming = Resuming::reconnection();
            let resume = source.resume_from(0);
            assert_eq!(resume.parts as usize, all.len());
            let mut places = Vec::new();
            let messages = std::iter::once(LogMessage::Resume(resume))
                .chain(all.iter().cloned().map(LogMessage::Statement));
            for message in messages {
                let bytes = message.encode();
                let message = LogMessage::decode(&bytes).unwrap();
                if let ToDo::AcceptStatement(statement) =
                    resuming.receive(&behind, message).unwrap()
                {
                    places.push(statement.place());
                    behind.accept_statement(statement).unwrap();
                }
            }
            assert!(resuming.is_complete());
            assert_eq!(behind.hash(), source.hash(), "{known}");
            for statement in all.iter().skip(known).take(7) {
                log.accept_statement(statement.clone()).unwrap();
            }
        }
    }
}

proptest! {
    #[test]
    fn random_roll_calls_are_refused_or_are_the_encoding_of_what_they_decode_to(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        flag in 0..3u8,
    ) {
        let mut bytes = bytes;
        if let Some(at) = bytes.get_mut(76) {
            *at = flag;
        }
        if let Ok(call) = SignedRollCall::decode(&bytes) {
            prop_assert_eq!(call.encode(), bytes);
        }
    }
}
