//! Three players at one table: programs that are killed and resumed, and guests who come and go
//! before the match.
#![cfg(unix)]

use crate::common;

use std::path::Path;

use common::matches::{resume, run};
use common::processes::free_address;
use common::side::{Side, of_kind};
use serde_json::{Value, json};
use tempfile::TempDir;

fn folders() -> [TempDir; 3] {
    [(); 3].map(|()| tempfile::tempdir().expect("a folder"))
}

/// Starts a host of three players at this address. Returns the host and its invites.
fn host(folder: &Path, at: &str, args: &[&str]) -> (Side, [String; 2]) {
    let host = [
        "host", "--json", "--seats", "3", "--auto", "--listen", at, "--name", "Anna",
    ];
    let mut host = Side::start(folder, &[&host, args].concat());
    let invites = [(); 2].map(|()| {
        let event = host.until("invite");
        event["invite"].as_str().expect("an invite").to_owned()
    });
    (host, invites)
}

fn bot(folder: &Path, invite: &str, name: &str) -> Side {
    Side::start(
        folder,
        &["join", invite, "--json", "--auto", "--yes", "--name", name],
    )
}

/// Reads the notices of a host up to one with this text.
fn notice(side: &mut Side, part: &str) {
    while !side.until("notice")["text"]
        .as_str()
        .expect("a text")
        .contains(part)
    {}
}

/// Asserts that all sides have played to the same end, and that their records agree.
fn assert_agree(sides: [Vec<Value>; 3], hands: usize) {
    let over = sides.map(|events| of_kind(&events, "over").last().cloned().expect("an end"));
    for one in &over {
        assert_eq!(
            (&one["how"], &one["hands"]),
            (&json!("played"), &json!(hands))
        );
        assert_eq!(one["stacks"], over[0]["stacks"]);
    }
    let files = over
        .each_ref()
        .map(|over| over["log"].as_str().expect("a file"));
    let verified = run(Path::new("."), &[&["verify"], &files[..]].concat());
    assert!(verified.status.success(), "{verified:?}");
    for file in files {
        assert!(
            !Path::new(file).with_extension("keys").exists(),
            "the secret is destroyed"
        );
    }
}

fn finished(side: Side) -> Vec<Value> {
    let (events, code) = side.finish();
    assert_eq!(code, 0, "{events:?}");
    events
}

/// Each round kills one program at its second event of a kind, and resumes it.
#[test]
fn killed_program_of_three_resumes_with_the_same_cards_and_chips() {
    for (killed, point) in [(0, "chose"), (1, "card"), (2, "dealt"), (0, "result")] {
        let folders = folders();
        let at = free_address();
        // No player can lose all chips.
        let stakes = ["--hands", "3", "--stack", "10000"];
        let (host, invites) = host(folders[0].path(), &at, &stakes);
        let bert = bot(folders[1].path(), &invites[0], "Bert");
        let cleo = bot(folders[2].path(), &invites[1], "Cleo");
        let mut sides = [Some(host), Some(bert), Some(cleo)];
        sides[killed].as_mut().unwrap().up_to(point);
        sides[killed].take().unwrap().kill();
        // The others learn this.
        if killed == 0 {
            // Without a connection to Cleo, Bert reports `line-lost` instead.
            let is_lost = |event: &Value| {
                let text = event["text"].as_str().unwrap_or_default();
                event["event"] == "line-lost" || text.starts_with("Anna is not connected")
            };
            while !is_lost(&sides[1].as_mut().unwrap().event()) {}
        } else {
            notice(sides[0].as_mut().unwrap(), "is not connected");
        }
        let folder = folders[killed].path();
        let again = match killed {
            0 => resume(folder, &["--auto", "--listen", &at]),
            _ => resume(folder, &["--auto"]),
        };
        sides[killed] = Some(again);
        assert_agree(sides.map(|side| finished(side.unwrap())), 3);
    }
}

/// Reads the events of a side up to the first report of a wait. Returns what the side waits for.
fn wait(side: &mut Side) -> [Value; 2] {
    let waiting = side.until("waiting");
    ["for", "seats"].map(|field| waiting[field].clone())
}

#[test]
fn players_who_sit_out_are_waited_for_until_they_sit_in_again() {
    let [a, b, c] = folders();
    let stakes = ["--hands", "3", "--stack", "10000", "--time", "3"];
    let (mut anna, invites) = host(a.path(), &free_address(), &stakes);
    let join = ["--json", "--yes", "--name"];
    let guests = [(&b, "Bert"), (&c, "Cleo")].into_iter().zip(&invites);
    let mut guests: Vec<Side> = guests
        .map(|((folder, name), invite)| {
            let args = [&["join", invite.as_str()], &join[..], &[name]].concat();
            Side::start(folder.path(), &args)
        })
        .collect();
    for guest in &mut guests {
        guest.until("seated");
        guest.say(&json!({"do": "sit-out"}));
    }
    while wait(&mut anna) != [json!("back"), json!([1, 2])] {}
}

/// The host of several waits for a guest that is away. The other guest is connected to the host, and
/// waits for it to resume the match.
#[test]
fn player_who_is_connected_is_not_waited_for_to_reconnect() {
    let folders = folders();
    let at = free_address();
    let stakes = ["--hands", "3", "--stack", "10000", "--time", "none"];
    let (mut anna, invites) = host(folders[0].path(), &at, &stakes);
    let bert = bot(folders[1].path(), &invites[0], "Bert");
    notice(&mut anna, "Bert is here");
    let mut cleo = bot(folders[2].path(), &invites[1], "Cleo");
    cleo.up_to("card");
    for side in [anna, bert, cleo] {
        side.kill();
    }
    let mut anna = resume(folders[0].path(), &["--auto", "--listen", &at]);
    let mut bert = resume(folders[1].path(), &["--auto", "--at", &at]);
    while wait(&mut bert) != [json!("history"), json!([0])] {}
    while wait(&mut anna) != [json!("line"), json!([2])] {}
}

/// A guest declines the list of players, and another one disconnects while it waits. The host
/// seats others in their place.
#[test]
fn host_seats_other_guests_in_place_of_those_who_leave() {
    let [a, b, c] = folders();
    let at = free_address();
    let (mut host, invites) = host(a.path(), &at, &["--hands", "1"]);
    let waiting = bot(b.path(), &invites[0], "Bert");
    notice(&mut host, "Bert is here: 2 of 3 players");
    waiting.kill();
    notice(&mut host, "Bert has left: 1 of 3 players");

    let bert = bot(b.path(), &invites[0], "Bert");
    let join = ["join", &invites[1], "--json", "--name", "Cleo"];
    let mut cleo = Side::start(c.path(), &join);
    let terms = cleo.until("ask-sit");
    assert_eq!(terms["names"].as_array().map(Vec::len), Some(3), "{terms}");
    cleo.say(&json!({"do": "sit", "agree": false}));
    assert_eq!(cleo.finish().1, 4);
    notice(&mut host, "Cleo has left: 2 of 3 players");

    // Cleo may come again with the same invite.
    let cleo = bot(c.path(), &invites[1], "Cleo");
    assert_agree([host, bert, cleo].map(finished), 1);
}

/// A guest agrees to a list of players after another one of them has left. It keeps its seat, and
/// is asked again about the next list.
#[test]
fn agreement_to_a_void_list_of_players_counts_for_nothing() {
    let [a, b, c] = folders();
    let (mut host, invites) = host(a.path(), &free_address(), &["--hands", "1"]);
    let join = ["join", &invites[0], "--json", "--name", "Bert"];
    let mut bert = Side::start(b.path(), &join);
    notice(&mut host, "Bert is here");
    let cleo = bot(c.path(), &invites[1], "Cleo");
    let first = bert.until("ask-sit");
    cleo.kill();
    notice(&mut host, "Cleo has left: 2 of 3 players");
    bert.say(&json!({"do": "sit", "agree": true}));

    let cleo = bot(c.path(), &invites[1], "Cleo");
    let second = bert.until("ask-sit");
    assert_ne!(first["match"], second["match"]);
    bert.say(&json!({"do": "sit", "agree": true}));
    bert.until("your-turn");
    bert.say(&json!({"do": "fold"}));
    assert_agree([host, bert, cleo].map(finished), 1);
}

#[test]
fn host_waits_for_its_guests_until_the_timeout() {
    let [a, b, _] = folders();
    let (mut host, invites) = host(a.path(), "127.0.0.1:0", &["--timeout", "10"]);
    let bert = bot(b.path(), &invites[0], "Bert");
    notice(&mut host, "Bert is here");
    let (events, code) = host.finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 1 && message.contains("nobody sat down in time"),
        "{events:?}"
    );
    assert_eq!(bert.finish().1, 3);
    let listed = run(a.path(), &["resume", "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["matches"], json!([]));
}

#[test]
fn known_player_is_told_that_the_table_is_full() {
    let [a, b, c] = folders();
    let d = tempfile::tempdir().expect("a folder");
    let at = free_address();
    // Dora becomes known, and leaves.
    let (mut anna, invites) = host(a.path(), &at, &[]);
    let dora = bot(d.path(), &invites[0], "Dora");
    notice(&mut anna, "Dora is here");
    for side in [dora, anna] {
        side.kill();
    }
    let stakes = ["--hands", "3", "--stack", "10000", "--time", "none"];
    let (mut anna, invites) = host(a.path(), &at, &stakes);
    let bert = bot(b.path(), &invites[0], "Bert");
    let join = ["join", &invites[1], "--json", "--yes", "--name", "Cleo"];
    let cleo = Side::start(c.path(), &join);
    anna.until("seated");
    let dora = [
        "join", "Anna", "--at", &at, "--json", "--auto", "--yes", "--name", "Dora",
    ];
    let (events, code) = Side::start(d.path(), &dora).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(
        code == 4 && message.contains("The table is full"),
        "{message}"
    );
    drop([bert, cleo]);
}

/// A host that is lost while a guest is asked about the other players has not got its consent.
#[test]
fn guest_that_is_asked_agrees_to_nothing_when_its_host_is_lost() {
    let folders = folders();
    let [a, b, c] = folders.each_ref().map(|folder| folder.path());
    let (mut host, invites) = host(a, &free_address(), &[]);
    let bert = bot(b, &invites[0], "Bert");
    notice(&mut host, "Bert is here");
    let mut cleo = Side::start(c, &["join", &invites[1], "--json", "--name", "Cleo"]);
    cleo.until("ask-sit");
    host.kill();
    let (events, code) = cleo.finish();
    let error = of_kind(&events, "error").pop().expect("an error");
    let message = error["message"].as_str().unwrap();
    assert!(
        code == 3 && !message.contains("may have begun"),
        "{events:?}"
    );
    assert_eq!(common::matches::file(c, "log"), None);
    bert.kill();
}

/// A program whose input ends before a match ends without a word.
#[test]
fn guest_whose_input_ends_before_the_match_leaves_nothing() {
    let folders = folders();
    let [a, b, c] = folders.each_ref().map(|folder| folder.path());
    let (mut host, invites) = host(a, &free_address(), &[]);
    let mut bert = Side::start(b, &["join", &invites[0], "--json", "--name", "Bert"]);
    notice(&mut host, "Bert is here");
    let cleo = bot(c, &invites[1], "Cleo");
    bert.until("ask-sit");
    // The end of its input declines.
    bert.input = None;
    let (events, code) = bert.finish();
    assert_eq!(code, 4, "{events:?}");
    assert_eq!(common::matches::file(b, "log"), None);
    notice(&mut host, "Bert has left");
    for side in [host, cleo] {
        side.kill();
    }
}
