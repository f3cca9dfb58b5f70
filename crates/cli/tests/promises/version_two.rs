//! Matches begun with version 2 of the log continue by the rules of version 2. The files were
//! written by a program that only knew version 2.
#![cfg(unix)]

use dealerless_connection::identity::{Home, Name};
use dealerless_connection::system_rng;
use dealerless_connection::{Door, Timing};

use crate::common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::matches::{file, free_address, resume, run};
use common::side::{Side, folders};
use dealerless::shuffle::Algorithm;
use dealerless_table::log::Clock;
use dealerless_table::play::Seating;
use dealerless_table::rules::{Stakes, Variety};
use serde_json::json;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/promises/version_two")
        .join(name)
}

/// Copies the folder of a player, with the file permissions that it needs.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let from = entry.unwrap().path();
        let to = to.join(from.file_name().unwrap());
        if from.is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
        }
    }
}

fn verify(files: &[&Path]) -> (Option<i32>, String) {
    let files = files.iter().map(|file| file.to_str().unwrap());
    let args: Vec<&str> = ["verify", "--verbose"].into_iter().chain(files).collect();
    let [home, _] = folders();
    let verified = run(home.path(), &args);
    let output = String::from_utf8(verified.stdout).unwrap();
    (verified.status.code(), output)
}

#[test]
fn record_with_a_muck_in_an_all_in_verifies() {
    let record = fixture("all-in.log");
    let (code, output) = verify(&[&record]);
    assert_eq!(code, Some(0), "{output}");
    let [home, _] = folders();
    let shown = run(home.path(), &["show", "--json", record.to_str().unwrap()]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("\"muck\""), "{shown}");
}

#[test]
fn record_with_a_dispute_of_an_older_opening_verifies_as_disputed() {
    let (code, output) = verify(&[&fixture("dispute.log")]);
    assert!(
        code == Some(4)
            && output
                .contains("Anna disputes what Bert opened in step 4, with 4 chips in the pot."),
        "{output}"
    );
}

#[test]
fn open_match_is_resumed_and_all_in_players_may_muck() {
    let [a, b] = folders();
    copy(&fixture("open/anna"), a.path());
    copy(&fixture("open/bert"), b.path());
    let at = free_address();
    let mut host = resume(a.path(), &["--listen", &at]);
    let mut guest = resume(b.path(), &["--at", &at]);
    let turn = guest.until("your-turn");
    assert_eq!(turn["ask"], "show-or-muck");
    guest.say(&json!({"do": "show", "turn": turn["turn"]}));
    let turn = host.until("your-turn");
    assert_eq!(turn["ask"], "show-or-muck");
    host.say(&json!({"do": "muck", "turn": turn["turn"]}));
    for side in [host, guest] {
        let (events, code) = side.finish();
        assert_eq!(code, 0, "{events:?}");
    }
    let records = [&a, &b].map(|folder| file(folder.path(), "log").unwrap());
    let (code, output) = verify(&[&records[0], &records[1]]);
    assert!(
        code == Some(0) && output.contains("Both records agree."),
        "{output}"
    );
}

/// The error of a guest whose host proposes a match with this version of the log.
fn error_for_version(version: u16) -> String {
    let [a, b] = folders();
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let stakes = Stakes::new(Variety::Deck { cards: 3, drawn: 1 }, 2, 1).unwrap();
    let (header, _) = Seating::propose(stakes, Algorithm::FisherYates, clock).unwrap();
    let mut header = header.encode();
    header[..2].copy_from_slice(&version.to_le_bytes());
    let home = Home::open(a.path(), None, &mut system_rng()).unwrap();
    let peers = home.known_peers().unwrap();
    let listen = ["127.0.0.1:0".parse().unwrap()];
    let (name, timing) = (Name::clean("Anna"), Timing::default());
    let door = Door::open(Arc::new(home), peers, name, header, &listen, timing).unwrap();
    let invite = door.invite(vec![door.addresses()[0].into()], None).unwrap();
    let (events, code) = Side::join(b.path(), &invite.to_string(), &["--auto"]).finish();
    assert_eq!(code, 1, "{events:?}");
    assert!(file(b.path(), "log").is_none());
    events.last().unwrap()["message"].to_string()
}

#[test]
fn guest_refuses_another_version_and_names_both() {
    for (version, known) in [(2, "version 3"), (5, "up to 4")] {
        let output = error_for_version(version);
        assert!(
            output.contains(&format!("version {version}")) && output.contains(known),
            "{output}"
        );
    }
}
