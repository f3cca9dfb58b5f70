//! The ranking of hands: every rank and every kicker.

use super::dealt::{Dealt, SMALL_AND_BIG, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{Hand, HandRank, Limit, PokerKind, Stakes, Variety};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The rank of five cards by the textbook rules: the kind of hand, then the ranks that compare two
/// hands of the same kind.
fn by_the_book(cards: &[Card]) -> (usize, Vec<u64>) {
    let mut counts = BTreeMap::new();
    for card in cards {
        *counts.entry(card.0 % 13).or_insert(0) += 1;
    }
    let mut ranks: Vec<(usize, u64)> = counts
        .into_iter()
        .map(|(rank, count)| (count, rank))
        .collect();
    ranks.sort_unstable_by(|a, b| b.cmp(a));
    let (counts, mut ranks): (Vec<usize>, Vec<u64>) = ranks.into_iter().unzip();
    let flush = cards.iter().all(|card| card.0 / 13 == cards[0].0 / 13);
    if ranks == [12, 3, 2, 1, 0] {
        ranks = vec![3, 2, 1, 0, u64::MAX];
    }
    let straight = ranks.len() == 5
        && ranks
            .windows(2)
            .all(|pair| pair[0] == pair[1].wrapping_add(1));
    let kind = match (counts.as_slice(), straight, flush) {
        (_, true, true) => 8,
        ([4, 1], ..) => 7,
        ([3, 2], ..) => 6,
        (_, false, true) => 5,
        (_, true, false) => 4,
        ([3, 1, 1], ..) => 3,
        ([2, 2, 1], ..) => 2,
        ([2, 1, 1, 1], ..) => 1,
        _ => 0,
    };
    (kind, ranks)
}

/// One hand of each class. A class is five ranks in descending order, of several suits or of one.
fn classes() -> Vec<Vec<Card>> {
    let mut hands = Vec::new();
    for number in 0..13_u64.pow(5) {
        let ranks: Vec<u64> = (0..5).map(|i| number / 13_u64.pow(i) % 13).collect();
        let falls = ranks.windows(2).all(|pair| pair[0] >= pair[1]);
        if !falls || ranks[0] == ranks[4] {
            continue;
        }
        let hand = |suit: &dyn Fn(usize) -> u64| {
            let card = |(i, rank): (usize, &u64)| Card(13 * suit(i) + rank);
            ranks.iter().enumerate().map(card).collect::<Vec<_>>()
        };
        hands.push(hand(&|i| i as u64 % 4));
        if ranks.windows(2).all(|pair| pair[0] > pair[1]) {
            hands.push(hand(&|_| 2));
        }
    }
    hands
}

#[test]
fn all_7462_classes_of_hands_are_ordered() {
    let mut hands = classes();
    assert_eq!(hands.len(), 7462);
    hands.sort_by_key(|hand| by_the_book(hand));
    let ranks: Vec<HandRank> = hands
        .iter()
        .map(|hand| HandRank::of(hand).unwrap())
        .collect();
    assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn hands_have_their_usual_names() {
    for (hand, words) in [
        ("9c 6s 5h 4h 2h", "high card, nine"),
        ("6h Ah 6c 9s 8c", "pair, sixes"),
        ("Ah 7c 4s 7d 4h", "two pair, sevens and fours"),
        ("Jc Ah Js Kh Jd", "three of a kind, jacks"),
        ("2c Ah 3s 4h 5d", "straight, five-high"),
        ("Tc Ah Js Kh Qd", "straight, ace-high"),
        ("9s 7s 4s 3s 2s", "flush, nine-high"),
        ("Ks 6c Kc 6s 6d", "full house, sixes over kings"),
        ("4c 6h 4s 4d 4h", "four of a kind, fours"),
        ("9d 8d Jd Td 7d", "straight flush, jack-high"),
        ("As Ks Qs Js Ts", "royal flush"),
    ] {
        assert_eq!(HandRank::of(&cards(hand)).unwrap().to_string(), words);
    }
}

#[test]
fn made_hand_uses_the_board_or_a_pocket_pair() {
    // The hole cards of both seats, and a board.
    let deck = cards("4c 5c 6c 7c Ac 2s 3d 3h 4h");
    let holdem = Dealt::new(&holdem(Limit::NoLimit, 2), &[1000, 1000], 0, deck);
    let draw = Variety::Poker(
        PokerKind::FiveCardDraw,
        rules(Limit::NoLimit, SMALL_AND_BIG),
    );
    let draw = Stakes::new(draw, 2, 1).unwrap();
    let draw = Hand::new(&draw, &[1000, 1000], &[], Seat::HOST).unwrap();
    for (choices, own, words) in [
        ("", "Ks Kd", Some("pair, kings")),
        ("", "2c 2h", Some("pair, twos")),
        ("", "As Ac", Some("pair, aces")),
        ("", "As Kd", None),
        ("", "Ks Ks", None),
        ("", "Ks Kd Kc", None),
        ("", "", None),
        ("c, k", "Ks Kd", Some("pair, kings")),
        ("c, k", "Ks", None),
        ("c, k, k, k", "Ks Kd", Some("two pair, kings and threes")),
    ] {
        let mut dealt = holdem.clone();
        if !choices.is_empty() {
            dealt.play(choices);
        }
        assert_eq!(
            dealt.hand.made(&cards(own)).as_deref(),
            words,
            "{choices}: {own}"
        );
    }
    let invalid = [[52, 65], [u64::MAX, u64::MAX - 13]];
    for invalid in invalid.map(|own| own.map(Card)) {
        assert_eq!(holdem.hand.made(&invalid), None);
    }
    for (own, words) in [
        ("Ks Kd Kc 2s 3d", Some("three of a kind, kings")),
        ("Ks Kd", None),
    ] {
        assert_eq!(draw.made(&cards(own)).as_deref(), words, "{own}");
    }
}

#[test]
fn every_class_has_a_name() {
    for hand in classes() {
        assert!(!HandRank::of(&hand).unwrap().to_string().is_empty());
    }
}

#[test]
fn invalid_hands_have_no_rank() {
    let hand = cards("As Ks Qs Js Ts 9s 8s");
    assert_eq!(HandRank::of(&hand[..4]), None);
    assert_eq!(HandRank::of(&[&hand[..], &cards("7s")].concat()), None);
    assert_eq!(HandRank::of(&[&hand[..5], &hand[..1]].concat()), None);
    for number in [52, 63, u64::MAX] {
        assert_eq!(HandRank::of(&[&hand[..4], &[Card(number)]].concat()), None);
    }
}

proptest! {
    #[test]
    fn best_five_of_six_or_seven_cards_count(
        cards in prop::sample::subsequence((0..52).map(Card).collect::<Vec<_>>(), 6..=7).prop_shuffle(),
    ) {
        let best = (0_u32..1 << cards.len())
            .filter(|set| set.count_ones() == 5)
            .map(|set| {
                let chosen = (0..cards.len()).filter(|i| set >> i & 1 == 1);
                chosen.map(|i| cards[i]).collect::<Vec<_>>()
            })
            .max_by_key(|hand| by_the_book(hand));
        prop_assert_eq!(HandRank::of(&cards), HandRank::of(&best.unwrap()));
    }
}
