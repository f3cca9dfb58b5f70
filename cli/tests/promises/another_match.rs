//! A host that asks for another match than the one that is open with its guest.
#![cfg(unix)]

use crate::common;

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;

use common::matches::{free_address, host_at, run};
use common::side::{LIMIT, Side, folders, lines};
use serde_json::{Value, json};

/// A host who reads text and types words.
struct Person {
    child: Child,
    screen: Receiver<String>,
}

impl Person {
    fn host(folder: &Path, at: &str, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dealerless"))
            .args(["host", "--listen", at, "--for", "Bert"])
            .args(args)
            .env("DEALERLESS_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let screen = lines(child.stdout.take().unwrap());
        Person { child, screen }
    }

    /// Reads to the line that has these words.
    fn until(&mut self, words: &str) {
        while !self
            .screen
            .recv_timeout(LIMIT)
            .expect(words)
            .contains(words)
        {}
    }

    fn types(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It fails if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Begins a match of hold'em that both break off. Returns the beginning of its id, and where it was hosted.
fn open_match(a: &Path, b: &Path) -> (String, String) {
    let at = free_address();
    let (mut host, invite) = host_at(a, &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b, &invite, &[]);
    let of = guest.until("seated")["match"].as_str().unwrap().to_owned();
    guest.until("your-turn");
    host.until("sealed");
    guest.kill();
    host.signal("INT");
    assert_eq!(host.finish().1, 130);
    (of[..16].to_owned(), at)
}

/// A guest that is asked before it sits down.
fn joins(folder: &Path, at: &str) -> Side {
    Side::start(folder, &["join", "Anna", "--at", at, "--json"])
}

fn open_matches(folder: &Path) -> Vec<(String, bool)> {
    let listed = run(folder, &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let one = |one: &Value| {
        let of = one["match"].as_str().unwrap()[..16].to_owned();
        (of, one["closed"].as_bool().unwrap())
    };
    listed["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(one)
        .collect()
}

#[test]
fn a_program_that_hosts_another_match_is_told_that_the_open_one_is_resumed_and_how_to_get_the_other()
 {
    let [a, b] = folders();
    let (of, at) = open_match(a.path(), b.path());
    let asks = ["--game", "bridge", "--for", "Bert"];
    let (mut host, _) = host_at(a.path(), &at, &asks);
    let mut guest = joins(b.path(), &at);
    let told = loop {
        let event = host.event();
        let text = event["text"].as_str().unwrap_or_default();
        assert_ne!(event["event"], "seated", "nothing was said");
        if text.contains("It is resumed") {
            break text.to_owned();
        }
    };
    // The bot may have folded the first hand.
    let names = told.contains(&of) && told.contains("holdem, hand ") && told.contains(" of 3");
    assert!(
        names && told.contains(&format!("dealerless resume --close {of}")),
        "{told}"
    );
    for side in [&mut host, &mut guest] {
        let seated = side.until("seated");
        assert_eq!(
            (&seated["game"], &seated["resumed"]),
            (&json!("holdem"), &json!(true))
        );
    }
}

#[test]
fn a_program_that_asks_for_no_other_match_resumes_the_open_one_without_a_word() {
    let [a, b] = folders();
    let (_, at) = open_match(a.path(), b.path());
    let (mut host, _) = host_at(a.path(), &at, &["--for", "Bert"]);
    let _guest = joins(b.path(), &at);
    loop {
        let event = host.event();
        assert!(!event.to_string().contains("open match"), "{event}");
        if event["event"] == "seated" {
            break;
        }
    }
}

#[test]
fn a_person_resumes_the_open_match_or_begins_another_when_the_guest_agrees() {
    let [a, b] = folders();
    let (of, at) = open_match(a.path(), b.path());
    let mut host = Person::host(a.path(), &at, &["--game", "deck", "--hands", "1"]);
    host.until("Waiting for a player");
    let guest = joins(b.path(), &at);
    host.until("comes back to your open match");
    host.until("Type `resume`");
    host.types("yes");
    host.until("Type `resume` or `new`.");
    host.types(" Resume");
    host.until("goes on");
    drop((host, guest));
    assert_eq!(open_matches(a.path()), [(of.clone(), false)]);

    let mut host = Person::host(a.path(), &at, &["--game", "deck", "--hands", "1"]);
    host.until("Waiting for a player");
    let mut guest = joins(b.path(), &at);
    host.until("Type `resume`");
    host.types("new");
    host.until("closed here");
    // The guest is shown the terms of the other match, and may keep the open one.
    let told = loop {
        let text = guest.until("notice")["text"].as_str().unwrap().to_owned();
        if text.contains("does not go on with your open match") {
            break text;
        }
    };
    assert!(told.contains(&of), "{told}");
    assert_eq!(guest.until("ask-sit")["game"], "deck");
    guest.say(&json!({"do": "sit", "agree": false}));
    assert_eq!(guest.finish().1, 4);
    assert_eq!(open_matches(b.path()), [(of.clone(), false)]);

    // Nobody asks the host a second time: its match is closed.
    let mut guest = joins(b.path(), &at);
    guest.until("ask-sit");
    guest.say(&json!({"do": "sit", "agree": true}));
    let seated = loop {
        let event = guest.until("seated");
        if event["game"] == "deck" {
            break event;
        }
    };
    assert_eq!(seated["resumed"], Value::Null);
    host.until("A deck");
    drop((host, guest));
    for folder in [&a, &b] {
        let old: Vec<_> = open_matches(folder.path())
            .into_iter()
            .filter(|(id, _)| *id == of)
            .collect();
        assert_eq!(old, [(of.clone(), true)]);
    }
}

#[test]
fn a_guest_that_is_not_asked_keeps_its_open_match_when_the_host_begins_another() {
    let [a, b] = folders();
    let (of, at) = open_match(a.path(), b.path());
    let mut host = Person::host(a.path(), &at, &["--game", "deck"]);
    host.until("Waiting for a player");
    let guest = Side::join(b.path(), "Anna", &["--at", &at]);
    host.until("Type `resume`");
    host.types("new");
    let (events, code) = guest.finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 1 && message.contains(&format!("resume --close {of}")),
        "{message}"
    );
    assert_eq!(open_matches(b.path()), [(of, false)]);
}

#[test]
fn a_host_whose_input_has_ended_resumes_the_open_match() {
    let [a, b] = folders();
    let (_, at) = open_match(a.path(), b.path());
    let mut host = Person::host(a.path(), &at, &["--game", "deck"]);
    drop(host.child.stdin.take());
    host.until("Waiting for a player");
    let mut guest = joins(b.path(), &at);
    assert_eq!(guest.until("seated")["game"], "holdem");
    host.until("goes on");
}
