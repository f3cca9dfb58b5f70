//! `demo`: a match of two seats in one process, with the view of each player.

use std::collections::HashSet;

use dealerless::shuffle::Algorithm;
use serde_json::Value;

use crate::common::processes::run;

fn numbers(list: &Value) -> Vec<u64> {
    let list = list.as_array().expect("a list");
    list.iter().map(|n| n.as_u64().expect("a number")).collect()
}

/// The names of the steps in which a player learned cards.
fn steps(hand: &Value, player: &str) -> Vec<String> {
    let steps = hand[player].as_array().unwrap().iter();
    steps
        .map(|step| step["step"].as_str().unwrap().into())
        .collect()
}

/// The cards that a player learned in a step.
fn learned(hand: &Value, player: &str, number: usize) -> Vec<u64> {
    numbers(&hand[player][number]["cards"])
}

#[test]
fn demo_reports_the_cost_of_deals_and_match() {
    for hands in [1, 3] {
        let report = run(&format!(
            "demo --hands {hands} --algorithm fisher-yates --json"
        ));
        let report = report.exits(0).json();
        assert_eq!(report["security"], "malicious");
        assert_eq!(report["algorithm"], "fisher-yates");
        assert_eq!((&report["cards"], &report["draw"]), (&52.into(), &9.into()));
        assert_eq!(report["hands"].as_array().unwrap().len(), hands);
        let cost = &report["cost"];
        for field in ["setup_ms", "first_deal_ms"] {
            assert!(cost[field].as_f64().unwrap() > 0.0, "{cost}");
        }
        for field in ["shuffle_ms", "preprocessing_ms"] {
            assert_eq!(cost[field].is_null(), hands == 1, "{cost}");
        }
        // One garbled AND gate takes 32 bytes.
        let stats = "circuit stats --cards 52 --draw 9 --algorithm fisher-yates --json";
        let tables = run(stats).json()["rows"][0]["half_gate_bytes"].as_u64();
        let bytes = |field: &str| cost[field].as_u64().unwrap();
        assert!(bytes("garbler_bytes") > 3 * tables.unwrap(), "{cost}");
        assert!(bytes("evaluator_bytes") > 0, "{cost}");
        let sent = bytes("garbler_bytes") + bytes("evaluator_bytes");
        assert!(sent > bytes("first_deal_bytes"), "{cost}");
        assert!(bytes("rounds") > 6, "{cost}");
    }
}

#[test]
fn auto_plays_with_the_cheapest_shuffle() {
    for (game, draw) in [("holdem", 9), ("draw", 20)] {
        let report = run(&format!("demo --game {game} --json")).exits(0).json();
        assert_eq!(
            (&report["game"], &report["draw"]),
            (&game.into(), &draw.into())
        );
        let cheapest = Algorithm::cheapest(52, draw).unwrap();
        assert_eq!(report["algorithm"], cheapest.name());
    }
}

#[test]
fn holdem_players_see_own_cards_then_the_common_board() {
    let report = run("demo --hands 2 --json").exits(0).json();
    assert_eq!(report["game"], "holdem");
    for hand in report["hands"].as_array().unwrap() {
        for player in ["garbler", "evaluator"] {
            assert_eq!(
                steps(hand, player),
                ["hole cards", "flop", "turn", "river", "showdown"]
            );
        }
        let [garbler, evaluator] =
            ["garbler", "evaluator"].map(|player| move |number| learned(hand, player, number));
        for (number, count) in [(1, 3), (2, 1), (3, 1)] {
            assert_eq!(garbler(number).len(), count);
            assert_eq!(garbler(number), evaluator(number));
        }
        assert_eq!(garbler(0), evaluator(4));
        assert_eq!(evaluator(0), garbler(4));
        let cards = numbers(&hand["cards"]);
        assert!(cards.iter().all(|&card| card < 52));
        assert_eq!(cards.iter().collect::<HashSet<_>>().len(), 9);
    }
}

#[test]
fn discarded_cards_stay_hidden_in_five_card_draw() {
    let report = run("demo --game draw --hands 3 --json").exits(0).json();
    for hand in report["hands"].as_array().unwrap() {
        let seen = |player: &str| -> HashSet<u64> {
            let steps = hand[player].as_array().unwrap().iter();
            steps.flat_map(|step| numbers(&step["cards"])).collect()
        };
        let common: HashSet<u64> = numbers(&hand["cards"]).into_iter().collect();
        assert_eq!(&seen("garbler") & &seen("evaluator"), common);
        assert_eq!(common.len(), 10);
        for player in ["garbler", "evaluator"] {
            let exchanged = steps(hand, player)
                .iter()
                .position(|step| step == "exchange")
                .map_or(0, |number| learned(hand, player, number).len());
            assert!(exchanged <= 3);
            assert_eq!(seen(player).len(), 10 + exchanged);
        }
    }
}

#[test]
fn winners_get_the_called_chips() {
    let report = run("demo --hands 3 --json").exits(0).json();
    for hand in report["hands"].as_array().unwrap() {
        let winners = hand["winners"].as_array().unwrap();
        let chips: u64 = winners.iter().map(|w| w["chips"].as_u64().unwrap()).sum();
        assert_eq!(chips, 4);
        let shown = hand["shown"].as_array().unwrap();
        assert_eq!(shown.len(), 2);
        let keys = shown[0].as_object().unwrap().keys().map(String::as_str);
        assert_eq!(
            keys.collect::<HashSet<_>>(),
            HashSet::from(["player", "worth"])
        );
    }
}

#[test]
fn demo_shows_both_players_in_80_columns() {
    for game in ["holdem", "draw"] {
        let screen = run(&format!("demo --game {game}")).exits(0).stdout;
        for text in [
            "Alice sees",
            "Bob sees",
            "▒▒",
            "showdown",
            " wins ",
            "Cost:",
        ] {
            assert!(screen.contains(text), "{text}: {screen}");
        }
        for line in screen.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
