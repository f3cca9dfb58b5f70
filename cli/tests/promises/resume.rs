//! A match outlives its lines, its programs and their machines.
#![cfg(unix)]

use crate::common;

use std::path::Path;

use common::matches::{agree, file, free_address, host_at, resume, run, same_turn};
use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

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

/// The guest's turn is told to the host on the new line, as soon as both have met there.
fn is_told_behind_resumed(host: &mut Side, turn: &Value) {
    let told = loop {
        let event = host.event();
        assert_ne!(event["event"], "their-turn", "there is no line");
        if event["event"] == "resumed" {
            break host.until("their-turn");
        }
    };
    assert_eq!((&told["turn"], &told["seat"]), (&turn["turn"], &json!(1)));
}

#[test]
fn both_can_be_killed_and_resumed_in_any_order() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    // The bot may fold a hand at once, in which the guest is not asked.
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
    // What the deal has cost is not known any more.
    let sealed = guest.until("sealed");
    assert!(sealed["cost"].is_null(), "{sealed}");
    // The guest is asked the same again, with the same cards.
    let again = guest.until("your-turn");
    same_turn(before[1].last().unwrap(), &again);
    assert!(host.until("sealed")["cost"].is_null());
    is_told_behind_resumed(&mut host, &again);
    guest.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(guest.finish().1, 0);
    let (events, code) = host.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
    assert!(of_kind(&events, "their-turn").is_empty(), "{events:?}");
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
    // The bot may have folded before the guest was ever asked.
    let hand = format!("hand {} of 3, ", asked["hand"]);
    assert!(state.starts_with(&hand), "{state}");

    // A new host is told of it as well, and there is one match between the two.
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
fn who_breaks_off_when_asked_is_the_one_that_the_list_waits_for() {
    let folders = folders();
    let [a, b] = &folders;
    let at = free_address();
    let (host, invite) = host_at(a.path(), &at, &["--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let first = guest.until("dealt")["button"] == json!(1);
    let (mut caller, mut asked, folder) = match first {
        true => (guest, host, a),
        false => (host, guest, b),
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
fn a_closed_terminal_leaves_a_match_that_is_resumed() {
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
    same_turn(&before, &again);
    is_told_behind_resumed(&mut host, &again);
    guest.say(&json!({"do": "leave", "turn": again["turn"]}));
    assert_eq!(guest.finish().1, 0);
    assert_eq!(host.finish().1, 0);
}

/// Writes as many attempts into the list of known peers as a player may lose in a row.
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
fn after_eight_attempts_that_did_not_end_well_a_player_is_asked_and_again_goes_on() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let before = guest.until("your-turn");
    guest.kill();
    host.until("line-lost");
    lose_eight_attempts(b.path());

    // A bot has nobody to ask.
    let (events, code) = resume(b.path(), &["--auto"]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 1 && message.contains("did not end well"),
        "{events:?}"
    );
    let mut guest = resume(b.path(), &[]);
    let asks = guest.until("ask-again");
    assert!(asks["in_a_row"].as_u64() >= Some(8), "{asks}");
    guest.say(&json!({"do": "again"}));
    let again = guest.until("your-turn");
    same_turn(&before, &again);
    // The next deck ends the row, and nobody is asked the next time.
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

    let bot = ["--auto", "--hands", "2", "--for", "Bert"];
    let (mut host, _) = host_at(a.path(), &at, &bot);
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
    let said = String::from_utf8(nothing.stderr).unwrap();
    assert!(said.contains("no match is open"), "{said}");
    let bot = ["--auto", "--hands", "2", "--for", "Bert"];
    let (host, _) = host_at(a.path(), &at, &bot);
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
fn resume_waits_where_the_match_was_hosted_and_says_so_if_that_is_not_possible() {
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
    // Another program has the port.
    let taken = std::net::TcpListener::bind(&at).unwrap();
    let (events, code) = resume(a.path(), &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    let says = message.contains(&at) && message.contains("--listen");
    assert!(code == 1 && says, "{message}");
    let other = free_address();
    let mut host = resume(a.path(), &["--listen", &other]);
    assert_eq!(host.until("listening")["addresses"], json!([other]));
    host.kill();
    drop(taken);
    // It was hosted there last.
    let mut host = resume(a.path(), &["--auto"]);
    assert_eq!(host.until("listening")["addresses"], json!([other]));
    let guest = resume(b.path(), &["--auto", "--at", &other]);
    assert_eq!((guest.finish().1, host.finish().1), (0, 0));

    let deleted = run(a.path(), &["history", "--delete", "Bert"]);
    assert!(deleted.status.success(), "{deleted:?}");
    assert_eq!(file(a.path(), "listen"), None);
}

#[test]
fn a_file_with_other_things_than_addresses_is_named_and_listen_replaces_it() {
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
        let says = message.contains(".listen") && message.contains("give --listen");
        assert!(code == 1 && says, "{message}");
    }
    let mut host = resume(a.path(), &["--listen", &at]);
    host.until("listening");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), format!("{at}\n"));
}

#[test]
fn after_a_resume_the_blinds_are_told_apart_from_the_bets_that_stand() {
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
    let (raises, answers) = match *button == 0 {
        true => (&mut host, &mut guest),
        false => (&mut guest, &mut host),
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
    let answers = match *button == 0 {
        true => &mut guest,
        false => &mut host,
    };
    answers.until("your-turn");
    // All that was told so far is no answer to this.
    answers.say(&json!({"do": "raise", "to": 200}));
    let raised = loop {
        let chose = answers.until("chose");
        if chose["to"] == 200 {
            break chose;
        }
    };
    assert_eq!(raised["all_in"], true);
}
