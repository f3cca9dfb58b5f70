//! Seats that sit out a hand.

use super::dealt::{Dealt, bets, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{
    Hand, Learners, Limit, Next, Outcome, PokerKind, Posts, Stakes, Variety,
};

/// Four seats with 1000 chips each. Seat 0 has aces, seat 1 kings, seat 2 queens, seat 3 fives.
fn without(out: &[u8], button: u8) -> Dealt {
    let deck = cards("As Ks Qs 5s Ad Kd Qd 5d 2c 7d 9h Jc 3s");
    Dealt::without(out, &holdem(Limit::NoLimit, 4), &[1000; 4], button, deck)
}

#[test]
fn seat_that_sits_out_has_no_cards_and_no_blind_and_keeps_its_chips() {
    // Without seat 1, the blinds move on to the next seats left of the button.
    let mut hand = without(&[1], 0);
    assert_eq!(hand.hand.posted(), [0, 0, 5, 10]);
    assert_eq!(hand.hand.button(), Seat::HOST);
    let dealt = [0, 2, 3, 4, 6, 7].map(|at| (at, Learners::Seat(Seat::new(at as u8 % 4))));
    assert_eq!(hand.opened, [dealt]);
    assert!(!hand.hand.is_live(Seat::new(1)));
    assert!(hand.hand.held(Seat::new(1)).is_empty());
    assert_eq!(hand.asked(), (0, bets(10, None, Some((20, 1000)))));
    // The board lies at the same positions.
    hand.play("c, c, k");
    assert_eq!(hand.opened[1], [8, 9, 10].map(|at| (at, Learners::All)));
    assert_eq!(hand.asked().0, 2);
    hand.play("k, k, k, k, k, k, k, k, k, show, muck, show");
    assert_eq!(hand.outcome().stacks, [1020, 1000, 990, 990]);
}

#[test]
fn button_moves_on_from_a_seat_that_sits_out() {
    let hand = without(&[3, 0], 3);
    assert_eq!(hand.hand.button(), Seat::new(1));
    // With two seats in the hand, the button has the small blind and acts first.
    assert_eq!(hand.hand.posted(), [0, 5, 10, 0]);
    assert_eq!(hand.asked().0, 1);
    let hand = without(&[3], 3);
    assert_eq!(hand.hand.button(), Seat::HOST);
    assert_eq!(hand.hand.posted(), [0, 5, 10, 0]);
    assert_eq!(hand.asked().0, 0);
    // The button skips a seat without chips.
    let stakes = holdem(Limit::NoLimit, 4);
    let stacks = [1000, 0, 1000, 1000];
    let hand = Dealt::without(&[0], &stakes, &stacks, 0, (0..52).map(Card).collect());
    assert_eq!(hand.hand.button(), Seat::new(2));
}

#[test]
fn seat_that_sits_out_pays_no_ante() {
    let posts = Posts::Antes { ante: 3, bet: 10 };
    let variety = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::Fixed, posts));
    let stakes = Stakes::new(variety, 3, 1).unwrap();
    let deck = (0..52).map(Card).collect();
    let mut hand = Dealt::without(&[2], &stakes, &[1000; 3], 0, deck);
    assert_eq!(hand.hand.posted(), [3, 3, 0]);
    hand.play("k, k, x 0, x");
    // The first undealt card is at the position after the hole cards of all three seats.
    assert_eq!(hand.opened[1], [(15, Learners::Seat(Seat::new(1)))]);
    hand.play("k, k, show, show");
    assert_eq!(hand.outcome().stacks[2], 1000);
}

#[test]
fn hand_with_fewer_than_two_players_is_over_at_once() {
    for (out, button) in [(vec![0, 1, 3], 2), (vec![0, 1, 2, 3], 0)] {
        let mut hand = without(&out, 0);
        assert_eq!(hand.hand.button(), Seat::new(button));
        let unchanged = Outcome {
            stacks: vec![1000; 4],
            ..Outcome::default()
        };
        assert_eq!(hand.outcome(), unchanged);
        assert_eq!((hand.hand.pot(), hand.hand.posted()), (0, vec![0; 4]));
        assert!(!hand.hand.may_open_more());
        hand.gone(2);
        assert_eq!(hand.outcome(), unchanged);
    }
}

#[test]
fn nobody_sits_out_in_a_game_without_chips() {
    let stakes = Stakes::new(Variety::Deck { cards: 9, drawn: 9 }, 3, 1).unwrap();
    let new = |out: &[Seat]| Hand::new(&stakes, &[0; 3], out, Seat::HOST);
    assert_eq!(new(&[Seat::HOST]), new(&[]));
    assert!(matches!(new(&[]).unwrap().next(), Next::Choose { .. }));
}
