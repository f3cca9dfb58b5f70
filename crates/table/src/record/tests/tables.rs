//! The records of several matches of one table.

use dealerless_connection::identity::{Fingerprint, Identity};

use super::super::*;
use crate::log::tests::many_seats::{Table, threshold, verifiable, verifiable_after};
use crate::log::{Member, Past};
use crate::testing::test_match::TestMatch;

fn player(number: u8) -> Fingerprint {
    Identity::from_seed([number; 32]).public().fingerprint()
}

/// The record of the first seat of a match that is played to its end, or until a condition is true.
fn record(of: TestMatch, until: fn(&MatchLog) -> bool) -> Record {
    let mut table = Table::new(of.clone(), 3);
    while !until(&table.seats[0].log) && table.advance() {}
    table.deliver_all();
    record_of(&of, Seat::HOST, table.seats.swap_remove(0).log)
}

fn record_of(of: &TestMatch, owner: Seat, log: MatchLog) -> Record {
    let sitting = of.sitting(owner);
    Record {
        owner,
        read_by_owner: false,
        names: sitting.names,
        log,
        hands: Vec::new(),
        notes: 0,
        claims: Vec::new(),
        torn: 0,
        unused_ahead: Vec::new(),
    }
}

fn never(_: &MatchLog) -> bool {
    false
}

/// A match of three, and the next one without player 0.
fn evening() -> [Record; 2] {
    let first = record(verifiable(3, 2), never);
    let past = Past::of(&first.log).unwrap();
    let second = record(verifiable_after(past, &[1, 2, 5], 1), never);
    [first, second]
}

#[test]
fn list_of_a_chain_has_all_players_and_the_chips_of_the_last_match() {
    let [first, second] = evening();
    let both = tables([&second, &first]);
    let [table] = &both[..] else {
        panic!("{both:?}");
    };
    let ids = [&first, &second].map(|record| record.log.match_info().id());
    assert_eq!(table.matches, ids);
    assert!(table.missing.is_empty() && table.broken.is_empty() && table.twice.is_empty());
    let members: Vec<Member> = table.list.iter().map(|(_, member)| *member).collect();
    assert_eq!(members, second.log.members());
    assert_eq!(members.len(), 4);
    assert_eq!(members.iter().map(|member| member.bought).sum::<u64>(), 400);
    let alone = tables([&second]);
    assert_eq!(
        (alone[0].missing.clone(), &alone[0].list.len()),
        (vec![ids[0]], &4)
    );
}

#[test]
fn match_that_begins_with_another_result_is_named() {
    let [first, _] = evening();
    let mut past = Past::of(&first.log).unwrap();
    past.players[1].chips += 1;
    past.players[2].chips -= 1;
    let other = record(verifiable_after(past, &[1, 2], 1), never);
    assert_eq!(
        tables([&first, &other])[0].broken,
        [other.log.match_info().id()]
    );
}

/// The owner of a record whom the others have removed cannot know the result.
#[test]
fn record_of_a_removed_seat_counts_only_without_a_record_of_the_result() {
    let of = threshold(4, 2, 1);
    let mut table = Table::new(of.clone(), 4);
    table.play_until(|log| log.phase() == Phase::Deal);
    table.play_without(&[Seat::new(3)]);
    table.deliver_all();
    let [.., removed] = &table.seats[..] else {
        panic!();
    };
    assert!(removed.log.is_removed());
    let removed = record_of(&of, Seat::new(3), removed.log.clone());
    let whole = record_of(&of, Seat::HOST, table.seats[0].log.clone());
    let mut past = Past::of(&whole.log).unwrap();
    let next = |past: &Past| record(verifiable_after(past.clone(), &[0, 1, 2], 1), never);
    let right = next(&past);
    past.players[0].chips += 1;
    past.players[1].chips -= 1;
    let wrong = next(&past);
    let broken = |records: &[&Record]| tables(records.iter().copied())[0].broken.len();
    assert_eq!(broken(&[&removed, &whole, &right]), 0);
    assert_eq!(broken(&[&removed, &right]), 0);
    assert_eq!(broken(&[&removed, &wrong]), 0);
    assert_eq!(broken(&[&removed, &whole, &wrong]), 1);
}

#[test]
fn players_in_two_matches_after_one_result_are_named_once_cards_were_opened() {
    let [first, second] = evening();
    let past = || Past::of(&first.log).unwrap();
    let twice = |records: [&Record; 3]| {
        let mut twice = tables(records)[0].twice.clone();
        twice.sort_by_key(Fingerprint::encode);
        twice
    };
    let named = |numbers: &[u8]| {
        let mut named: Vec<Fingerprint> = numbers.iter().map(|number| player(*number)).collect();
        named.sort_by_key(Fingerprint::encode);
        named
    };
    let other = record(verifiable_after(past(), &[1, 2, 0], 1), never);
    assert_eq!(twice([&first, &second, &other]), named(&[1, 2]));
    // A match without an opened card does not count, and changes no chips.
    let before = |log: &MatchLog| log.phase() == Phase::Deal;
    let begun = record(verifiable_after(past(), &[1, 2, 0], 1), before);
    assert_eq!(twice([&first, &second, &begun]), []);
    let list = |records: &[&Record]| -> Vec<Member> {
        let table = tables(records.iter().copied()).remove(0);
        table.list.into_iter().map(|(_, member)| member).collect()
    };
    assert_eq!(list(&[&first, &begun]), list(&[&first]));
    // Whoever has opened cards signs in no later proposal.
    let mut header = verifiable_after(past(), &[1, 2, 0], 1)
        .match_info
        .header()
        .clone();
    header.table.as_mut().unwrap().number = 2;
    let later = record(TestMatch::with(header, &[1, 2, 0]), before);
    assert_eq!(twice([&first, &second, &later]), named(&[1, 2]));
}

#[test]
fn few_payments_make_all_even() {
    let member = |number, chips, bought| Member {
        player: player(number),
        chips,
        bought,
    };
    let list = [
        member(0, 10, 100),
        member(1, 260, 200),
        member(2, 0, 50),
        member(3, 180, 100),
    ];
    let paid: Vec<_> = (payments(&list).iter())
        .map(|due| (due.from, due.to, due.chips))
        .collect();
    assert_eq!(paid, [(0, 3, 80), (2, 1, 50), (0, 1, 10)]);
    assert_eq!(payments(&[member(0, 5, 5)]), []);
    assert_eq!(payments(&[]), []);
}
