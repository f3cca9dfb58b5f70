//! The showdown: the order of showing, mucking, and the winners.

use super::dealt::{Dealt, SMALL_AND_BIG, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::Seat;
use dealerless_table::rules::{Choice, Foul, Learners, Legal, Limit, PokerKind, Stakes, Variety};

/// Both seats check or call to the end, starting with the button's first choice.
const TO_THE_END: &str = "c, k, k, k, k, k, k, k";

/// Seat 0 has aces, seat 1 kings.
const ACES_AND_KINGS: &str = "As Ks Ad Kd 2c 7d 9h Jc 3s";

fn heads_up(stacks: [u64; 2], button: u8, deck: &str) -> Dealt {
    Dealt::new(&holdem(Limit::NoLimit, 2), &stacks, button, cards(deck))
}

fn turn_to_show(hand: &Dealt) -> u8 {
    let (seat, legal) = hand.asked();
    assert_eq!(legal, Legal::ShowOrMuck);
    seat
}

#[test]
fn seat_left_of_the_button_shows_first_after_checks() {
    for button in [0, 1] {
        let mut hand = heads_up([1000, 1000], button, ACES_AND_KINGS);
        hand.play(TO_THE_END);
        assert_eq!(turn_to_show(&hand), 1 - button);
        hand.play("show");
        assert_eq!(turn_to_show(&hand), button);
        hand.play("show");
        let outcome = hand.outcome();
        assert_eq!(outcome.stacks, [1010, 990]);
        let words: Vec<String> = outcome.shown.iter().map(|s| s.rank.to_string()).collect();
        assert_eq!(words[usize::from(1 - button)], "pair, aces");
        assert_eq!(words[usize::from(button)], "pair, kings");
    }
}

#[test]
fn last_aggressor_on_the_river_shows_first() {
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play("c, k, k, k, k, k, k, b 20, c");
    assert_eq!(turn_to_show(&hand), 0);

    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play("c, k, k, k, k, k, b 20, r 40, c");
    assert_eq!(turn_to_show(&hand), 0);

    // A bet in an earlier round does not count.
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play("r 30, c, k, k, k, k, k, k");
    assert_eq!(turn_to_show(&hand), 1);
}

#[test]
fn mucking_loses_and_keeps_cards_closed() {
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play(TO_THE_END).play("show, muck");
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [990, 1010]);
    assert_eq!(outcome.shown.len(), 1);
    assert!(!hand.is_public(0) && !hand.is_public(2));
}

#[test]
fn last_seat_after_a_muck_wins_without_showing() {
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play(TO_THE_END).play("muck");
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [1010, 990]);
    assert_eq!(outcome.shown, []);
    assert!((0..4).all(|position| !hand.is_public(position)));
}

#[test]
fn fold_opens_no_hand_and_no_further_board_cards() {
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play("r 30, c, b 40, f");
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [970, 1030]);
    assert_eq!((outcome.pots[0].chips, outcome.shown.len()), (60, 0));
    let public: Vec<_> = (0..9)
        .filter(|&position| hand.is_public(position))
        .collect();
    assert_eq!(public, [4, 5, 6]);
}

/// The positions opened in each step, starting with step `from`.
fn positions(hand: &Dealt, from: usize) -> Vec<Vec<usize>> {
    let of_step = |step: &Vec<(usize, Learners)>| step.iter().map(|&(at, _)| at).collect();
    hand.opened[from..].iter().map(of_step).collect()
}

#[test]
fn all_in_hands_are_opened_before_the_rest_of_the_board() {
    let mut hand = heads_up([1000, 400], 0, ACES_AND_KINGS);
    hand.play("r 400, c");
    let board = [vec![4, 5, 6], vec![7], vec![8]];
    assert_eq!(positions(&hand, 1)[0], [0, 1, 2, 3]);
    assert_eq!(positions(&hand, 2), board);
    // There is no choice, so nobody can muck.
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [1400, 0]);
    let shown: Vec<u8> = outcome.shown.iter().map(|s| s.seat.number()).collect();
    assert_eq!(shown, [1, 0]);
    assert_eq!(outcome.shown[1].rank.to_string(), "pair, aces");

    let mut hand = heads_up([1000, 400], 0, ACES_AND_KINGS);
    hand.play("r 100, c, k, b 300, c");
    assert_eq!(
        positions(&hand, 1),
        [vec![4, 5, 6], vec![0, 1, 2, 3], vec![7], vec![8]]
    );
    assert_eq!(hand.outcome().stacks, [1400, 0]);
}

#[test]
fn all_in_hands_on_the_river_are_opened_at_once() {
    let mut hand = heads_up([1000, 400], 0, ACES_AND_KINGS);
    hand.play("c, k, k, k, k, k, b 390, c");
    assert_eq!(positions(&hand, 4), [[0, 1, 2, 3]]);
    assert_eq!(hand.outcome().stacks, [1400, 0]);
}

#[test]
fn hand_folded_to_an_all_in_stays_closed() {
    let mut hand = heads_up([1000, 400], 0, ACES_AND_KINGS);
    hand.play("r 1000, f");
    assert_eq!(hand.outcome().shown, []);
    assert!((0..9).all(|position| !hand.is_public(position)));
}

#[test]
fn hands_stay_closed_while_two_seats_can_bet() {
    // Seat 2 is all in. Seats 0 and 1 can still bet.
    let deck = cards("As Ks Qs Ad Kd Qd 2c 7d 9h Jc 3s");
    let mut hand = Dealt::new(&holdem(Limit::NoLimit, 3), &[1000, 1000, 60], 0, deck);
    hand.play("r 60, c, c");
    assert_eq!(positions(&hand, 1), [[6, 7, 8]]);
    let mut folded = hand.clone();
    hand.play("b 100, c, k, k, k, k");
    assert_eq!(
        positions(&hand, 2),
        [vec![9], vec![10], vec![0, 1, 2, 3, 4, 5]]
    );
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [1220, 840, 0]);
    assert_eq!(outcome.shown.len(), 3);
    // The cards of a seat that has folded stay closed.
    folded.play("b 100, f");
    assert_eq!(positions(&folded, 2), [vec![1, 2, 4, 5], vec![9], vec![10]]);
    assert_eq!(folded.outcome().stacks, [940, 1120, 0]);
}

#[test]
fn all_in_draw_hands_are_opened_after_the_exchange() {
    let variety = Variety::Poker(
        PokerKind::FiveCardDraw,
        rules(Limit::NoLimit, SMALL_AND_BIG),
    );
    let stakes = Stakes::new(variety, 2, 9).unwrap();
    let deck = (0..52).map(Card).collect();
    let mut hand = Dealt::new(&stakes, &[1000, 400], 0, deck);
    hand.play("r 400, c");
    assert_eq!(hand.asked(), (1, Legal::Exchange));
    assert_eq!(hand.opened.len(), 1);
    hand.play("x 0, x");
    // Discarded cards stay closed.
    assert_eq!(
        positions(&hand, 1),
        [vec![10], vec![0, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
    );
    assert_eq!(hand.outcome().shown.len(), 2);
}

#[test]
fn pot_is_claimed_only_by_showing() {
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    hand.play(TO_THE_END).play("show");
    let before = hand.clone();
    assert_eq!(hand.try_to(&Choice::Check), Err(Foul::WrongKind));
    assert_eq!(hand.hand, before.hand);
    hand.play("muck");
    assert_eq!(hand.outcome().stacks, [990, 1010]);
}

#[test]
fn hole_cards_are_opened_to_their_seats_and_later_shown_to_all() {
    let mut hand = heads_up([1000, 1000], 0, ACES_AND_KINGS);
    let [host, guest] = [Seat::HOST, Seat::GUEST].map(Learners::Seat);
    assert_eq!(
        hand.opened,
        [[(0, host), (1, guest), (2, host), (3, guest)]]
    );
    hand.play(TO_THE_END).play("show");
    let shown = vec![(1, Learners::All), (3, Learners::All)];
    assert_eq!(hand.opened.last(), Some(&shown));
}

#[test]
fn equal_hands_split_the_pot() {
    // Both seats play the board.
    let mut hand = heads_up([1000, 1000], 0, "2c 2d 3c 3d Ts Js Qs Ks As");
    hand.play(TO_THE_END).play("show, show");
    let outcome = hand.outcome();
    assert_eq!(outcome.stacks, [1000, 1000]);
    assert_eq!(
        outcome.pots[0].winners,
        [(Seat::HOST, 10), (Seat::GUEST, 10)]
    );
    assert_eq!(outcome.shown[0].rank.to_string(), "royal flush");
}

#[test]
fn shown_hand_names_its_best_five_cards() {
    let mut hand = heads_up([1000, 1000], 0, "As 9c Ad 9d 2c 9h Kh Jc 2s");
    hand.play(TO_THE_END).play("show, show");
    let shown = hand.outcome().shown;
    let sorted = |names: &str| {
        let mut cards = cards(names);
        cards.sort_unstable();
        cards
    };
    let best = |seat: u8| {
        let shown = shown.iter().find(|shown| shown.seat == Seat::new(seat));
        let mut best = shown.unwrap().best.clone();
        best.sort_unstable();
        best
    };
    // Aces and deuces with the king, and a full house.
    assert_eq!(best(0), sorted("As Ad 2c 2s Kh"));
    assert_eq!(best(1), sorted("9c 9d 9h 2c 2s"));
}

#[test]
fn kicker_decides() {
    let mut hand = heads_up([1000, 1000], 0, "As Ah Kd Qd Ac 7d 9h 4c 3s");
    hand.play(TO_THE_END).play("show, show");
    assert_eq!(hand.outcome().stacks, [1010, 990]);
}

#[test]
fn odd_chip_goes_to_the_first_seat_left_of_the_button() {
    // Three seats. The small blind folds its 5, so two equal hands split a pot of 25.
    for (button, stacks) in [
        (0, [1002, 995, 1003]),
        (1, [1003, 1002, 995]),
        (2, [995, 1003, 1002]),
    ] {
        let deck = cards("2c 2d 2h 3c 3d 3h Ts Js Qs Ks As");
        let mut hand = Dealt::new(&holdem(Limit::NoLimit, 3), &[1000; 3], button, deck);
        hand.play("c, f, k, k, k, k, k, k, k, show, show");
        let outcome = hand.outcome();
        let won: Vec<u64> = outcome.pots[0]
            .winners
            .iter()
            .map(|&(_, chips)| chips)
            .collect();
        assert_eq!(won.iter().sum::<u64>(), 25);
        // Of the two winners, the big blind is first to the left of the button.
        assert_eq!(outcome.stacks, stacks);
    }
}
