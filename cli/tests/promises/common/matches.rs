//! Two programs that play a match, and how it must have gone.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rand::RngExt;
use serde_json::{Value, json};

use super::side::{Side, of_kind};

/// Runs the program in this folder to its end.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(args)
        .env("DEALERLESS_HOME", folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The file with this ending in the folder of matches.
pub fn file(home: &Path, ending: &str) -> Option<PathBuf> {
    let files = std::fs::read_dir(home.join("matches")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    files.find(|path| path.extension().is_some_and(|found| found == ending))
}

/// A port that is free now, and by which the host is found again. It is below those that systems give
/// to connections: while the host is gone nobody gets it.
pub fn free_address() -> String {
    loop {
        let port = rand::rng().random_range(15_000..32_000);
        let address = format!("127.0.0.1:{port}");
        if TcpListener::bind(&address).is_ok() {
            return address;
        }
    }
}

/// A host at this address, and its invite.
pub fn host_at(folder: &Path, at: &str, args: &[&str]) -> (Side, String) {
    let host = ["host", "--json", "--listen", at, "--name", "Anna"];
    let mut host = Side::start(folder, &[&host, args].concat());
    let invite = host.event()["invite"].as_str().unwrap().to_owned();
    (host, invite)
}

/// Takes up the match in this folder.
pub fn resume(folder: &Path, args: &[&str]) -> Side {
    Side::start(folder, &[&["resume", "--json"], args].concat())
}

/// Every card that was seen, by its deal and position. A deck is the same after a program was
/// killed: whatever is told twice is the same card.
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

/// Both have played to the end, with the same results and records that agree.
pub fn agree([host, guest]: [&[Value]; 2], hands: usize) {
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
    // What both have seen is one deck.
    let (host, guest) = (cards(host), cards(guest));
    for (place, card) in &host {
        assert!(
            guest.get(place).is_none_or(|other| other == card),
            "{place}"
        );
    }
}

/// A player is asked the same again, with the same cards.
pub fn same_turn(before: &Value, again: &Value) {
    for field in ["hand", "turn", "cards", "pot", "stacks", "board"] {
        assert_eq!(again[field], before[field], "{field}");
    }
}
