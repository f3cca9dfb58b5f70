//! Side pots with unequal stacks.

use super::dealt::{Dealt, cards, holdem};
use dealerless_table::rules::{Limit, Outcome};

/// Seat 0 has aces, seat 1 kings, seat 2 queens.
const ACES_KINGS_QUEENS: &str = "As Ks Qs Ad Kd Qd 2c 7d 9h Jc 3s";

fn three(stacks: [u64; 3], deck: &str) -> Dealt {
    Dealt::new(&holdem(Limit::NoLimit, 3), &stacks, 0, cards(deck))
}

fn pots(outcome: &Outcome) -> Vec<(u64, Vec<(u8, u64)>)> {
    let pot = |pot: &dealerless_table::rules::Pot| {
        let winners = pot
            .winners
            .iter()
            .map(|&(seat, chips)| (seat.number(), chips));
        (pot.chips, winners.collect())
    };
    outcome.pots.iter().map(pot).collect()
}

#[test]
fn best_hand_wins_the_main_pot_and_the_next_best_wins_the_side_pot() {
    let mut hand = three([100, 300, 900], ACES_KINGS_QUEENS);
    hand.play("r 100, r 300, c");
    assert_eq!(hand.hand.stacks(), [0, 0, 600]);
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [300, 400, 600]);
    assert_eq!(
        pots(&outcome),
        [(300, vec![(0, 300)]), (400, vec![(1, 400)])]
    );
}

#[test]
fn worst_hand_of_the_shortest_stack_wins_nothing() {
    let mut hand = three([900, 300, 100], ACES_KINGS_QUEENS);
    hand.play("r 900, c, c");
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [1300, 0, 0]);
    assert_eq!(
        pots(&outcome),
        [(300, vec![(0, 300)]), (400, vec![(0, 400)])]
    );
}

#[test]
fn chips_of_folded_seats_stay_in_the_pots() {
    let mut hand = three([1000, 1000, 60], ACES_KINGS_QUEENS);
    hand.play("r 100, c, c, k, k");
    // On the turn seat 1 bets and seat 0 folds. Seat 1 is alone in the side pot.
    hand.play("b 200, f");
    let outcome = hand.outcome();
    assert_eq!(pots(&outcome), [(180, vec![(1, 180)]), (80, vec![(1, 80)])]);
    assert_eq!(outcome.stacks, [900, 1160, 0]);
}

#[test]
fn odd_chips_go_to_the_seats_left_of_the_button() {
    // All three seats play the board. Seat 2 has the button, and the main pot is 3 * 67.
    let deck = cards("2c 2d 2h 3c 3d 3h Ts Js Qs Ks As");
    let mut hand = Dealt::new(&holdem(Limit::NoLimit, 3), &[67, 102, 102], 2, deck);
    hand.play("r 102, c, c");
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [67, 102, 102]);
    let deck = cards("2c 2d 2h 2s 3c 3d 3h 3s Ts Js Qs Ks As");
    let mut hand = Dealt::new(&holdem(Limit::NoLimit, 4), &[1000; 4], 0, deck);
    // With four seats, seat 1 folds its small blind of 5. The three other seats split 35 chips.
    hand.play("c, c, f, k, k, k, k, k, k, k, k, k, k, show, show, show");
    assert_eq!(hand.outcome().stacks, [1001, 995, 1002, 1002]);
}
