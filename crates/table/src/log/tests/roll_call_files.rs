//! Votes on the wire, in files and after a reconnection.

use dealerless_connection::storage::{MemoryStorage, Storage};
use proptest::prelude::*;

use super::super::match_file::MatchFile;
use super::super::roll_call::Answer;
use super::super::*;
use super::many_seats::{Table, threshold};
use super::roll_calls::{C, at_a_bet, call, signs, table_at, vote};
use crate::record::{Record, compare};
use crate::seat::Seat;

/// The part of the seat whose turn it is, which nobody has received.
fn part_of(table: &Table, seat: Seat) -> Statement {
    table.copy().sign(seat).unwrap()
}

/// All kinds of votes of two seats, where it is the turn of one of them.
fn all_votes(table: &Table) -> Vec<Statement> {
    let due = table.seats[0].log.waits_for()[0];
    let other = due.next(4);
    let third = other.next(4);
    let part = part_of(table, due);
    let Signed::Part(own) = &part.signed else {
        panic!();
    };
    let own = Answer::Signs(Some((own.signature, own.part.clone())));
    let silent = call(table, &[(due, Missing::Statement)]);
    let no_vote = Missing::Vote(silent.id());
    let both = call(table, &[(due, Missing::Statement), (third, no_vote)]);
    let refuses = |proof: &Statement| Answer::Refuses(Box::new(proof.clone()));
    let refusal = vote(table, third, silent.clone(), refuses(&part));
    vec![
        vote(table, other, silent.clone(), Answer::Signs(None)),
        vote(table, due, call(table, &[(other, no_vote)]), own),
        vote(table, other, silent, refuses(&part)),
        vote(table, other, both, refuses(&refusal)),
    ]
}

#[test]
fn vote_has_one_encoding_and_no_byte_of_it_can_be_changed() {
    let table = table_at(4, 2, 1, at_a_bet);
    let log = &table.seats[0].log;
    // The message's kind, the hash, the kind of the statement, the step, the seat, the signature, the
    // number of claims, the claims, and the answer.
    let head = 1 + 32 + 1 + 8 + 1 + 64 + 1;
    let votes = all_votes(&table);
    let part = votes[2].encode().len() - (head - 1) - 2 - 1;
    let lengths = [2 + 1, 34 + 1 + part - 42 + 64 - 64, 2 + 1 + part, 0];
    for (number, statement) in votes.into_iter().enumerate() {
        let message = LogMessage::Statement(statement.clone());
        let bytes = message.encode();
        assert_eq!(LogMessage::decode(&bytes), Ok(message));
        if [0, 2].contains(&number) {
            assert_eq!(bytes.len(), head + lengths[number]);
        }
        assert!(matches!(
            log.clone().accept_statement(statement.clone()),
            Ok(Accepted::Vote(_))
        ));
        let is_bad = |changed: Statement| {
            let accepted = log.clone().accept_statement(changed);
            // A changed proof can show nothing.
            matches!(accepted, Err(_) | Ok(Accepted::Known))
        };
        for at in 1..bytes.len() {
            for bit in [1, 128] {
                let mut other = bytes.clone();
                other[at] ^= bit;
                if let Ok(LogMessage::Statement(changed)) = LogMessage::decode(&other) {
                    assert!(is_bad(changed), "{number}, byte {at}");
                }
            }
        }
        for cut in 1..bytes.len() {
            if let Ok(LogMessage::Statement(changed)) = LogMessage::decode(&bytes[..cut]) {
                assert!(is_bad(changed), "{number}, cut at {cut}");
            }
        }
        if number == 0 {
            assert!(LogMessage::decode(&[&bytes[..], &[0]].concat()).is_err());
        }
    }
}

#[test]
fn changed_evidence_of_two_votes_convicts_nobody() {
    let table = table_at(4, 2, 1, at_a_bet);
    let of = &table.of.match_info;
    let pair = |one, other| Evidence {
        match_id: of.id(),
        statements: [one, other],
    };
    let votes = all_votes(&table);
    let due = votes[1].signed.seat();
    let other = votes[0].signed.seat();
    let Signed::Vote(with_part) = &votes[1].signed else {
        panic!();
    };
    let without = vote(&table, due, with_part.call.clone(), Answer::Signs(None));
    let elsewhere = {
        let log = &table.seats[0].log;
        let identity = &table.of.identities[other.index()];
        let silent = call(&table, &[(due, Missing::Statement)]);
        let place = (log.step(), other);
        let answer = Answer::Signs(None);
        let vote = SignedVote::sign(identity, &of.id(), &[3; 32], place, silent, answer);
        Statement {
            before: [3; 32],
            signed: Signed::Vote(Box::new(vote)),
        }
    };
    let valid = [
        // Signed and refused.
        pair(votes[0].clone(), votes[2].clone()),
        // One carries the part, and the other does not.
        pair(votes[1].clone(), without),
        // Two histories.
        pair(votes[0].clone(), elsewhere),
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
    let other_call = signs(&table, other, &[(C, Missing::Vote([0; 32]))]);
    let of_another = signs(&table, other.next(4), &[(due, Missing::Statement)]);
    let invalid = [
        pair(votes[0].clone(), other_call),
        pair(votes[0].clone(), votes[0].clone()),
        pair(votes[0].clone(), of_another),
    ];
    assert!(invalid.iter().all(|evidence| !evidence.holds(of)));
}

#[test]
fn votes_are_not_nested_without_end() {
    let table = table_at(4, 2, 1, at_a_bet);
    let due = table.seats[0].log.waits_for()[0];
    let mut proof = part_of(&table, due);
    for depth in 1..12 {
        let answer = Answer::Refuses(Box::new(proof));
        proof = vote(
            &table,
            due.next(4),
            call(&table, &[(due, Missing::Statement)]),
            answer,
        );
        let decoded = LogMessage::decode(&LogMessage::Statement(proof.clone()).encode());
        assert_eq!(decoded.is_ok(), depth <= 9, "{depth}");
    }
    // The step is part of the id.
    let id = |step| Call::new(step, [(due, Missing::Statement)]).unwrap().id();
    assert_ne!(id(4), id(5));
    // No more claims than the longest call has.
    let claims = |count: u8| (0..count).map(|id| (due, Missing::Vote([id; 32])));
    assert!(Call::new(1, claims(Call::MAX_CLAIMS as u8)).is_some());
    assert!(
        Call::new(1, claims(Call::MAX_CLAIMS as u8 + 1)).is_none() && Call::new(1, []).is_none()
    );
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

/// The file of a seat whose statements arrived in the order of its log. A part can come with a vote.
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
fn file_with_votes_is_read_by_its_owner_and_by_anybody() {
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
fn seats_resume_with_histories_that_contain_votes() {
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
    fn random_votes_are_refused_or_are_the_encoding_of_what_they_decode_to(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        flag in 0..3u8,
    ) {
        let mut bytes = bytes;
        // One claim, of a seat that lacks a statement, a part or nothing valid; and the answer.
        if let Some(claims) = bytes.get_mut(73..77) {
            claims.copy_from_slice(&[1, 2, flag, flag]);
        }
        if let Ok(vote) = SignedVote::decode(&bytes, 0) {
            prop_assert_eq!(vote.encode(), bytes);
        }
    }
}
