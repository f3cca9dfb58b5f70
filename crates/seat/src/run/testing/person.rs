//! The players. They react to events late, sometimes wrongly, and start their programs again.

use std::collections::BTreeSet;
use std::time::Duration;

use rand::RngExt;
use rand::seq::IndexedRandom;
use serde_json::{Value, json};

use super::choices::Choices;

/// What a player does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// A command, as a line.
    Says(String),
    /// A request of which only the status matters.
    Asks(bool, String, Value),
    /// Looks whether there is something to begin.
    Decides,
}

/// A player, who has the events of one program.
#[derive(Default)]
pub(super) struct Person {
    /// A choice that the rules allow in the last own turn.
    safe: Option<Value>,
    /// The fingerprints of the guests at the door about whom the player has made up its mind.
    seen: BTreeSet<String>,
}

/// Lines that are sent at any time.
const ANY: [&str; 14] = [
    r#"{"do":"sit-out"}"#,
    r#"{"do":"back"}"#,
    r#"{"do":"again"}"#,
    r#"{"do":"next"}"#,
    r#"{"do":"stay"}"#,
    r#"{"do":"fold"}"#,
    r#"{"do":"pass"}"#,
    r#"{"do":"draw","turn":3}"#,
    r#"{"do":"raise","to":18446744073709551615}"#,
    r#"{"do":"sit","agree":true}"#,
    r#"{"do":"accept","fingerprint":"none"}"#,
    r#"{"do":"decline","fingerprint":"none"}"#,
    r#"{"do":"steal","from":9}"#,
    "{",
];

fn says(what: Value) -> Act {
    Act::Says(what.to_string())
}

impl Person {
    /// The reactions to an event, and their delays. `calm` players make no mistakes, and end what they began.
    pub(super) fn reacts(
        &mut self,
        event: &Value,
        calm: bool,
        rng: &mut Choices,
    ) -> Vec<(Duration, Act)> {
        match event["event"] == "at-door" {
            true => self.sees(event["players"].as_array().unwrap(), calm, rng),
            false => self.reaction(event, calm, rng).into_iter().collect(),
        }
    }

    /// The answers to the guests at the door, some of them late and in any order.
    fn sees(&mut self, players: &[Value], calm: bool, rng: &mut Choices) -> Vec<(Duration, Act)> {
        let text = |player: &Value| player["fingerprint"].as_str().unwrap().to_owned();
        let here: BTreeSet<String> = players.iter().map(text).collect();
        let new: Vec<String> = here.difference(&self.seen).cloned().collect();
        self.seen = here;
        let answer = |fingerprint: String| {
            let does = match calm || rng.random_ratio(9, 10) {
                true => "accept",
                false => "decline",
            };
            let most = if rng.random_ratio(1, 8) {
                40_000
            } else {
                4_000
            };
            let after = Duration::from_millis(rng.random_range(200..most));
            (
                after,
                says(json!({ "do": does, "fingerprint": fingerprint })),
            )
        };
        new.into_iter().map(answer).collect()
    }

    fn reaction(
        &mut self,
        event: &Value,
        calm: bool,
        rng: &mut Choices,
    ) -> Option<(Duration, Act)> {
        if event["event"] == "buys" {
            // It only confirms a command.
            return None;
        }
        let soon = Duration::from_millis(rng.random_range(200..4_000));
        let what = match event["event"].as_str()? {
            "ask-sit" | "ask-table" => {
                json!({ "do": "sit", "agree": calm || rng.random_ratio(9, 10) })
            }
            "ask-again" => json!({ "do": "again" }),
            "ask-rebuy" => json!({ "do": "rebuy", "agree": rng.random_bool(0.5) }),
            "pause" if rng.random() => json!({ "do": "next" }),
            "sits-out" => json!({ "do": "back" }),
            "out-of-time" if !calm && rng.random_ratio(1, 10) => json!({ "do": "close" }),
            "your-turn" => {
                let (safe, chosen) = choice(event, rng);
                self.safe = Some(safe);
                let mut chosen = chosen;
                if rng.random_ratio(4, 5) {
                    chosen["turn"] = event["turn"].clone();
                }
                let slow = !calm && rng.random_ratio(1, 40);
                let slow = if slow { Duration::from_secs(200) } else { soon };
                return Some((slow, says(chosen)));
            }
            "chose" => {
                self.safe = None;
                return None;
            }
            // The choice was refused.
            "error" if event["exit_code"].is_null() => self.safe.take()?,
            _ => return None,
        };
        Some((soon, says(what)))
    }

    /// Something that a player does at any time.
    pub(super) fn disturbs(rng: &mut Choices) -> Act {
        let asks = |path: &str| Act::Asks(false, path.into(), Value::Null);
        match rng.random_range(0..12) {
            0 => says(json!({ "do": "leave", "anyhow": rng.random_bool(0.5) })),
            1 => Act::Asks(true, "/end".into(), json!({})),
            2 => asks("/matches"),
            3 => asks("/history"),
            4 => asks("/peers"),
            5 => asks("/state"),
            _ => Act::Says((*ANY.choose(rng).unwrap()).into()),
        }
    }
}

/// A choice that the rules allow, and a random one.
fn choice(event: &Value, rng: &mut Choices) -> (Value, Value) {
    let said = |what: &str| json!({ "do": what });
    match event["ask"].as_str().unwrap() {
        "bet" => {
            let free = event["call"].is_null();
            let safe = said(if free { "check" } else { "call" });
            let amount = |range: &Value, rng: &mut Choices| {
                let [min, max] = ["min", "max"].map(|end| range[end].as_u64().unwrap());
                [min, max, rng.random_range(min..=max)][rng.random_range(0..3)]
            };
            let chosen = match rng.random_range(0..8) {
                0 => said("fold"),
                1 | 2 if event["bet"].is_object() => {
                    json!({ "do": "bet", "to": amount(&event["bet"], rng) })
                }
                1 | 2 if event["raise"].is_object() => {
                    json!({ "do": "raise", "to": amount(&event["raise"], rng) })
                }
                3 => said("muck"),
                _ => safe.clone(),
            };
            (safe, chosen)
        }
        "exchange" => {
            let places: Vec<u8> = (0..5).filter(|_| rng.random_ratio(1, 3)).collect();
            let safe = json!({ "do": "exchange", "places": [] });
            (safe, json!({ "do": "exchange", "places": places }))
        }
        "show-or-muck" => match event["wins"] == true || rng.random() {
            true => (said("show"), said("show")),
            false => (said("show"), said("muck")),
        },
        _ => (said("pass"), speaks(event, rng)),
    }
}

/// A random choice in a deck without rules.
fn speaks(event: &Value, rng: &mut Choices) -> Value {
    let proposals = event["proposals"].as_array().unwrap();
    if let Some(proposal) = proposals.choose(rng) {
        let does = if rng.random() { "agree" } else { "refuse" };
        return json!({ "do": does, "proposal": proposal["proposal"] });
    }
    let positions = event["positions"].as_array().unwrap();
    let own = positions.choose(rng);
    match (rng.random_range(0..8), own) {
        (0 | 1, _) if event["may_draw"] == true => json!({ "do": "draw" }),
        (2, Some(own)) => json!({ "do": "show-card", "position": own }),
        (3, Some(own)) => json!({ "do": "reveal", "position": own }),
        (4, _) => json!({ "do": "roll", "dice": "2d6" }),
        (5, _) if event["may_propose"] == true => {
            let to = if rng.random() { json!("all") } else { json!(1) };
            json!({ "do": "propose", "cards": [{ "position": rng.random_range(0..3), "to": to }] })
        }
        _ => json!({ "do": "pass" }),
    }
}
