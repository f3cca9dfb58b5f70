//! The guests of a match connect to each other: directly or through a relay, and with nobody else.
#![cfg(unix)]

use crate::common;

use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::matches::{file, resume, run};
use common::processes::LIMIT;
use common::relay::Relay;
use common::side::{Side, of_kind};
use common::tables::are_here;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The names of the guests, in the order in which they come.
const GUESTS: [&str; 2] = ["Bert", "Cleo"];

fn folders() -> [TempDir; 3] {
    [(); 3].map(|()| tempfile::tempdir().expect("a folder"))
}

/// Starts the host of an open table of three players. Returns the host and the link.
fn host(folder: &Path, args: &[&str]) -> (Side, String) {
    let stakes = [
        "--seats", "3", "--open", "--auto", "--hands", "3", "--stack", "10000", "--time", "none",
    ];
    Side::host(folder, &[&stakes, args].concat())
}

/// Joins as the next of these guests, the last one. Waits until the host has seated it.
fn join(host: &mut Side, folder: &Path, link: &str, names: &[&str], args: &[&str]) -> Side {
    let (name, listen) = (names.last().expect("a name"), "127.0.0.1:0");
    let join = [
        "join", link, "--json", "--yes", "--name", name, "--listen", listen,
    ];
    let side = Side::start(folder, &[&join, args].concat());
    are_here(host, names);
    side
}

/// Plays until both guests have seen two cards, and kills them. Returns the host.
fn killed_guests(folders: &[TempDir; 3], args: &[&str]) -> Side {
    let (mut host, link) = host(folders[0].path(), args);
    let mut guests = Vec::new();
    for (seat, folder) in folders.iter().enumerate().skip(1) {
        let names = &GUESTS[..seat];
        guests.push(join(&mut host, folder.path(), &link, names, &["--auto"]));
    }
    // Each card needs both guests, so none is killed before both have their cards.
    for guest in &mut guests {
        guest.up_to("card");
    }
    for guest in guests {
        guest.kill();
    }
    host
}

/// Replaces the addresses of the other guests that a guest has stored.
fn store(folder: &TempDir, lines: &str) {
    let path = file(folder.path(), "guests").expect("stored addresses");
    std::fs::write(path, lines).expect("a file");
}

fn end_well(sides: impl IntoIterator<Item = Side>) {
    for (events, code) in sides.into_iter().map(Side::finish) {
        assert_eq!(code, 0, "{:?}", events.last());
        assert_eq!(of_kind(&events, "over")[0]["how"], "played");
    }
}

#[test]
fn statement_of_a_guest_reaches_another_one_while_the_host_is_stopped() {
    let [a, b, c] = folders();
    let (mut anna, link) = host(a.path(), &[]);
    let mut bert = join(&mut anna, b.path(), &link, &GUESTS[..1], &[]);
    let mut cleo = join(&mut anna, c.path(), &link, &GUESTS, &[]);
    bert.until("your-turn");
    while cleo.until("their-turn")["seat"] != 1 {}
    anna.signal("STOP");
    let begun = Instant::now();
    bert.say(&json!({"do": "fold"}));
    // A connection to a silent host ends only after 20 s.
    let is_bert = |event: Value| event["event"] == "chose" && event["seat"] == 1;
    while !is_bert(cleo.event()) {
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(15), "{took:?}");
    }
}

/// A listener that records what it receives on each connection.
fn recorder() -> (String, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let at = listener.local_addr().expect("bound").to_string();
    let received = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&received);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.expect("a guest");
            let timeout = |time| stream.set_read_timeout(Some(time)).expect("a socket");
            let mut bytes = Vec::new();
            timeout(LIMIT);
            let _ = (&stream).take(88).read_to_end(&mut bytes);
            // The guest waits for an answer.
            timeout(Duration::from_millis(500));
            let _ = (&stream).read_to_end(&mut bytes);
            record.lock().expect("no panic").push(bytes);
        }
    });
    (at, received)
}

#[test]
fn wrong_addresses_get_a_handshake_message_and_the_match_goes_on_through_the_host() {
    let folders = folders();
    let host = killed_guests(&folders, &[]);
    let (at, received) = recorder();
    // Only the first eight are dialled.
    store(&folders[2], &format!("1 {at}\n").repeat(100));
    store(&folders[1], "not an address\n2 example.org:5252\n");
    let [bert, cleo] = [1, 2].map(|seat| resume(folders[seat].path(), &["--auto"]));
    end_well([host, bert, cleo]);
    let received = received.lock().expect("no panic");
    assert!((1..=64).contains(&received.len()), "{}", received.len());
    for bytes in &*received {
        // The prelude and the first message of the handshake name nobody.
        assert!(bytes.starts_with(b"dltb") && bytes.len() == 88, "{bytes:?}");
    }
    for folder in &folders[1..] {
        assert_eq!(
            file(folder.path(), "guests"),
            None,
            "removed after the match"
        );
    }
}

#[test]
fn guests_without_addresses_of_each_other_meet_at_the_relay() {
    let folders = folders();
    let relay = Relay::start();
    let host = killed_guests(&folders, &["--relay", &relay.address.to_string()]);
    assert_eq!(relay.joined(), 0, "direct connections come first");
    for folder in &folders[1..] {
        store(folder, "");
    }
    let [bert, cleo] = [1, 2].map(|seat| resume(folders[seat].path(), &["--auto"]));
    end_well([host, bert, cleo]);
    assert!(relay.joined() > 0);
}

#[test]
fn guest_does_not_sit_down_with_a_guest_whom_it_has_blocked() {
    let [a, b, c] = folders();
    let (mut cleo, invite) = Side::host(c.path(), &[]);
    let mut bert = Side::join(b.path(), &invite, &[]);
    for side in [&mut cleo, &mut bert] {
        side.until("seated");
    }
    drop([cleo, bert]);
    let blocked = run(c.path(), &["peers", "block", "Bert"]);
    assert!(blocked.status.success(), "{blocked:?}");

    let (mut anna, link) = host(a.path(), &[]);
    let _bert = join(&mut anna, b.path(), &link, &GUESTS[..1], &["--auto"]);
    let cleo = join(&mut anna, c.path(), &link, &GUESTS, &["--auto"]);
    let (events, code) = cleo.finish();
    let message = events.last().expect("an error")["message"].to_string();
    assert!(
        code == 1 && message.contains("Bert, whom you have blocked, sits down"),
        "{message}"
    );
    // Bert keeps his seat. That of Cleo is free at once, and not kept as that of a player who is away.
    let table = anna.until("table");
    assert_eq!(table["players"].as_array().map(Vec::len), Some(2));
    assert_eq!(table["players"][1]["name"], "Bert");
}
