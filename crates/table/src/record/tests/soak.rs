//! Slow tests: `cargo test -p dealerless-table --lib record -- --ignored --nocapture`.

use std::time::Instant;

use super::changes::{flipped, noted};
use super::files::{file, random_match};
use crate::log::tests::test_match::{TestMatch, holdem};
use crate::record::Record;
use crate::rules::{BettingRules, Limit, PokerKind, Posts, Variety};
use crate::seat::Seat;

#[test]
#[ignore = "takes minutes"]
fn every_flipped_bit_is_detected_by_the_owner_and_if_signed_by_anybody() {
    let table = holdem(2, 1);
    let (log, bytes) = noted(&table);
    for at in 0..bytes.len() {
        for bit in 0..8 {
            flipped(&bytes, &log, &table, at, 1 << bit);
        }
    }
    println!("{} bits", 8 * bytes.len());
}

#[test]
#[ignore = "a measurement"]
fn a_match_of_a_thousand_hands_verifies() {
    let rules = BettingRules {
        stack: 1_000_000_000,
        limit: Limit::Fixed,
        posts: Posts::Blinds { small: 1, big: 2 },
    };
    let table = TestMatch::new(Variety::Poker(PokerKind::Holdem, rules), 2, 1000);
    let called = file(&table, Seat::HOST, &table.played());
    let (_, random) = random_match(&table, 3, 1000);
    for bytes in [called, random] {
        let begun = Instant::now();
        let record = Record::read(&bytes, None).unwrap();
        let taken = begun.elapsed();
        let parts = record.log.history(0).count();
        let (hands, bytes) = (record.played(), bytes.len());
        println!("{hands} hands, {parts} parts, {bytes} bytes: {taken:?}");
    }
}
