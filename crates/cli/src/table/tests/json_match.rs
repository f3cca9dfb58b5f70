//! Matches played only through the JSON interface.

use std::io::{BufRead, BufReader, Write};
use std::thread;

use dealerless_table::Seat;
use dealerless_table::rules::{BettingRules, Limit, PokerKind, Posts, Stakes, Variety};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};

use super::seats::{FrontEnd, both};

fn stakes(limit: Limit, kind: PokerKind, posts: Posts, hands: u32) -> Stakes {
    let rules = BettingRules {
        stack: 100,
        limit,
        posts,
    };
    Stakes::new(Variety::Poker(kind, rules), 2, hands).unwrap()
}

fn holdem(hands: u32) -> Stakes {
    let posts = Posts::Blinds { small: 1, big: 2 };
    stakes(Limit::NoLimit, PokerKind::Holdem, posts, hands)
}

/// A program that chooses at random among the allowed choices.
fn random(event: &Value, rng: &mut StdRng) -> Option<Value> {
    match event["event"].as_str().unwrap() {
        "ask-rebuy" => Some(json!({"do": "rebuy", "agree": true})),
        "your-turn" => Some(choice(event, rng)),
        _ => None,
    }
}

fn choice(event: &Value, rng: &mut StdRng) -> Value {
    let amount = |range: &Value, rng: &mut StdRng| {
        rng.random_range(range["min"].as_u64().unwrap()..=range["max"].as_u64().unwrap())
    };
    match event["ask"].as_str().unwrap() {
        "bet" => match rng.random_range(0..6) {
            0 if !event["call"].is_null() => json!({"do": "fold"}),
            1 if !event["bet"].is_null() => json!({"do": "bet", "to": amount(&event["bet"], rng)}),
            1 if !event["raise"].is_null() => {
                json!({"do": "raise", "to": amount(&event["raise"], rng)})
            }
            _ if event["call"].is_null() => json!({"do": "check"}),
            _ => json!({"do": "call", "turn": event["turn"]}),
        },
        "exchange" => json!({"do": "exchange", "places": [0, 3]}),
        "show-or-muck" => json!({"do": if rng.random() { "show" } else { "muck" }}),
        "speak" => match event["proposals"].as_array().unwrap().first() {
            Some(first) => json!({"do": "agree", "proposal": first["proposal"]}),
            None if event["open"].is_null() => json!({"do": "propose", "cards": [
                {"position": 0, "to": "all"}, {"position": 1, "to": 1},
            ]}),
            None => json!({"do": "pass"}),
        },
        other => panic!("asked for {other}"),
    }
}

/// Plays both seats. Returns the outcome and all events of each seat.
fn play(
    stakes: &Stakes,
    act: impl Fn(Seat, &Value, &mut StdRng) -> Vec<String> + Sync,
) -> [(anyhow::Result<()>, Vec<Value>); 2] {
    let act = &act;
    let mut seats = both(stakes).into_iter().zip([Seat::HOST, Seat::GUEST]);
    let [a, b] = [(); 2].map(|()| seats.next().unwrap());
    thread::scope(|scope| {
        let run = |((ready, front), seat): ((super::seats::Ready, FrontEnd), Seat)| {
            let front = scope.spawn(move || front_end(front, seat, act));
            let end = scope.spawn(ready);
            (end, front)
        };
        let sides = [run(a), run(b)];
        sides.map(|(end, front)| (end.join().unwrap(), front.join().unwrap()))
    })
}

fn front_end(
    mut front: FrontEnd,
    seat: Seat,
    act: &impl Fn(Seat, &Value, &mut StdRng) -> Vec<String>,
) -> Vec<Value> {
    let mut rng = StdRng::seed_from_u64(u64::from(seat.number()));
    let mut events = Vec::new();
    for line in BufReader::new(front.events).lines() {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        for command in act(seat, &event, &mut rng) {
            // The match may be over already.
            let _ = front.commands.write_all((command + "\n").as_bytes());
        }
        events.push(event);
    }
    events
}

fn one(command: Option<Value>) -> Vec<String> {
    command.iter().map(Value::to_string).collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events
        .iter()
        .filter(|event| event["event"] == kind)
        .collect()
}

#[test]
fn programs_play_every_game_to_its_end_without_losing_chips() {
    let antes = Posts::Antes { ante: 1, bet: 2 };
    let blinds = Posts::Blinds { small: 1, big: 2 };
    let deck = Variety::Deck {
        cards: 20,
        drawn: 4,
    };
    for stakes in [
        holdem(6),
        stakes(Limit::Fixed, PokerKind::Holdem, blinds, 3),
        stakes(Limit::NoLimit, PokerKind::FiveCardDraw, antes, 3),
        Stakes::new(deck, 2, 2).unwrap(),
    ] {
        let sides = play(&stakes, |_, event, rng| one(random(event, rng)));
        for (end, events) in &sides {
            assert!(end.is_ok(), "{end:?}");
            assert!(of_kind(events, "error").is_empty(), "{events:#?}");
            assert_eq!(events[0]["event"], "seated");
            let results = of_kind(events, "result");
            assert_eq!(results.len(), stakes.hands() as usize);
            let over = events.last().unwrap();
            assert_eq!(
                (&over["event"], &over["how"]),
                (&json!("over"), &json!("played"))
            );
            assert_eq!(over["exit_code"], 0);
        }
        // The sentences call the reader "You".
        let results = |events: &[Value]| {
            let mut results: Vec<_> = of_kind(events, "result").into_iter().cloned().collect();
            for result in &mut results {
                result.as_object_mut().unwrap().remove("sentences");
            }
            results
        };
        assert_eq!(results(&sides[0].1), results(&sides[1].1));
        // Each rebuy adds a whole stack.
        for result in results(&sides[0].1) {
            let stacks = result["stacks"].as_array().unwrap();
            let chips: u64 = stacks.iter().map(|chips| chips.as_u64().unwrap()).sum();
            assert_eq!(chips % 100, 0, "{result}");
        }
    }
}

/// The reported turns of a seat: the number, the seat whose turn it is, and the public state.
fn turns(events: &[Value], own: u8) -> Vec<(u64, Value, Value)> {
    let turn = |event: &Value| {
        let seat = match event["event"].as_str() {
            Some("your-turn") => json!(own),
            Some("their-turn") => event["seat"].clone(),
            _ => return None,
        };
        let seen = ["hand", "button", "pot", "stacks", "bets", "held"];
        let seen = seen.map(|name| (name, event[name].clone()));
        Some((event["turn"].as_u64()?, seat, seen.into_iter().collect()))
    };
    events.iter().filter_map(turn).collect()
}

#[test]
fn each_turn_is_reported_once_to_both_with_the_held_positions() {
    let deck = Variety::Deck {
        cards: 20,
        drawn: 4,
    };
    let antes = Posts::Antes { ante: 1, bet: 2 };
    let games = [
        (holdem(3), json!([[0, 2], [1, 3]])),
        (
            stakes(Limit::NoLimit, PokerKind::FiveCardDraw, antes, 2),
            json!([[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]),
        ),
        (Stakes::new(deck, 2, 2).unwrap(), json!([[], []])),
    ];
    for (stakes, held) in games {
        let [(_, host), (_, guest)] = play(&stakes, |_, event, rng| one(random(event, rng)));
        let reported = turns(&host, 0);
        assert_eq!(reported, turns(&guest, 1));
        assert!(reported.windows(2).all(|turns| turns[0].0 < turns[1].0));
        assert_eq!(reported[0].2["held"], held);
        for (seat, events) in [&host, &guest].into_iter().enumerate() {
            for turn in of_kind(events, "your-turn") {
                assert_eq!(turn["held"][seat], turn["positions"], "{turn}");
            }
            for turn in of_kind(events, "their-turn") {
                assert_ne!(turn["seat"], seat);
                // There is no time limit, and the cards of other players are not reported.
                assert!(turn["time"].is_null() && turn["cards"].is_null(), "{turn}");
            }
        }
        let last = &reported.last().unwrap().2["held"];
        match stakes.betting() {
            Some(_) => assert_eq!(
                last[0].as_array().map(Vec::len),
                held[0].as_array().map(Vec::len)
            ),
            // One card is open, and only the guest has seen the other.
            None => assert_eq!(*last, json!([[], [1]])),
        }
    }
}

#[test]
fn each_seal_reports_the_cost_of_the_deal_and_of_prepared_hands() {
    let sides = play(&holdem(4), |_, event, rng| one(random(event, rng)));
    let costs = sides.map(|(_, events)| {
        let sealed = of_kind(&events, "sealed");
        sealed
            .iter()
            .map(|sealed| sealed["cost"].clone())
            .collect::<Vec<_>>()
    });
    let [host, guest] = &costs;
    assert_eq!((host.len(), guest.len()), (4, 4));
    for (hand, (mine, theirs)) in host.iter().zip(guest).enumerate() {
        for same in ["shuffle_bytes", "prepared_bytes", "prepared_hands", "ands"] {
            assert_eq!(mine[same], theirs[same], "{same}");
        }
        let number = |of: &str| mine[of].as_f64().unwrap();
        assert!(
            number("shuffle_ms") > 0.0 && number("shuffle_bytes") > 1000.0,
            "{mine}"
        );
        assert!(number("ands") > 100.0, "{mine}");
        assert_eq!(mine["statistical_security"], 56);
        // The three later hands are prepared in one batch, which the second seal reports.
        assert_eq!(mine["prepared_hands"], if hand == 1 { 3 } else { 0 });
        for ahead in ["prepared_ms", "prepared_bytes"] {
            assert_eq!(number(ahead) > 0.0, hand == 1, "{mine}");
        }
    }
}

#[test]
fn invalid_commands_are_refused_and_change_nothing() {
    let bad = [
        ("no json at all", "no-command"),
        ("{}", "no-command"),
        ("[1]", "no-command"),
        (r#"{"do":"dance"}"#, "no-command"),
        (r#"{"do":"raise"}"#, "no-command"),
        (r#"{"do":"fold","to":3}"#, "no-command"),
        (r#"{"do":"raise","to":-1}"#, "no-command"),
        (r#"{"do":"raise","to":1e400}"#, "no-command"),
        (r#"{"do":"call","turn":"now"}"#, "no-command"),
        (r#"{"do":"call","turn":99999}"#, "not-your-turn"),
        (r#"{"do":"raise","to":100000}"#, "not-allowed"),
        (r#"{"do":"exchange","places":[0,0,0,9]}"#, "not-allowed"),
        (r#"{"do":"agree","proposal":7}"#, "not-allowed"),
        (r#"{"do":"rebuy","agree":true}"#, "nobody-asked"),
    ];
    let deep = "[".repeat(10_000);
    let long = " ".repeat(40 << 10) + r#"{"do":"fold"}"#;
    let sides = play(&holdem(1), |seat, event, rng| {
        let mut lines = Vec::new();
        if event["event"] == "your-turn" && seat == Seat::HOST {
            lines.extend(bad.iter().map(|(line, _)| line.to_string()));
            lines.extend([deep.clone(), long.clone()]);
        }
        lines.extend(one(random(event, rng)));
        lines
    });
    let mut codes: Vec<&str> = bad.iter().map(|(_, code)| *code).collect();
    codes.extend(["no-command", "line-too-long"]);
    for (seat, (end, events)) in sides.iter().enumerate() {
        assert!(end.is_ok(), "{end:?}");
        let errors = of_kind(events, "error");
        let turns = of_kind(events, "your-turn").len();
        match seat {
            0 => {
                let reported: Vec<&str> =
                    errors.iter().map(|e| e["code"].as_str().unwrap()).collect();
                assert_eq!(reported, codes.repeat(turns));
            }
            _ => assert!(errors.is_empty()),
        }
    }
}

#[test]
fn leaving_ends_the_match_for_both_players() {
    let sides = play(&holdem(5), |seat, event, rng| {
        match (seat, &event["event"], &event["hand"]) {
            (Seat::HOST, kind, hand) if kind == "dealt" && hand == 2 => {
                vec![json!({"do": "leave"}).to_string()]
            }
            _ => one(random(event, rng)),
        }
    });
    for (end, events) in sides {
        end.unwrap();
        let over = events.last().unwrap();
        assert_eq!(
            (&over["how"], &over["exit_code"]),
            (&json!("left"), &json!(0))
        );
    }
}
