//! The chips of a hand that cannot go on because seats are convicted, gone or absent.

use super::dealt::{Dealt, cards, holdem, rules};
use dealerless_table::Seat;
use dealerless_table::rules::{Legal, Limit, PokerKind, Posts, Stakes, Variety};

/// Seat 0 has aces, seat 1 kings, seat 2 queens. The board helps nobody.
const THREE: &str = "As Ks Qs Ad Kd Qd 2c 7d 9h Jc 3s";
/// The same with fives for seat 3.
const FOUR: &str = "As Ks Qs 5s Ad Kd Qd 5d 2c 7d 9h Jc 3s";

fn seats(numbers: &[u8]) -> Vec<Seat> {
    numbers.iter().map(|&number| Seat::new(number)).collect()
}

/// The chips if these seats are convicted or missing after the deck is final.
fn settled(hand: &Dealt, convicted: &[u8], missing: &[u8]) -> Vec<u64> {
    let (convicted, missing) = (seats(convicted), seats(missing));
    hand.hand.settled(&convicted, &missing, true)
}

/// The chips if these seats are lost, whether they are convicted or missing.
fn lost(hand: &Dealt, numbers: &[u8]) -> Vec<u64> {
    let chips = settled(hand, numbers, &[]);
    assert_eq!(settled(hand, &[], numbers), chips);
    chips
}

/// Three seats with 100 chips each. Seat 0 has the button.
fn three() -> Dealt {
    Dealt::new(&holdem(Limit::NoLimit, 3), &[100; 3], 0, cards(THREE))
}

#[test]
fn seats_that_play_on_take_back_what_they_paid_and_divide_what_the_lost_seat_paid() {
    let mut hand = three();
    hand.play("r 20, c, c, k, k, k");
    assert_eq!(hand.hand.board().len(), 4);
    assert_eq!(lost(&hand, &[2]), [110, 110, 80]);
    // Nobody has to be convicted or missing.
    assert_eq!(lost(&hand, &[]), [100, 100, 100]);
}

#[test]
fn only_seat_that_plays_on_wins_the_whole_pot() {
    let mut hand = three();
    hand.play("r 20, c, c, k, k, f");
    assert_eq!(hand.hand.board().len(), 4);
    assert_eq!(lost(&hand, &[2]), [80, 140, 80]);
    // The pot has a bet that nobody has called yet.
    hand.play("b 30");
    assert_eq!(lost(&hand, &[2]), [80, 140, 80]);
    assert_eq!(lost(&hand, &[1]), [80, 50, 170]);
    // The lost seat has folded: both seats that play on take back what they paid.
    assert_eq!(lost(&hand, &[0]), [80, 110, 110]);
}

#[test]
fn folded_seat_takes_back_what_it_paid_and_odd_chips_go_left_of_the_button() {
    let posts = Posts::Antes { ante: 6, bet: 6 };
    let variety = Variety::Poker(PokerKind::Holdem, rules(Limit::NoLimit, posts));
    let stakes = Stakes::new(variety, 4, 1).unwrap();
    let mut hand = Dealt::new(&stakes, &[100, 10, 100, 100], 0, cards(FOUR));
    hand.play("b 4, r 19, c, f");
    assert_eq!(hand.hand.stacks(), [94, 0, 75, 75]);
    assert_eq!(lost(&hand, &[3]), [100, 23, 112, 75]);
    // The odd chip goes to the first of the seats that play on.
    assert_eq!(lost(&hand, &[2]), [100, 23, 75, 112]);
    assert_eq!(lost(&hand, &[1, 0]), [94, 0, 108, 108]);
}

/// The river is over, each seat has paid 40, and seat 0 has shown.
fn shown_first() -> Dealt {
    let mut hand = three();
    hand.play("r 20, c, c, k, k, k, k, k, k, k, k, b 20, c, c, show");
    assert_eq!(hand.hand.stacks(), [60, 60, 60]);
    hand
}

#[test]
fn pots_are_paid_by_what_was_shown_if_nobody_else_waits_for_its_turn() {
    let mut hand = shown_first();
    // Seat 2 still waits for its turn.
    assert_eq!(hand.asked(), (1, Legal::ShowOrMuck));
    assert_eq!(lost(&hand, &[1]), [120, 60, 120]);
    hand.play("muck");
    assert_eq!(lost(&hand, &[2]), [180, 60, 60]);
    // The best shown hand wins, also if another seat has shown.
    let mut both = shown_first();
    both.play("show");
    assert_eq!(lost(&both, &[2]), [180, 60, 60]);
}

/// The river is over, each of four seats has paid 20, and seat 1 shows first.
fn four_at_showdown() -> Dealt {
    let mut hand = Dealt::new(&holdem(Limit::NoLimit, 4), &[100; 4], 0, cards(FOUR));
    hand.play("r 20, c, c, c, k, k, k, k, k, k, k, k, k, k, k, k");
    assert_eq!(hand.asked(), (1, Legal::ShowOrMuck));
    hand
}

#[test]
fn missing_seat_keeps_what_it_has_shown_and_a_convicted_seat_does_not() {
    let mut hand = four_at_showdown();
    hand.play("show, muck, muck");
    // Seat 1 has shown, and seat 0 has not had its turn.
    assert_eq!(settled(&hand, &[], &[1, 0]), [80, 160, 80, 80]);
    assert_eq!(settled(&hand, &[0], &[1]), [80, 160, 80, 80]);
    // Seat 1 counts as having mucked, so nobody has shown.
    assert_eq!(settled(&hand, &[1], &[0]), [80, 80, 120, 120]);
    // Another seat has shown too.
    let mut hand = four_at_showdown();
    hand.play("show, show, muck");
    assert_eq!(settled(&hand, &[1], &[0]), [80, 80, 160, 80]);
    assert_eq!(settled(&hand, &[], &[0]), [80, 160, 80, 80]);
}

#[test]
fn seat_that_is_lost_while_it_shows_counts_as_having_mucked() {
    let mut hand = four_at_showdown();
    hand.play("show, muck, muck");
    let show = dealerless_table::rules::Choice::Show;
    hand.hand.choose(Seat::HOST, &show).unwrap();
    assert_eq!(lost(&hand, &[0]), [80, 160, 80, 80]);
    // Seat 3 still waits for its turn.
    let mut hand = four_at_showdown();
    hand.play("show, muck");
    hand.hand.choose(Seat::new(3), &show).unwrap();
    assert_eq!(lost(&hand, &[0]), [80, 107, 107, 106]);
    assert_eq!(lost(&hand, &[3]), [106, 107, 107, 80]);
}

#[test]
fn hand_in_which_nobody_has_shown_is_divided() {
    let mut hand = four_at_showdown();
    assert_eq!(lost(&hand, &[1, 2]), [120, 80, 80, 120]);
    hand.play("muck, muck");
    assert_eq!(lost(&hand, &[3, 0]), [80, 120, 120, 80]);
}

#[test]
fn remaining_seats_divide_the_bets_if_all_seats_that_have_not_folded_are_lost() {
    let mut hand = Dealt::new(&holdem(Limit::NoLimit, 4), &[100; 4], 0, cards(FOUR));
    hand.play("r 25, f, c, c, f");
    assert_eq!(hand.hand.stacks(), [100, 75, 75, 75]);
    assert_eq!(lost(&hand, &[2, 3]), [125, 125, 75, 75]);
    assert_eq!(lost(&hand, &[1, 2, 3]), [175, 75, 75, 75]);
    // If all seats are lost, nobody divides the bets.
    assert_eq!(lost(&hand, &[0, 1, 2, 3]), [100; 4]);
}

#[test]
fn outcome_of_a_hand_that_is_over_counts() {
    let mut hand = shown_first();
    hand.play("show, muck");
    assert_eq!(hand.outcome().stacks, [180, 60, 60]);
    assert_eq!(lost(&hand, &[0]), [180, 60, 60]);
    let everybody = seats(&[0, 1, 2]);
    assert_eq!(hand.hand.settled(&everybody, &[], false), [180, 60, 60]);
}

#[test]
fn deck_that_is_not_final_gives_everything_back() {
    let mut hand = three();
    hand.play("r 20, f, c");
    let back = hand.hand.settled(&seats(&[2]), &seats(&[0]), false);
    assert_eq!(back, [100, 100, 100]);
    assert_eq!(lost(&hand, &[0]), [80, 95, 125]);
}

#[test]
fn seat_that_has_left_is_settled_like_an_absent_seat() {
    let mut hand = four_at_showdown();
    hand.play("show").gone(2);
    assert_eq!(hand.asked().0, 3);
    assert_eq!(settled(&hand, &[], &[2, 3, 0]), [80, 160, 80, 80]);
    assert_eq!(settled(&hand, &[], &[2, 3]), [120, 120, 80, 80]);
    let mut hand = three();
    hand.play("r 20, c, c").gone(1);
    assert_eq!(settled(&hand, &[2], &[1]), [140, 80, 80]);
    let mut hand = Dealt::new(&holdem(Limit::NoLimit, 4), &[100; 4], 0, cards(FOUR));
    hand.play("r 20, c, c, c").gone(1);
    assert_eq!(settled(&hand, &[2], &[1]), [120, 80, 80, 120]);
}

#[test]
fn game_without_chips_has_nothing_to_settle() {
    let stakes = Stakes::new(Variety::Deck { cards: 9, drawn: 9 }, 3, 1).unwrap();
    let hand = Dealt::new(&stakes, &[0; 3], 0, cards(THREE)[..9].to_vec());
    assert_eq!(lost(&hand, &[1]), [0, 0, 0]);
}
