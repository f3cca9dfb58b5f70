//! A guest sees all terms of the host, and sits down on them or not.

use crate::common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::side::{Side, folders, of_kind};
use serde_json::json;

/// What nobody would agree to.
const UNFAIR: [&str; 8] = [
    "--hands", "1", "--stack", "100", "--blinds", "1/100", "--time", "1+0",
];

fn join(folder: &Path, invite: &str) -> Side {
    Side::start(folder, &["join", invite, "--json", "--name", "Bert"])
}

#[test]
fn a_guest_is_shown_the_terms_before_it_sits_down_and_the_host_hears_that_it_declines() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(
        a.path(),
        &[&UNFAIR[..], &["--algorithm", "fisher-yates"]].concat(),
    );
    host.until("listening");
    let mut guest = join(b.path(), &invite);
    let terms = guest.until("ask-sit");
    for (name, value) in [
        ("game", json!("holdem")),
        ("hands", json!(1)),
        ("stack", json!(100)),
        ("blinds", json!([1, 100])),
        ("clock", json!({"move": 1, "bank": 0})),
        ("shuffle", json!("fisher-yates")),
        ("names", json!(["Anna", "Bert"])),
    ] {
        assert_eq!(terms[name], value, "{terms}");
    }
    guest.say(&json!({"do": "call"}));
    assert_eq!(guest.until("error")["code"], "not-allowed");
    guest.say(&json!({"do": "sit", "agree": false}));
    let (events, code) = guest.finish();
    assert_eq!(code, 4, "{events:?}");
    let told = loop {
        let told = host.until("notice")["text"].to_string();
        if told.contains("did not sit down") {
            break told;
        }
    };
    assert!(told.contains("it does not play on these terms"), "{told}");

    // It may come again by the same invite.
    let mut guest = join(b.path(), &invite);
    guest.until("ask-sit");
    guest.say(&json!({"do": "sit", "agree": true}));
    assert_eq!(guest.until("seated")["shuffle"], "fisher-yates");
    host.until("seated");
    // Nothing of that is asked any more.
    guest.say(&json!({"do": "sit", "agree": true}));
    assert_eq!(guest.until("error")["code"], "nobody-asked");
}

#[test]
fn who_has_said_yes_and_a_bot_are_not_asked_and_nor_is_anybody_in_a_match_that_goes_on() {
    for option in ["--yes", "--auto"] {
        let [a, b] = folders();
        let (mut host, invite) = Side::host(a.path(), &["--hands", "3", "--auto"]);
        let at = host.until("listening")["addresses"][0].clone();
        let guest = ["join", &invite, "--json", option];
        let mut guest = Side::start(b.path(), &guest);
        guest.until("sealed");
        let events = guest.kill();
        assert!(of_kind(&events, "ask-sit").is_empty());
        let at = at.as_str().unwrap();
        let again = ["join", "Anna", "--at", at, "--json"];
        let mut again = Side::start(b.path(), &again);
        while again.event()["event"] != "seated" {}
        again.until("resumed");
    }
}

/// Joins at a terminal that is a pipe, and types this. Gives the exit code, and what was printed in one
/// line.
fn at_a_terminal(folder: &Path, invite: &str, typed: &str) -> (Option<i32>, String) {
    let mut guest = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["join", invite, "--name", "Bert"])
        .env("DEALERLESS_HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = guest.stdin.take().unwrap();
    input.write_all(typed.as_bytes()).unwrap();
    drop(input);
    let done = guest.wait_with_output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    let words: Vec<&str> = text.split_whitespace().collect();
    (done.status.code(), words.join(" "))
}

#[test]
fn at_a_terminal_all_terms_are_shown_and_nobody_sits_down_by_silence() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &[&UNFAIR[..], &["--auto"]].concat());
    // Lines that were there before the question, as behind a pasted invite, answer nothing.
    for typed in ["", "\n\n", "n\n", "call\n"] {
        let (code, text) = at_a_terminal(b.path(), &invite, typed);
        assert_eq!(code, Some(4), "{typed:?} {text}");
        for said in [
            "Anna (fingerprint ",
            "hold'em, 100 chips each, blinds 1/100, 1 hand.",
            "Time: 1 s for a move, and a bank of 0 s.",
            "Sit down?",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert!(!text.contains("You sit at"), "{text}");
    }
    let (_, text) = at_a_terminal(b.path(), &invite, "y\n");
    assert!(text.contains("You sit at a table with Anna"), "{text}");
    drop(host);
    let [a, _] = folders();
    let deck = [
        "--game",
        "deck",
        "--kinds",
        "knight=3,castle=2",
        "--time",
        "none",
    ];
    let (host, invite) = Side::host(a.path(), &deck);
    let (_, text) = at_a_terminal(b.path(), &invite, "n\n");
    for said in ["(3 knight, 2 castle)", "No clock."] {
        assert!(text.contains(said), "{said}: {text}");
    }
    drop(host);
}
