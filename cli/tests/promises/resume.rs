//! A match survives lost connections, killed programs and closed terminals.
#![cfg(unix)]

use crate::common;

use std::path::Path;

use common::matches::{assert_agree, assert_same_turn, file, free_address, host_at, resume, run};
use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

const BOTS: [&str; 5] = ["--auto", "--hands", "4", "--stack", "60"];

#[test]
fn killed_program_resumes_with_the_same_cards_and_chips() {
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
            assert_agree([&by_host, &before], 4);
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
            assert_agree([&before, &by_guest], 4);
        }
    }
}

/// Asserts that the host receives the guest's turn after `resumed`, and not before.
fn assert_turn_after_resumed(host: &mut Side, turn: &Value) {
    let theirs = loop {
        let event = host.event();
        assert_ne!(event["event"], "their-turn", "there is no connection yet");
        if event["event"] == "resumed" {
            break host.until("their-turn");
        }
    };
    assert_eq!(
        (&theirs["turn"], &theirs["seat"]),
        (&turn["turn"], &json!(1))
    );
}

#[test]
fn both_can_be_killed_and_resumed_in_any_order() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    // The bot may fold a hand before the guest's turn.
    let sealed = guest.until("sealed");
    assert!(
        sealed["cost"]["shuffle_bytes"].as_u64() > Some(0),
        "{sealed}"
    );
    let turn = guest.until("your-turn");
    host.until("your-turn");
    let mut before = [host.kill(), guest.kill()];
    before[1].push(turn);

    let mut guest = resume(b.path(), &["--at", &at]);
    let seated = guest.until("seated");
    assert_eq!(seated["resumed"], json!(true));
    let mut host = resume(a.path(), &["--auto", "--listen", &at]);
    // The cost of the deal is no longer known.
    let sealed = guest.until("sealed");
    assert!(sealed["cost"].is_null(), "{sealed}");
    // The guest has the same turn again, with the same cards.
    let again = guest.until("your-turn");
    assert_same_turn(before[1].last().unwrap(), &again);
    assert!(host.until("sealed")["cost"].is_null());
    assert_turn_after_resumed(&mut host, &again);
    guest.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(guest.finish().1, 0);
    let (events, code) = host.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
    assert!(of_kind(&events, "their-turn").is_empty(), "{events:?}");
}

#[test]
fn interrupted_match_is_listed_and_locked_while_in_use() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let asked = guest.until("your-turn");
    host.until("your-turn");

    let second = run(b.path(), &["resume"]);
    assert_eq!(second.status.code(), Some(1));
    let error = String::from_utf8(second.stderr).unwrap();
    assert!(error.contains("is in use"), "{error}");

    host.signal("INT");
    guest.signal("TERM");
    for side in [host, guest] {
        let (events, code) = side.finish();
        let message = events.last().unwrap()["message"].to_string();
        assert!(
            code == 130 && message.contains("dealerless resume"),
            "{events:?}"
        );
        let pot = events[events.len() - 2]["text"].as_str();
        assert!(
            pot.is_some_and(|text| text.contains(" is undecided: ")),
            "{events:?}"
        );
    }
    let listed = run(b.path(), &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let one = &listed["matches"][0];
    assert_eq!((&one["peer"], &one["seat"]), (&json!("Anna"), &json!(1)));
    let state = one["state"].as_str().unwrap();
    // The bot may have folded earlier hands.
    let hand = format!("hand {} of 3, ", asked["hand"]);
    assert!(state.starts_with(&hand), "{state}");

    // A new host resumes this match, because two players can have only one open match.
    let (mut host, _) = host_at(a.path(), &at, &["--auto", "--hands", "9", "--for", "Bert"]);
    let mut guest = Side::join(b.path(), "Anna", &["--at", &at]);
    assert_eq!(guest.until("seated")["match"], one["match"]);
    assert_eq!(host.until("seated")["match"], one["match"]);
    guest.until("your-turn");
    drop(guest.input.take());
    let (events, code) = guest.finish();
    assert_eq!(code, 130, "{events:?}");
}

#[test]
fn list_shows_the_turn_of_the_interrupted_player() {
    let folders = folders();
    let [a, b] = &folders;
    let at = free_address();
    let (host, invite) = host_at(a.path(), &at, &["--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let first = guest.until("dealt")["button"] == json!(1);
    let (mut caller, mut asked, folder) = if first {
        (guest, host, a)
    } else {
        (host, guest, b)
    };
    let turn = caller.until("your-turn");
    caller.say(&json!({"do": "call", "turn": turn["turn"]}));
    asked.until("your-turn");
    asked.signal("INT");
    assert_eq!(asked.finish().1, 130);
    let listed = run(folder.path(), &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let state = &listed["matches"][0]["state"];
    assert_eq!(state, &json!("hand 1 of 3, you to speak"));
}

#[test]
fn match_is_resumed_after_its_terminal_was_closed() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let before = guest.until("your-turn");
    guest.signal("HUP");
    let (events, code) = guest.finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 130 && message.contains("dealerless resume"),
        "{events:?}"
    );
    host.until("line-lost");
    let mut guest = resume(b.path(), &[]);
    let again = guest.until("your-turn");
    assert_same_turn(&before, &again);
    assert_turn_after_resumed(&mut host, &again);
    guest.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(guest.finish().1, 0);
    assert_eq!(host.finish().1, 0);
}

/// Writes eight failed attempts in a row into the list of known peers.
fn lose_eight_attempts(folder: &Path) {
    let path = folder.join("known_peers");
    let list = std::fs::read_to_string(&path).unwrap();
    let count = |word: &str| match word.split_once('=') {
        Some((name @ ("attempts" | "in_a_row"), _)) => format!("{name}=8"),
        _ => word.to_owned(),
    };
    let lines = list.split('\n').map(|line| {
        let words: Vec<String> = line.split(' ').map(count).collect();
        words.join(" ")
    });
    let lost = lines.collect::<Vec<_>>().join("\n");
    assert!(lost.contains("in_a_row=8"), "{list}");
    std::fs::write(&path, lost).unwrap();
}

#[test]
fn player_is_asked_after_eight_failed_attempts() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let before = guest.until("your-turn");
    guest.kill();
    host.until("line-lost");
    lose_eight_attempts(b.path());

    // A bot gives up, since it has nobody to ask.
    let (events, code) = resume(b.path(), &["--auto"]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("attempts with"), "{events:?}");
    let mut guest = resume(b.path(), &[]);
    let asks = guest.until("ask-again");
    assert!(asks["in_a_row"].as_u64() >= Some(8), "{asks}");
    guest.say(&json!({"do": "again"}));
    let again = guest.until("your-turn");
    assert_same_turn(&before, &again);
    // The next deck resets the count, so there is no question next time.
    guest.say(&json!({"do": "fold", "turn": again["turn"]}));
    guest.until("sealed");
    guest.signal("INT");
    assert_eq!(guest.finish().1, 130);
    let mut guest = resume(b.path(), &[]);
    let again = loop {
        let event = guest.event();
        assert_ne!(event["event"], "ask-again");
        if event["event"] == "your-turn" {
            break event;
        }
    };
    guest.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(guest.finish().1, 0);
    assert_eq!(host.finish().1, 0);
}

#[test]
fn guest_that_missed_the_end_receives_it_and_the_host_keeps_waiting() {
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

    let bot = ["--auto", "--hands", "2", "--for", "Bert"];
    let (mut host, _) = host_at(a.path(), &at, &bot);
    host.until("listening");
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(of_kind(&events, "over")[0]["how"], "left");
    // Now the players have no open match, so a new match begins.
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(
        (code, &of_kind(&events, "over")[0]["how"]),
        (0, &json!("played"))
    );
    assert_eq!(host.finish().1, 0);
}

#[test]
fn guest_without_its_files_learns_of_the_open_match() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    guest.until("your-turn");
    host.until("sealed");
    guest.kill();
    host.signal("INT");
    assert_eq!(host.finish().1, 130);
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
    let error = String::from_utf8(nothing.stderr).unwrap();
    assert!(error.contains("there is no open match"), "{error}");
    let bot = ["--auto", "--hands", "2", "--for", "Bert"];
    let (host, _) = host_at(a.path(), &at, &bot);
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(host.finish().1, 0);
}

#[test]
fn damaged_deck_is_kept_until_the_hand_is_forfeited() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    host.until("your-turn");
    guest.until("sealed");
    host.kill();
    let deck = file(a.path(), "deck").unwrap();
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

#[test]
fn resume_listens_at_the_last_address_or_reports_why_not() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &BOTS);
    let mut guest = Side::join(b.path(), &invite, &[]);
    guest.until("your-turn");
    host.until("sealed");
    host.kill();
    guest.kill();

    let mut host = resume(a.path(), &[]);
    assert_eq!(host.until("listening")["addresses"], json!([at]));
    host.kill();
    // While another program has the port, the host reports the address.
    let taken = std::net::TcpListener::bind(&at).unwrap();
    let (events, code) = resume(a.path(), &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    let named = message.contains(&at) && message.contains("--listen");
    assert!(code == 1 && named, "{message}");
    let other = free_address();
    let mut host = resume(a.path(), &["--listen", &other]);
    assert_eq!(host.until("listening")["addresses"], json!([other]));
    host.kill();
    drop(taken);
    // The address from `--listen` is now the last address.
    let mut host = resume(a.path(), &["--auto"]);
    assert_eq!(host.until("listening")["addresses"], json!([other]));
    let guest = resume(b.path(), &["--auto", "--at", &other]);
    assert_eq!((guest.finish().1, host.finish().1), (0, 0));

    let deleted = run(a.path(), &["history", "--delete", "Bert"]);
    assert!(deleted.status.success(), "{deleted:?}");
    assert_eq!(file(a.path(), "listen"), None);
}

#[test]
fn invalid_listen_file_is_reported_and_replaced_by_the_option() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &BOTS);
    let mut guest = Side::join(b.path(), &invite, &[]);
    guest.until("your-turn");
    host.until("sealed");
    host.kill();
    let kept = file(a.path(), "listen").unwrap();
    let long = format!("{at}\n").repeat(10_000);
    for text in ["", "nowhere:1\n", "\0", &long] {
        std::fs::write(&kept, text).unwrap();
        let (events, code) = resume(a.path(), &[]).finish();
        let message = events.last().unwrap()["message"].to_string();
        let named = message.contains(".listen") && message.contains("give --listen");
        assert!(code == 1 && named, "{message}");
    }
    let mut host = resume(a.path(), &["--listen", &at]);
    host.until("listening");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), format!("{at}\n"));
}

#[test]
fn resumed_hand_reports_blinds_and_bets_separately() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--hands", "1", "--stack", "200"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let dealt = host.until("dealt");
    let (blinds, button) = (&dealt["posted"], &dealt["button"]);
    assert_eq!(
        (&dealt["bets"], blinds[0].as_u64()),
        (blinds, button.as_u64().map(|seat| seat + 1))
    );
    let (raises, answers) = if *button == 0 {
        (&mut host, &mut guest)
    } else {
        (&mut guest, &mut host)
    };
    raises.until("your-turn");
    raises.say(&json!({"do": "raise", "to": 6}));
    answers.until("your-turn");
    host.kill();
    let mut host = resume(a.path(), &["--listen", &at]);
    let again = host.until("dealt");
    assert_eq!(&again["posted"], blinds);
    assert_eq!(
        again["bets"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_u64)
            .sum::<u64>(),
        8
    );
    host.until("resumed");
    let answers = if *button == 0 { &mut guest } else { &mut host };
    answers.until("your-turn");
    // Earlier `chose` events may come first.
    answers.say(&json!({"do": "raise", "to": 200}));
    let raised = loop {
        let chose = answers.until("chose");
        if chose["to"] == 200 {
            break chose;
        }
    };
    assert_eq!(raised["all_in"], true);
}
