//! A seat leaves the table in the middle of a hand.

use super::dealt::{Dealt, bets, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{
    Choice, Hand, Learners, Legal, Limit, Next, PokerKind, Posts, Stakes, Variety,
};

/// Seat 0 has aces, seat 1 kings, seat 2 queens, seat 3 fives. The board helps nobody.
const DECK: &str = "As Ks Qs 5s Ad Kd Qd 5d 2c 7d 9h Jc 3s";
const TO_THE_RIVER: &str = "c, c, c, k, k, k, k, k, k, k, k, k";

/// Seat 0 has the button, seats 1 and 2 the blinds. Seat 3 acts first.
fn four(stacks: [u64; 4]) -> Dealt {
    Dealt::new(&holdem(Limit::NoLimit, 4), &stacks, 0, cards(DECK))
}

fn draw(seats: usize) -> Dealt {
    let antes = Posts::Antes { ante: 1, bet: 10 };
    let variety = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::NoLimit, antes));
    let stakes = Stakes::new(variety, seats as u8, 1).unwrap();
    let deck = (0..52).map(Card).collect();
    Dealt::new(&stakes, &vec![1000; seats], 0, deck)
}

/// The cards of [`DECK`] at these positions.
fn cards_at(positions: &[usize]) -> Vec<(usize, Card)> {
    let deck = cards(DECK);
    positions.iter().map(|&at| (at, deck[at])).collect()
}

/// The seats that have shown their hands, in this order.
fn shown(hand: &Dealt) -> Vec<u8> {
    let outcome = hand.outcome();
    outcome.shown.iter().map(|s| s.seat.number()).collect()
}

#[test]
fn seat_that_leaves_out_of_turn_folds_and_its_bets_stay_in_the_pot() {
    let mut hand = four([1000; 4]);
    hand.play("r 60");
    let turn = hand.asked();
    hand.gone(2);
    assert_eq!(hand.asked(), turn);
    assert!(!hand.hand.is_live(Seat::new(2)));
    assert_eq!(hand.hand.stacks(), [1000, 995, 990, 940]);
    assert_eq!(
        (hand.hand.bets(), hand.hand.pot()),
        (vec![0, 5, 10, 60], 75)
    );
    // The round ends with the calls of seats 0 and 1.
    hand.play("c, c");
    assert_eq!(hand.opened.last().unwrap().len(), 3);
    hand.play("k, k, k, k, k, k, k, k, k, show, muck, show");
    assert_eq!(hand.outcome().stacks, [1130, 940, 990, 940]);
}

#[test]
fn turn_passes_from_a_seat_that_leaves_to_the_next_one() {
    let mut hand = four([1000; 4]);
    hand.gone(3);
    assert_eq!(hand.asked(), (0, bets(10, None, Some((20, 1000)))));
    hand.gone(0);
    assert_eq!(hand.asked().0, 1);
    // The big blind wins without a choice, and the bet of the small blind.
    hand.gone(1);
    assert_eq!(hand.outcome().stacks, [1000, 995, 1005, 1000]);
}

#[test]
fn bet_of_a_seat_that_leaves_has_to_be_called() {
    let mut hand = four([1000; 4]);
    hand.play("r 300").gone(3);
    assert_eq!(hand.asked(), (0, bets(300, None, Some((590, 1000)))));
    let mut folded = hand.clone();
    hand.play("c, f, c, k, k, k, k, k, k, show, show");
    assert_eq!(hand.outcome().stacks, [1605, 995, 700, 700]);
    // Nobody calls. The chips that the big blind did not have to match stay in the pot.
    folded.play("f, f");
    assert_eq!(folded.outcome().stacks, [1000, 995, 1305, 700]);
}

#[test]
fn unmatched_chips_return_only_to_a_seat_that_is_there() {
    let mut hand = four([1000; 4]);
    hand.play("r 300, r 800").gone(3).gone(1).gone(2);
    // Seat 0 has bet 800, and the next highest bet is 300.
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [1315, 995, 990, 700]);
    assert_eq!(outcome.pots[0].chips, 300 + 300 + 5 + 10);
}

#[test]
fn round_ends_when_the_last_seat_that_has_to_choose_leaves() {
    let mut hand = four([1000; 4]);
    hand.play("c, c, c");
    hand.gone(2);
    assert_eq!(hand.opened[1], [8, 9, 10].map(|at| (at, Learners::All)));
    assert_eq!(hand.asked().0, 1);
}

#[test]
fn seat_that_leaves_before_the_deal_gets_no_cards() {
    let stakes = holdem(Limit::NoLimit, 4);
    let mut hand = Hand::new(&stakes, &[1000; 4], &[], Seat::HOST).unwrap();
    hand.gone(Seat::new(2));
    let dealt = [0, 1, 3, 4, 5, 7].map(|at| (at, Learners::Seat(Seat::new(at as u8 % 4))));
    assert_eq!(hand.next(), Next::Open(dealt.to_vec()));
    let mut alone = hand.clone();
    hand.opened(&[]).unwrap();
    assert!(matches!(hand.next(), Next::Choose { seat, .. } if seat == Seat::new(3)));
    alone.gone(Seat::new(3));
    alone.gone(Seat::new(1));
    let Next::Over(outcome) = alone.next() else {
        panic!("{:?}", alone.next());
    };
    assert_eq!(outcome.stacks, [1015, 995, 990, 1000]);
}

/// The hand in which the flop is due, after seat 2 went all in.
fn before_the_flop() -> Dealt {
    let mut hand = four([1000, 1000, 60, 1000]);
    hand.play("r 60, c, c");
    hand.hand.choose(Seat::new(2), &Choice::Call).unwrap();
    assert!(matches!(hand.hand.next(), Next::Open(_)));
    hand
}

#[test]
fn seat_leaves_while_the_board_is_opened() {
    let mut hand = before_the_flop();
    hand.gone(3);
    assert_eq!(hand.asked().0, 1);
    assert_eq!(hand.opened.len(), 2);
    // Only one seat that is left has chips, so the hands are turned up before the flop.
    let mut hand = before_the_flop();
    hand.hand.gone(Seat::new(3));
    hand.gone(1);
    let turned_up = [0, 2, 4, 6].map(|at| (at, Learners::All));
    assert_eq!(hand.opened[1], turned_up);
    assert_eq!(hand.outcome().stacks, [1180, 940, 0, 940]);
    // No card is opened for a seat that is alone.
    let mut hand = before_the_flop();
    hand.hand.gone(Seat::new(0));
    hand.hand.gone(Seat::new(3));
    hand.gone(2);
    assert_eq!(hand.opened.len(), 1);
    assert_eq!(hand.outcome().stacks, [940, 1180, 0, 940]);
}

#[test]
fn seat_leaves_after_its_hand_was_turned_up() {
    // Seats 0 and 2 are all in, and their hands are turned up on the flop.
    let mut hand = four([60, 1000, 60, 1000]);
    hand.play("r 60, c, c, c, k");
    hand.hand
        .choose(Seat::new(3), &Choice::Bet { to: 10 })
        .unwrap();
    hand.hand.choose(Seat::new(1), &Choice::Fold).unwrap();
    let Next::Open(due) = hand.hand.next() else {
        panic!("{:?}", hand.hand.next());
    };
    assert_eq!(due, [0, 2, 3, 4, 6, 7].map(|at| (at, Learners::All)));
    let face_up = cards_at(&[0, 2, 3, 4, 6, 7]);
    hand.hand.opened(&face_up).unwrap();
    hand.hand.gone(Seat::HOST);
    let Next::Open(turn) = hand.hand.next() else {
        panic!("{:?}", hand.hand.next());
    };
    assert_eq!(turn, [(11, Learners::All)]);
    for position in [11, 12] {
        hand.hand.opened(&cards_at(&[position])).unwrap();
    }
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [0, 940, 240, 940]);
}

#[test]
fn last_all_in_seat_leaves_before_the_hands_are_turned_up() {
    let mut hand = four([1000, 1000, 60, 1000]);
    hand.play("r 60, c, c, c, k, k, k, k, k, k, k, k");
    assert_eq!(hand.hand.bets(), [0, 0, 0, 0]);
    hand.hand.choose(Seat::HOST, &Choice::Check).unwrap();
    hand.gone(2);
    // The other seats have chips left, so they show or muck in turn.
    assert_eq!(hand.asked(), (1, Legal::ShowOrMuck));
    hand.play("show, muck, muck");
    assert_eq!(hand.outcome().stacks, [940, 1180, 0, 940]);
}

#[test]
fn seat_leaves_before_its_exchange() {
    let mut hand = draw(4);
    hand.play("k, k, k, k, x 0 1");
    assert_eq!(hand.asked(), (2, Legal::Exchange));
    // At its turn, and out of turn.
    hand.gone(2);
    assert_eq!(hand.asked(), (3, Legal::Exchange));
    hand.gone(0);
    hand.play("x 4");
    let [one, three] = [1, 3].map(|seat| Learners::Seat(Seat::new(seat)));
    assert_eq!(hand.opened[1], [(20, one), (21, one), (22, three)]);
    assert_eq!(hand.asked().0, 1);
}

#[test]
fn new_cards_of_a_seat_that_has_left_stay_closed() {
    let mut hand = draw(3);
    hand.play("k, k, k, x 0 1").gone(1);
    let mut opening = hand.clone();
    hand.play("x, x 3");
    let host = Learners::Seat(Seat::HOST);
    assert_eq!(hand.opened[1], [(17, host)]);
    // Nobody else exchanges a card.
    opening.play("x, x");
    assert_eq!(opening.opened.len(), 1);
    assert_eq!(opening.asked().0, 2);
    // The seat leaves while the new cards are opened.
    let mut hand = draw(3);
    hand.play("k, k, k, x 0 1, x 2");
    let last = Choice::Exchange(vec![0]);
    hand.hand.choose(Seat::HOST, &last).unwrap();
    let mut alone = hand.clone();
    hand.gone(1);
    let second = Learners::Seat(Seat::new(2));
    assert_eq!(hand.opened[1], [(17, second), (18, host)]);
    alone.hand.gone(Seat::HOST);
    alone.gone(2);
    assert_eq!(alone.opened.len(), 1);
    assert_eq!(alone.outcome().stacks, [999, 1002, 999]);
}

#[test]
fn last_exchange_is_that_of_a_seat_that_leaves() {
    let mut hand = draw(3);
    hand.play("k, k, k, x 0, x").gone(0);
    assert_eq!(hand.opened.len(), 2);
    assert_eq!(hand.asked().0, 1);
    // The hand is over if one seat is left.
    let mut hand = draw(3);
    hand.play("k, k, k").gone(0).gone(2);
    assert_eq!(hand.outcome().stacks, [999, 1002, 999]);
}

#[test]
fn seat_that_leaves_before_it_shows_is_passed_over() {
    let mut hand = four([1000; 4]);
    hand.play(TO_THE_RIVER).play("k, k, k, k");
    assert_eq!(hand.asked(), (1, Legal::ShowOrMuck));
    let before = hand.clone();
    // At its turn, and before its turn.
    hand.gone(1).play("show").gone(0);
    assert_eq!(hand.asked(), (3, Legal::ShowOrMuck));
    hand.play("muck");
    assert_eq!(
        (hand.outcome().stacks, shown(&hand)),
        (vec![990, 990, 1030, 990], vec![2])
    );
    // The last seat that claims the pot wins it without showing.
    let mut hand = before;
    hand.gone(0).gone(2).gone(1);
    assert_eq!(
        (hand.outcome().stacks, shown(&hand)),
        (vec![990, 990, 990, 1030], vec![])
    );
}

#[test]
fn seat_that_has_shown_keeps_its_claim_when_it_leaves() {
    let mut hand = four([1000; 4]);
    hand.play(TO_THE_RIVER).play("k, k, k, k, show").gone(1);
    assert_eq!(hand.asked(), (2, Legal::ShowOrMuck));
    hand.play("show, muck, muck");
    assert_eq!(hand.outcome().stacks, [990, 1030, 990, 990]);
}

#[test]
fn seat_leaves_while_a_hand_is_shown() {
    let mut hand = four([1000; 4]);
    hand.play(TO_THE_RIVER).play("k, k, k, k");
    hand.hand.choose(Seat::new(1), &Choice::Show).unwrap();
    let mut other = hand.clone();
    // The seat that shows leaves.
    hand.gone(1);
    assert_eq!(hand.asked(), (2, Legal::ShowOrMuck));
    assert!(!hand.is_public(1) && !hand.is_public(5));
    // A seat leaves whose turn comes later.
    other.gone(2);
    assert!(other.is_public(1) && other.is_public(5));
    assert_eq!(other.asked(), (3, Legal::ShowOrMuck));
    other.play("muck, muck");
    assert_eq!(other.outcome().stacks, [990, 1030, 990, 990]);
}

#[test]
fn first_seat_left_of_the_button_shows_first_if_the_last_bettor_has_left() {
    let mut hand = four([1000; 4]);
    hand.play(TO_THE_RIVER).play("k, k, b 50, c, c, c");
    assert_eq!(hand.asked().0, 3);
    let mut hand = four([1000; 4]);
    hand.play(TO_THE_RIVER)
        .play("k, k, b 50")
        .gone(3)
        .play("c, c, c");
    assert_eq!(hand.asked(), (1, Legal::ShowOrMuck));
}

#[test]
fn leaving_again_or_after_folding_or_after_the_hand_changes_nothing() {
    let mut hand = four([1000; 4]);
    hand.play("f, c, c, k");
    for choices in ["k", "b 20, f, c", "k, k", "k, k", "show, muck"] {
        let before = hand.hand.clone();
        hand.gone(3);
        assert_eq!(hand.hand, before);
        hand.play(choices);
    }
    let over = hand.hand.clone();
    for seat in 0..4 {
        hand.gone(seat);
    }
    assert_eq!(hand.hand, over);
}

#[test]
fn deck_without_rules_is_over_when_a_seat_leaves() {
    let stakes = Stakes::new(Variety::Deck { cards: 9, drawn: 9 }, 3, 1).unwrap();
    let mut hand = Dealt::new(&stakes, &[0; 3], 0, (0..9).map(Card).collect());
    for choice in [Choice::Draw, Choice::Pass] {
        hand.try_to(&choice).unwrap();
    }
    let mut drawing = hand.clone();
    drawing.hand.choose(Seat::new(2), &Choice::Draw).unwrap();
    for mut hand in [hand, drawing] {
        hand.gone(0);
        assert_eq!(hand.outcome().stacks, [0, 0, 0]);
        assert!(hand.hand.opened(&[]).is_err());
    }
}

#[test]
fn cards_may_be_opened_until_the_last_round() {
    let mut hand = four([1000; 4]);
    for choices in ["c, c, c, k", "k, k, k, k", "k, k, k, k"] {
        assert!(hand.hand.may_open_more());
        hand.play(choices);
    }
    assert_eq!(hand.opened.len(), 4);
    assert!(!hand.hand.may_open_more());
    hand.play("k, k, k, k");
    assert!(!hand.hand.may_open_more());
    // A hand that is over before the flop needs no more cards.
    let mut folded = four([1000; 4]);
    folded.play("f, f, f");
    assert!(!folded.hand.may_open_more());
    let mut hand = draw(2);
    hand.play("k, k");
    assert!(hand.hand.may_open_more());
    hand.play("x, x");
    assert!(!hand.hand.may_open_more());
    let stakes = Stakes::new(Variety::Deck { cards: 9, drawn: 9 }, 3, 1).unwrap();
    let mut hand = Dealt::new(&stakes, &[0; 3], 0, (0..9).map(Card).collect());
    assert!(hand.hand.may_open_more());
    hand.gone(0);
    assert!(!hand.hand.may_open_more());
}
