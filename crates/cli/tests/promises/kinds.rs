//! Two processes play with a deck of repeated cards.

use crate::common;

use std::path::Path;
use std::process::Command;

use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

/// A side, and the events that it has received.
struct Player {
    side: Side,
    events: Vec<Value>,
}

impl Player {
    /// Waits for this side's turn, and sends a command.
    fn say(&mut self, command: &Value) {
        loop {
            let event = self.side.event();
            assert_ne!(event["event"], "error", "{event}");
            self.events.push(event);
            if self.events.last().unwrap()["event"] == "your-turn" {
                return self.side.say(command);
            }
        }
    }

    /// Plays to the end. Returns all events.
    fn finish(self) -> Vec<Value> {
        let (rest, code) = self.side.finish();
        assert_eq!(code, 0, "{rest:?}");
        [self.events, rest].concat()
    }
}

/// The cards that a side has seen: position, name and holder.
fn cards(events: &[Value]) -> Vec<(u64, String, Value)> {
    let card = |event: &Value| {
        let name = event["card"].as_str().unwrap().to_owned();
        (
            event["position"].as_u64().unwrap(),
            name,
            event["holder"].clone(),
        )
    };
    of_kind(events, "card").iter().map(card).collect()
}

fn run(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let done = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(arguments)
        .env("DEALERLESS_HOME", folder)
        .output()
        .unwrap();
    let output = [done.stdout, done.stderr].concat();
    (
        String::from_utf8(output).unwrap(),
        done.status.code().unwrap(),
    )
}

/// Host and guest draw two cards each. The host shows one of its cards and keeps it, the guest lays
/// one down, and the host steals the guest's other card and lays it down too.
fn script() -> Vec<Value> {
    let draw = json!({"do": "draw"});
    vec![
        draw.clone(),
        draw.clone(),
        draw.clone(),
        draw,
        json!({"do": "show-card", "position": 0}),
        json!({"do": "reveal", "position": 1}),
        json!({"do": "steal", "from": 1}),
        json!({"do": "pass"}),
        json!({"do": "reveal", "position": 3}),
        json!({"do": "pass"}),
        json!({"do": "pass"}),
    ]
}

#[test]
fn cards_of_kinds_are_drawn_shown_laid_down_and_stolen() {
    let [a, b] = folders();
    let kinds = "knight=3,castle=2";
    let stakes = [
        "--game", "deck", "--kinds", kinds, "--draw", "4", "--hands", "1",
    ];
    let (host, invite) = Side::host(a.path(), &stakes);
    for terms in [
        &["--kinds", "knight=2,castle=3"][..],
        &["--kinds", "3,2"],
        &["--cards", "6"],
    ] {
        let (events, code) = Side::join(b.path(), &invite, terms).finish();
        let message = events.last().unwrap()["message"].to_string();
        assert!(
            code == 1 && message.contains("the host proposes"),
            "{message}"
        );
    }
    let guest = Side::join(b.path(), &invite, &["--kinds", kinds]);
    let mut players = [host, guest].map(|side| Player {
        side,
        events: vec![],
    });
    for (turn, command) in script().iter().enumerate() {
        players[turn % 2].say(command);
    }
    let [by_host, by_guest] = players.map(Player::finish);
    for events in [&by_host, &by_guest] {
        let seated = &of_kind(events, "seated")[0];
        let expected = json!([{"name": "knight", "count": 3}, {"name": "castle", "count": 2}]);
        assert_eq!(seated["kinds"], expected);
        assert_eq!((&seated["cards"], &seated["drawn"]), (&json!(5), &json!(4)));
        let mut names = cards(events).into_iter().map(|(_, name, _)| name);
        assert!(names.all(|name| {
            let (kind, number) = name.split_once('#').unwrap();
            let most = if kind == "knight" { 3 } else { 2 };
            ["knight", "castle"].contains(&kind) && (1..=most).contains(&number.parse().unwrap())
        }));
    }
    let (mine, theirs) = (cards(&by_host), cards(&by_guest));
    let at = |cards: &[(u64, String, Value)]| -> Vec<(u64, Value)> {
        let at = |(position, _, holder): &(u64, String, Value)| (*position, holder.clone());
        cards.iter().map(at).collect()
    };
    let null = Value::Null;
    let host_saw = [
        (0, json!(0)),
        (2, json!(0)),
        (1, null.clone()),
        (3, null.clone()),
    ];
    assert_eq!(at(&mine), host_saw);
    let guest_saw = [(1, json!(1)), (3, json!(1)), (0, null.clone()), (3, null)];
    assert_eq!(at(&theirs), guest_saw);
    // The cards shown, laid down and stolen are the cards that were drawn.
    assert_eq!(theirs[2].1, mine[0].1);
    assert_eq!(mine[2].1, theirs[0].1);
    assert_eq!((&theirs[3].1, &mine[3].1), (&theirs[1].1, &theirs[1].1));
    // The host still holds the card that it showed. It holds the stolen card until it lays that
    // card down.
    let turns = of_kind(&by_host, "your-turn");
    let held: Vec<&Value> = turns.iter().map(|turn| &turn["positions"]).collect();
    let all = [
        &json!([0, 2]),
        &json!([0, 2]),
        &json!([0, 2, 3]),
        &json!([0, 2]),
    ];
    assert_eq!(held[2..], all);
    // Both sides receive each turn once, with the cards that each seat holds.
    let all = [
        json!([[], []]),
        json!([[0], []]),
        json!([[0], [1]]),
        json!([[0, 2], [1]]),
        json!([[0, 2], [1, 3]]),
        json!([[0, 2], [1, 3]]),
        json!([[0, 2], [3]]),
        json!([[0, 2, 3], []]),
        json!([[0, 2, 3], []]),
        json!([[0, 2], []]),
        json!([[0, 2], []]),
    ];
    for (seat, events) in [&by_host, &by_guest].into_iter().enumerate() {
        let turn = |event: &Value| match event["event"].as_str() {
            Some("your-turn") => Some((json!(seat), event["held"].clone())),
            Some("their-turn") => Some((event["seat"].clone(), event["held"].clone())),
            _ => None,
        };
        let turns: Vec<(Value, Value)> = events.iter().filter_map(turn).collect();
        let of_both = all.iter().enumerate();
        let of_both = of_both.map(|(turn, held)| (json!(turn % 2), held.clone()));
        assert_eq!(turns, of_both.collect::<Vec<_>>());
    }
    let turns = of_kind(&by_guest, "your-turn");
    let open = json!([
        {"position": 0, "card": mine[0].1, "holder": 0},
        {"position": 1, "card": mine[2].1},
        {"position": 3, "card": mine[3].1},
    ]);
    assert_eq!(turns.last().unwrap()["open"], open);

    check_records([(a.path(), &by_host), (b.path(), &by_guest)], &mine[0].1);
}

/// Checks the records of both sides.
fn check_records([one, other]: [(&Path, &[Value]); 2], shown: &str) {
    let file = |events: &[Value]| events.last().unwrap()["log"].as_str().unwrap().to_owned();
    let (of_host, of_guest) = (file(one.1), file(other.1));
    let (text, code) = run(one.0, &["verify", &of_host, &of_guest]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("4 of 5 cards are drawn (3 knight, 2 castle)"),
        "{text}"
    );
    assert!(text.ends_with("Both records agree.\n"), "{text}");
    let (text, _) = run(one.0, &["show", &of_host]);
    assert!(
        text.contains(&format!("Card 1 is opened to all: {shown}\n")),
        "{text}"
    );
    assert!(
        text.contains("Anna shows card 1, and keeps it.\n"),
        "{text}"
    );
    let (text, _) = run(other.0, &["show", &of_guest, "--json"]);
    let shown_to_guest: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown_to_guest["record"]["kinds"][1]["name"], "castle");
    let hand = &shown_to_guest["hands"][0];
    assert_eq!(
        (&hand["public"]["0"], &hand["held"]),
        (&json!(shown), &json!([[0, 2], []]))
    );
}

#[test]
fn invalid_kinds_are_refused_before_the_invite() {
    let [a, _] = folders();
    let host = |options: &[&str]| {
        let listen = ["host", "--listen", "127.0.0.1:0"];
        run(a.path(), &[&listen, options].concat())
    };
    for (options, message) in [
        (
            &["--game", "deck", "--kinds", "a=1"][..],
            "a pile has 2 to 4096 cards",
        ),
        (
            &["--game", "deck", "--kinds", "a=1,A=1"],
            "kind 2 has the same name as an earlier kind",
        ),
        (
            &["--game", "deck", "--kinds", "a=1,b=0"],
            "kind 2 has no cards",
        ),
        (
            &["--game", "deck", "--kinds", "a b=3"],
            "the name of kind 1",
        ),
        (
            &["--game", "deck", "--kinds", "knights"],
            "knight=14,castle=5",
        ),
        (
            &["--game", "deck", "--kinds", "3,2", "--cards", "5"],
            "cannot be used with",
        ),
        (
            &["--game", "deck", "--kinds", "3,2", "--draw", "6"],
            "not 6 of 5",
        ),
        (&["--kinds", "3,2"], "require --game deck"),
    ] {
        let (text, code) = host(options);
        assert!(
            [1, 2].contains(&code) && text.contains(message),
            "{options:?}: {text}"
        );
    }
}
