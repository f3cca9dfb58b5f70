//! Players of a table come and go: each change ends the match with its hand, and the next match begins by itself.

use std::path::Path;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::matches::{host_at, run};
use crate::common::processes::free_address;
use crate::common::side::{Side, of_kind};
use crate::common::tables::are_here;

fn three_folders() -> [TempDir; 3] {
    [(); 3].map(|()| tempfile::tempdir().expect("a folder"))
}

fn join(folder: &Path, link: &str, name: &str) -> Side {
    let args = ["join", link, "--json", "--yes", "--name", name];
    Side::start(folder, &args)
}

/// Opens a table with three players who are not bots: Anna, Bert and Cleo, in this order.
fn table(folders: &[TempDir; 3], at: &str, terms: &[&str]) -> ([Side; 3], String) {
    let terms = [&["--seats", "3", "--open"], terms].concat();
    let (mut anna, link) = host_at(folders[0].path(), at, &terms);
    let bert = join(folders[1].path(), &link, "Bert");
    are_here(&mut anna, &["Bert"]);
    let cleo = join(folders[2].path(), &link, "Cleo");
    ([anna, bert, cleo], link)
}

/// Checks, calls nothing, and shows: the player of a hand that costs no more than the blinds.
fn passes(turn: &Value) -> Value {
    match (turn["ask"].as_str(), &turn["call"]) {
        (Some("show-or-muck"), _) => json!({"do": "show"}),
        (_, Value::Null) => json!({"do": "check"}),
        _ => json!({"do": "fold"}),
    }
}

/// Bets all chips, or calls.
fn shoves(turn: &Value) -> Value {
    match (turn["ask"].as_str(), &turn["raise"], &turn["bet"]) {
        (Some("show-or-muck"), ..) => json!({"do": "show"}),
        (_, raise, _) if !raise.is_null() => json!({"do": "raise", "to": raise["max"]}),
        (_, _, bet) if !bet.is_null() => json!({"do": "bet", "to": bet["max"]}),
        _ if turn["call"].is_null() => json!({"do": "check"}),
        _ => json!({"do": "call"}),
    }
}

/// Plays until an event fits, and returns all events. Commands that come too late for their turn are refused.
fn play_until(
    side: &mut Side,
    choose: impl Fn(&Value) -> Value,
    fits: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    loop {
        let event = side.event();
        assert!(event["exit_code"].is_null() || fits(&event), "{event}");
        if event["event"] == "your-turn" {
            let mut command = choose(&event);
            command["turn"] = event["turn"].clone();
            side.say(&command);
        }
        let found = fits(&event);
        events.push(event);
        if found {
            return events;
        }
    }
}

/// Whether an event reports a match of these players, in any order.
fn seats(names: &[&str]) -> impl Fn(&Value) -> bool {
    let mut expected: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    expected.sort_unstable();
    move |event| {
        let Some(names) = event["names"]
            .as_array()
            .filter(|_| event["event"] == "seated")
        else {
            return false;
        };
        let mut names: Vec<&str> = names.iter().flat_map(Value::as_str).collect();
        names.sort_unstable();
        names == expected
    }
}

/// Plays at several sides at once, each until it is in a match of these players. Returns the events of each side.
fn play_until_seated(sides: &mut [&mut Side], names: &[&str]) -> Vec<Vec<Value>> {
    thread::scope(|scope| {
        let sides = sides.iter_mut();
        let playing: Vec<_> = sides
            .map(|side| scope.spawn(|| play_until(side, passes, seats(names))))
            .collect();
        let ended = playing.into_iter().map(|one| one.join().expect("no panic"));
        ended.collect()
    })
}

/// The messages of the changes between two matches.
fn changes(events: &[Value]) -> String {
    let between = of_kind(events, "between-matches");
    let messages = between
        .iter()
        .map(|event| event["message"].as_str().expect("a message"));
    messages.collect::<Vec<_>>().join("\n")
}

/// Reads up to a notice with this text.
fn is_told(side: &mut Side, text: &str) {
    let has = |notice: &Value| {
        notice["text"]
            .as_str()
            .is_some_and(|told| told.contains(text))
    };
    while !has(&side.until("notice")) {}
}

/// Checks that the list of the last event between two matches has the chips that were bought.
fn assert_sums_are_equal(events: &[Value], bought: u64) {
    let between = of_kind(events, "between-matches");
    let members = between.last().expect("a list")["members"].clone();
    let sum = |field: &str| {
        let members = members.as_array().expect("players").iter();
        members
            .filter_map(|member| member[field].as_u64())
            .sum::<u64>()
    };
    assert_eq!([sum("chips"), sum("bought")], [bought; 2], "{members}");
}

fn log_of(events: &[Value]) -> String {
    let seated = of_kind(events, "seated");
    seated.last().expect("a match")["log"]
        .as_str()
        .expect("a file")
        .to_owned()
}

#[test]
fn a_player_leaves_and_the_others_play_on_with_their_chips() {
    let folders = three_folders();
    let ([mut anna, mut bert, mut cleo], _) = table(&folders, &free_address(), &["--stack", "100"]);
    let all = ["Anna", "Bert", "Cleo"];
    let first = play_until_seated(&mut [&mut anna, &mut bert, &mut cleo], &all);
    // The match has begun when Bert has seen cards.
    bert.until("card");
    bert.say(&json!({"do": "leave", "anyhow": true}));
    let left = thread::spawn(move || bert.finish());
    let next = play_until_seated(&mut [&mut anna, &mut cleo], &["Anna", "Cleo"]);
    for events in &next {
        assert!(
            changes(events).contains("Bert leaves the table with"),
            "{}",
            changes(events)
        );
        assert_sums_are_equal(events, 300);
        let seated = of_kind(events, "seated").pop().expect("a match");
        let before = of_kind(&first[0], "seated").pop().expect("a match");
        assert_eq!(seated["continues"]["match"], before["match"]);
    }
    let (events, code) = left.join().expect("no panic");
    assert_eq!(code, 0, "{:?}", events.last());
    let list = |event: &Value| {
        event["text"]
            .as_str()
            .is_some_and(|text| text.contains("The list of the table"))
    };
    assert!(events.iter().any(list), "{events:?}");
    // The match of two is played, and both files of Anna are one table.
    for side in [&mut anna, &mut cleo] {
        side.until("dealt");
    }
    drop((anna, cleo));
    let files = [log_of(&first[0]), log_of(&next[0])];
    let verified = run(folders[0].path(), &["verify", &files[0], &files[1]]);
    let text = String::from_utf8(verified.stdout).expect("text");
    assert!(
        text.contains("One match continues the other with the chips of its end."),
        "{text}"
    );
    assert_eq!(verified.status.code(), Some(0), "{text}");
}

#[test]
fn a_player_without_chips_buys_in_again() {
    let folders = three_folders();
    let (sides, _) = table(&folders, &free_address(), &["--stack", "10"]);
    let is_result = |event: &Value| event["event"] == "result";
    // Bert and Cleo bet all their chips until one of them has none.
    let sides = sides.map(|side| (side, Vec::new()));
    let play = |(place, (mut side, _)): (usize, (Side, Vec<Value>))| {
        thread::spawn(move || {
            let choose = if place == 0 { passes } else { shoves };
            let is_broke = |event: &Value| {
                let mut stacks = event["stacks"].as_array().into_iter().flatten();
                is_result(event) && stacks.any(|stack| *stack == 0)
            };
            let events = play_until(&mut side, choose, is_broke);
            (side, events)
        })
    };
    let playing: Vec<_> = sides.into_iter().enumerate().map(play).collect();
    let played: Vec<(Side, Vec<Value>)> = playing
        .into_iter()
        .map(|one| one.join().expect("no panic"))
        .collect();
    let result = played[0].1.last().expect("a result").clone();
    let broke = result["stacks"]
        .as_array()
        .expect("chips")
        .iter()
        .position(|stack| *stack == 0);
    let broke = broke.expect("a player without chips");
    let mut sides: Vec<Side> = played.into_iter().map(|(side, _)| side).collect();
    let mut loser = sides.remove(broke);
    // The others play on, and the loser is told how to buy in. Its wish ends the match.
    is_told(&mut loser, "You have no chips left");
    loser.say(&json!({"do": "top-up", "chips": 10}));
    let [mut one, mut other] = <[Side; 2]>::try_from(sides).ok().expect("two others");
    let all = ["Anna", "Bert", "Cleo"];
    let events = play_until_seated(&mut [&mut one, &mut other, &mut loser], &all);
    assert_sums_are_equal(&events[0], 30);
    assert!(
        changes(&events[2]).contains("You buy 10 chips."),
        "{}",
        changes(&events[2])
    );
    let seated = of_kind(&events[2], "seated").pop().expect("a match");
    let seat = seated["seat"].as_u64().expect("a seat") as usize;
    assert_eq!(seated["continues"]["stacks"][seat], 10);
}

#[test]
fn a_late_guest_sits_down_after_the_hand() {
    let folders = three_folders();
    let at = free_address();
    let (mut anna, link) = host_at(folders[0].path(), &at, &["--seats", "3"]);
    let mut bert = join(folders[1].path(), &link, "Bert");
    let door = anna.until("at-door")["players"][0]["fingerprint"].clone();
    anna.say(&json!({"do": "accept", "fingerprint": door}));
    are_here(&mut anna, &["Bert"]);
    anna.say(&json!({"do": "start"}));
    play_until_seated(&mut [&mut anna, &mut bert], &["Anna", "Bert"]);
    // Cleo comes while the match of two is played, and the host's player admits her.
    let mut cleo = join(folders[2].path(), &link, "Cleo");
    let at_door =
        |event: &Value| event["event"] == "at-door" && event["players"][0]["name"] == "Cleo";
    let waits = thread::scope(|scope| {
        let others = scope
            .spawn(|| play_until_seated(&mut [&mut bert, &mut cleo], &["Anna", "Bert", "Cleo"]));
        let events = play_until(&mut anna, passes, at_door);
        let door = events.last().expect("an event")["players"][0]["fingerprint"].clone();
        anna.say(&json!({"do": "accept", "fingerprint": door}));
        let own = play_until(&mut anna, passes, seats(&["Anna", "Bert", "Cleo"]));
        others.join().expect("no panic");
        own
    });
    assert_sums_are_equal(&waits, 400);
    is_told(&mut anna, "Cleo sits down with 200 chips.");
}

/// Cleo's machine stops at her turn. The others go on, and she returns with her chips.
#[cfg(unix)]
#[test]
fn a_silent_player_is_left_out_and_comes_back_with_its_chips() {
    let folders = three_folders();
    let terms = ["--stack", "100", "--time", "8+0"];
    let ([mut anna, mut bert, mut cleo], _) = table(&folders, &free_address(), &terms);
    for side in [&mut anna, &mut bert, &mut cleo] {
        side.until("card");
    }
    cleo.signal("STOP");
    let events = play_until_seated(&mut [&mut anna, &mut bert], &["Anna", "Bert"]);
    for (side, events) in [&mut anna, &mut bert].into_iter().zip(&events) {
        let settled = |event: &Value| {
            event
                .to_string()
                .contains("The match is settled without Cleo.")
        };
        assert!(events.iter().any(settled), "{events:?}");
        is_told(side, "Cleo did not answer and is left out");
    }
    cleo.signal("CONT");
    let all = ["Anna", "Bert", "Cleo"];
    let events = play_until_seated(&mut [&mut anna, &mut bert, &mut cleo], &all);
    assert_sums_are_equal(&events[0], 300);
}

/// The host is killed. The next player hosts the table and shows a new link.
#[test]
fn the_next_player_hosts_the_table_when_the_host_disappears() {
    let folders = three_folders();
    let terms = ["--stack", "100", "--time", "8+0"];
    let ([mut anna, mut bert, mut cleo], link) = table(&folders, &free_address(), &terms);
    for side in [&mut anna, &mut bert, &mut cleo] {
        side.until("card");
    }
    anna.kill();
    play_until_seated(&mut [&mut bert, &mut cleo], &["Bert", "Cleo"]);
    is_told(&mut bert, "You host the table now.");
    is_told(&mut cleo, "Bert hosts the table now.");
    let new = bert.until("invite");
    assert_ne!(new["invite"], link);
}
