//! A match outlives its lines, its programs and their machines.
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;

use common::cuts::Cuts;
use common::side::{Side, folders, free_address, host_at, of_kind, resume, run};
use serde_json::{Value, json};

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
fn agree([host, guest]: [&[Value]; 2], hands: usize) {
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

const BOTS: [&str; 5] = ["--auto", "--hands", "4", "--stack", "60"];

#[test]
fn a_program_that_is_killed_in_a_hand_goes_on_with_the_same_cards_and_chips() {
    for (number, point) in ["dealt", "sealed", "card", "chose", "result"]
        .into_iter()
        .enumerate()
    {
        let [a, b] = folders();
        let at = free_address();
        let (mut host, invite) = host_at(a.path(), &at, &BOTS);
        let mut guest = Side::join(b.path(), &invite, &["--auto"]);
        if number % 2 == 0 {
            let mut before = guest.up_to(point);
            before.extend(guest.kill());
            host.until("line-lost");
            guest = resume(b.path(), &["--auto"]);
            let (after, code) = guest.finish();
            assert_eq!(code, 0, "{point}: {after:?}");
            let (by_host, code) = host.finish();
            assert_eq!(code, 0, "{point}: {by_host:?}");
            before.extend(after);
            agree([&by_host, &before], 4);
        } else {
            let mut before = host.up_to(point);
            before.extend(host.kill());
            guest.until("line-lost");
            host = resume(a.path(), &["--auto", "--listen", &at]);
            let (after, code) = host.finish();
            assert_eq!(code, 0, "{point}: {after:?}");
            let (by_guest, code) = guest.finish();
            assert_eq!(code, 0, "{point}: {by_guest:?}");
            before.extend(after);
            agree([&before, &by_guest], 4);
        }
    }
}

#[test]
fn both_can_be_killed_and_resumed_in_any_order() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let turn = guest.until("your-turn");
    host.until("your-turn");
    let mut before = [host.kill(), guest.kill()];
    before[1].push(turn);

    let mut guest = resume(b.path(), &["--at", &at]);
    let seated = guest.until("seated");
    assert_eq!(seated["resumed"], json!(true));
    let host = resume(a.path(), &["--auto", "--listen", &at]);
    // The guest is asked the same again, with the same cards.
    let again = guest.until("your-turn");
    for field in ["hand", "turn", "cards", "pot", "stacks", "board"] {
        assert_eq!(again[field], before[1].last().unwrap()[field], "{field}");
    }
    guest.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(guest.finish().1, 0);
    let (events, code) = host.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
}

#[test]
fn a_line_that_is_cut_at_any_of_its_first_messages_is_picked_up_by_itself() {
    let [a, b] = folders();
    let at: SocketAddr = free_address().parse().unwrap();
    let (host, invite) = host_at(a.path(), &at.to_string(), &["--auto", "--hands", "1"]);
    assert_eq!(Side::join(b.path(), &invite, &["--auto"]).finish().1, 0);
    assert_eq!(host.finish().1, 0);

    let cuts = Cuts::start(at);
    let by = cuts.address.to_string();
    let (host, _) = host_at(a.path(), &at.to_string(), &["--auto", "--hands", "100"]);
    let guest = Side::join(b.path(), "Anna", &["--auto", "--at", &by]);
    let (by_guest, code) = guest.finish();
    assert_eq!(code, 0, "{:?}", by_guest.last());
    let (by_host, code) = host.finish();
    assert_eq!(code, 0, "{:?}", by_host.last());
    agree([&by_host, &by_guest], 100);
    println!("lines that were cut: {}", cuts.number());
    assert!(cuts.number() > 8);
    assert!(!of_kind(&by_guest, "resumed").is_empty());
}

#[test]
fn ctrl_c_leaves_a_match_that_is_listed_and_that_no_second_process_touches() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let asked = guest.until("your-turn");
    host.until("your-turn");

    let second = run(b.path(), &["resume"]);
    assert_eq!(second.status.code(), Some(1));
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(said.contains("is in use"), "{said}");

    host.signal("INT");
    guest.signal("TERM");
    for side in [host, guest] {
        let (events, code) = side.finish();
        let message = events.last().unwrap()["message"].to_string();
        assert!(
            code == 4 && message.contains("dealerless resume"),
            "{events:?}"
        );
    }
    let listed = run(b.path(), &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let one = &listed["matches"][0];
    assert_eq!((&one["peer"], &one["seat"]), (&json!("Anna"), &json!(1)));
    let state = one["state"].as_str().unwrap();
    // The bot may have folded before the guest was ever asked.
    let hand = format!("hand {} of 3, ", asked["hand"]);
    assert!(state.starts_with(&hand), "{state}");

    // A new host is told of it as well, and there is one match between the two.
    let (mut host, _) = host_at(a.path(), &at, &["--auto", "--hands", "9"]);
    let mut guest = Side::join(b.path(), "Anna", &["--at", &at]);
    assert_eq!(guest.until("seated")["match"], one["match"]);
    assert_eq!(host.until("seated")["match"], one["match"]);
    guest.until("your-turn");
    drop(guest.input.take());
    let (events, code) = guest.finish();
    assert_eq!(code, 4, "{events:?}");
}

#[test]
fn a_guest_that_missed_the_end_is_given_it_and_the_host_waits_on() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--hands", "3"]);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    host.until("your-turn");
    guest.signal("STOP");
    host.say(&json!({"do": "leave"}));
    assert_eq!(host.finish().1, 0);
    guest.signal("KILL");
    drop(guest);

    let (mut host, _) = host_at(a.path(), &at, &["--auto", "--hands", "2"]);
    host.until("listening");
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(of_kind(&events, "over")[0]["how"], "left");
    // Now there is nothing between them, and another match begins.
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(
        (code, &of_kind(&events, "over")[0]["how"]),
        (0, &json!("played"))
    );
    assert_eq!(host.finish().1, 0);
}

#[test]
fn a_guest_without_its_folder_is_told_of_the_open_match_and_the_host_can_close_it() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    guest.until("your-turn");
    host.until("sealed");
    guest.kill();
    host.signal("INT");
    assert_eq!(host.finish().1, 4);
    std::fs::remove_dir_all(b.path().join("matches")).unwrap();

    let (host, _) = host_at(a.path(), &at, &["--auto", "--hands", "2"]);
    let (events, code) = Side::join(b.path(), "Anna", &["--at", &at]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 1 && message.contains("not in this folder"),
        "{events:?}"
    );
    host.kill();

    let closed = run(a.path(), &["resume", "--close", "Bert"]);
    assert!(closed.status.success(), "{closed:?}");
    let nothing = run(a.path(), &["resume"]);
    let said = String::from_utf8(nothing.stderr).unwrap();
    assert!(said.contains("no match is open"), "{said}");
    let (host, _) = host_at(a.path(), &at, &["--auto", "--hands", "2"]);
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(host.finish().1, 0);
}

#[test]
fn a_damaged_deck_is_left_alone_until_its_player_gives_up_the_hand() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    host.until("your-turn");
    guest.until("sealed");
    host.kill();
    let files = std::fs::read_dir(a.path().join("matches")).unwrap();
    let mut files = files.map(|file| file.unwrap().path());
    let deck = files.find(|path| path.extension().is_some_and(|end| end == "deck"));
    let deck = deck.unwrap();
    let bytes = std::fs::read(&deck).unwrap();
    std::fs::write(&deck, &bytes[..bytes.len() - 1]).unwrap();

    let (events, code) = resume(a.path(), &["--listen", &at]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 1 && message.contains("resume --forfeit"),
        "{message}"
    );
    assert!(deck.is_file());
    let (events, code) = resume(a.path(), &["--listen", &at, "--forfeit"]).finish();
    assert_eq!(code, 1, "{events:?}");
    assert_eq!(of_kind(&events, "over")[0]["how"], "forfeited");
    let (events, code) = guest.finish();
    assert_eq!(
        (code, &of_kind(&events, "over")[0]["how"]),
        (0, &json!("forfeited"))
    );
}
