//! The order of betting, and its amounts.

use super::dealt::{Dealt, SMALL_AND_BIG, bets, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{Choice, Foul, Hand, Limit, PokerKind, Posts, Stakes, Variety};

fn fixed_limit(stacks: &[u64], button: u8) -> Dealt {
    let deck = (0..52).map(Card).collect();
    Dealt::new(&holdem(Limit::Fixed, stacks.len()), stacks, button, deck)
}

#[test]
fn heads_up_the_button_acts_first_before_the_flop_and_last_after_it() {
    for button in [0, 1] {
        let other = 1 - button;
        let mut hand = Dealt::holdem(&[1000, 1000], button);
        let mut posted = [10, 10];
        posted[usize::from(button)] = 5;
        assert_eq!(hand.hand.bets(), posted);
        assert_eq!(hand.hand.pot(), 15);
        assert_eq!(hand.asked(), (button, bets(5, None, Some((20, 1000)))));
        hand.play("c");
        assert_eq!(hand.asked(), (other, bets(0, None, Some((20, 1000)))));
        hand.play("k");
        for _flop_turn_river in 0..3 {
            assert_eq!(hand.asked(), (other, bets(0, Some((10, 990)), None)));
            hand.play("k");
            assert_eq!(hand.asked().0, button);
            hand.play("k");
        }
    }
}

#[test]
fn posted_chips_are_reported_throughout_the_hand() {
    let mut hand = Dealt::holdem(&[1000, 1000], 0);
    hand.play("r 20");
    assert_eq!(
        (hand.hand.bets(), hand.hand.posted()),
        (vec![20, 10], vec![5, 10])
    );
    hand.play("c");
    assert_eq!(
        (hand.hand.bets(), hand.hand.posted()),
        (vec![0, 0], vec![5, 10])
    );
    assert_eq!(Dealt::holdem(&[1000, 7], 0).hand.posted(), [5, 7]);
    let antes = rules(Limit::NoLimit, Posts::Antes { ante: 3, bet: 10 });
    let stakes = Stakes::new(Variety::Poker(PokerKind::FiveCardDraw, antes), 2, 1).unwrap();
    let mut hand = Dealt::new(&stakes, &[1000, 2], 0, (0..52).map(Card).collect());
    assert_eq!(
        (hand.hand.bets(), hand.hand.posted()),
        (vec![0, 0], vec![3, 2])
    );
    let deck = Stakes::new(
        Variety::Deck {
            cards: 52,
            drawn: 9,
        },
        2,
        1,
    )
    .unwrap();
    hand = Dealt::new(&deck, &[0, 0], 0, (0..52).map(Card).collect());
    assert_eq!(hand.hand.posted(), [0, 0]);
}

#[test]
fn three_handed_blinds_are_left_of_the_button() {
    let mut hand = Dealt::holdem(&[1000, 1000, 1000], 1);
    assert_eq!(hand.hand.bets(), [10, 0, 5]);
    let order: Vec<u8> = (0..3)
        .map(|_| {
            let seat = hand.asked().0;
            hand.play(if seat == 0 { "k" } else { "c" });
            seat
        })
        .collect();
    assert_eq!(order, [1, 2, 0]);
    assert_eq!(hand.asked().0, 2);
}

#[test]
fn seat_without_chips_is_not_in_the_hand() {
    let mut hand = Dealt::holdem(&[1000, 0, 1000], 2);
    assert_eq!(hand.hand.bets(), [10, 0, 5]);
    assert!(!hand.hand.is_live(Seat::new(1)));
    assert_eq!(hand.asked().0, 2);
    hand.play("f");
    assert_eq!(hand.outcome().stacks, [1005, 0, 995]);
}

#[test]
fn raise_is_at_least_the_last_bet_or_raise() {
    let mut hand = Dealt::holdem(&[1000, 1000], 0);
    let foul = |to, min| Err(Foul::TooLittle { to, min });
    assert_eq!(hand.try_to(&Choice::Raise { to: 19 }), foul(19, 20));
    hand.play("r 35");
    assert_eq!(hand.asked(), (1, bets(25, None, Some((60, 1000)))));
    assert_eq!(hand.try_to(&Choice::Raise { to: 59 }), foul(59, 60));
    hand.play("r 60");
    assert_eq!(hand.asked(), (0, bets(25, None, Some((85, 1000)))));
    hand.play("r 200, c");
    assert_eq!(hand.asked(), (1, bets(0, Some((10, 800)), None)));
}

#[test]
fn bets_are_limited_by_the_stack() {
    let mut hand = Dealt::holdem(&[1000, 300], 0);
    let foul = |to, max| Err(Foul::TooMuch { to, max });
    assert_eq!(hand.try_to(&Choice::Raise { to: 1001 }), foul(1001, 1000));
    assert_eq!(
        hand.try_to(&Choice::Raise { to: u64::MAX }),
        foul(u64::MAX, 1000)
    );
    hand.play("r 1000");
    assert_eq!(hand.asked(), (1, bets(290, None, None)));
}

#[test]
fn short_all_in_does_not_reopen_the_betting() {
    let mut hand = Dealt::holdem(&[1000, 130], 0);
    hand.play("r 100");
    assert_eq!(hand.asked(), (1, bets(90, None, Some((130, 130)))));
    hand.play("r 130");
    assert_eq!(hand.asked(), (0, bets(30, None, None)));
    assert_eq!(hand.try_to(&Choice::Raise { to: 300 }), Err(Foul::NoRaise));

    // With three seats, a seat that has acted may only call. A seat that has not acted may raise,
    // by at least the last full raise.
    let mut hand = Dealt::holdem(&[1000, 130, 1000], 0);
    hand.play("r 100, r 130");
    assert_eq!(hand.asked(), (2, bets(120, None, Some((220, 1000)))));
    let mut called = hand.clone();
    called.play("c");
    assert_eq!(called.asked(), (0, bets(30, None, None)));
    hand.play("r 220");
    assert_eq!(hand.asked(), (0, bets(120, None, Some((310, 1000)))));
}

#[test]
fn short_all_ins_reopen_the_betting_if_they_add_up_to_a_full_raise() {
    // The seats act in the order 1, 2, 3, 4, 0 after the flop.
    let mut hand = Dealt::holdem(&[2000, 2000, 135, 2000, 210], 0);
    hand.play("c, c, c, c, k");
    hand.play("b 100, r 125, c, r 200, c");
    assert_eq!(hand.asked(), (1, bets(100, None, Some((300, 1990)))));
    hand.play("c");
    assert_eq!(hand.asked(), (3, bets(75, None, None)));
}

#[test]
fn uncalled_chips_of_a_bet_are_returned() {
    let mut hand = Dealt::holdem(&[1000, 40], 0);
    hand.play("r 100");
    assert_eq!(hand.asked(), (1, bets(30, None, None)));
    hand.play("c");
    assert_eq!(hand.hand.pot(), 80);
    assert_eq!(hand.hand.stacks(), [960, 0]);
    assert_eq!(hand.hand.board().len(), 5);
}

#[test]
fn blind_can_be_posted_with_fewer_chips() {
    // The big blind has 7. The button calls 2 or folds, and cannot raise.
    let mut hand = Dealt::holdem(&[1000, 7], 0);
    assert_eq!(hand.hand.bets(), [5, 7]);
    assert_eq!(hand.asked(), (0, bets(2, None, None)));
    hand.play("c");
    assert_eq!(hand.hand.pot(), 14);
    // The big blind has 3, less than the small blind, so nobody has a choice.
    let hand = Dealt::holdem(&[1000, 3], 0);
    assert_eq!((hand.hand.pot(), hand.hand.stacks()), (6, vec![997, 0]));
    assert_eq!(hand.hand.board().len(), 5);
    // The small blind has 3.
    let hand = Dealt::holdem(&[3, 1000], 0);
    assert_eq!((hand.hand.pot(), hand.hand.stacks()), (6, vec![0, 997]));
    // With three seats a short big blind does not lower the amount to call.
    let hand = Dealt::holdem(&[1000, 1000, 4], 0);
    assert_eq!(hand.hand.bets(), [0, 5, 4]);
    assert_eq!(hand.asked(), (0, bets(10, None, Some((20, 1000)))));
}

#[test]
fn last_seat_with_chips_is_not_asked_again() {
    let mut hand = Dealt::holdem(&[100, 1000, 1000], 0);
    hand.play("r 100, c, c, b 200");
    assert_eq!(hand.asked(), (2, bets(200, None, Some((400, 900)))));
    hand.play("r 900, f");
    assert_eq!(hand.hand.stacks(), [0, 700, 700]);
    assert_eq!(hand.hand.board().len(), 5);
}

#[test]
fn big_blind_may_raise_after_calls() {
    let mut hand = Dealt::holdem(&[1000, 1000, 1000], 0);
    hand.play("c, c");
    assert_eq!(hand.asked(), (2, bets(0, None, Some((20, 1000)))));
    hand.play("r 50, c, c");
    assert_eq!(hand.hand.pot(), 150);
}

#[test]
fn fixed_limit_has_fixed_bets_and_at_most_four_per_round() {
    let mut hand = fixed_limit(&[1000, 1000], 0);
    for (seat, call, to) in [(0, 5, 20), (1, 10, 30), (0, 10, 40)] {
        assert_eq!(hand.asked(), (seat, bets(call, None, Some((to, to)))));
        hand.try_to(&Choice::Raise { to }).unwrap();
    }
    assert_eq!(hand.asked(), (1, bets(10, None, None)));
    assert_eq!(hand.try_to(&Choice::Raise { to: 50 }), Err(Foul::NoRaise));
    hand.play("c");
    for size in [10, 20, 20] {
        assert_eq!(hand.asked(), (1, bets(0, Some((size, size)), None)));
        hand.try_to(&Choice::Bet { to: size }).unwrap();
        for raise in 2..=4 {
            hand.try_to(&Choice::Raise { to: raise * size }).unwrap();
        }
        assert_eq!(hand.asked(), (1, bets(size, None, None)));
        hand.play("c");
    }
    assert_eq!(hand.hand.pot(), 2 * (40 + 40 + 80 + 80));
}

#[test]
fn short_all_in_is_completed_in_fixed_limit() {
    let mut hand = fixed_limit(&[1000, 14, 1000], 2);
    hand.play("c, c, k");
    // Seat 0 acts first after the flop. Seat 1 has 4 chips.
    hand.play("k");
    assert_eq!(hand.asked(), (1, bets(0, Some((4, 4)), None)));
    hand.play("b 4");
    assert_eq!(hand.asked(), (2, bets(4, None, Some((10, 10)))));
    hand.play("r 10");
    assert_eq!(hand.asked(), (0, bets(10, None, Some((20, 20)))));

    let mut hand = fixed_limit(&[1000, 25, 1000], 2);
    hand.play("c, c, k, b 10, r 15");
    assert_eq!(hand.asked(), (2, bets(15, None, Some((20, 20)))));
    hand.play("c");
    assert_eq!(hand.asked(), (0, bets(5, None, None)));
}

#[test]
fn antes_are_paid_by_all_and_the_seat_left_of_the_button_begins() {
    let posts = Posts::Antes { ante: 2, bet: 10 };
    let variety = Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, posts));
    let stakes = Stakes::new(variety, 2, 9).unwrap();
    let mut hand = Dealt::new(&stakes, &[1000, 1], 0, cards("As Ks Ad Kd Ac Kc 2c 3c 7d"));
    // Seat 1 is all in with less than the ante, and plays for 1.
    assert_eq!((hand.hand.pot(), hand.hand.stacks()), (2, vec![999, 0]));
    hand = Dealt::new(
        &stakes,
        &[1000, 1000],
        0,
        cards("As Ks Ad Kd Ac Kc 2c 3c 7d"),
    );
    assert_eq!(hand.hand.pot(), 4);
    assert_eq!(hand.asked(), (1, bets(0, Some((10, 998)), None)));
    hand.play("b 10");
    assert_eq!(hand.asked(), (0, bets(10, None, Some((20, 998)))));
    hand.play("f");
    assert_eq!(hand.outcome().stacks, [998, 1002]);
}

#[test]
fn illegal_choices_are_fouls_and_change_nothing() {
    let fouls = |hand: &Dealt, table: &[(Choice, Foul)]| {
        for (choice, foul) in table {
            let mut tried = hand.clone();
            assert_eq!(tried.try_to(choice).as_ref(), Err(foul), "{choice:?}");
            assert_eq!(tried.hand, hand.hand, "{choice:?}");
        }
    };
    let mut hand = Dealt::holdem(&[1000, 1000], 0);
    let out_of_turn = Foul::OutOfTurn {
        seat: Seat::GUEST,
        turn: Seat::HOST,
    };
    let before = hand.hand.clone();
    assert_eq!(
        hand.hand.choose(Seat::GUEST, &Choice::Fold),
        Err(out_of_turn)
    );
    assert_eq!(hand.hand, before);
    let wrong_kinds = [
        Choice::Show,
        Choice::Muck,
        Choice::Exchange(vec![]),
        Choice::Pass,
        Choice::Agree(0),
    ];
    fouls(&hand, &wrong_kinds.map(|choice| (choice, Foul::WrongKind)));
    fouls(
        &hand,
        &[
            (Choice::Check, Foul::CannotCheck(5)),
            (Choice::Bet { to: 20 }, Foul::NoBet),
        ],
    );
    hand.play("c, k");
    fouls(
        &hand,
        &[
            (Choice::Call, Foul::NothingToCall),
            (Choice::Raise { to: 20 }, Foul::NothingToRaise),
            (Choice::Bet { to: 0 }, Foul::TooLittle { to: 0, min: 10 }),
        ],
    );
    hand.play("f");
    assert_eq!(
        hand.hand.choose(Seat::HOST, &Choice::Check),
        Err(Foul::NotAsked)
    );
}

#[test]
fn no_choice_is_allowed_while_cards_are_opened() {
    let stakes = Stakes::new(
        Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, SMALL_AND_BIG)),
        2,
        1,
    )
    .unwrap();
    let mut hand = Hand::new(&stakes, &[1000, 1000], &[], Seat::HOST).unwrap();
    assert_eq!(hand.choose(Seat::HOST, &Choice::Fold), Err(Foul::NotAsked));
}
