//! A match survives lost connections, killed programs and closed terminals.
#![cfg(unix)]

use crate::common;

use std::path::Path;

use common::matches::{assert_agree, assert_same_turn, file, host_at, resume, run};
use common::processes::free_address;
use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

/// The options of a host whose bot plays four hands.
const BOTS: [&str; 5] = ["--auto", "--hands", "4", "--stack", "60"];

#[test]
fn killed_program_resumes_with_the_same_cards_and_chips() {
    // Each round kills the guest or the host at its second event of the kind `point`.
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

/// Asserts that the host reports the guest's turn `turn` only after the event `resumed`.
fn assert_turn_after_resumed(host: &mut Side, turn: &Value) {
    let theirs = loop {
        let event = host.event();
        assert_ne!(event["event"], "their-turn", "reported before `resumed`");
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
fn both_programs_can_be_killed_and_the_guest_can_resume_before_the_host() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    // The host's bot may fold, so the guest's first turn may come in a later hand than this
    // `sealed`.
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
    // The resumed program does not know the cost of the deal.
    let sealed = guest.until("sealed");
    assert!(sealed["cost"].is_null(), "{sealed}");
    // The guest's turn is reported again, with the same cards.
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
fn match_is_locked_while_in_use_and_listed_after_an_interruption() {
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
    // It need not be hand 1, because the bot may have folded earlier hands.
    let hand = format!("hand {} of 3, ", asked["hand"]);
    assert!(state.starts_with(&hand), "{state}");

    // The command `host` resumes this match instead of starting another, because two players can
    // have only one open match.
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

/// Changes the file of known peers: the last eight attempts with each peer have failed.
fn record_eight_failed_attempts(folder: &Path) {
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
    let changed = lines.collect::<Vec<_>>().join("\n");
    assert!(changed.contains("in_a_row=8"), "{list}");
    std::fs::write(&path, changed).unwrap();
}

#[test]
fn player_is_asked_whether_to_try_again_after_eight_failed_attempts() {
    let [a, b] = folders();
    let at = free_address();
    let (mut host, invite) = host_at(a.path(), &at, &["--auto", "--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let before = guest.until("your-turn");
    guest.kill();
    host.until("line-lost");
    record_eight_failed_attempts(b.path());

    // A program with `--auto` ends with an error, because it has no player to ask.
    let (events, code) = resume(b.path(), &["--auto"]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("attempts with"), "{events:?}");
    let mut guest = resume(b.path(), &[]);
    let asks = guest.until("ask-again");
    assert!(asks["in_a_row"].as_u64() >= Some(8), "{asks}");
    guest.say(&json!({"do": "again"}));
    let again = guest.until("your-turn");
    assert_same_turn(&before, &again);
    // The next completed shuffle resets the count, so the next `resume` does not ask.
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
fn guest_that_missed_the_end_of_a_match_learns_it_and_can_start_a_new_match() {
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
    // The players have no open match now, so the next `join` starts a new match.
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &at]).finish();
    assert_eq!(
        (code, &of_kind(&events, "over")[0]["how"]),
        (0, &json!("played"))
    );
    assert_eq!(host.finish().1, 0);
}

#[test]
fn guest_without_its_match_files_is_told_of_the_open_match() {
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
fn damaged_deck_file_is_kept_until_the_match_is_forfeited() {
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
fn resume_listens_at_the_last_address_or_reports_that_it_is_in_use() {
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
    // If another program uses the port, the error names the address and `--listen`.
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
    // The last address is now the one that was given with `--listen`.
    let mut host = resume(a.path(), &["--auto"]);
    assert_eq!(host.until("listening")["addresses"], json!([other]));
    let guest = resume(b.path(), &["--auto", "--at", &other]);
    assert_eq!((guest.finish().1, host.finish().1), (0, 0));

    let deleted = run(a.path(), &["history", "--delete", "Bert"]);
    assert!(deleted.status.success(), "{deleted:?}");
    assert_eq!(file(a.path(), "listen"), None);
}

#[test]
fn invalid_listen_file_is_reported_and_replaced_by_the_option_listen() {
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
    // The raise to 6 and the big blind of 2.
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
    // The `chose` events of earlier choices may come before the event of this choice.
    answers.say(&json!({"do": "raise", "to": 200}));
    let raised = loop {
        let chose = answers.until("chose");
        if chose["to"] == 200 {
            break chose;
        }
    };
    assert_eq!(raised["all_in"], true);
}
