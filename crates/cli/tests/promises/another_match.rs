//! A host asks for a new match with a guest with whom it has an open match.
#![cfg(unix)]

use crate::common;

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;

use common::matches::{host_at, resume, run};
use common::processes::LIMIT;
use common::processes::free_address;
use common::side::{Side, folders, lines};
use common::tables::are_here;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A host at a text terminal.
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

    /// Reads up to a line that contains these words.
    fn until(&mut self, words: &str) {
        while !self
            .screen
            .recv_timeout(LIMIT)
            .expect(words)
            .contains(words)
        {}
    }

    fn enter(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // This fails if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Begins a match of hold'em and leaves it open. Returns the first 16 digits of its id, and the
/// host's address.
fn open_match(a: &Path, b: &Path) -> (String, String) {
    let at = free_address();
    let (mut host, invite) = host_at(a, &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b, &invite, &[]);
    let id = guest.until("seated")["match"].as_str().unwrap().to_owned();
    guest.until("your-turn");
    host.until("sealed");
    guest.kill();
    host.signal("INT");
    assert_eq!(host.finish().1, 130);
    (id[..16].to_owned(), at)
}

/// Starts a guest that must answer `ask-sit` before it is seated.
fn join(folder: &Path, at: &str) -> Side {
    Side::start(folder, &["join", "Anna", "--at", at, "--json"])
}

fn open_matches(folder: &Path) -> Vec<(String, bool)> {
    let listed = run(folder, &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let one = |one: &Value| {
        let id = one["match"].as_str().unwrap()[..16].to_owned();
        (id, one["closed"].as_bool().unwrap())
    };
    listed["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(one)
        .collect()
}

#[test]
fn program_that_hosts_another_match_resumes_the_open_one_and_is_notified() {
    let [a, b] = folders();
    let (id, at) = open_match(a.path(), b.path());
    let asks = ["--game", "bridge", "--for", "Bert"];
    let (mut host, _) = host_at(a.path(), &at, &asks);
    let mut guest = join(b.path(), &at);
    let notice = loop {
        let event = host.event();
        let text = event["text"].as_str().unwrap_or_default();
        assert_ne!(event["event"], "seated", "there was no notice");
        if text.contains("It is resumed") {
            break text.to_owned();
        }
    };
    // The bot may have folded the first hand.
    let names =
        notice.contains(&id) && notice.contains("holdem, hand ") && notice.contains(" of 3");
    assert!(
        names && notice.contains(&format!("dealerless resume --close {id}")),
        "{notice}"
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
fn program_without_other_terms_resumes_the_open_match_silently() {
    let [a, b] = folders();
    let (_, at) = open_match(a.path(), b.path());
    let (mut host, _) = host_at(a.path(), &at, &["--for", "Bert"]);
    let _guest = join(b.path(), &at);
    loop {
        let event = host.event();
        assert!(!event.to_string().contains("open match"), "{event}");
        if event["event"] == "seated" {
            break;
        }
    }
}

#[test]
fn person_resumes_the_open_match_or_begins_another() {
    let [a, b] = folders();
    let (id, at) = open_match(a.path(), b.path());
    let mut host = Person::host(a.path(), &at, &["--game", "deck", "--hands", "1"]);
    host.until("Waiting for a player");
    let guest = join(b.path(), &at);
    host.until("wants to resume your open match");
    host.until("Type `resume`");
    host.enter("yes");
    host.until("Type `resume` or `new`.");
    host.enter(" Resume");
    host.until("This match is resumed");
    drop((host, guest));
    assert_eq!(open_matches(a.path()), [(id.clone(), false)]);

    let mut host = Person::host(a.path(), &at, &["--game", "deck", "--hands", "1"]);
    host.until("Waiting for a player");
    let mut guest = join(b.path(), &at);
    host.until("Type `resume`");
    host.enter("new");
    host.until("closed here");
    // The guest sees the terms of the new match. It can decline them and keep the open match.
    let notice = loop {
        let text = guest.until("notice")["text"].as_str().unwrap().to_owned();
        if text.contains("does not resume your open match") {
            break text;
        }
    };
    assert!(notice.contains(&id), "{notice}");
    assert_eq!(guest.until("ask-sit")["game"], "deck");
    guest.say(&json!({"do": "sit", "agree": false}));
    assert_eq!(guest.finish().1, 4);
    assert_eq!(open_matches(b.path()), [(id.clone(), false)]);

    // The host is not asked again, because it has closed the open match.
    let mut guest = join(b.path(), &at);
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
            .filter(|(other, _)| *other == id)
            .collect();
        assert_eq!(old, [(id.clone(), true)]);
    }
}

#[test]
fn guest_without_a_question_keeps_its_open_match() {
    let [a, b] = folders();
    let (id, at) = open_match(a.path(), b.path());
    let mut host = Person::host(a.path(), &at, &["--game", "deck"]);
    host.until("Waiting for a player");
    let guest = Side::join(b.path(), "Anna", &["--at", &at]);
    host.until("Type `resume`");
    host.enter("new");
    let (events, code) = guest.finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 1 && message.contains(&format!("resume --close {id}")),
        "{message}"
    );
    assert_eq!(open_matches(b.path()), [(id, false)]);
}

#[test]
fn host_without_input_resumes_the_open_match() {
    let [a, b] = folders();
    let (_, at) = open_match(a.path(), b.path());
    let mut host = Person::host(a.path(), &at, &["--game", "deck"]);
    drop(host.child.stdin.take());
    host.until("Waiting for a player");
    let mut guest = join(b.path(), &at);
    assert_eq!(guest.until("seated")["game"], "holdem");
    host.until("This match is resumed");
}

/// A match of three that its players have left, with their folders and the host's address. The first
/// folder is the host's.
fn open_match_of_three() -> ([TempDir; 3], String) {
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let at = free_address();
    let terms = [
        "--seats", "3", "--open", "--stack", "10000", "--time", "none",
    ];
    let (mut host, link) = host_at(folders[0].path(), &at, &terms);
    let mut bert = Side::join(folders[1].path(), &link, &["--listen", "127.0.0.1:0"]);
    are_here(&mut host, &["Bert"]);
    let join = ["--yes", "--listen", "127.0.0.1:0", "--name", "Cleo"];
    let join = [&["join", &link, "--json"], &join[..]].concat();
    let mut cleo = Side::start(folders[2].path(), &join);
    // Before its first card, a first match gives way to another one of its host.
    for side in [&mut host, &mut bert, &mut cleo] {
        side.until("card");
    }
    for side in [host, bert, cleo] {
        side.kill();
    }
    (folders, at)
}

/// Starts a host who gives up the match of three, once both guests, started by `start`, are connected to
/// each other and have waited for the host for `seconds`: 5 or 15.
fn gives_up_match_of_three(
    [a, b, c]: &[TempDir; 3],
    at: &str,
    start: impl Fn(&Path, &str) -> Side,
    seconds: u64,
) -> (Person, [Side; 2]) {
    let mut host = Person::host(a.path(), at, &["--seats", "3", "--hands", "1"]);
    host.until("Waiting for a player");
    let bert = start(b.path(), at);
    host.until("wants to resume your open match");
    let mut guests = [bert, start(c.path(), at)];
    for guest in &mut guests {
        // Not for the other guest.
        let waits = |event: Value| event["seats"] == json!([0]) && event["seconds"] == seconds;
        while !waits(guest.until("waiting")) {}
    }
    host.enter("new");
    host.until("closed here");
    (host, guests)
}

#[test]
fn guests_of_several_join_the_new_match_at_once() {
    let (folders, at) = open_match_of_three();
    let (mut host, mut guests) = gives_up_match_of_three(&folders, &at, join, 5);
    for guest in &mut guests {
        let is_told = |event: &Value| {
            assert_ne!(event["event"], "line-lost", "{event}");
            let text = event["text"].as_str().unwrap_or_default();
            let is_told = text.contains("does not resume your open match");
            assert_eq!(is_told, text.contains("The other guests may continue it"));
            is_told
        };
        while !is_told(&guest.event()) {}
    }
    for guest in &mut guests {
        assert_eq!(guest.until("ask-table")["hands"], 1);
        guest.say(&json!({"do": "sit", "agree": true}));
    }
    // The host expects Bert, and is asked about Cleo.
    host.until("Cleo (fingerprint ");
    host.enter("accept Cleo");
    for guest in &mut guests {
        guest.until("seated");
    }
}

#[test]
fn guests_of_several_who_resume_are_told_once_that_their_host_does_not() {
    let (folders, at) = open_match_of_three();
    let resume = |folder: &Path, at: &str| resume(folder, &["--at", at]);
    let (_host, guests) = gives_up_match_of_three(&folders, &at, resume, 5);
    are_told_once(guests);
}

#[test]
fn guests_of_several_who_have_asked_their_host_long_ago_stay_in_the_match() {
    let (folders, at) = open_match_of_three();
    let (_host, guests) = gives_up_match_of_three(&folders, &at, join, 15);
    are_told_once(guests);
}

/// Guests stay in a match that their host does not resume, and are told once.
fn are_told_once(mut guests: [Side; 2]) {
    for guest in &mut guests {
        let (mut told, mut lost) = (0, 0);
        while lost < 3 {
            let event = guest.event();
            let text = event["text"].as_str().unwrap_or_default();
            told += usize::from(text.contains("The host does not resume match"));
            lost += usize::from(event["event"] == "line-lost");
            // Before the first loss, and only then.
            assert_eq!(told == 1, told + lost > 0, "{event}");
        }
    }
}
