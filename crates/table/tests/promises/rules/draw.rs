//! Five-card draw.

use super::dealt::{Dealt, SMALL_AND_BIG, bets, cards, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{
    Choice, Foul, Learners, Legal, Limit, PokerKind, Posts, Stakes, StakesError, Variety,
};

const ANTES: Posts = Posts::Antes { ante: 1, bet: 10 };

fn stakes(limit: Limit, posts: Posts, seats: u8) -> Stakes {
    Stakes::new(
        Variety::Poker(PokerKind::FiveCardDraw, rules(limit, posts)),
        seats,
        9,
    )
    .unwrap()
}

fn dealt(limit: Limit, posts: Posts, stacks: &[u64]) -> Dealt {
    let deck = (0..52).map(Card).collect();
    Dealt::new(&stakes(limit, posts, stacks.len() as u8), stacks, 0, deck)
}

#[test]
fn exchanged_cards_come_next_in_the_deck_and_are_seen_by_their_seat_only() {
    for first in 0..=5_usize {
        for second in 0..=5_usize {
            let mut hand = dealt(Limit::NoLimit, ANTES, &[100, 100]);
            hand.play("k, k");
            assert_eq!(hand.asked(), (1, Legal::Exchange));
            let places = |count: usize| Choice::Exchange((0..count as u8).collect());
            hand.try_to(&places(first)).unwrap();
            assert_eq!(hand.asked(), (0, Legal::Exchange));
            hand.try_to(&places(second)).unwrap();
            let held = |seat: u8| hand.hand.held(Seat::new(seat));
            let kept = |seat: usize, count: usize| (count..5).map(move |i| 2 * i + seat);
            let new: Vec<usize> = (10..10 + first).chain(kept(1, first)).collect();
            assert_eq!(held(1), new);
            let new: Vec<usize> = (10 + first..10 + first + second)
                .chain(kept(0, second))
                .collect();
            assert_eq!(held(0), new);
            let steps = if first + second == 0 { 1 } else { 2 };
            assert_eq!(hand.opened.len(), steps);
            for position in 0..20 {
                let dealt = position < 10 + first + second;
                let (host, guest) = (
                    hand.sees(Seat::HOST, position),
                    hand.sees(Seat::GUEST, position),
                );
                assert!(!hand.is_public(position));
                assert_eq!(host || guest, dealt, "{position}");
            }
            assert_eq!(hand.asked(), (1, bets(0, Some((10, 99)), None)));
        }
    }
}

#[test]
fn discarded_cards_stay_closed_at_the_showdown() {
    let mut hand = dealt(Limit::NoLimit, ANTES, &[100, 100]);
    hand.play("k, k, x 1 3, x, k, k, show, show");
    for (position, public) in [
        (1, true),
        (3, false),
        (7, false),
        (10, true),
        (11, true),
        (12, false),
    ] {
        assert_eq!(hand.is_public(position), public, "{position}");
    }
    assert_eq!(
        hand.opened[2],
        [1, 5, 9, 10, 11].map(|position| (position, Learners::All))
    );
}

#[test]
fn invalid_exchanges_are_fouls() {
    let mut hand = dealt(Limit::NoLimit, ANTES, &[100, 100]);
    hand.play("k, k");
    let before = hand.hand.clone();
    for places in [vec![5], vec![1, 0], vec![2, 2], vec![0, 1, 2, 3, 4, 5]] {
        assert_eq!(
            hand.try_to(&Choice::Exchange(places)),
            Err(Foul::BadExchange)
        );
    }
    assert_eq!(hand.try_to(&Choice::Check), Err(Foul::WrongKind));
    assert_eq!(hand.hand, before);
}

#[test]
fn button_acts_first_before_the_exchange_and_last_after_it() {
    let mut hand = dealt(Limit::NoLimit, SMALL_AND_BIG, &[100, 100]);
    assert_eq!(hand.asked(), (0, bets(5, None, Some((20, 100)))));
    hand.play("c, k, x, x");
    assert_eq!(hand.asked().0, 1);
}

#[test]
fn fixed_limit_bets_double_after_the_exchange() {
    let mut hand = dealt(Limit::Fixed, ANTES, &[500, 500]);
    assert_eq!(hand.asked(), (1, bets(0, Some((10, 10)), None)));
    hand.play("b 10, c, x 0, x 0 1 2 3 4");
    assert_eq!(hand.asked(), (1, bets(0, Some((20, 20)), None)));
    hand.play("b 20, r 40, r 60, r 80");
    assert_eq!(hand.asked(), (1, bets(20, None, None)));
}

#[test]
fn all_in_seats_still_exchange() {
    let mut hand = dealt(Limit::NoLimit, ANTES, &[100, 100]);
    hand.play("b 99, c");
    assert_eq!(hand.asked(), (1, Legal::Exchange));
    hand.play("x 0, x 4");
    assert_eq!(hand.outcome().shown.len(), 2);
}

#[test]
fn better_hand_after_the_exchange_wins() {
    let deck = cards("As Ks Ad Kd 2c 3c 5d 6d 9h Th Ac Kc 4h 7h 8h Js Jd Jc Qs Qd");
    let mut hand = Dealt::new(&stakes(Limit::NoLimit, ANTES, 2), &[100, 100], 0, deck);
    // Seat 1 keeps its kings and draws Ac Kc 4h. Seat 0 keeps its aces and draws 7h 8h Js.
    hand.play("k, k, x 2 3 4, x 2 3 4, b 20, c, show, show");
    let outcome = hand.outcome();
    let words: Vec<String> = outcome
        .shown
        .iter()
        .map(|shown| shown.rank.to_string())
        .collect();
    assert_eq!(words, ["three of a kind, kings", "pair, aces"]);
    assert_eq!(outcome.stacks, [79, 121]);
}

#[test]
fn deck_has_enough_cards_if_five_seats_exchange_all_cards() {
    let variety = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::NoLimit, ANTES));
    let six = StakesError::Seats { seats: 6, most: 5 };
    assert_eq!(Stakes::new(variety, 6, 1), Err(six));
    let five = stakes(Limit::NoLimit, ANTES, 5);
    assert_eq!(five.deck(), (52, 50));
    let mut hand = dealt(Limit::NoLimit, ANTES, &[100; 5]);
    hand.play("k, k, k, k, k");
    for _ in 0..5 {
        assert_eq!(hand.asked().1, Legal::Exchange);
        hand.play("x 0 1 2 3 4");
    }
    let opened: Vec<usize> = hand.opened.iter().flatten().map(|&(at, _)| at).collect();
    assert_eq!(opened, (0..50).collect::<Vec<_>>());
    hand.play("k, k, k, k, k, show, show, show, show, show");
    assert_eq!(hand.outcome().shown.len(), 5);
}
