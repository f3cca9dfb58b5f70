//! Two programs that play a match, and checks of the result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::side::{Side, of_kind};

/// Runs the program to its end, with this folder as its home.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(args)
        .env("DEALERLESS_HOME", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A file with this extension in the folder of matches.
pub fn file(home: &Path, ending: &str) -> Option<PathBuf> {
    let files = std::fs::read_dir(home.join("matches")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    files.find(|path| path.extension().is_some_and(|found| found == ending))
}

/// Starts a host at this address. Returns the host and its invite.
pub fn host_at(folder: &Path, at: &str, args: &[&str]) -> (Side, String) {
    let host = ["host", "--json", "--listen", at, "--name", "Anna"];
    let mut host = Side::start(folder, &[&host, args].concat());
    let invite = host.event()["invite"].as_str().unwrap().to_owned();
    (host, invite)
}

/// Resumes the match in this folder.
pub fn resume(folder: &Path, args: &[&str]) -> Side {
    Side::start(folder, &[&["resume", "--json"], args].concat())
}

/// The reported cards, by deal and position. A killed program reports cards again: asserts that all
/// reports for one position name the same card.
fn cards(events: &[Value]) -> BTreeMap<String, Value> {
    let mut deal = String::new();
    let mut cards = BTreeMap::new();
    for event in events {
        if event["event"] == "dealt" {
            deal = format!("{}/{}", event["hand"], event["try"]);
        }
        if event["event"] == "card" {
            let key = format!("{deal}/{}", event["position"]);
            let before = cards.insert(key, event["card"].clone());
            assert!(before.is_none_or(|before| before == event["card"]));
        }
    }
    cards
}

/// Asserts that both sides played to the end, with the same results and matching records.
pub fn assert_agree([host, guest]: [&[Value]; 2], hands: usize) {
    let over = |events: &[Value]| of_kind(events, "over").last().cloned().unwrap();
    let [a, b] = [host, guest].map(over);
    for over in [&a, &b] {
        assert_eq!(
            (&over["how"], &over["hands"]),
            (&json!("played"), &json!(hands))
        );
    }
    assert_eq!(a["stacks"], b["stacks"]);
    let files = [&a, &b].map(|over| over["log"].as_str().unwrap().to_owned());
    let verified = run(Path::new("."), &["verify", &files[0], &files[1]]);
    assert!(verified.status.success(), "{verified:?}");
    // Both players have seen the same card at each position.
    let (host, guest) = (cards(host), cards(guest));
    for (place, card) in &host {
        assert!(
            guest.get(place).is_none_or(|other| other == card),
            "{place}"
        );
    }
}

/// Asserts that `again` repeats the turn `before` with the same cards.
pub fn assert_same_turn(before: &Value, again: &Value) {
    for field in ["hand", "turn", "cards", "pot", "stacks", "board"] {
        assert_eq!(again[field], before[field], "{field}");
    }
}
