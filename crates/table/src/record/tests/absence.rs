//! The file of a match that was settled without an absent seat, beside the file of the match before.

use super::files::begun;
use crate::log::tests::many_seats::{Table, verifiable, verifiable_after};
use crate::log::{MatchLog, Phase, Signed};
use crate::record::{Compared, Record, compare};
use crate::seat::Seat;

/// The record of a log.
fn record(table: &Table, log: &MatchLog) -> Record {
    let (mut journal, memory) = begun(&table.of, Seat::HOST);
    let signed = log.statements(0).into_iter().map(|one| one.signed);
    journal.append(signed.collect::<Vec<Signed>>()).unwrap();
    Record::read(&memory.bytes(), None).unwrap()
}

#[test]
fn records_show_who_has_signed_a_settlement_and_who_has_hidden_steps() {
    let mut before = Table::new(verifiable(3, 1), 4);
    before.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    before.deliver_all();
    let absent = before.seats[0].log.waits_for()[0];
    let [first, second] = [absent.next(3), absent.next(3).next(3)];
    let log = before.seats[first.index()].log.clone();
    let past = log.settled_without(&[absent]).unwrap().past;
    let others = [first.number(), second.number()];
    let mut next = Table::new(verifiable_after(past.clone(), &others, 1), 1);
    let old = record(&before, &log);
    let compared = |next: &Table, old: &Record| {
        let new = record(next, &next.seats[0].log);
        let compared = compare(old, &new);
        assert_eq!(compare(&new, old), compared);
        compared
    };
    let continues = |agrees, unsigned: &[Seat], beyond: &[Seat]| Compared::Continues {
        agrees,
        unsigned: unsigned.to_vec(),
        beyond: beyond.to_vec(),
    };
    let mut both = vec![first, second];
    both.sort_unstable();
    assert_eq!(compared(&next, &old), continues(true, &both, &[]));
    let statement = next.sign(Seat::HOST).unwrap();
    next.send(&statement);
    assert_eq!(compared(&next, &old), continues(true, &[second], &[]));
    next.play();
    assert_eq!(compared(&next, &old), continues(true, &[], &[]));

    // The absent seat has moved, and one of the others has answered that: it has hidden the move.
    for seat in [absent, first] {
        let statement = before.sign(seat).unwrap();
        before.send(&statement);
        before.deliver_all();
        let longer = record(&before, &before.seats[absent.index()].log);
        let beyond: &[Seat] = if seat == first { &[first] } else { &[] };
        assert_eq!(compared(&next, &longer), continues(true, &[], beyond));
    }
    // A record without the last step does not show the chips.
    let mut shorter = before.of.log();
    for statement in log.statements(0) {
        if statement.signed.step() < log.step() - 1 {
            shorter.accept_statement(statement).unwrap();
        }
    }
    let shorter = record(&before, &shorter);
    assert_eq!(compared(&next, &shorter), continues(false, &[], &[]));
    // Other chips than those of the record.
    let mut wrong = past;
    wrong.players[0].chips += 1;
    wrong.players[0].bought += 1;
    let mut next = Table::new(verifiable_after(wrong, &others, 1), 1);
    next.play();
    assert_eq!(compared(&next, &old), continues(false, &[], &[]));
}
