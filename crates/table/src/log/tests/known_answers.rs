//! Known answers: the log of a sealed deck stays byte for byte what it is.
//!
//! The decks of the test come from `StdRng`. If a new version of `rand` changes its numbers, all
//! hashes change together.

use dealerless_connection::hash::Hash;

use super::test_match::{TestMatch, boards, draw, free_deck, holdem};

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
    let tables = [
        holdem(2, 2),
        holdem(3, 1),
        draw(2, 2),
        draw(3, 1),
        free_deck(2),
        free_deck(3),
        boards(2),
    ];
    assert_eq!(
        tables.map(|table| digest(&table)),
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
