//! Exhaustive checks of how much a sheet reveals, for a pack of eight cards: four suits of two
//! cards and four hands of two cards. `docs/bridge.md` has the proofs for 52 cards.

use std::collections::HashMap;

use super::super::Pass;
use super::super::scheme::passes_to;

const CARDS: usize = 8;

/// A number for each card or each position, such as its hand.
type Word = [u8; CARDS];

/// All distinct permutations of a word, in lexicographic order.
fn orders(mut word: Word) -> Vec<Word> {
    word.sort();
    let mut all = vec![word];
    while let Some(fall) = (1..CARDS).rev().find(|&at| word[at - 1] < word[at]) {
        let other = (fall..CARDS).rev().find(|&at| word[at] > word[fall - 1]);
        word.swap(fall - 1, other.expect("a larger digit follows"));
        word[fall..].reverse();
        all.push(word);
    }
    all
}

/// All second sheets up to renaming of the hands: the hands are numbered in the order in which they
/// get their first cards.
fn second_sheets() -> Vec<Word> {
    let mut all = orders([0, 0, 1, 1, 2, 2, 3, 3]);
    all.retain(|word| {
        let first = |hand| word.iter().position(|digit| *digit == hand);
        first(0) < first(1) && first(1) < first(2) && first(2) < first(3)
    });
    all
}

/// The owners of the cards after `pack` has been dealt by a second sheet.
fn deal(second: &Word, pack: &[u8]) -> Word {
    let mut owners = [0; CARDS];
    for (card, hand) in pack.iter().zip(second) {
        owners[usize::from(*card)] = *hand;
    }
    owners
}

/// The number of packs for which a second sheet produces each deal.
fn deals(second: &Word, packs: &[Vec<u8>]) -> HashMap<Word, u32> {
    let mut counts = HashMap::new();
    for pack in packs {
        *counts.entry(deal(second, pack)).or_insert(0) += 1;
    }
    counts
}

const SORTED: Word = [0, 1, 2, 3, 4, 5, 6, 7];

#[test]
fn two_passes_of_exact_piles_reach_every_order_and_leak_nothing() {
    let targets = orders(SORTED);
    assert_eq!(targets.len(), 40_320);
    let mut packs = Vec::new();
    for target in &targets {
        let [before, last] = passes_to(&target.map(u32::from), 4, 2);
        assert_eq!(before.sizes(), [4, 4]);
        assert_eq!(last.sizes(), [2; 4]);
        let pack = last.restacked(&before.restacked(&SORTED));
        for (card, place) in (0..).zip(target) {
            assert_eq!(pack[usize::from(*place)], card);
        }
        packs.push(pack);
    }
    let sheets = second_sheets();
    assert_eq!(sheets.len(), 105);
    for second in sheets {
        let counts = deals(&second, &packs);
        assert_eq!(counts.len(), 2520);
        assert!(counts.values().all(|count| *count == 16), "{second:?}");
    }
}

#[test]
fn one_pass_to_four_piles_excludes_deals_for_most_second_sheets() {
    let places = (0..4u32.pow(CARDS as u32)).map(|number| {
        (0..CARDS)
            .map(|at| (number >> (2 * at) & 3) as u8)
            .collect()
    });
    let packs: Vec<Vec<u8>> = places
        .map(|places| Pass::of(4, places).restacked(&SORTED))
        .collect();
    let all = second_sheets();
    let counts: Vec<usize> = all
        .iter()
        .map(|second| deals(second, &packs).len())
        .collect();
    // A second sheet that deals the hands one after another allows every deal. A sheet that
    // alternates between the hands excludes some deals.
    let at = |second: Word| counts[all.iter().position(|word| *word == second).unwrap()];
    assert_eq!(at([0, 0, 1, 1, 2, 2, 3, 3]), 2520);
    assert!(at([0, 1, 2, 3, 0, 1, 2, 3]) < 2520);
    let excluding = counts.iter().filter(|count| **count < 2520).count();
    assert_eq!((excluding, counts.iter().min()), (91, Some(&2166)));
}

/// The minimum number of consecutive pieces into which a second sheet must be cut so that the hands
/// in each piece are in the order `order`.
fn pieces(second: &[u8], order: &[u8]) -> usize {
    let rank = |hand: &u8| order.iter().position(|other| other == hand);
    let falls = second
        .windows(2)
        .filter(|pair| rank(&pair[0]) > rank(&pair[1]));
    1 + falls.count()
}

#[test]
fn alternating_second_sheet_of_52_cards_needs_25_piles_for_one_suit_per_hand() {
    let second: Vec<u8> = [[0, 1].repeat(13), [2, 3].repeat(13)].concat();
    let orders = orders([0, 1, 2, 3, 4, 5, 6, 7]);
    let orders = orders.iter().filter(|order| order[4..] == [4, 5, 6, 7]);
    let needed: Vec<usize> = orders.map(|order| pieces(&second, &order[..4])).collect();
    assert_eq!(needed.len(), 24);
    assert_eq!(needed.iter().min(), Some(&25));
}
