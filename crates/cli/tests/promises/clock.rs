//! Players who run out of time, connected and disconnected.
#![cfg(unix)]

use crate::common;

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use common::matches::{host_at, resume, run};
use common::processes::free_address;
use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

#[test]
fn player_out_of_time_checks_or_folds_and_sits_out() {
    let [a, b] = folders();
    // The bot may fold hands before the guest's turn.
    let (host, invite) = Side::host(a.path(), &["--auto", "--hands", "100", "--time", "8+0"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    assert_eq!(
        guest.until("seated")["clock"],
        json!({"move": 8, "bank": 0})
    );
    let turn = guest.until("your-turn");
    let out = guest.until("out-of-time");
    assert_eq!(out["seat"], 1);
    let chose = guest.until("chose");
    let must = if turn["call"].is_null() {
        "check"
    } else {
        "fold"
    };
    assert_eq!((&chose["seat"], &chose["do"]), (&json!(1), &json!(must)));
    guest.until("sits-out");
    guest.say(&json!({"do": "back"}));
    let next = turn["hand"].as_u64().unwrap() + 1;
    assert_eq!(guest.until("dealt")["hand"], next);
    guest.say(&json!({"do": "leave"}));
    assert_eq!(guest.finish().1, 0);
    let (events, code) = host.finish();
    assert_eq!(code, 0);
    // The host's `their-turn` has the guest's time at the start of the turn.
    let turns = of_kind(&events, "their-turn");
    let same: Vec<&Value> = (turns.iter())
        .filter(|theirs| theirs["turn"] == turn["turn"])
        .collect();
    assert_eq!(same.len(), 1);
    assert_eq!(
        (&same[0]["seat"], &same[0]["time"]["bank"]),
        (&json!(1), &json!(0))
    );
    let left = same[0]["time"]["move"].as_u64().unwrap();
    assert!((3..=8).contains(&left), "{left}");
}

#[test]
fn match_with_a_late_player_can_be_closed_and_resumed_by_name() {
    let [a, b] = folders();
    let at = free_address();
    // With the grace of 10 s, less than the 20 s after which a silent connection is lost.
    let time = ["--hands", "2", "--time", "1+7"];
    let (mut host, invite) = host_at(a.path(), &at, &time);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let turn = host.until("your-turn");
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    guest.signal("STOP");
    // The host uses some of its own bank, and has at most 4 s left.
    std::thread::sleep(Duration::from_secs(4));
    host.say(&json!({"do": if turn["call"].is_null() { "check" } else { "call" }}));
    let mut events = Vec::new();
    while !(events.last())
        .is_some_and(|event: &Value| event["seat"] == 1 && event["event"] == "out-of-time")
    {
        events.push(host.event());
    }
    // `their-turn` is reported before `waiting`.
    let first = |of: &dyn Fn(&Value) -> bool| events.iter().position(of);
    let waits = first(&|event| event["event"] == "waiting" && event["for"] == "move");
    let turn = first(&|event| event["event"] == "their-turn");
    assert!(
        waits.is_none() || turn.is_some_and(|turn| Some(turn) < waits),
        "{events:?}"
    );
    let time = &turn.map_or(&Value::Null, |at| &events[at])["time"];
    assert!(time["bank"].as_u64() > Some(4), "{events:?}");
    // When the host wants to leave, the program first offers to close the match instead.
    host.say(&json!({"do": "leave"}));
    let offer = host.until("error");
    assert_eq!(offer["code"], "may-close");
    host.say(&json!({"do": "leave", "anyhow": true}));
    assert!(host.until("leaving")["costs"].as_u64() >= Some(1));
    host.say(&json!({"do": "close"}));
    let (events, code) = host.finish();
    assert_eq!(
        (code, &events.last().unwrap()["event"]),
        (0, &json!("closed"))
    );
    guest.signal("KILL");
    drop(guest);

    let listed = run(a.path(), &["resume", "--list"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("Bert to speak, out of time, closed here"),
        "{listed}"
    );
    assert_eq!(run(a.path(), &["resume"]).status.code(), Some(1));
    let mut host = resume(a.path(), &["Bert", "--listen", &at]);
    let guest = resume(b.path(), &["--auto", "--at", &at]);
    host.until("resumed");
    host.say(&json!({"do": "leave"}));
    assert_eq!(host.finish().1, 0);
    assert_eq!(guest.finish().1, 0);
}

/// Returns a host at its turn whose guest was killed, and the host's address.
fn host_without_a_guest(folders: &[tempfile::TempDir; 2], time: &[&str]) -> (Side, String) {
    let at = free_address();
    let host = [&["--hands", "2"], time].concat();
    let (mut host, invite) = host_at(folders[0].path(), &at, &host);
    let mut guest = Side::join(folders[1].path(), &invite, &["--auto"]);
    host.until("your-turn");
    guest.until("sealed");
    // While the guest is connected and need not choose, the host may not close the match.
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    guest.kill();
    host.until("line-lost");
    (host, at)
}

/// Closes the host's match. Returns the list of open matches, and the output of `verify`.
fn close_match(mut host: Side, folder: &Path) -> (String, String) {
    host.say(&json!({"do": "close"}));
    let (events, code) = host.finish();
    let closed = events.last().unwrap();
    assert_eq!((code, &closed["event"]), (0, &json!("closed")));
    let message = closed["message"].to_string();
    assert!(message.contains(" is undecided: "), "{message}");
    let verified = run(folder, &["verify", closed["log"].as_str().unwrap()]);
    let listed = run(folder, &["resume", "--list"]);
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    (text(listed), text(verified))
}

#[test]
fn match_can_be_closed_at_the_own_turn_after_a_long_disconnection() {
    let folders = folders();
    let (mut host, at) = host_without_a_guest(&folders, &["--time", "10+0"]);
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    let out = host.until("out-of-time");
    assert_eq!((&out["seat"], &out["away"]), (&json!(1), &json!(true)));
    let (listed, verified) = close_match(host, folders[0].path());
    let state = "you to speak, Bert was away, closed here";
    assert!(listed.contains(state), "{listed}");
    assert!(
        verified.contains("that Bert was away in step"),
        "{verified}"
    );
    assert!(verified.contains("It is only Anna's word."), "{verified}");

    let [a, b] = folders;
    let host = resume(a.path(), &["Bert", "--auto", "--listen", &at]);
    let guest = resume(b.path(), &["--auto", "--at", &at]);
    let (events, code) = host.finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(guest.finish().1, 0);
    let log = events.last().unwrap()["log"].as_str().unwrap();
    let verified = run(a.path(), &["verify", log]).stdout;
    let verified = String::from_utf8(verified).unwrap();
    assert!(
        verified.contains("It is void: the match has continued since."),
        "{verified}"
    );
}

#[test]
fn match_without_a_clock_cannot_be_closed_at_once_after_a_disconnection() {
    let folders = folders();
    let (mut host, _) = host_without_a_guest(&folders, &["--time", "none"]);
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    host.signal("INT");
    assert_eq!(host.finish().1, 130);
    // While no program plays the match, `resume --close` is always allowed.
    let closed = run(folders[0].path(), &["resume", "--close"]);
    assert_eq!(closed.status.code(), Some(0), "{closed:?}");
}

#[test]
fn only_poker_has_a_clock_by_default() {
    let clock = |args: &[&str]| {
        let [a, b] = folders();
        let (_host, invite) = Side::host(a.path(), args);
        Side::join(b.path(), &invite, &[]).until("seated")["clock"].clone()
    };
    let default = json!({"move": 30, "bank": 120});
    assert_eq!(clock(&[]), default);
    assert_eq!(clock(&["--game", "draw"]), default);
    assert_eq!(clock(&["--time", "none"]), Value::Null);
    assert_eq!(clock(&["--game", "deck"]), Value::Null);
    assert_eq!(clock(&["--game", "bridge", "--boards", "1"]), Value::Null);
    let timed = json!({"move": 5, "bank": 0});
    assert_eq!(clock(&["--game", "deck", "--time", "5"]), timed);
}

#[test]
fn match_with_a_peer_stalled_in_a_shuffle_can_be_closed() {
    let [a, b] = folders();
    // With the grace of 10 s, less than the 20 s after which a silent connection is lost.
    let time = ["--hands", "5", "--time", "3+1"];
    let (mut host, invite) = Side::host(a.path(), &time);
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    // The host runs out of time in this hand. Then the guest deals the next hand.
    host.say(&json!({"do": "sit-out"}));
    host.until("result");
    host.until("sits-out");
    guest.until("result");
    while guest.until("waiting")["for"] != "deal" {}
    guest.signal("STOP");
    host.say(&json!({"do": "back"}));
    // The next part would be the host's seal, after the shuffle.
    host.until("dealt");
    loop {
        let event = host.event();
        assert_ne!(event["event"], "line-lost");
        if event["event"] == "out-of-time" && event["seat"] == 1 {
            break;
        }
    }
    host.say(&json!({"do": "close"}));
    let (events, code) = host.finish();
    let closed = events.last().unwrap();
    assert_eq!((code, &closed["event"]), (0, &json!("closed")));
    let listed = run(a.path(), &["resume", "--list"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let state = "you to speak, Bert out of time, closed here";
    assert!(listed.contains(state), "{listed}");
    let verified = run(a.path(), &["verify", closed["log"].as_str().unwrap()]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
}

/// The command to check or call; `None` at a choice to show or muck.
fn passive(turn: &Value) -> Option<Value> {
    match turn["ask"].as_str() {
        Some("bet") if turn["call"].is_null() => Some(json!({"do": "check"})),
        Some("bet") => Some(json!({"do": "call"})),
        _ => None,
    }
}

#[test]
fn seat_out_of_time_at_a_showdown_shows_unless_it_is_beaten() {
    let [a, b] = folders();
    for _ in 0..2 {
        let (mut host, invite) = Side::host(a.path(), &["--hands", "1", "--time", "8+0"]);
        let mut guest = Side::join(b.path(), &invite, &[]);
        let (mut events, mut over) = (Vec::new(), [false; 2]);
        while over != [true; 2] {
            for (seat, side) in [&mut host, &mut guest].into_iter().enumerate() {
                while !over[seat] {
                    let event = side.event();
                    over[seat] = event["event"] == "over";
                    let waits =
                        ["your-turn", "their-turn"].contains(&event["event"].as_str().unwrap());
                    if let Some(choice) = passive(&event) {
                        side.say(&choice);
                    }
                    if seat == 0 {
                        events.push(event);
                    }
                    if waits {
                        break;
                    }
                }
            }
        }
        let chose = of_kind(&events, "chose");
        let result = &of_kind(&events, "result")[0];
        let [.., first, second] = &chose[..] else {
            panic!("{chose:?}");
        };
        // Neither player chose at the showdown. When the first seat must
        // show or muck, no hand is shown that could beat it.
        assert_eq!(first["do"], "show", "{events:?}");
        let best = result["pots"][0]["winners"].as_array().unwrap();
        let wins = best.iter().any(|winner| winner["seat"] == second["seat"]);
        let due = if wins { "show" } else { "muck" };
        assert_eq!(second["do"], due, "{result}");
        assert_eq!((host.finish().1, guest.finish().1), (0, 0));
    }
}

#[test]
fn pause_after_a_showdown_can_be_ended() {
    let [a, b] = folders();
    let stakes = ["--hands", "2", "--stack", "2", "--pause"];
    let (mut host, invite) = Side::host(a.path(), &stakes);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    // The blinds put both players all in, unless one folds.
    let pause = loop {
        let event = host.event();
        match event["event"].as_str() {
            Some("your-turn") => host.say(&json!({"do": "call"})),
            Some("result" | "over") => assert!(event["shown"].as_array().is_some(), "{event}"),
            Some("pause") => break event,
            _ => {}
        }
    };
    // After an all-in before the flop, three streets follow.
    let waits = pause["milliseconds"].as_u64().unwrap();
    assert!([2500, 2500 + 4 * 800].contains(&waits), "{pause}");
    host.say(&json!({"do": "next"}));
    // A rebuy is needed unless the pot was split.
    loop {
        let event = host.event();
        match event["event"].as_str() {
            Some("ask-rebuy") => host.say(&json!({"do": "rebuy", "agree": true})),
            Some("error") => panic!("{event}"),
            Some("dealt") => break,
            _ => {}
        }
    }
    host.say(&json!({"do": "next"}));
    assert_eq!(host.until("error")["code"], "nobody-asked");
    drop(guest);
}
