//! `demo`: what it deals, and what it shows of that.

use std::collections::HashSet;

use dealerless::shuffle::Algorithm;

use crate::{keys, numbers, run};

#[test]
fn the_demo_of_a_deck_opens_different_cards_and_says_what_they_cost() {
    let report = run("demo --game deck --cards 20 --draw 7 --hands 3 --json")
        .exits(0)
        .json();
    assert_eq!(report["game"], "deck");
    assert_eq!(report["security"], "malicious");
    assert_eq!(report["algorithm"], "fisher-yates");
    assert_eq!((&report["cards"], &report["draw"]), (&20.into(), &7.into()));
    let hands = report["hands"].as_array().unwrap();
    assert_eq!(hands.len(), 3);
    for hand in hands {
        assert_eq!(keys(hand), HashSet::from(["cards"]));
        let cards = numbers(&hand["cards"]);
        assert_eq!(cards.len(), 7);
        assert!(cards.iter().all(|&card| card < 20));
        assert_eq!(cards.iter().collect::<HashSet<_>>().len(), 7);
    }
    let cost = &report["cost"];
    for field in ["setup_ms", "shuffle_ms"] {
        assert!(cost[field].as_f64().unwrap() > 0.0, "{cost}");
    }
    // A half gate is 32 bytes.
    let stats = run("circuit stats --cards 20 --draw 7 --algorithm fisher-yates --json").json();
    let tables = stats["rows"][0]["half_gate_bytes"].as_u64().unwrap();
    assert!(
        cost["garbler_bytes"].as_u64().unwrap() > 3 * tables,
        "{cost}"
    );
    assert!(cost["evaluator_bytes"].as_u64().unwrap() > 0, "{cost}");
    assert!(cost["rounds"].as_u64().unwrap() > 6, "{cost}");
}

#[test]
fn a_whole_deck_is_a_permutation_for_every_algorithm() {
    for algorithm in Algorithm::ALL {
        let report = run(&format!("demo --game deck --algorithm {algorithm} --json")).json();
        assert_eq!(report["algorithm"], algorithm.name());
        let mut cards = numbers(&report["hands"][0]["cards"]);
        cards.sort_unstable();
        assert_eq!(cards, (0..52).collect::<Vec<_>>());
    }
}

#[test]
fn auto_plays_with_the_cheapest_shuffle() {
    for draw in [5, 52] {
        let deal = format!("--cards 52 --draw {draw} --algorithm auto --json");
        let report = run(&format!("demo --game deck {deal}")).exits(0).json();
        let cheapest = Algorithm::cheapest(52, draw).unwrap();
        assert_eq!(report["algorithm"], cheapest.name());
        let stats = run(&format!("circuit stats {deal}")).exits(0).json();
        assert_eq!(stats["rows"][0]["algorithm"], cheapest.name());
    }
}

#[test]
fn in_holdem_each_player_sees_its_own_cards_first_and_the_board_is_common() {
    let report = run("demo --hands 2 --json").exits(0).json();
    assert_eq!(report["game"], "holdem");
    for hand in report["hands"].as_array().unwrap() {
        let step = |player: &str, number: usize| numbers(&hand[player][number]["cards"]);
        let names = |player: &str| -> Vec<String> {
            let steps = hand[player].as_array().unwrap();
            steps
                .iter()
                .map(|step| step["step"].as_str().unwrap().into())
                .collect()
        };
        for player in ["garbler", "evaluator"] {
            assert_eq!(
                names(player),
                ["hole cards", "flop", "turn", "river", "showdown"]
            );
        }
        for (number, count) in [(1, 3), (2, 1), (3, 1)] {
            assert_eq!(step("garbler", number).len(), count);
            assert_eq!(step("garbler", number), step("evaluator", number));
        }
        assert_eq!(step("garbler", 0), step("evaluator", 4));
        assert_eq!(step("evaluator", 0), step("garbler", 4));
        assert_eq!(numbers(&hand["cards"]).len(), 9);
    }
}

#[test]
fn in_five_card_draw_what_is_thrown_away_stays_hidden() {
    let report = run("demo --game draw --json").exits(0).json();
    let hand = &report["hands"][0];
    let seen = |player: &str| -> HashSet<u64> {
        let steps = hand[player].as_array().unwrap();
        steps
            .iter()
            .flat_map(|step| numbers(&step["cards"]))
            .collect()
    };
    assert_eq!(seen("garbler").len(), 13);
    assert_eq!(seen("evaluator").len(), 13);
    let common: HashSet<u64> = numbers(&hand["cards"]).into_iter().collect();
    assert_eq!(&seen("garbler") & &seen("evaluator"), common);
    assert_eq!(common.len(), 10);
}

#[test]
fn the_demo_shows_both_players_in_80_columns() {
    for game in ["holdem", "draw", "deck"] {
        let screen = run(&format!("demo --game {game}")).exits(0).stdout;
        assert!(screen.contains("Alice") && screen.contains("Bob"));
        assert_eq!(screen.contains('▒'), game != "deck");
        for line in screen.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
