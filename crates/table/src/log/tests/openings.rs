//! The openings of a sealed deck: which seats open which cards in which step.

use super::super::*;
use super::test_match::{TestMatch, free_deck, holdem};

/// The openings of an honest match, one line a step: each opener with the positions of its cards.
fn openings(table: &TestMatch) -> Vec<String> {
    let mut log = table.log();
    let mut steps = Vec::new();
    let mut step = None;
    while !matches!(log.phase(), Phase::Over(_)) && log.attempt().hand == 1 {
        if let Phase::Open(openings) = log.phase()
            && step.replace(log.step()) != Some(log.step())
        {
            let opening = |opening: &Opening| {
                let positions: Vec<usize> = opening.cards.iter().map(|card| card.0).collect();
                format!("{}: {positions:?}", opening.opener)
            };
            let openings: Vec<String> = openings.iter().map(opening).collect();
            steps.push(openings.join(", "));
        }
        table.sign_next(&mut log);
    }
    steps
}

#[test]
fn host_opens_its_shares_of_hole_cards_first_and_owners_show_them() {
    assert_eq!(
        openings(&holdem(3, 1)),
        [
            "seat 0: [1, 2, 4, 5]",
            "seat 1: [0, 2, 3, 5], seat 2: [0, 1, 3, 4]",
            "seat 0: [6, 7, 8], seat 1: [6, 7, 8], seat 2: [6, 7, 8]",
            "seat 0: [9], seat 1: [9], seat 2: [9]",
            "seat 0: [10], seat 1: [10], seat 2: [10]",
            "seat 1: [1, 4]",
            "seat 2: [2, 5]",
            "seat 0: [0, 3]",
        ]
    );
}

/// Each seat draws two cards, the guest first. The guest steals one of the host's cards 1 and 3,
/// and the host reveals the other one.
#[test]
fn deck_without_rules_starts_with_an_empty_opening_of_the_host() {
    assert_eq!(
        openings(&free_deck(2)),
        [
            "seat 0: []",
            "seat 0: [0]",
            "seat 1: [1]",
            "seat 0: [2]",
            "seat 1: [3]",
            "seat 0: [1], seat 1: [1, 3]",
            "seat 0: [3]",
        ]
    );
}
