//! Files of matches whose decks were shuffled ahead.

use super::files::{begun, ends};
use crate::log::tests::many_seats::{Table, verifiable};
use crate::log::{LogEvent, MatchLog, Refused, Signed};
use crate::record::{BadRecord, Record};
use crate::seat::Seat;

/// The kind of a shuffle that was made ahead.
const AHEAD: u8 = 7;

/// The file of a match of three with two hands, its log, and the places of its shuffles ahead among
/// the entries.
fn played() -> (Table, MatchLog, Vec<Vec<u8>>, Vec<usize>) {
    let mut table = Table::new(verifiable(3, 2), 1);
    table.play();
    let (mut journal, memory) = begun(&table.of, Seat::GUEST);
    let log = table.seats[0].log.clone();
    let signed = log.statements(0).into_iter().map(|one| one.signed);
    let signed: Vec<Signed> = signed.collect();
    journal.append(&signed).unwrap();
    let bytes = memory.bytes();
    let ends = ends(&bytes);
    let entries: Vec<Vec<u8>> = (ends.windows(2))
        .map(|place| bytes[place[0]..place[1]].to_vec())
        .collect();
    let is_ahead = |place: &usize| entries[*place][20] == AHEAD;
    let shuffles: Vec<usize> = (0..entries.len()).filter(is_ahead).collect();
    assert_eq!(shuffles.len(), 3);
    (table, log, entries, shuffles)
}

#[test]
fn record_with_shuffles_ahead_verifies() {
    let (table, log, entries, _) = played();
    for owner in [None, Some(&*table.of.identities[1])] {
        let record = Record::read(&entries.concat(), owner).unwrap();
        assert_eq!(record.log.hash(), log.hash());
        assert!(record.hands.len() == 2 && record.played() == 2);
        assert!(record.hands.iter().all(|hand| hand.seal.is_some()));
        let shown = |event: &LogEvent| matches!(event, LogEvent::Shown { .. });
        assert!(
            record
                .hands
                .iter()
                .all(|hand| hand.events.iter().any(shown))
        );
    }
}

#[test]
fn changed_shuffle_in_a_record_is_refused_and_names_a_seat() {
    let (_, _, entries, shuffles) = played();
    for (seat, &place) in Seat::all(3).zip(&shuffles) {
        let len = entries[place].len() - 32;
        // The kind, what the head is computed from, the step, the seat, the signature, the part.
        let fields = 21..21 + 4 + 32 + 8 + 1 + 64;
        let part = (fields.end..len).step_by(1501).chain([len - 1]);
        for at in fields.chain(part) {
            let mut changed = entries.clone();
            changed[place][at] ^= 1;
            let refused = Record::read(&changed.concat(), None);
            let Err(BadRecord::Part {
                seat: named,
                refused,
                ..
            }) = refused
            else {
                panic!("byte {at} of {seat}: {refused:?}");
            };
            assert!(named == seat || at == 21 + 4 + 32 + 8, "byte {at}");
            assert!(
                matches!(
                    refused,
                    Refused::Signature(_)
                        | Refused::OtherChain(_)
                        | Refused::TooEarly { .. }
                        | Refused::NoSuchSeat(_)
                ),
                "byte {at}: {refused:?}"
            );
        }
    }
}

#[test]
fn shuffle_that_is_missing_or_moved_in_a_record_is_noticed() {
    let (_, _, entries, shuffles) = played();
    for (number, &place) in shuffles.iter().enumerate() {
        let mut without = entries.clone();
        without.remove(place);
        let refused = Record::read(&without.concat(), None).unwrap_err();
        let BadRecord::Part { refused, .. } = refused else {
            panic!("{refused:?}");
        };
        // The next shuffle has no predecessor, or the deals name an unknown chain.
        assert!(
            matches!(
                refused,
                Refused::TooEarly { .. } | Refused::Signature(_) | Refused::UnknownDeck
            ),
            "{number}: {refused:?}"
        );
        let mut twice = entries.clone();
        twice.insert(place, entries[place].clone());
        let refused = Record::read(&twice.concat(), None).unwrap_err();
        assert!(matches!(refused, BadRecord::Repeated { .. }), "{refused:?}");
    }
    let mut swapped = entries.clone();
    swapped.swap(shuffles[0], shuffles[1]);
    assert!(Record::read(&swapped.concat(), None).is_err());
}
