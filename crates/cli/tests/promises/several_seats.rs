//! A match of three players, from the link of the table to the records of all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::common::matches::{host_at, resume};
use crate::common::processes::free_address;
use crate::common::side::{Side, of_kind};
use crate::common::tables::are_here;

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
    let args = [
        "--seats", "3", "--open", "--hands", "4", "--stack", "30", "--auto",
    ];
    let (mut host, link) = Side::host(folders[0].path(), &args);
    let names = ["Bert", "Cleo"];
    let [bert, cleo] = [1, 2].map(|seat| {
        let name = names[seat - 1];
        let args = ["join", &link, "--json", "--yes", "--auto", "--name", name];
        let side = Side::start(folders[seat].path(), &args);
        // The guests take the seats in the order in which they come.
        are_here(&mut host, &names[..seat]);
        side
    });
    let sides = [host, bert, cleo].map(Side::finish);
    // Guests learn the fingerprints of the others when they sit down.
    let anna_and_bert = json!([{"name": "Anna"}, {"name": "Bert"}]);
    let tables = of_kind(&sides[1].0, "table");
    assert_eq!(tables[0]["players"], anna_and_bert);
    assert_eq!(
        (&tables[0]["seats"], &tables[0]["place"]),
        (&json!(3), &json!(0))
    );
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
    // Only the owner's key protects the last MAC of a file.
    let foreign = "The file belongs to another identity than yours.";
    let mine = ["This is your file", foreign].map(|line| text.matches(line).count());
    assert_eq!(mine, [1, 2], "{text}");
    let changed = home.join("changed.log");
    let mut bytes = std::fs::read(files[0]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&changed, bytes).unwrap();
    let changed = changed.to_str().unwrap();
    let codes = [0, 1].map(|seat| command(folders[seat].path(), &["verify", changed]).1);
    assert_eq!(codes, [4, 0]);
    let nobody = home.join("nobody");
    let (text, code) = command(&nobody, &["verify", changed]);
    assert!(
        code == 0 && text.contains("are unproven") && !nobody.exists(),
        "{text}"
    );
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

/// The host is killed in the middle of a hand. The guests wait for it once, finish the hand and the
/// next one without it, and all records agree.
#[test]
fn match_goes_on_without_a_host_that_is_killed() {
    let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let terms = [
        "--seats",
        "4",
        "--may-leave",
        "1",
        "--hands",
        "2",
        "--stack",
        "10000",
        "--time",
        "12",
        "--auto",
        "--open",
    ];
    let (mut host, link) = Side::host(folders[0].path(), &terms);
    let names = ["Bert", "Cleo", "Dora"];
    let mut guests: Vec<Side> = Vec::new();
    for (seat, folder) in folders.iter().enumerate().skip(1) {
        let name = names[seat - 1];
        let join = ["join", &link, "--json", "--yes", "--auto", "--name", name];
        guests.push(Side::start(folder.path(), &join));
        are_here(&mut host, &names[..seat]);
    }
    let log = host.until("seated")["log"].as_str().unwrap().to_owned();
    host.until("chose");
    host.kill();
    let mut files = vec![log];
    for guest in guests {
        let (events, code) = guest.finish();
        assert_eq!(code, 0, "{:?}", events.last());
        assert_eq!(
            of_kind(&events, "gone"),
            [json!({"event": "gone", "seat": 0})]
        );
        assert!(!of_kind(&events, "roll-call").is_empty());
        let late = of_kind(&events, "out-of-time");
        assert!(late.iter().any(|event| event["asks"] == true), "{late:?}");
        let results = of_kind(&events, "result");
        assert_eq!(results.len(), 2);
        let over = &of_kind(&events, "over")[0];
        assert_eq!(
            (&over["how"], &over["hands"]),
            (&json!("played"), &json!(2))
        );
        let stacks = over["stacks"].as_array().unwrap();
        let chips: u64 = stacks.iter().filter_map(Value::as_u64).sum();
        // If fewer than two bots have chips after the first hand, the others buy in again.
        let asked = of_kind(&events, "ask-rebuy");
        let rebuys = asked
            .last()
            .map_or(0, |ask| ask["seats"].as_array().unwrap().len());
        assert_eq!(chips, 40_000 + 10_000 * rebuys as u64, "{asked:?} {over}");
        files.push(over["log"].as_str().unwrap().to_owned());
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let home = folders[1].path();
    let (text, code) = command(home, &[&["verify"], &files[..]].concat());
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("\nAll 4 records agree"), "{text}");
    let (text, code) = command(home, &[&["verify", "--json"], &files[1..]].concat());
    let verified: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(code, 0, "{text}");
    for record in verified["records"].as_array().unwrap() {
        assert_eq!(record["record"]["gone"], json!([0]), "{record}");
    }
}

/// The host is killed, and removed at its turn. It comes back while the others are in the hand.
#[test]
fn host_that_was_removed_is_told_at_once_when_it_comes_back() {
    let folders = [(); 4].map(|()| tempfile::tempdir().unwrap());
    let at = free_address();
    let terms = [
        "--seats",
        "4",
        "--may-leave",
        "1",
        "--time",
        "20",
        "--hands",
        "9",
        "--open",
    ];
    let (mut host, link) = host_at(folders[0].path(), &at, &terms);
    let names = ["Bert", "Cleo", "Dora"];
    let mut guests: Vec<Side> = Vec::new();
    for (seat, folder) in folders.iter().enumerate().skip(1) {
        let join = ["join", &link, "--json", "--yes", "--name", names[seat - 1]];
        guests.push(Side::start(folder.path(), &join));
        are_here(&mut host, &names[..seat]);
    }
    guests[2].until("your-turn");
    guests[2].say(&json!({"do": "fold"}));
    host.until("your-turn");
    host.kill();
    assert_eq!(guests[0].until("gone")["seat"], 0);
    guests[0].until("your-turn");
    let mut host = resume(folders[0].path(), &["--listen", &at]);
    assert_eq!(host.until("over")["how"], "removed");
    // Nobody was told that the host is at the table again, and the hand goes on.
    guests[0].say(&json!({"do": "fold"}));
    let mut events = Vec::new();
    while of_kind(&events, "result").is_empty() {
        events.push(guests[0].event());
    }
    let texts = events.iter().filter_map(|event| event["text"].as_str());
    assert!(
        !texts.clone().any(|text| text.contains("connected again")),
        "{events:?}"
    );
}

#[test]
fn table_at_which_one_player_could_play_two_is_accepted_explicitly() {
    let [anna, bert] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let terms = [
        "--seats",
        "3",
        "--open",
        "--may-leave",
        "1",
        "--auto",
        "--json",
    ];
    let refused = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args([&["host"], &terms[..]].concat())
        .env("DEALERLESS_HOME", anna.path())
        .output()
        .unwrap();
    let text = String::from_utf8(refused.stdout).unwrap();
    assert!(
        refused.status.code() == Some(1) && text.contains("--accept-two-tables"),
        "{text}"
    );
    for wrong in [
        vec!["--may-leave", "1"],
        vec!["--open", "--seats", "3", "--may-leave", "2"],
        vec![
            "--open",
            "--seats",
            "4",
            "--may-leave",
            "1",
            "--time",
            "none",
        ],
    ] {
        let (_, code) = command(anna.path(), &[&["host", "--auto"], &wrong[..]].concat());
        assert_eq!(code, 1, "{wrong:?}");
    }
    let host = [
        "--seats",
        "3",
        "--may-leave",
        "1",
        "--accept-two-tables",
        "--auto",
        "--open",
    ];
    let (mut host, invite) = Side::host(anna.path(), &host);
    for (terms, sits) in [
        (&[][..], false),
        (&["--may-leave", "0", "--accept-two-tables"], false),
        (&["--may-leave", "1", "--accept-two-tables"], true),
    ] {
        let join = [
            "join", &invite, "--json", "--yes", "--auto", "--name", "Bert",
        ];
        let side = Side::start(bert.path(), &[&join[..], terms].concat());
        if sits {
            are_here(&mut host, &["Bert"]);
            side.kill();
        } else {
            let (events, code) = side.finish();
            let message = events.last().unwrap()["message"].as_str().unwrap();
            assert!(
                code == 1 && message.contains("may disappear") || message.contains("--may-leave"),
                "{message}"
            );
        }
    }
    host.kill();
}

/// A guest has signed its first part in a match, and its program is killed before the first cards are opened. It resumes
/// the match.
#[cfg(unix)]
#[test]
fn guest_that_is_killed_before_its_first_cards_resumes_the_match() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [anna, bert, cleo] = folders.each_ref().map(|folder| folder.path());
    let at = free_address();
    let terms = ["--seats", "4", "--open", "--hands", "1"];
    let (mut host, link) = host_at(anna, &at, &terms);
    let join = |folder: &Path, name: &str| {
        let args = ["join", &link, "--json", "--yes", "--name", name];
        Side::start(folder, &args)
    };
    let mut guest = join(bert, "Bert");
    are_here(&mut host, &["Bert"]);
    let mut other = join(cleo, "Cleo");
    are_here(&mut host, &["Bert", "Cleo"]);
    host.say(&json!({"do": "start"}));
    // All shuffle before the first card, so no card is opened while Cleo's machine has stopped.
    other.until("seated");
    other.signal("STOP");
    let of = guest.until("seated")["match"].clone();
    guest.kill();
    other.signal("CONT");
    assert_eq!(host.until("seated")["match"], of);
    let again = ["resume", "--json", "--auto", "--at", &at];
    let mut guest = Side::start(bert, &again);
    assert_eq!(guest.until("seated")["match"], of);
    for side in [&mut host, &mut guest, &mut other] {
        side.until("card");
    }
    drop([host, guest, other]);
}

/// A bot answers for nobody, so it must let all players sit down who come by its link, or expect some.
#[test]
fn bot_does_not_open_a_table_at_which_nobody_could_sit_down() {
    let [anna, bert] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let refused = |args: &[&str]| {
        let host = ["host", "--json", "--auto", "--listen", "127.0.0.1:0"];
        let (text, code) = command(anna.path(), &[&host, args].concat());
        assert_eq!(code, 1, "{text}");
        text
    };
    assert!(refused(&["--seats", "3"]).contains("use --open"));
    assert!(refused(&["--open"]).contains("--seats"));
    assert!(refused(&["--open", "--seats", "2"]).contains("--seats"));
    // Bert becomes a known player.
    let (mut host, link) = Side::host(anna.path(), &["--seats", "3", "--open"]);
    let guest = Side::join(bert.path(), &link, &[]);
    are_here(&mut host, &["Bert"]);
    drop((host, guest));
    let for_bert = ["--seats", "3", "--auto", "--for", "Bert"];
    let (mut host, _) = Side::host(anna.path(), &for_bert);
    let at = host.until("listening")["addresses"][0].clone();
    let _guest = Side::join(bert.path(), "Anna", &["--at", at.as_str().unwrap()]);
    are_here(&mut host, &["Bert"]);
}
