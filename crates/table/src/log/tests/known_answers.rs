//! Known answers: the log of a sealed deck stays byte for byte what it is.
//!
//! The decks of the test come from `StdRng`. If a new version of `rand` changes its numbers, all
//! hashes change together.

use dealerless_connection::hash::Hash;

use super::test_match::{TestMatch, boards, draw, free_deck, holdem};
use crate::rules::Edition;

/// The first bytes of the hash of all signed parts of an honest match.
fn digest(table: &TestMatch) -> String {
    let mut hash = Hash::new("known answer");
    for signed in table.played().history(0) {
        hash = hash
            .field(&signed.step.to_be_bytes())
            .field(&[signed.seat.number()])
            .field(&signed.part)
            .field(&signed.signature);
    }
    let bytes = &hash.finish()[..6];
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn logs_of_honest_matches_have_known_hashes() {
    let digests = |edition| {
        let tables = [
            holdem(2, 2),
            holdem(3, 1),
            draw(2, 2),
            draw(3, 1),
            free_deck(2),
            free_deck(3),
            boards(2),
        ];
        tables.map(|table| digest(&table.of_edition(edition)))
    };
    assert_eq!(
        digests(Edition::Two),
        [
            "3ec8062d5ea5",
            "18f237fc0111",
            "183c797001c1",
            "5c15eee35c91",
            "4f667ec6099b",
            "611250cbe8fe",
            "52cdf20a4825",
        ]
    );
    assert_eq!(
        digests(Edition::Three),
        [
            "6881138630c5",
            "fcb32143956d",
            "c7077c8c915f",
            "69b693daa11b",
            "dcb3ca89e6db",
            "1652c6f17bc5",
            "60f089525fe8",
        ]
    );
}
