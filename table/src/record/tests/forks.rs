//! The records of two sides.

use super::files::file_of;
use crate::log::tests::table::{Table, holdem};
use crate::log::{Part, SignedPart};
use crate::record::{Compared, Record, compare};
use crate::seat::Seat;

fn read(table: &Table, seat: Seat, parts: &[SignedPart]) -> Record {
    Record::read(&file_of(table, seat, parts)).unwrap()
}

#[test]
fn two_sides_of_a_match_tell_the_same_as_far_as_both_go() {
    let table = holdem(2, 2);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let whole = read(&table, Seat::HOST, &parts);
    for count in 0..=parts.len() {
        let part = read(&table, Seat::GUEST, &parts[..count]);
        let missing = parts.len() - count;
        let more = |more| Compared::Together { more };
        assert_eq!(compare(&whole, &part), more([missing, 0]));
        assert_eq!(compare(&part, &whole), more([0, missing]));
    }
}

#[test]
fn halves_of_one_step_belong_together() {
    let table = holdem(2, 1);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let [one, other] = [0, 1].map(|half: usize| read(&table, Seat::HOST, &parts[half..=half]));
    assert_eq!(compare(&one, &other), Compared::Together { more: [1, 1] });
}

#[test]
fn records_of_two_matches_are_not_compared() {
    let (table, others) = (holdem(2, 1), holdem(2, 2));
    let one = read(&table, Seat::HOST, &[]);
    let other = read(&others, Seat::HOST, &[]);
    assert_eq!(compare(&one, &other), Compared::OtherMatch);
}

#[test]
fn a_seat_that_told_each_side_something_else_is_named_with_the_hand_and_convicted() {
    let table = holdem(2, 2);
    let parts: Vec<_> = table.played().history(0).cloned().collect();
    let whole = read(&table, Seat::HOST, &parts);
    let logs = table.prefixes(&parts);
    for (count, part) in parts.iter().enumerate() {
        let hand = logs[count].attempt().hand;
        // Also a foul that it signed for the other side alone.
        for said in [Part::Leave, Part::Again] {
            let forked = table.sign(&logs[count], part.seat, &said);
            let told = [&parts[..count], &[forked]].concat();
            let other = read(&table, Seat::GUEST, &told);
            for (one, other) in [(&whole, &other), (&other, &whole)] {
                let Compared::Forked(forked) = compare(one, other) else {
                    panic!("{count}");
                };
                assert_eq!((forked.evidence.seat(), forked.hand), (part.seat, hand));
                assert!(forked.evidence.holds(&table.of));
            }
        }
    }
}
