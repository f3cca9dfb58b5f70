//! Comparisons of the records of two sides.

use super::files::file_of;
use crate::log::tests::test_match::{TestMatch, holdem};
use crate::log::{Part, SignedPart};
use crate::record::{Compared, Record, compare};
use crate::seat::Seat;

fn read(table: &TestMatch, seat: Seat, parts: &[SignedPart]) -> Record {
    Record::read(&file_of(table, seat, parts), None).unwrap()
}

/// The expected result for records of two sides, with the given numbers of extra parts.
fn together(more: [usize; 2]) -> Compared {
    Compared::Together {
        more,
        renamed: Vec::new(),
        same_owner: false,
    }
}

#[test]
fn records_of_two_sides_agree_on_their_common_steps() {
    let table = holdem(2, 2);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let whole = read(&table, Seat::HOST, &parts);
    for count in 0..=parts.len() {
        let part = read(&table, Seat::GUEST, &parts[..count]);
        let missing = parts.len() - count;
        assert_eq!(compare(&whole, &part), together([missing, 0]));
        assert_eq!(compare(&part, &whole), together([0, missing]));
    }
}

#[test]
fn the_two_halves_of_a_step_are_compatible() {
    let table = holdem(2, 1);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let one = read(&table, Seat::HOST, &parts[0..=0]);
    let other = read(&table, Seat::GUEST, &parts[1..=1]);
    assert_eq!(compare(&one, &other), together([1, 1]));
}

#[test]
fn modified_names_and_owners_are_unproven_and_reported() {
    let table = holdem(2, 1);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let whole = read(&table, Seat::HOST, &parts);
    let bytes = file_of(&table, Seat::GUEST, &parts);
    let at = |name: &str| {
        let found = bytes.windows(6).position(|six| six == name.as_bytes());
        found.unwrap()
    };
    let (host, guest) = (at("seat 0"), at("seat 1"));
    let mut changed = bytes.clone();
    changed[host..host + 6].copy_from_slice(b"seat 1");
    changed[guest..guest + 6].copy_from_slice(b"seat 0");
    let swapped = Record::read(&changed, None).unwrap();
    assert!(!swapped.read_by_owner);
    let compared = Compared::Together {
        more: [0, 0],
        renamed: vec![Seat::HOST, Seat::GUEST],
        same_owner: false,
    };
    assert_eq!(compare(&whole, &swapped), compared);
    // The owner's seat follows the length, its checksum, the kind, the magic bytes and the match.
    let owner = 4 + 16 + 1 + 16 + 32;
    let mut changed = bytes;
    changed[owner] = 0;
    let owned = Record::read(&changed, None).unwrap();
    let compared = Compared::Together {
        more: [0, 0],
        renamed: Vec::new(),
        same_owner: true,
    };
    assert_eq!(compare(&whole, &owned), compared);
}

#[test]
fn records_of_two_matches_are_not_compared() {
    let (table, others) = (holdem(2, 1), holdem(2, 2));
    let one = read(&table, Seat::HOST, &[]);
    let other = read(&others, Seat::HOST, &[]);
    assert_eq!(compare(&one, &other), Compared::OtherMatch);
}

#[test]
fn a_seat_with_two_parts_for_a_step_is_convicted() {
    let table = holdem(2, 2);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let whole = read(&table, Seat::HOST, &parts);
    let logs = table.prefixes(&parts);
    for (count, part) in parts.iter().enumerate() {
        let hand = logs[count].attempt().hand;
        // A foul that the seat signed only for the other side is a fork as well.
        for said in [Part::Leave, Part::Again] {
            let forked = table.sign(&logs[count], part.seat, &said);
            let parts_of_guest = [&parts[..count], &[forked]].concat();
            let other = read(&table, Seat::GUEST, &parts_of_guest);
            for (one, other) in [(&whole, &other), (&other, &whole)] {
                let Compared::Forked { hand: at, evidence } = compare(one, other) else {
                    panic!("{count}");
                };
                assert_eq!((evidence.seat(), at), (part.seat, hand));
                assert!(evidence.holds(&table.match_info));
            }
        }
    }
}
