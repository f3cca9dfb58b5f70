//! A guest sees all terms of the host, and accepts or declines them.

use crate::common;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use common::side::{Side, folders, of_kind};
use serde_json::json;

/// Terms that nobody would accept.
const UNFAIR: [&str; 8] = [
    "--hands", "1", "--stack", "100", "--blinds", "1/100", "--time", "1+0",
];

fn join(folder: &Path, invite: &str) -> Side {
    Side::start(folder, &["join", invite, "--json", "--name", "Bert"])
}

#[test]
fn guest_sees_the_terms_and_the_host_sees_a_refusal() {
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
    let notice = loop {
        let notice = host.until("notice")["text"].to_string();
        if notice.contains("did not sit down") {
            break notice;
        }
    };
    assert!(notice.contains("the guest declined the terms"), "{notice}");

    // The guest may come again with the same invite.
    let mut guest = join(b.path(), &invite);
    guest.until("ask-sit");
    guest.say(&json!({"do": "sit", "agree": true}));
    assert_eq!(guest.until("seated")["shuffle"], "fisher-yates");
    host.until("seated");
    // A second answer is refused.
    guest.say(&json!({"do": "sit", "agree": true}));
    assert_eq!(guest.until("error")["code"], "nobody-asked");
}

#[test]
fn no_question_with_yes_or_auto_or_when_resuming() {
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

/// Joins with a pipe as the terminal, and types a text. Returns the exit code, and the output in
/// one line.
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
fn terminal_shows_all_terms_and_needs_an_answer() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &[&UNFAIR[..], &["--auto"]].concat());
    // Input from before the question, as after a pasted invite, is not an answer.
    for typed in ["", "\n\n", "n\n", "call\n"] {
        let (code, text) = at_a_terminal(b.path(), &invite, typed);
        assert_eq!(code, Some(4), "{typed:?} {text}");
        for shown in [
            "Anna (fingerprint ",
            "hold'em, 100 chips each, blinds 1/100, 1 hand.",
            "Time: 1 s for a move, and a bank of 0 s.",
            "Sit down?",
        ] {
            assert!(text.contains(shown), "{shown}: {text}");
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
    for shown in ["(3 knight, 2 castle)", "No clock."] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    drop(host);
}
