//! Time that is out, of who is there and of who is away.
#![cfg(unix)]

use crate::common;

use std::path::Path;
use std::process::Output;
use std::time::Duration;

use common::matches::{free_address, host_at, resume, run};
use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

#[test]
fn who_is_out_of_time_checks_or_folds_and_sits_out_until_it_is_back() {
    let [a, b] = folders();
    // The bot may fold hands in which the guest is not asked.
    let (host, invite) = Side::host(a.path(), &["--auto", "--hands", "100", "--time", "3+0"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    assert_eq!(
        guest.until("seated")["clock"],
        json!({"move": 3, "bank": 0})
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
    // The host was told at the beginning of the turn how long the guest has for it.
    let turns = of_kind(&events, "their-turn");
    let told: Vec<&Value> = (turns.iter())
        .filter(|told| told["turn"] == turn["turn"])
        .collect();
    assert_eq!(told.len(), 1);
    assert_eq!(
        (&told[0]["seat"], &told[0]["time"]["bank"]),
        (&json!(1), &json!(0))
    );
    assert!(
        [2, 3]
            .map(|left| json!(left))
            .contains(&told[0]["time"]["move"])
    );
}

#[test]
fn who_waits_for_somebody_out_of_time_may_close_the_match_and_resume_it_by_its_name() {
    let [a, b] = folders();
    let at = free_address();
    let time = ["--hands", "2", "--time", "1+4"];
    let (mut host, invite) = host_at(a.path(), &at, &time);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let turn = host.until("your-turn");
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    guest.signal("STOP");
    // It uses some of its own bank.
    std::thread::sleep(Duration::from_secs(3));
    host.say(&json!({"do": if turn["call"].is_null() { "check" } else { "call" }}));
    let mut told = Vec::new();
    while !(told.last())
        .is_some_and(|event: &Value| event["seat"] == 1 && event["event"] == "out-of-time")
    {
        told.push(host.event());
    }
    // Whose turn it is comes before the word that nothing has come for a while.
    let first = |of: &dyn Fn(&Value) -> bool| told.iter().position(of);
    let waits = first(&|event| event["event"] == "waiting" && event["for"] == "move");
    let turn = first(&|event| event["event"] == "their-turn");
    assert!(
        waits.is_none() || turn.is_some_and(|turn| Some(turn) < waits),
        "{told:?}"
    );
    let time = &turn.map_or(&Value::Null, |at| &told[at])["time"];
    assert!(time["bank"].as_u64() > Some(2), "{told:?}");
    // Before it leaves, it is told that it need not.
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

/// A host whose turn it is, and whose guest is killed then.
fn left_alone_at_ones_turn(folders: &[tempfile::TempDir; 2], time: &[&str]) -> (Side, String) {
    let at = free_address();
    let host = [&["--hands", "2"], time].concat();
    let (mut host, invite) = host_at(folders[0].path(), &at, &host);
    let mut guest = Side::join(folders[1].path(), &invite, &["--auto"]);
    host.until("your-turn");
    guest.until("sealed");
    // There is a line, and it is not the guest's turn.
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    guest.kill();
    host.until("line-lost");
    (host, at)
}

/// The host closes its match: what is listed of it, and what `verify` says that it has noted.
fn closes(mut host: Side, folder: &Path) -> (String, String) {
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
fn who_is_left_alone_at_its_own_turn_may_close_the_match_when_the_other_was_away_for_a_move() {
    let folders = folders();
    let (mut host, at) = left_alone_at_ones_turn(&folders, &["--time", "3+0"]);
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    let out = host.until("out-of-time");
    assert_eq!((&out["seat"], &out["away"]), (&json!(1), &json!(true)));
    let (listed, verified) = closes(host, folders[0].path());
    let state = "you to speak, Bert was away, closed here";
    assert!(listed.contains(state), "{listed}");
    assert!(
        verified.contains("that Bert was away in step"),
        "{verified}"
    );
    assert!(verified.contains("It is Anna's word alone."), "{verified}");

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
        verified.contains("It is void: the match went on since."),
        "{verified}"
    );
}

#[test]
fn without_a_clock_a_match_is_not_closed_as_soon_as_the_line_is_lost() {
    let folders = folders();
    let (mut host, _) = left_alone_at_ones_turn(&folders, &["--time", "none"]);
    host.say(&json!({"do": "close"}));
    assert_eq!(host.until("error")["code"], "not-allowed");
    host.signal("INT");
    assert_eq!(host.finish().1, 130);
    // When the program does not run, its owner may close the match at any time.
    let closed = run(folders[0].path(), &["resume", "--close"]);
    assert_eq!(closed.status.code(), Some(0), "{closed:?}");
}

#[test]
fn poker_has_a_clock_by_default_and_games_without_rules_have_none() {
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
fn a_peer_that_stalls_in_a_shuffle_while_it_is_connected_can_be_closed() {
    let [a, b] = folders();
    let time = ["--hands", "5", "--time", "1+1"];
    let (mut host, invite) = Side::host(a.path(), &time);
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    // Its own time runs out until the hand is over. The guest has dealt the next one then.
    host.say(&json!({"do": "sit-out"}));
    host.until("result");
    host.until("sits-out");
    guest.until("result");
    while guest.until("waiting")["for"] != "deal" {}
    guest.signal("STOP");
    host.say(&json!({"do": "back"}));
    // From here on the host is to seal, as soon as the engines have shuffled.
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

/// Checks or calls. Says nothing where it is to show or to muck.
fn passive(turn: &Value) -> Option<Value> {
    match turn["ask"].as_str() {
        Some("bet") if turn["call"].is_null() => Some(json!({"do": "check"})),
        Some("bet") => Some(json!({"do": "call"})),
        _ => None,
    }
}

#[test]
fn a_seat_that_is_out_of_time_at_a_showdown_shows_unless_a_shown_hand_beats_it() {
    let [a, b] = folders();
    for _ in 0..2 {
        let (mut host, invite) = Side::host(a.path(), &["--hands", "1", "--time", "1+0"]);
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
        // Nobody said anything at the showdown. The first seat to show has nothing to beat.
        assert_eq!(first["do"], "show", "{events:?}");
        let best = result["pots"][0]["winners"].as_array().unwrap();
        let wins = best.iter().any(|winner| winner["seat"] == second["seat"]);
        let due = if wins { "show" } else { "muck" };
        assert_eq!(second["do"], due, "{result}");
        assert_eq!((host.finish().1, guest.finish().1), (0, 0));
    }
}

#[test]
fn a_person_is_given_time_to_see_a_showdown_and_may_end_that() {
    let [a, b] = folders();
    let stakes = ["--hands", "2", "--stack", "2", "--pause"];
    let (mut host, invite) = Side::host(a.path(), &stakes);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    // Both are all in by their blinds; a fold is no showdown.
    let pause = loop {
        let event = host.event();
        match event["event"].as_str() {
            Some("your-turn") => host.say(&json!({"do": "call"})),
            Some("result" | "over") => assert!(event["shown"].as_array().is_some(), "{event}"),
            Some("pause") => break event,
            _ => {}
        }
    };
    // Three streets follow the last choice, if both are all in before the flop.
    let waits = pause["milliseconds"].as_u64().unwrap();
    assert!([2500, 2500 + 4 * 800].contains(&waits), "{pause}");
    host.say(&json!({"do": "next"}));
    // No chips are left, or the pot was split.
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
