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
use serde_json::{Value, json};
use tempfile::TempDir;

fn folders() -> [TempDir; 3] {
    [(); 3].map(|()| tempfile::tempdir().expect("a folder"))
}

/// Starts a host of three players. Returns the host and its invites.
fn host(folder: &Path, args: &[&str]) -> (Side, [String; 2]) {
    let stakes = [
        "--seats", "3", "--auto", "--hands", "3", "--stack", "10000", "--time", "none",
    ];
    let (mut host, first) = Side::host(folder, &[&stakes, args].concat());
    let second = host.until("invite")["invite"]
        .as_str()
        .expect("an invite")
        .to_owned();
    (host, [first, second])
}

/// Joins as the next guest. Waits until the host has seated it.
fn join(host: &mut Side, folder: &Path, invite: &str, name: &str, args: &[&str]) -> Side {
    let listen = "127.0.0.1:0";
    let join = [
        "join", invite, "--json", "--yes", "--name", name, "--listen", listen,
    ];
    let side = Side::start(folder, &[&join, args].concat());
    let here = format!("{name} is here");
    while !host.until("notice")["text"]
        .as_str()
        .expect("a text")
        .contains(&here)
    {}
    side
}

/// Plays until both guests have seen two cards, and kills them. Returns the host.
fn killed_guests(folders: &[TempDir; 3], args: &[&str]) -> Side {
    let (mut host, invites) = host(folders[0].path(), args);
    let mut guests = Vec::new();
    for ((folder, invite), name) in folders[1..].iter().zip(&invites).zip(["Bert", "Cleo"]) {
        guests.push(join(&mut host, folder.path(), invite, name, &["--auto"]));
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
    let (mut anna, invites) = host(a.path(), &[]);
    let mut bert = join(&mut anna, b.path(), &invites[0], "Bert", &[]);
    let mut cleo = join(&mut anna, c.path(), &invites[1], "Cleo", &[]);
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

    let (mut anna, invites) = host(a.path(), &[]);
    let _bert = join(&mut anna, b.path(), &invites[0], "Bert", &["--auto"]);
    let cleo = join(&mut anna, c.path(), &invites[1], "Cleo", &["--auto"]);
    let (events, code) = cleo.finish();
    let message = events.last().expect("an error")["message"].to_string();
    assert!(
        code == 1 && message.contains("you have blocked Bert"),
        "{message}"
    );
}
