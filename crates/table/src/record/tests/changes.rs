//! Modified files: the owner's key detects every change; without it, changes to signed bytes are
//! detected.

use super::files::{begun, ends, face, file, file_of};
use crate::log::tests::test_match::{TestMatch, holdem};
use crate::log::{MatchLog, PartKind, Phase, Seen};
use crate::record::{BadRecord, Record};
use crate::seat::Seat;

/// Plays a hand to its showdown, and returns the host's file with a note of the host's first card.
pub(super) fn noted(table: &TestMatch) -> (MatchLog, Vec<u8>) {
    let (mut journal, memory) = begun(table, Seat::HOST);
    let mut log = table.log();
    while matches!(log.phase(), Phase::Deal | Phase::Seal(_)) {
        journal.append([&table.sign_next(&mut log)]).unwrap();
    }
    journal.note(&Seen {
        attempt: log.attempt(),
        position: 0,
        since: 0,
        card: face(table, &log, 0),
        wide: false,
    });
    while !log.waits_for().is_empty() {
        journal.append([&table.sign_next(&mut log)]).unwrap();
    }
    (log, memory.bytes())
}

/// Whether only the owner's key protects this byte of the file.
pub(super) fn is_unsigned(bytes: &[u8], ends: &[usize], at: usize) -> bool {
    let place = ends.partition_point(|&end| end <= at) - 1;
    let (begin, end) = (ends[place], ends[place + 1]);
    let (inside, content) = (at - begin, &bytes[begin + 20..end - 32]);
    let check_or_mac = (4..20).contains(&inside) || at + 32 >= end;
    // The content after the kind is: magic, match, seat. Each player's entry ends with its name.
    let names = ["seat 0", "seat 1"].map(|name| {
        let at = content
            .windows(name.len())
            .position(|w| w == name.as_bytes());
        at.map(|at| at..at + name.len())
    });
    let in_name = |inside| names.iter().flatten().any(|name| name.contains(&inside));
    let of_file = place == 0 && inside >= 20 && (inside == 20 + 1 + 48 || in_name(inside - 20));
    let in_note = content[0] == 3 && inside > 20;
    check_or_mac || of_file || in_note
}

/// Flips the given bits of the byte at `at` and asserts what is detected.
pub(super) fn flipped(bytes: &[u8], log: &MatchLog, table: &TestMatch, at: usize, bits: u8) {
    let ends = ends(bytes);
    let mut changed = bytes.to_vec();
    changed[at] ^= bits;
    let own = Record::read(&changed, Some(&table.identities[0]));
    let is_noticed = matches!(
        own,
        Err(BadRecord::Changed(_) | BadRecord::Start | BadRecord::NotYours)
    );
    assert!(is_noticed, "byte {at}: {own:?}");
    let read = Record::read(&changed, None);
    match (read, is_unsigned(bytes, &ends, at)) {
        (Ok(record), true) => assert_eq!(record.log.hash(), log.hash(), "byte {at}"),
        // With a larger length field, one of the last entries looks like an incomplete one.
        (Ok(record), false) => {
            let parts = record.log.history(0).count();
            let place = ends.partition_point(|&end| end <= at) - 1;
            assert!(at - ends[place] < 4, "byte {at} of the file");
            assert!(
                record.torn == bytes.len() - ends[place] && parts < place,
                "byte {at}"
            );
            assert!(record.log.history(0).eq(log.history(0).take(parts)));
        }
        // The byte names a seat that does not exist, or a note of a hand or a card that does not
        // exist.
        (Err(error), true) => assert!(at > ends[1] || error == BadRecord::NoMatch),
        (Err(error), false) => {
            if let Some(place) = error.place() {
                assert_eq!(place.hand, 1);
                assert!(place.at <= at, "byte {at}: {error}");
            }
            assert!(error.evidence().is_none());
        }
    }
}

#[test]
fn a_modified_byte_is_detected_by_the_owner_and_if_signed_by_anybody() {
    let table = holdem(2, 1);
    let (log, bytes) = noted(&table);
    assert_eq!(Record::read(&bytes, None).unwrap().log.hash(), log.hash());
    for at in (0..bytes.len()).step_by(11) {
        flipped(&bytes, &log, &table, at, 1 << (at % 8));
    }
}

#[test]
fn dropped_swapped_repeated_and_foreign_parts_are_detected() {
    let table = holdem(2, 1);
    let log = table.played();
    let bytes = file(&table, Seat::HOST, &log);
    let parts: Vec<_> = log.history(0).cloned().collect();
    let others = holdem(2, 2);
    let foreign = others.played();
    let foreign: Vec<_> = foreign.history(0).cloned().collect();
    assert!(Record::read(&bytes, None).is_ok());
    for i in 0..parts.len() {
        let mut dropped = parts.clone();
        dropped.remove(i);
        let read = Record::read(&file_of(&table, Seat::HOST, &dropped), None);
        if parts[i].step + 1 == log.step() {
            // The file looks as if the part had not been sent yet.
            assert_eq!(read.unwrap().log.waits_for(), [parts[i].seat]);
        } else {
            assert!(matches!(read, Err(BadRecord::Part { .. })), "{i}");
        }
        let mut repeated = parts.clone();
        repeated.insert(i, parts[i].clone());
        let read = Record::read(&file_of(&table, Seat::HOST, &repeated), None);
        assert!(matches!(read, Err(BadRecord::Repeated { seat, .. }) if seat == parts[i].seat));
        let mut mixed = parts.clone();
        mixed[i] = foreign[i].clone();
        let read = Record::read(&file_of(&table, Seat::HOST, &mixed), None);
        let Err(BadRecord::Part { place, seat, .. }) = read else {
            panic!("{i}: {read:?}");
        };
        assert_eq!(
            (place.hand, place.step, seat),
            (1, parts[i].step, parts[i].seat)
        );
        if i > 0 {
            let mut swapped = parts.clone();
            swapped.swap(i - 1, i);
            let read = Record::read(&file_of(&table, Seat::HOST, &swapped), None);
            if parts[i - 1].step == parts[i].step {
                // Two parts of one step can arrive in either order.
                assert_eq!(read.unwrap().log.hash(), log.hash());
            } else {
                assert!(read.is_err(), "{i}");
            }
        }
    }
}

#[test]
fn an_error_names_the_first_invalid_hand_and_step() {
    let table = holdem(2, 3);
    let log = table.played();
    let mut parts: Vec<_> = log.history(0).cloned().collect();
    let last = parts.len() - 1;
    let second = parts
        .iter()
        .filter(|part| part.part[0] == PartKind::Deal as u8)
        .nth(2);
    let step = second.unwrap().step;
    let at = parts.iter().position(|part| part.step == step).unwrap();
    parts[at].signature[9] ^= 1;
    parts[last].signature[9] ^= 1;
    let error = Record::read(&file_of(&table, Seat::GUEST, &parts), None).unwrap_err();
    let place = error.place().unwrap();
    assert_eq!((place.hand, place.step), (2, step));
    assert!(
        error
            .to_string()
            .starts_with(&format!("hand 2, step {step}")),
        "{error}"
    );
}

#[test]
fn a_file_truncated_at_any_byte_is_a_shorter_record() {
    let table = holdem(2, 1);
    let (_, bytes) = noted(&table);
    let ends = ends(&bytes);
    for cut in (0..bytes.len()).step_by(13) {
        let records = ends.partition_point(|&end| end <= cut) - 1;
        for zeros in [0, 7, bytes.len() - cut] {
            let torn = [&bytes[..cut], &vec![0; zeros.min(bytes.len() - cut)]].concat();
            match Record::read(&torn, None) {
                Err(BadRecord::NeverBegun) => assert_eq!(records, 0),
                Err(error) => panic!("{cut} {zeros}: {error}"),
                Ok(record) => {
                    // If only a part of the MAC is missing, zeros make the record complete.
                    let complete = torn.len() - record.torn;
                    assert!(ends.contains(&complete) && complete >= ends[records]);
                }
            }
        }
    }
}

#[test]
fn an_impossible_record_length_is_not_a_torn_record() {
    let table = holdem(2, 1);
    let (_, bytes) = noted(&table);
    let ends = ends(&bytes);
    for byte in [1, 2, 3] {
        let mut changed = bytes.clone();
        changed[ends[2] + byte] ^= 0x40;
        let error = Record::read(&changed, None).unwrap_err();
        assert_eq!(
            error.place().map(|place| place.at),
            Some(ends[2]),
            "{error}"
        );
    }
}

#[test]
fn a_record_of_another_identity_is_only_readable_without_a_key() {
    let table = holdem(2, 1);
    let (log, bytes) = noted(&table);
    let own = Record::read(&bytes, Some(&table.identities[1]));
    assert_eq!(own.unwrap_err(), BadRecord::NotYours);
    let (mine, anybody) = (
        Record::read(&bytes, Some(&table.identities[0])).unwrap(),
        Record::read(&bytes, None).unwrap(),
    );
    assert_eq!((mine.notes, anybody.notes), (1, 1));
    assert_eq!(mine.hands[0].seen.len(), 1);
    assert!(anybody.hands[0].seen.is_empty());
    assert_eq!(anybody.log.phase(), log.phase());
    // The card is not stored in plaintext.
    let card = mine.hands[0].seen[&0].0 as u16;
    let note = ends(&bytes)
        .windows(2)
        .find(|r| bytes[r[0] + 20] == 3)
        .unwrap()[0]
        + 21;
    assert_ne!(bytes[note + 10..note + 12], card.to_le_bytes());
}

#[test]
fn files_that_are_not_records_are_refused() {
    assert_eq!(Record::read(&[], None).unwrap_err(), BadRecord::NeverBegun);
    assert_eq!(
        Record::read(&[7; 400], None).unwrap_err(),
        BadRecord::NeverBegun
    );
    let mut text = vec![0; 400];
    text[0] = 9;
    text[100] = 1;
    assert_eq!(Record::read(&text, None).unwrap_err(), BadRecord::NoMatch);
}
