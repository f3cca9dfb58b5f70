//! A match of three players, from the invites to the records of all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::side::{Side, of_kind};

/// Runs a command in a folder. Returns standard output and the exit code.
fn command(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let done = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(arguments)
        .env("DEALERLESS_HOME", folder)
        .output()
        .unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    (text, done.status.code().expect("no signal"))
}

fn file_of(events: &[Value]) -> PathBuf {
    of_kind(events, "seated")[0]["log"].as_str().unwrap().into()
}

#[test]
fn three_players_play_and_their_records_agree() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let args = ["--seats", "3", "--hands", "4", "--stack", "30", "--auto"];
    let (mut host, first) = Side::host(folders[0].path(), &args);
    let second = host.event();
    assert_eq!(
        [&second["event"], &second["guests"]],
        [&json!("invite"), &json!(2)]
    );
    let second = second["invite"].as_str().unwrap().to_owned();
    let [bert, cleo] = [(1, &first, "Bert"), (2, &second, "Cleo")].map(|(seat, invite, name)| {
        let args = ["join", invite, "--json", "--yes", "--auto", "--name", name];
        let side = Side::start(folders[seat].path(), &args);
        // The guests take the seats in the order in which they come.
        host.until("notice");
        side
    });
    let sides = [host, bert, cleo].map(Side::finish);
    for (events, code) in &sides {
        assert_eq!(*code, 0, "{:?}", events.last());
        assert_eq!(of_kind(events, "seated")[0]["opens"], 3);
        let over = &of_kind(events, "over")[0];
        let stacks = over["stacks"].as_array().unwrap();
        let chips: u64 = stacks.iter().filter_map(Value::as_u64).sum();
        assert!(chips >= 90 && chips.is_multiple_of(30), "{over}");
    }
    let files = sides.map(|(events, _)| file_of(&events));
    let files = files.each_ref().map(|file| file.to_str().unwrap());
    let home = folders[0].path();

    let (text, code) = command(home, &[&["verify"], &files[..]].concat());
    assert_eq!(code, 0, "{text}");
    let proven = "The proof of every key, shuffle, opening and shown card is valid";
    assert!(text.contains(proven), "{text}");
    assert!(text.contains("\nAll 3 records agree"), "{text}");
    let (text, code) = command(home, &[&["verify", "--json"], &files[..]].concat());
    let verified: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &verified["compared"]), (0, &Value::Null));
    let pairs = verified["pairs"].as_array().unwrap();
    let places: Vec<&Value> = pairs.iter().map(|pair| &pair["files"]).collect();
    assert_eq!(places, [&json!([0, 1]), &json!([0, 2]), &json!([1, 2])]);
    assert!(pairs.iter().all(|pair| pair["how"] == "together"));

    let (text, code) = command(home, &["show", files[0]]);
    assert!(
        code == 0 && text.contains("' 3-max (Play Money) Seat #"),
        "{text}"
    );
    let (text, code) = command(home, &["show", files[0], "--phh"]);
    assert!(code == 0 && text.contains("seat_count = 3"), "{text}");
    let (text, code) = command(home, &["history"]);
    let with = ["  with Bert and Cleo\n", "  with Cleo and Bert\n"];
    assert!(
        code == 0 && with.iter().any(|with| text.contains(with)),
        "{text}"
    );
}
