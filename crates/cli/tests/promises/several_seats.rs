//! A match of three players, from the link of the table to the records of all of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::matches::{file, host_at, resume};
use crate::common::processes::{LIMIT, free_address};
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

/// Plays a match of bots: a host in the first folder, and guests who join by these words. Returns
/// the events of all players.
fn play(
    folders: &[&Path],
    at: &str,
    host: &[&str],
    joins: &[(&str, Option<&str>)],
) -> Vec<Vec<Value>> {
    let (mut host, link) = host_at(folders[0], at, &[host, &["--auto", "--open"]].concat());
    let mut sides = Vec::new();
    let mut here = Vec::new();
    for (folder, (name, whom)) in folders[1..].iter().zip(joins) {
        let whom = whom.unwrap_or(&link);
        let args = ["join", whom, "--json", "--yes", "--auto", "--name", name];
        sides.push(Side::start(folder, &args));
        here.push(*name);
        are_here(&mut host, &here);
    }
    let all = [host].into_iter().chain(sides).map(Side::finish);
    let good = |(events, code): (Vec<Value>, i32)| {
        assert_eq!(code, 0, "{:?}", events.last());
        events
    };
    all.map(good).collect()
}

#[test]
fn a_match_continues_with_the_chips_of_the_last_one() {
    let folders = [(); 5].map(|()| tempfile::tempdir().unwrap());
    let [anna, bert, cleo, dora, emil] = folders.each_ref().map(|folder| folder.path());
    let at = free_address();
    let terms = [
        "--seats", "4", "--hands", "3", "--stack", "50", "--blinds", "2/4",
    ];
    let joins = [("Bert", None), ("Cleo", None), ("Dora", None)];
    let first = play(&[anna, bert, cleo, dora], &at, &terms, &joins);
    let stacks = first[0].last().unwrap()["stacks"].clone();
    let [id, before] = ["match", "log"].map(|field| of_kind(&first[0], "seated")[0][field].clone());

    // Dora is away, and Emil is new. Cleo comes before Bert and keeps her place.
    let after = ["--after", "--seats", "4", "--hands", "1"];
    let joins = [
        ("Cleo", Some("Anna")),
        ("Bert", Some("Anna")),
        ("Emil", None),
    ];
    let second = play(&[anna, cleo, bert, emil], &at, &after, &joins);
    let seated = of_kind(&second[0], "seated")[0].clone();
    // Emil sits to the left of the last big blind.
    let names: Vec<&str> = seated["names"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(Value::as_str)
        .collect();
    let old: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| *name != "Emil")
        .collect();
    assert_eq!((old, names.len()), (vec!["Anna", "Bert", "Cleo"], 4));
    assert_eq!(
        [&seated["game"], &seated["stack"], &seated["blinds"]],
        [&json!("holdem"), &json!(50), &json!([2, 4])]
    );
    let or_full = |seat: usize| match stacks[seat].as_u64().unwrap() {
        0 => 50,
        chips => chips,
    };
    let chips = |name: &&str| match *name {
        "Anna" => or_full(0),
        "Bert" => or_full(1),
        "Cleo" => or_full(2),
        _ => 50,
    };
    let start: Vec<u64> = names.iter().map(chips).collect();
    assert_eq!(seated["continues"], json!({ "match": id, "stacks": start }));

    let now = file_of(&second[3]);
    let files = [before.as_str().unwrap(), now.to_str().unwrap()];
    let (text, code) = command(anna, &[&["verify"], &files[..]].concat());
    assert_eq!(code, 0, "{text}");
    let continues = format!("Continues match {} after its ", &id.as_str().unwrap()[..16]);
    assert!(text.contains(&continues), "{text}");
    for line in [
        "One match continues the other with the chips of its end.",
        ": 2 matches here.\n  Anna   ",
        "\n  Emil   ",
        "\n  Dora   ",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let (text, _) = command(anna, &[&["verify", "--json"], &files[..]].concat());
    let verified: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        verified["compared"],
        json!({ "how": "continues", "agrees": true })
    );
    assert_eq!(verified["records"][1]["record"]["continues"]["match"], id);
    let table = &verified["tables"][0];
    assert_eq!(table["matches"][0], id);
    let players = table["players"].as_array().unwrap();
    let won = players.iter().map(|player| player["won"].as_i64().unwrap());
    assert_eq!((players.len(), won.sum::<i64>()), (5, 0));

    // The chips of a match go to one other match only.
    let of = &id.as_str().unwrap()[..16];
    let (_, code) = command(anna, &["host", "--after", of, "--auto", "--listen", &at]);
    assert_eq!(code, 1);
    let (_, code) = command(emil, &["host", "--after", of, "--auto", "--listen", &at]);
    assert_eq!(code, 1);
}

#[test]
fn guest_refuses_a_match_that_continues_another_end() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [anna, bert, cleo] = folders.each_ref().map(|folder| folder.path());
    let at = free_address();
    let terms = ["--seats", "3", "--hands", "1"];
    let joins = [("Bert", None), ("Cleo", None)];
    let first = play(&[anna, bert, cleo], &at, &terms, &joins);
    // Bert's file ends before the last result.
    let file = file_of(&first[1]);
    let length = std::fs::metadata(&file).unwrap().len();
    let cut = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
    cut.set_len(length - 400).unwrap();
    drop(cut);
    // Players learn from the list of players what a match continues.
    let (mut host, link) = Side::host(cleo, &["--after", "--auto"]);
    let join = |folder: &Path, name: &str| {
        let join = ["join", &link, "--json", "--yes", "--auto", "--name", name];
        Side::start(folder, &join)
    };
    let other = join(anna, "Anna");
    are_here(&mut host, &["Anna"]);
    let (events, code) = join(bert, "Bert").finish();
    let message = events.last().unwrap()["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        code == 1 && message.contains("with another end"),
        "{message}"
    );
    // The seat of a player who refuses is free at once.
    while host.until("table")["players"][2]["name"] != "Bert" {}
    assert_eq!(host.until("table")["players"][2], Value::Null);
    drop([host, other]);
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

/// A guest agrees to a match, and its program is killed before it learns that the match has begun. It resumes the
/// match, although it has signed nothing yet.
#[cfg(unix)]
#[test]
fn guest_that_is_killed_before_its_first_signature_resumes_the_match() {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [anna, bert, cleo] = folders.each_ref().map(|folder| folder.path());
    let at = free_address();
    let terms = ["--seats", "4", "--open", "--hands", "1"];
    let (mut host, link) = host_at(anna, &at, &terms);
    let join = |folder: &Path, name: &str| {
        let args = ["join", &link, "--json", "--yes", "--name", name];
        Side::start(folder, &args)
    };
    let guest = join(bert, "Bert");
    are_here(&mut host, &["Bert"]);
    let mut other = join(cleo, "Cleo");
    are_here(&mut host, &["Bert", "Cleo"]);
    // Cleo's machine stops, so that only Bert agrees at once.
    other.signal("STOP");
    host.say(&json!({"do": "start"}));
    let begun = Instant::now();
    while file(bert, "log").is_none() {
        assert!(begun.elapsed() < LIMIT, "Bert has not agreed");
        thread::sleep(Duration::from_millis(10));
    }
    // The answer is sent at once after the file was created.
    thread::sleep(Duration::from_millis(500));
    // Now Bert's machine stops, and the others begin.
    guest.signal("STOP");
    other.signal("CONT");
    let of = host.until("seated")["match"].clone();
    assert!(of_kind(&guest.kill(), "seated").is_empty());
    let again = ["resume", "--json", "--auto", "--at", &at];
    let mut guest = Side::start(bert, &again);
    assert_eq!(guest.until("seated")["match"], of);
    for side in [&mut host, &mut guest, &mut other] {
        side.until("dealt");
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
