//! The ahead chain: the shuffles for the next hand.

use dealerless_connection::storage::MemoryStorage;

use super::super::signed::{SignedPart, Statement};
use super::super::*;
use super::many_seats::{Table, verifiable};
use crate::seat::Seat;

pub(super) const SEATS: [Seat; 3] = [Seat::HOST, Seat::GUEST, Seat::new(2)];

pub(super) fn chain_len(log: &MatchLog) -> usize {
    log.ahead().map_or(0, |chain| chain.statements.len())
}

/// A table of three in the first hand, whose ahead chain has this number of shuffles.
pub(super) fn table_with(shuffles: usize, seed: u64) -> Table {
    let mut table = Table::new(verifiable(3, 3), seed);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    for seat in SEATS.into_iter().take(shuffles) {
        if chain_len(&table.seats[seat.index()].log) == seat.index() {
            let statement = table.shuffle_ahead(seat).unwrap();
            table.send(&statement);
        }
        table.deliver_all();
    }
    // The test chooses the number of shuffles.
    assert!(
        table
            .seats
            .iter()
            .all(|seat| chain_len(&seat.log) >= shuffles)
    );
    table
}

/// A table before its first choice. No seat has shuffled for the second hand yet.
pub(super) fn fresh(seed: u64) -> Table {
    let mut table = Table::new(verifiable(3, 3), seed);
    while !table
        .seats
        .iter()
        .all(|seat| matches!(seat.log.phase(), Phase::Choose { .. }))
    {
        table.deliver_all();
        for seat in SEATS {
            let log = &table.seats[seat.index()].log;
            let signs = log.owes_ack(seat)
                || !matches!(log.phase(), Phase::Choose { .. })
                    && !log.may_sign(seat).is_empty()
                    && log.lacks(seat).is_empty();
            if signs && let Some(statement) = table.sign(seat) {
                table.send(&statement);
            }
        }
    }
    assert!(table.seats.iter().all(|seat| chain_len(&seat.log) == 0));
    table
}

/// The shuffles of the seats before this one.
pub(super) fn shuffle_before(table: &mut Table, seat: Seat) {
    for earlier in SEATS.into_iter().take(seat.index()) {
        let statement = table.shuffle_ahead(earlier).unwrap();
        table.send(&statement);
        table.deliver_all();
    }
}

/// Signs these bytes as the seat's shuffle in its step of the chain.
pub(super) fn signed_ahead(table: &Table, seat: Seat, bytes: Vec<u8>) -> Statement {
    let chain = table.seats[seat.index()].log.ahead().unwrap();
    signed_at(
        table,
        seat,
        chain.head,
        seat.index() as u64,
        chain.hash,
        bytes,
    )
}

pub(super) fn signed_at(
    table: &Table,
    seat: Seat,
    head: Head,
    step: u64,
    before: [u8; 32],
    bytes: Vec<u8>,
) -> Statement {
    let identity = &table.of.identities[seat.index()];
    let of = head.hash(&table.of.match_info.id());
    let part = SignedPart::sign(identity, &of, step, &before, seat, bytes);
    let signed = Signed::Ahead(Box::new(SignedAhead { head, part }));
    Statement { before, signed }
}

pub(super) fn ahead(statement: &Statement) -> &SignedAhead {
    match &statement.signed {
        Signed::Ahead(ahead) => ahead,
        other => panic!("{other:?}"),
    }
}

/// The number of shuffles in the log itself.
pub(super) fn shuffles_in_hands(log: &MatchLog) -> usize {
    let parts = log
        .history(0)
        .map(|part| Part::decode(&part.part, log.shape()).unwrap());
    parts
        .filter(|part| part.kind() == PartKind::Shuffle)
        .count()
}

/// The ends that the seats have named in the deals of a hand.
pub(super) fn ends(log: &MatchLog, hand: u32) -> Vec<Option<[u8; 32]>> {
    let seats = Seat::all(log.match_info().seats());
    let deals = seats.flat_map(|seat| log.deals(seat));
    let of_hand = deals.filter(|deal| deal.hand == hand);
    of_hand.map(|deal| deal.deck.end()).collect()
}

pub(super) fn assert_played(table: &Table) {
    assert_eq!(table.phase(), Phase::Over(End::Played));
    let chips: u64 = table.seats[0].log.stacks().iter().sum();
    assert_eq!(chips, 100 * table.seats.len() as u64);
}

#[test]
fn only_the_first_hand_is_shuffled_in_the_hand() {
    for (seats, seed) in [(2, 1), (3, 2), (4, 3), (6, 4)] {
        let mut table = Table::new(verifiable(seats, 3), seed);
        table.play();
        assert_played(&table);
        let log = &table.seats[0].log;
        assert_eq!(shuffles_in_hands(log), usize::from(seats));
        let named: Vec<_> = (1..=3).map(|hand| ends(log, hand)).collect();
        assert!(named[0].iter().all(Option::is_none));
        for of_hand in &named[1..] {
            assert!(of_hand[0].is_some() && of_hand.iter().all(|end| *end == of_hand[0]));
        }
        assert_ne!(named[1][0], named[2][0]);
        assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
    }
}

#[test]
fn deck_of_each_hand_is_reported_as_final_before_a_card_is_opened() {
    let mut table = Table::new(verifiable(3, 3), 1);
    table.play();
    let (mut log, mut events) = (table.of.log(), Vec::new());
    for statement in table.seats[0].log.statements(0) {
        if let Accepted::New(_, new) = log.accept_statement(statement).unwrap() {
            events.extend(new);
        }
    }
    let mut seals = Vec::new();
    let hands = events.split(|event| matches!(event, LogEvent::HandOver { .. }));
    for hand in hands.filter(|hand| !hand.is_empty()) {
        assert!(matches!(hand[0], LogEvent::Begun(_)));
        let LogEvent::Sealed { seal } = hand[1] else {
            panic!("{:?}", hand[1]);
        };
        seals.push(seal);
    }
    assert!(seals.len() == 3 && seals[0] != seals[1] && seals[1] != seals[2]);
}

#[test]
fn log_from_the_statements_of_another_one_has_the_same_decks() {
    let mut table = Table::new(verifiable(3, 3), 1);
    loop {
        let log = &table.seats[1].log;
        let mut copy = table.of.log();
        for statement in log.statements(0) {
            copy.accept_statement(statement.clone()).unwrap();
            assert_eq!(copy.accept_statement(statement), Ok(Accepted::Known));
        }
        assert_eq!(
            (copy.hash(), copy.ahead_end()),
            (log.hash(), log.ahead_end())
        );
        assert_eq!(copy.statements(0), log.statements(0));
        if !(0..20).all(|_| table.advance()) {
            break;
        }
    }
    assert_played(&table);
}

#[test]
fn deals_wait_for_the_shuffles_and_the_log_names_the_seat_whose_shuffle_is_due() {
    for silent in SEATS {
        let mut table = Table::new(verifiable(3, 2), 4);
        let mut going = true;
        while going {
            going = false;
            for seat in SEATS {
                let before = table.seats[seat.index()].log.clone();
                let Some(statement) = table.sign(seat) else {
                    continue;
                };
                if seat == silent && statement.signed.head().is_some() {
                    table.seats[seat.index()].log = before;
                    continue;
                }
                table.send(&statement);
                going = true;
            }
            table.deliver_all();
        }
        for seat in &table.seats {
            assert_eq!(seat.log.phase(), Phase::Deal);
            assert_eq!(seat.log.waits_for(), [silent]);
            assert_eq!(seat.log.attempt().hand, 2);
        }
    }
}

#[test]
fn seat_that_leaves_ends_the_chain() {
    let mut table = table_with(1, 12);
    table.seats[1].leaves = true;
    table.play();
    assert_eq!(table.phase(), Phase::Over(End::Left(vec![Seat::GUEST])));
    assert!(table.seats.iter().all(|seat| seat.log.ahead().is_none()));
    // What it has signed before is refused and ignored.
    assert!(table.seats.iter().all(|seat| seat.refused.is_none()));
}

#[test]
fn last_hand_has_no_chain() {
    let mut table = Table::new(verifiable(3, 1), 13);
    table.play_until(|log| log.game().is_some());
    assert!(table.seats.iter().all(|seat| seat.log.ahead().is_none()));
}

#[test]
fn seat_that_is_restored_from_an_older_file_makes_the_same_shuffle_again() {
    for seat in SEATS {
        let mut table = fresh(14);
        shuffle_before(&mut table, seat);
        let older = table.seats[seat.index()].log.clone();
        let first = table.shuffle_ahead(seat).unwrap();
        table.seats[seat.index()].log = older.clone();
        let again = table.shuffle_ahead(seat).unwrap();
        assert_eq!(first, again);
        // It takes back its own shuffle from another seat, and owes none then.
        let mut log = older;
        log.accept_statement(first).unwrap();
        assert!(!log.owes_ahead(seat));
    }
    // The first seat shuffles the same deck in each hand, with other secrets.
    let mut table = Table::new(verifiable(3, 3), 15);
    table.play();
    let statements = table.seats[0].log.statements(0);
    let firsts = statements.iter().filter(|one| {
        let by_host = one.signed.seat() == Seat::HOST;
        by_host && one.signed.head().is_some()
    });
    let firsts: Vec<_> = firsts.map(|one| ahead(one).part.part.clone()).collect();
    assert_eq!(firsts.len(), 2);
    let points = |part: &[u8]| part[1..].chunks(32).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let [one, two] = [0, 1].map(|number: usize| points(&firsts[number]));
    assert!(one.iter().all(|point| !two.contains(point)));
}

#[test]
fn match_file_with_shuffles_ahead_is_replayed_at_every_length() {
    let mut table = Table::new(verifiable(3, 2), 17);
    table.play();
    let (identity, storage) = (&table.of.identities[1], MemoryStorage::default());
    let sitting = table.of.sitting(Seat::GUEST);
    let mut journal = Journal::create(storage.clone(), identity.file_key(), &sitting).unwrap();
    let mut log = table.of.log();
    let statements = table.seats[0].log.statements(0);
    let mut ahead = 0;
    for Statement { signed, .. } in statements {
        ahead += usize::from(signed.head().is_some());
        log.accept_signed(signed.clone()).unwrap();
        journal.append([signed]).unwrap();
        let copy = MemoryStorage::of(storage.bytes());
        let opened = Journal::open(copy, identity.file_key()).unwrap();
        assert_eq!(
            (opened.log.hash(), opened.log.ahead_end()),
            (log.hash(), log.ahead_end())
        );
        assert_eq!(opened.log.statements(0), log.statements(0));
    }
    assert_eq!(ahead, 3);
    assert_eq!(log.phase(), Phase::Over(End::Played));
}
