//! The rules between two hands, and hands that cannot be dealt.

use super::dealt::{Dealt, SMALL_AND_BIG, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{
    BadCards, Blinds, CannotDeal, Choice, Hand, Limit, Next, PokerKind, Stakes, Variety,
};

#[test]
fn match_is_over_after_its_hands_or_when_one_seat_has_all_chips() {
    let stakes = Stakes::new(
        Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, SMALL_AND_BIG)),
        3,
        5,
    )
    .unwrap();
    for (stacks, hands, over) in [
        ([1000, 1000, 1000], 0, false),
        ([1000, 1000, 1000], 4, false),
        ([1000, 1000, 1000], 5, true),
        ([2000, 1000, 0], 1, false),
        ([3000, 0, 0], 1, true),
    ] {
        assert_eq!(stakes.is_over(&stacks, hands), over, "{stacks:?} {hands}");
    }
    let deck = Stakes::new(Variety::Deck { cards: 9, drawn: 3 }, 2, 5).unwrap();
    assert!(!deck.is_over(&[0, 0], 4) && deck.is_over(&[0, 0], 5));
}

#[test]
fn seat_without_chips_may_rebuy_while_hands_are_left() {
    let stakes = holdem(Limit::NoLimit, 2);
    for (seat, hands, may) in [(0, 1, false), (1, 1, true), (1, 100, false), (2, 1, false)] {
        assert_eq!(stakes.may_rebuy(&[2000, 0], hands, Seat::new(seat)), may);
    }
    let deck = Stakes::new(Variety::Deck { cards: 9, drawn: 3 }, 2, 5).unwrap();
    assert!(!deck.may_rebuy(&[0, 0], 1, Seat::HOST));
}

/// The button, and the number of the seat with the last big blind, in hands of these seats.
fn hands(stakes: &Stakes, hands: &[&[u8]]) -> Vec<(u8, u8)> {
    let mut blinds = Blinds::first(stakes);
    let hand = |seats: &&[u8]| {
        let can_play: Vec<Seat> = seats.iter().copied().map(Seat::new).collect();
        let (button, after) = blinds.next(stakes, &can_play)?;
        blinds = after;
        Some((button.number(), after.last.number()))
    };
    hands.iter().filter_map(hand).collect()
}

#[test]
fn big_blind_moves_on_by_one_player_and_the_button_follows() {
    let two = holdem(Limit::NoLimit, 2);
    let all: &[u8] = &[0, 1];
    assert_eq!(
        hands(&two, &[all, all, &[0], all]),
        [(0, 1), (1, 0), (0, 1)]
    );
    let four = holdem(Limit::NoLimit, 4);
    let all: &[u8] = &[0, 1, 2, 3];
    assert_eq!(hands(&four, &[all, all, all]), [(0, 2), (1, 3), (2, 0)]);
    // Seat 3 is away when the big blind passes it, and waits until it comes again.
    let away: &[u8] = &[0, 1, 2];
    assert_eq!(
        hands(&four, &[all, away, all, all, all, all]),
        [(0, 2), (1, 0), (2, 1), (0, 2), (1, 3), (2, 0)]
    );
    // Of two who can play, none waits.
    let pair: &[u8] = &[2, 3];
    assert_eq!(hands(&four, &[all, away, pair]), [(0, 2), (1, 0), (3, 2)]);
    let deck = Stakes::new(Variety::Deck { cards: 9, drawn: 3 }, 2, 5).unwrap();
    assert_eq!(hands(&deck, &[&[0, 1], &[0, 1]]), [(0, 0), (1, 1)]);
}

#[test]
fn hands_that_cannot_be_dealt_are_refused() {
    let stakes = holdem(Limit::NoLimit, 2);
    let deal =
        |stacks: &[u64], button: u8| Hand::new(&stakes, stacks, &[], Seat::new(button)).map(|_| ());
    assert_eq!(deal(&[1, 1, 1], 0), Err(CannotDeal::Stacks(3)));
    assert_eq!(deal(&[1, 1], 2), Err(CannotDeal::Button(Seat::new(2))));
    assert_eq!(deal(&[1, 0], 0), Err(CannotDeal::NoOpponent));
    assert_eq!(deal(&[u64::MAX, 1], 0), Err(CannotDeal::TooManyChips));
    assert_eq!(deal(&[1 << 62, 1], 0), Err(CannotDeal::TooManyChips));
    assert_eq!(deal(&[1 << 61, 1 << 61], 0), Ok(()));
    let three = holdem(Limit::NoLimit, 3);
    let broke = Hand::new(&three, &[1, 0, 1], &[], Seat::new(1)).map(|_| ());
    assert_eq!(broke, Err(CannotDeal::Button(Seat::new(1))));
    let deck = Stakes::new(Variety::Deck { cards: 9, drawn: 3 }, 2, 5).unwrap();
    let away = Hand::new(&deck, &[0, 0], &[], Seat::new(2)).map(|_| ());
    assert_eq!(away, Err(CannotDeal::Button(Seat::new(2))));
}

#[test]
fn largest_stacks_can_be_bet() {
    let all = 1 << 61;
    let mut hand = Dealt::holdem(&[all, all], 0);
    hand.try_to(&dealerless_table::rules::Choice::Raise { to: all })
        .unwrap();
    hand.play("c");
    assert_eq!(hand.outcome().stacks.iter().sum::<u64>(), 2 * all);
}

#[test]
fn unexpected_and_invalid_cards_are_refused() {
    let mut hand = Hand::new(&holdem(Limit::NoLimit, 2), &[1000, 1000], &[], Seat::HOST).unwrap();
    let card = |number| Card(number);
    assert_eq!(hand.opened(&[(0, card(1))]), Err(BadCards::NotDue));
    hand.opened(&[]).unwrap();
    assert_eq!(hand.opened(&[]), Err(BadCards::NotDue));
    hand.choose(Seat::HOST, &Choice::Call).unwrap();
    hand.choose(Seat::GUEST, &Choice::Check).unwrap();
    let before = hand.clone();
    let flop =
        |names: &str, first: usize| -> Vec<(usize, Card)> { (first..).zip(cards(names)).collect() };
    assert!(matches!(hand.next(), Next::Open(_)));
    for bad in [
        vec![],
        flop("As Ks", 4),
        flop("As Ks Qs", 5),
        flop("As Ks Qs Js", 4),
    ] {
        assert_eq!(hand.opened(&bad), Err(BadCards::NotDue));
    }
    let twice = [(4, card(1)), (5, card(2)), (5, card(3))];
    assert_eq!(hand.opened(&twice), Err(BadCards::NotDue));
    let foreign = [(4, card(1)), (5, card(2)), (6, card(52))];
    assert_eq!(hand.opened(&foreign), Err(BadCards::NotInDeck(card(52))));
    assert_eq!(
        hand.opened(&flop("As Ks As", 4)),
        Err(BadCards::Twice(card(51)))
    );
    assert_eq!(hand, before);
    hand.opened(&flop("As Ks Qs", 4)).unwrap();
    hand.choose(Seat::GUEST, &Choice::Check).unwrap();
    hand.choose(Seat::HOST, &Choice::Check).unwrap();
    assert_eq!(hand.opened(&flop("As", 7)), Err(BadCards::Twice(card(51))));
}
