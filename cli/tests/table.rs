//! Two processes meet by an invite and play a match, each in a folder of its own.

mod common;

use std::path::Path;
use std::process::Command;

use common::side::{Side, folders, of_kind};
use serde_json::{Value, json};

#[test]
fn two_bots_play_a_match_and_meet_again_without_an_invite() {
    let [a, b] = folders();
    let stakes = ["--hands", "5", "--stack", "50", "--blinds", "1/2", "--auto"];
    let (mut host, invite) = Side::host(a.path(), &stakes);
    let at = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let (by_guest, code) = guest.finish();
    assert_eq!(code, 0, "{by_guest:?}");
    let (by_host, code) = host.finish();
    assert_eq!(code, 0, "{by_host:?}");
    assert_eq!(of_kind(&by_host, "result"), of_kind(&by_guest, "result"));
    assert_eq!(of_kind(&by_host, "result").len(), 5);
    for events in [&by_host, &by_guest] {
        let over = events.last().unwrap();
        assert_eq!(over["how"], "played");
        assert!(Path::new(over["log"].as_str().unwrap()).is_file());
    }
    // Nothing was left that would count as a try to cheat.
    let listed = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["peers", "--json"])
        .env("DEALERLESS_HOME", a.path())
        .output()
        .unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let peer = &listed["peers"][0];
    let counts = ["name", "hands", "attempts"].map(|field| peer[field].clone());
    assert_eq!(counts, [json!("Bert"), json!(5), json!(0)]);

    let forgiven = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["peers", "forgive", "Bert", "--home"])
        .arg(a.path())
        .output()
        .unwrap();
    assert!(forgiven.status.success(), "{forgiven:?}");

    let (mut host, _) = Side::host(a.path(), &stakes);
    let now = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    assert_ne!(at, now);
    let (events, code) = Side::join(b.path(), "anna", &["--auto"]).finish();
    assert_eq!(code, 1, "{events:?}");
    let (events, code) = Side::join(b.path(), "Anna", &["--auto", "--at", &now]).finish();
    assert_eq!(code, 0, "{events:?}");
    assert_eq!(host.finish().1, 0);
}

#[test]
fn a_guest_plays_only_on_the_terms_that_it_asked_for_and_the_host_waits_on() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &["--hands", "101", "--auto"]);
    host.until("listening");
    for wish in [
        &["--hands", "100"][..],
        &["--hands", "101", "--game", "draw"],
        &["--hands", "101", "--stack", "100"],
        &["--hands", "101", "--blinds", "2/4"],
        &["--hands", "101", "--ante", "1/2"],
        &["--hands", "101", "--memory", "1M"],
    ] {
        let (events, code) = Side::join(b.path(), &invite, wish).finish();
        let error = events.last().unwrap();
        assert_eq!(
            (code, &error["exit_code"]),
            (1, &json!(1)),
            "{wish:?}: {events:?}"
        );
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("the host proposes")
        );
        assert!(host.until("notice")["text"].as_str().is_some());
    }
    let mut guest = Side::join(b.path(), &invite, &["--hands", "101"]);
    guest.until("seated");
    guest.say(&json!({"do": "leave"}));
    let (events, code) = guest.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
    let (events, code) = host.finish();
    assert_eq!((code, &events.last().unwrap()["how"]), (0, &json!("left")));
}

#[test]
fn a_mistyped_invite_is_told_from_a_used_one() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &[]);
    host.until("listening");
    let other = if invite.ends_with('0') { "1" } else { "0" };
    let mistyped = invite[..invite.len() - 1].to_owned() + other;
    let (events, code) = Side::join(b.path(), &mistyped, &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("mistyped"), "{message}");

    let guest = Side::join(b.path(), &invite, &[]);
    host.until("seated");
    let [other, _] = folders();
    let (events, code) = Side::join(other.path(), &invite, &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 2 && message.contains("used by somebody else"),
        "{message}"
    );
    let notice = host.until("notice");
    assert!(notice["text"].as_str().unwrap().contains("LEAKED"));
    drop(guest);
}

#[test]
fn people_see_lines_of_80_columns_and_nothing_of_json() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--auto", "--hands", "3"]);
    let screen = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["join", &invite, "--auto", "--faces", "words"])
        .env("DEALERLESS_HOME", b.path())
        .output()
        .unwrap();
    assert_eq!(host.finish().1, 0);
    let text = String::from_utf8(screen.stdout).unwrap();
    assert!(screen.status.success(), "{text}");
    let folder = b.path().display().to_string();
    for line in text.lines().filter(|line| !line.contains(&folder)) {
        assert!(line.chars().count() <= 80 && !line.contains('{'), "{line}");
    }
    for said in [
        "Hand 3 of 3",
        "Your cards: ",
        " of ",
        "All hands are played.",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn the_bot_in_python_plays() {
    let Ok(python) = Command::new("python3").arg("--version").output() else {
        println!("python3 is not installed: the bot in Python was not tried");
        return;
    };
    assert!(python.status.success());
    for game in ["holdem", "draw", "deck"] {
        let [a, b] = folders();
        let (host, invite) = Side::host(a.path(), &["--auto", "--hands", "5", "--game", game]);
        let bot = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/bot.py");
        let played = Command::new("python3")
            .args([bot, &invite])
            .env("DEALERLESS", env!("CARGO_BIN_EXE_dealerless"))
            .env("DEALERLESS_HOME", b.path())
            .output()
            .unwrap();
        assert!(played.status.success(), "{played:?}");
        assert_eq!(host.finish().1, 0);
    }
}
