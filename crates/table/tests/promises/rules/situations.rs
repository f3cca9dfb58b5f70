//! Known situations with 3 to 10 seats: side pots with seats that fold, go all in or leave, odd
//! chips, and the order of the showdown.

use super::dealt::{Dealt, cards, holdem, rules};
use dealerless::deck::Card;
use dealerless_table::rules::{Legal, Limit, Next, PokerKind, Posts, Stakes, Variety};

/// A situation: the chips of each seat at the start, the choices (see [`Dealt::play`]), and the
/// expected pots and chips at the end.
struct Situation<'a> {
    stacks: &'a [u64],
    button: u8,
    choices: &'a str,
    /// The chips of each pot and the seats that win it.
    pots: &'a [(u64, &'a [u8])],
    end: &'a [u64],
}

impl Situation<'_> {
    fn check(&self, stakes: &Stakes, deck: Vec<Card>) {
        let mut hand = Dealt::new(stakes, self.stacks, self.button, deck);
        hand.play(self.choices);
        let outcome = hand.outcome();
        let mut pots = Vec::new();
        for pot in &outcome.pots {
            let winners: Vec<u8> = pot.winners.iter().map(|(seat, _)| seat.number()).collect();
            pots.push((pot.chips, winners));
        }
        let expected = self.pots.iter();
        let expected: Vec<_> = expected
            .map(|&(chips, won)| (chips, won.to_vec()))
            .collect();
        assert_eq!(pots, expected, "{}", self.choices);
        assert_eq!(outcome.stacks, self.end, "{}", self.choices);
    }

    /// Hold'em with blinds 5 and 10. Each seat has a pair of its rank in `pairs`.
    fn holdem(&self, pairs: &str) {
        let stakes = holdem(Limit::NoLimit, self.stacks.len());
        self.check(&stakes, pairs_and_board(pairs));
    }

    /// Five-card draw with antes of 3 and bets from 10.
    fn draw(&self, hands: &[&str]) {
        let posts = Posts::Antes { ante: 3, bet: 10 };
        let variety = Variety::Poker(PokerKind::FiveCardDraw, rules(Limit::NoLimit, posts));
        let stakes = Stakes::new(variety, hands.len() as u8, 1).unwrap();
        let hands: Vec<Vec<Card>> = hands.iter().map(|hand| cards(hand)).collect();
        let deck = (0..5).flat_map(|i| hands.iter().map(move |hand| hand[i]));
        let mut deck: Vec<Card> = deck.collect();
        let rest = (0..52).map(Card).filter(|card| !deck.contains(card));
        let rest: Vec<Card> = rest.collect();
        deck.extend(rest);
        self.check(&stakes, deck);
    }
}

/// A pair for each seat, and a board that gives no seat a better hand than its pair. Two seats may
/// have the same rank.
fn pairs_and_board(pairs: &str) -> Vec<Card> {
    let suits = |seat: usize, rank| match pairs[..seat].contains(rank) {
        false => ['s', 'd'],
        true => ['h', 'c'],
    };
    let card = |place: usize| {
        let of_seat = move |(seat, rank)| format!("{rank}{} ", suits(seat, rank)[place]);
        pairs.chars().enumerate().map(of_seat)
    };
    let hole: String = card(0).chain(card(1)).collect();
    cards(&format!("{hole} 2c 7d 9h Jc 3s"))
}

#[test]
fn each_all_in_makes_a_side_pot() {
    let all_in = Situation {
        stacks: &[400, 100, 200, 300],
        button: 0,
        choices: "r 300, c, c, c",
        pots: &[(400, &[1]), (300, &[2]), (200, &[3])],
        end: &[100, 400, 300, 200],
    };
    all_in.holdem("5AKQ");
    let best_is_last = Situation {
        pots: &[(400, &[3]), (300, &[3]), (200, &[3])],
        end: &[100, 0, 0, 900],
        ..all_in
    };
    best_is_last.holdem("5QKA");
    // Seat 3 wins what it can, and the longer stack the rest.
    let best_is_short = Situation {
        pots: &[(400, &[0]), (300, &[0]), (200, &[0])],
        end: &[1000, 0, 0, 0],
        ..all_in
    };
    best_is_short.holdem("AQK5");
}

#[test]
fn ten_seats_with_ten_stacks() {
    let choices = "r 30, r 40, r 50, r 60, r 70, r 80, r 90, c, c, c";
    let ladder = Situation {
        stacks: &[100, 10, 20, 30, 40, 50, 60, 70, 80, 90],
        button: 0,
        choices,
        pots: &[
            (100, &[1]),
            (90, &[2]),
            (80, &[3]),
            (70, &[4]),
            (60, &[5]),
            (50, &[6]),
            (40, &[7, 8]),
            (30, &[8]),
            (20, &[0, 9]),
        ],
        end: &[20, 100, 90, 80, 70, 60, 50, 20, 50, 10],
    };
    ladder.holdem("4AKQT86554");
    // The last bettor leaves. Nobody has to call more than the other seats have.
    let last_bettor_leaves = Situation {
        choices: "r 30, r 40, r 50, r 60, r 70, r 80, r 90, gone 9, c, c, c",
        pots: &[
            (100, &[1]),
            (90, &[2]),
            (80, &[3]),
            (70, &[4]),
            (60, &[5]),
            (50, &[6]),
            (40, &[7, 8]),
            (40, &[8]),
        ],
        end: &[20, 100, 90, 80, 70, 60, 50, 20, 60, 0],
        ..ladder
    };
    last_bettor_leaves.holdem("4AKQT86554");
}

#[test]
fn folded_seat_pays_into_each_side_pot_and_wins_none() {
    let with_fold = Situation {
        stacks: &[1000, 50, 1000, 150, 1000],
        button: 0,
        choices: "r 150, c, c, c, c, b 100, c, f, k, k, k, k",
        pots: &[(250, &[1]), (400, &[2]), (200, &[2])],
        end: &[850, 250, 1350, 0, 750],
    };
    with_fold.holdem("AKQT8");
    let all_in_wins = Situation {
        pots: &[(250, &[3]), (400, &[3]), (200, &[2])],
        end: &[850, 0, 950, 650, 750],
        ..with_fold
    };
    all_in_wins.holdem("5KQA8");
    // The all-in seat with the best hand leaves on the turn: its side pot joins the next one.
    let all_in_leaves = Situation {
        choices: "r 150, c, c, c, c, b 100, c, f, gone 3, k, k, k, k",
        pots: &[(250, &[1]), (600, &[2])],
        end: &[850, 250, 1350, 0, 750],
        ..with_fold
    };
    all_in_leaves.holdem("5KQA8");
    // The bettor leaves on the turn. The other seat that called wins the last pot alone.
    let bettor_leaves = Situation {
        choices: "r 150, c, c, c, c, b 100, c, f, gone 2",
        pots: &[(250, &[3]), (400, &[3]), (200, &[4])],
        end: &[850, 0, 750, 650, 950],
        ..with_fold
    };
    bettor_leaves.holdem("5KQA8");
}

#[test]
fn blinds_that_are_all_in_make_side_pots() {
    let short_blinds = Situation {
        stacks: &[500, 3, 7, 500, 500, 500, 500],
        button: 0,
        choices: "c, f, c, f, f, b 11, c, k, k, k, k",
        pots: &[(12, &[1]), (12, &[2]), (28, &[3, 5])],
        end: &[500, 12, 12, 493, 500, 493, 500],
    };
    short_blinds.holdem("8AKQTQ6");
    // The big blind leaves before the flop.
    let blind_leaves = Situation {
        choices: "c, f, c, f, gone 2, f, b 11, c, k, k, k, k",
        pots: &[(12, &[1]), (40, &[3, 5])],
        end: &[500, 12, 0, 499, 500, 499, 500],
        ..short_blinds
    };
    blind_leaves.holdem("8AKQTQ6");
}

#[test]
fn odd_chips_go_to_the_first_winners_left_of_the_button() {
    let two_winners = Situation {
        stacks: &[1000; 5],
        button: 4,
        choices: "c, c, f, c, k, b 15, c, c, gone 3, k, k, k, k, k, k, muck, show, show",
        pots: &[(85, &[1, 2])],
        end: &[975, 1018, 1017, 990, 1000],
    };
    two_winners.holdem("QAAK5");
    // Three seats play the board. The first one left of the button is seat 5.
    let stakes = holdem(Limit::NoLimit, 6);
    let board = "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s Ts Js Qs Ks As";
    let three_winners = Situation {
        stacks: &[1000; 6],
        button: 3,
        choices: "c, f, gone 2, c, f, k, k, k, k, k, k, k, k, k, k, show, show, show",
        pots: &[(35, &[0, 3, 5])],
        end: &[1002, 1000, 1000, 1001, 995, 1002],
    };
    three_winners.check(&stakes, cards(board));
}

const ACES: &str = "As Ad 2c 5h 8c";
const EQUAL_ACES: &str = "Ah Ac 2h 5c 8h";
const KINGS: &str = "Ks Kd 3c 6h 9c";
const QUEENS: &str = "Qs Qd 2d 4h 7c";
const JACKS: &str = "Js Jd 3d 6c 9h";

#[test]
fn draw_has_side_pots_and_odd_chips() {
    let hands = [QUEENS, ACES, KINGS, EQUAL_ACES, JACKS];
    let all_in = Situation {
        stacks: &[100, 30, 60, 100, 100],
        button: 4,
        choices: "b 97, c, c, c, f, x, x, x, x",
        // The main pot has an odd chip, which goes to seat 1.
        pots: &[(123, &[1, 3]), (90, &[3]), (80, &[3])],
        end: &[0, 62, 0, 231, 97],
    };
    all_in.draw(&hands);
    let seat_leaves_in_the_exchange = Situation {
        choices: "b 97, c, c, c, f, x, x, gone 3, x",
        pots: &[(123, &[1]), (90, &[2]), (80, &[0])],
        end: &[80, 123, 90, 0, 97],
        ..all_in
    };
    seat_leaves_in_the_exchange.draw(&hands);
    let split = |button, end: &[u64]| {
        let checked = Situation {
            stacks: &[100; 3],
            button,
            choices: "k, k, k, x, x, x, k, k, k, show, show, show",
            pots: &[(9, &[0, 1])],
            end,
        };
        checked.draw(&[ACES, EQUAL_ACES, KINGS]);
    };
    split(2, &[102, 101, 97]);
    split(0, &[101, 102, 97]);
}

/// Plays these choices, then makes all seats show. Returns the seats in the order in which they were
/// asked.
fn showdown_order(hand: &mut Dealt, choices: &str) -> Vec<u8> {
    hand.play(choices);
    let mut order = Vec::new();
    while let Next::Choose { seat, legal } = hand.hand.next() {
        assert_eq!(legal, Legal::ShowOrMuck);
        order.push(seat.number());
        hand.play("show");
    }
    order
}

#[test]
fn showdown_starts_with_the_last_bettor_of_the_last_round() {
    let five = || {
        let deck = pairs_and_board("AKQT8");
        let mut hand = Dealt::new(&holdem(Limit::NoLimit, 5), &[1000; 5], 2, deck);
        hand.play("c, c, c, c, k, k, k, b 20, c, c, c, c, k, k, k, k, k");
        hand
    };
    // Nobody bets on the river.
    let order = showdown_order(&mut five(), "k, k, k, k, k");
    assert_eq!(order, [3, 4, 0, 1, 2]);
    for (choices, order) in [
        ("k, k, b 50, c, f, c, c", vec![0, 1, 3, 4]),
        ("b 50, c, c, r 200, c, c, c, c", vec![1, 2, 3, 4, 0]),
        ("k, k, b 50, c, f, c, gone 1, c", vec![0, 3, 4]),
        // The last bettor leaves.
        ("k, k, b 50, gone 0, c, c, c, c", vec![3, 4, 1, 2]),
        ("k, gone 4, b 50, c, c, gone 0, f", vec![1, 2]),
    ] {
        assert_eq!(showdown_order(&mut five(), choices), order, "{choices}");
    }
}

#[test]
fn hands_that_are_turned_up_are_shown_in_the_order_of_the_showdown() {
    let deck = pairs_and_board("AKQT8");
    let mut hand = Dealt::new(
        &holdem(Limit::NoLimit, 5),
        &[500, 100, 500, 500, 500],
        2,
        deck,
    );
    hand.play("c, c, c, c, k, k, k, k, b 90, c, c, c, c, k, k, k, k");
    for (choices, order) in [
        ("k, b 70, c, f, c", vec![4, 0, 1, 3]),
        ("k, k, k, k", vec![3, 4, 0, 1, 2]),
        ("k, b 70, gone 4, c, f, c", vec![3, 0, 1]),
    ] {
        let mut hand = hand.clone();
        let outcome = hand.play(choices).outcome();
        let shown: Vec<u8> = outcome.shown.iter().map(|s| s.seat.number()).collect();
        assert_eq!(shown, order, "{choices}");
    }
}
