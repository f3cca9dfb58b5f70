//! Comparisons of records with shuffles for the next hand that are not part of the log.

use rand::SeedableRng;
use rand::rngs::StdRng;

use super::files::begun;
use crate::log::tests::many_seats::{Table, verifiable};
use crate::log::{DealInput, MatchLog, Part, Phase, Signed, Statement};
use crate::record::{Compared, Record, compare};
use crate::seat::Seat;

/// The host's shuffle for the second hand, made with these random values.
fn host_shuffle(table: &Table, log: &MatchLog, seed: u64) -> Statement {
    let deck = log.deck_now(Seat::HOST).unwrap();
    let context = deck.ahead_context().unwrap();
    let mut rng = StdRng::seed_from_u64(seed);
    let (shuffle, next) = deck.ahead_deck().unwrap().shuffle(&context, &mut rng);
    let mut log = log.clone();
    let signed = log.sign_ahead(&table.of.identities[0], Seat::HOST, shuffle, next);
    signed.unwrap()
}

/// A log whose second hand does not use the deck that was shuffled for it, and the host's two
/// shuffles for this hand. Before the log has `at` statements, none of them was made.
struct Dropped {
    table: Table,
    log: MatchLog,
    at: usize,
    shuffles: [Statement; 2],
}

fn dropped() -> Dropped {
    let mut table = Table::new(verifiable(3, 2), 1);
    table.play_until(|log| matches!(log.phase(), Phase::Choose { .. }));
    table.deliver_all();
    // All statements except those for the next hand.
    let log = table.seats[1].log.statements(0);
    let of_log: Vec<_> = (log.into_iter())
        .filter(|one| one.signed.head().is_none())
        .collect();
    let mut log = table.of.log();
    for statement in &of_log {
        log.accept_statement(statement.clone()).unwrap();
    }
    let shuffles = [1, 2].map(|seed| host_shuffle(&table, &log, seed));
    let may_deal = |log: &MatchLog| log.phase() == Phase::Deal && log.deal_waits_for().is_none();
    while !may_deal(&table.seats[0].log) {
        assert!(table.advance());
    }
    // The host names no chain in its deal.
    let host = &mut table.seats[0].log;
    let end = [0; 32];
    let deal = host.deal(DealInput::Verifiable { out: false, end }, vec![false; 3]);
    let before = host.hash();
    let (part, _) = host
        .sign(&table.of.identities[0], Seat::HOST, &Part::Deal(deal))
        .unwrap();
    let signed = Signed::Part(part);
    table.send(&Statement { before, signed });
    table.play_until(|log| log.attempt().hand == 2 && log.game().is_some());
    table.deliver_all();
    Dropped {
        at: of_log.len(),
        log: table.seats[1].log.clone(),
        table,
        shuffles,
    }
}

impl Dropped {
    /// The record of a seat with the first `count` statements of the log, and with this shuffle of the
    /// host.
    fn record(&self, seat: Seat, shuffle: Option<&Statement>, count: usize) -> Record {
        let (mut journal, memory) = begun(&self.table.of, seat);
        let mut signed: Vec<Signed> = (self.log.statements(0).into_iter())
            .filter(|one| one.signed.head().is_none())
            .map(|one| one.signed)
            .take(count)
            .collect();
        if let Some(shuffle) = shuffle {
            signed.insert(self.at, shuffle.signed.clone());
        }
        journal.append(&signed).unwrap();
        Record::read(&memory.bytes(), None).unwrap()
    }
}

#[test]
fn two_shuffles_that_no_hand_uses_convict_their_seat() {
    let dropped = dropped();
    let [one, other] = &dropped.shuffles;
    let of = &dropped.table.of.match_info;
    for count in [dropped.at, usize::MAX] {
        let records = [
            dropped.record(Seat::GUEST, Some(one), count),
            dropped.record(Seat::new(2), Some(other), usize::MAX),
        ];
        for [one, other] in [[0, 1], [1, 0]] {
            let Compared::Forked { hand, evidence } = compare(&records[one], &records[other])
            else {
                panic!("two shuffles of the host");
            };
            assert_eq!((hand, evidence.seat()), (2, Seat::HOST));
            assert!(evidence.holds(of));
        }
    }
}

#[test]
fn shuffle_that_only_one_record_has_conflicts_with_nothing() {
    let dropped = dropped();
    let [one, _] = &dropped.shuffles;
    let with = dropped.record(Seat::GUEST, Some(one), usize::MAX);
    for shuffle in [None, Some(one)] {
        let other = dropped.record(Seat::new(2), shuffle, usize::MAX);
        let compared = compare(&with, &other);
        assert!(
            matches!(compared, Compared::Together { more: [0, 0], .. }),
            "{compared:?}"
        );
    }
}
