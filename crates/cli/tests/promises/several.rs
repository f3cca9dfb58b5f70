//! Three players at one table: programs that are killed and resumed, and guests who come and go
//! before the match.
#![cfg(unix)]

use crate::common;

use std::path::Path;

use common::matches::{resume, run};
use common::processes::{LIMIT, free_address};
use common::side::{Side, of_kind};
use common::tables::{are_here, at_door, decide};
use dealerless_connection::identity::{Home, Name};
use dealerless_connection::testing::{Connection, Guest};
use dealerless_connection::{Timing, system_rng};
use dealerless_table::play::Control;
use serde_json::{Value, json};
use tempfile::TempDir;

fn folders() -> [TempDir; 3] {
    [(); 3].map(|()| tempfile::tempdir().expect("a folder"))
}

/// Starts a bot that hosts an open table of three players at this address. Returns the host and the link.
fn host(folder: &Path, at: &str, args: &[&str]) -> (Side, String) {
    table(
        folder,
        at,
        &[&["--seats", "3", "--open", "--auto"], args].concat(),
    )
}

/// Starts a host of a table at this address. Returns the host and the link.
fn table(folder: &Path, at: &str, args: &[&str]) -> (Side, String) {
    let host = ["host", "--json", "--listen", at, "--name", "Anna"];
    let mut host = Side::start(folder, &[&host, args].concat());
    let event = host.until("invite");
    assert!(event["seats"].is_u64(), "{event}");
    let link = event["invite"].as_str().expect("a link").to_owned();
    (host, link)
}

fn bot(folder: &Path, invite: &str, name: &str) -> Side {
    Side::start(
        folder,
        &["join", invite, "--json", "--auto", "--yes", "--name", name],
    )
}

/// Reads the notices of a player up to one with this text.
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
        let (host, link) = host(folders[0].path(), &at, &stakes);
        let bert = bot(folders[1].path(), &link, "Bert");
        let cleo = bot(folders[2].path(), &link, "Cleo");
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
    let (mut anna, link) = host(a.path(), &free_address(), &stakes);
    let join = ["--json", "--yes", "--name"];
    let guests = [(&b, "Bert"), (&c, "Cleo")]
        .into_iter()
        .map(|guest| (guest, &link));
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
    let (mut anna, link) = host(folders[0].path(), &at, &stakes);
    let bert = bot(folders[1].path(), &link, "Bert");
    are_here(&mut anna, &["Bert"]);
    let mut cleo = bot(folders[2].path(), &link, "Cleo");
    cleo.up_to("card");
    for side in [anna, bert, cleo] {
        side.kill();
    }
    let mut anna = resume(folders[0].path(), &["--auto", "--listen", &at]);
    let mut bert = resume(folders[1].path(), &["--auto", "--at", &at]);
    while wait(&mut bert) != [json!("history"), json!([0])] {}
    while wait(&mut anna) != [json!("line"), json!([2])] {}
}

/// A guest declines the terms, and another one loses its connection while it waits. It keeps its seat, and the match
/// begins when it is back.
#[test]
fn host_keeps_the_seat_of_a_guest_who_is_away_and_seats_no_guest_who_declines() {
    let [a, b, c] = folders();
    let at = free_address();
    let (mut host, link) = host(a.path(), &at, &["--hands", "1"]);
    let waiting = bot(b.path(), &link, "Bert");
    are_here(&mut host, &["Bert"]);
    waiting.kill();
    are_here(&mut host, &["Bert?"]);

    let join = ["join", &link, "--json", "--name", "Cleo"];
    let mut cleo = Side::start(c.path(), &join);
    let terms = cleo.until("ask-table");
    assert_eq!(
        (&terms["host"], &terms["seats"]),
        (&json!("Anna"), &json!(3))
    );
    cleo.say(&json!({"do": "sit", "agree": false}));
    assert_eq!(cleo.finish().1, 4);

    // Cleo may come again with the same link.
    let cleo = bot(c.path(), &link, "Cleo");
    are_here(&mut host, &["Bert?", "Cleo"]);
    let bert = bot(b.path(), &link, "Bert");
    assert_agree([host, bert, cleo].map(finished), 1);
}

/// The host's player decides about each player who comes by the link, and begins with those who are here.
#[test]
fn host_accepts_and_declines_players_and_starts_with_fewer() {
    let [a, b, c] = folders();
    let d = tempfile::tempdir().expect("a folder");
    let terms = ["--seats", "6", "--hands", "1"];
    let (mut host, link) = table(a.path(), "127.0.0.1:0", &terms);
    host.say(&json!({"do": "start"}));
    let refused = host.until("error");
    assert!(refused["exit_code"].is_null(), "{refused}");
    let guests = [(&b, "Bert"), (&c, "Cleo"), (&d, "Dora")];
    let [bert, cleo, dora] = guests.map(|(folder, name)| {
        let guest = bot(folder.path(), &link, name);
        let last = at_door(&mut host).pop().expect("a player");
        assert_eq!((&last["name"], &last["hands"]), (&json!(name), &json!(0)));
        (guest, last)
    });
    // Nobody is a known player before it is accepted.
    let known = || {
        let peers = run(a.path(), &["peers", "--json"]);
        String::from_utf8(peers.stdout)
            .expect("text")
            .matches("fingerprint")
            .count()
    };
    assert_eq!(known(), 0);
    // The host answers in any order.
    decide(&mut host, &cleo.1, false);
    assert_eq!(at_door(&mut host), [bert.1.clone(), dora.1.clone()]);
    assert_eq!(cleo.0.finish().1, 4);
    for (at, guest) in [&dora, &bert].into_iter().enumerate() {
        decide(&mut host, &guest.1, true);
        are_here(&mut host, &["Dora", "Bert"][..=at]);
    }
    assert_eq!(known(), 2);
    // A player who was declined is declined again, without a question.
    assert_eq!(bot(c.path(), &link, "Cleo").finish().1, 4);
    host.say(&json!({"do": "start"}));
    let seated = host.until("seated");
    assert_eq!(seated["names"], json!(["Anna", "Dora", "Bert"]));
    host.until("your-turn");
    host.say(&json!({"do": "fold"}));
    assert_agree([host, bert.0, dora.0].map(finished), 1);
}

/// A player with a modified program, and an identity of its own.
struct Stranger {
    home: Home,
    name: Name,
    _folder: TempDir,
}

impl Stranger {
    fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Stranger {
            home: Home::open(folder.path(), None, &mut system_rng()).expect("a home"),
            name: Name::clean(name),
            _folder: folder,
        }
    }

    /// Comes by a link, and asks for a seat.
    fn asks(&self, link: &str) -> Connection {
        let guest = Guest {
            identity: self.home.identity(),
            name: &self.name,
            timing: Timing::default(),
        };
        let connection = guest.join(&link.parse().expect("a link")).expect("a host");
        let sent = connection.send_control(Control::Sit.encode());
        sent.expect("an open connection");
        connection
    }
}

/// The answer of the host on a connection, if it is open.
fn answer(connection: &Connection) -> Option<Control> {
    let message = connection.recv(LIMIT).ok()?;
    Some(Control::decode(&message.bytes).expect("a message"))
}

/// Each identity has one place at the door, and the newest connection of it counts.
#[test]
fn sixteen_players_wait_at_the_door_and_one_more_replaces_the_oldest() {
    let [a, _, _] = folders();
    let (mut host, link) = table(a.path(), "127.0.0.1:0", &["--seats", "3"]);
    let strangers: Vec<Stranger> = (0..17)
        .map(|number| Stranger::new(&format!("Number {number}")))
        .collect();
    let mut connections: Vec<Connection> = Vec::new();
    let mut waiting = Vec::new();
    for stranger in &strangers[..16] {
        connections.push(stranger.asks(&link));
        waiting = at_door(&mut host);
        assert_eq!(waiting.len(), connections.len());
    }
    // Nothing changes for the host if a player comes again.
    let before = std::mem::replace(&mut connections[3], strangers[3].asks(&link));
    assert_eq!(answer(&before), None);
    connections.push(strangers[16].asks(&link));
    let now = at_door(&mut host);
    assert_eq!(now[..15], waiting[1..]);
    assert_eq!(now[15]["name"], json!("Number 16"));
    assert_eq!(answer(&connections[0]), Some(Control::Taken));
    decide(&mut host, &waiting[3], true);
    let admitted = answer(&connections[3]);
    assert!(
        matches!(admitted, Some(Control::Waits { place: 0, .. })),
        "{admitted:?}"
    );
    decide(&mut host, &now[15], false);
    assert_eq!(answer(&connections[16]), Some(Control::Declined));
    // A player who was replaced may come again.
    let _again = strangers[0].asks(&link);
    loop {
        let last = at_door(&mut host).pop().expect("a player");
        if last["name"] == json!("Number 0") {
            break;
        }
    }
}

/// A table is full, but the match cannot begin yet. One more guest has a place in the queue until the table is closed.
#[test]
fn guest_without_a_seat_waits_for_one_and_is_told_when_the_table_is_closed() {
    let [a, b, c] = folders();
    let d = tempfile::tempdir().expect("a folder");
    let (mut host, link) = host(a.path(), &free_address(), &["--hands", "1"]);
    let bert = bot(b.path(), &link, "Bert");
    are_here(&mut host, &["Bert"]);
    bert.kill();
    are_here(&mut host, &["Bert?"]);
    let cleo = bot(c.path(), &link, "Cleo");
    are_here(&mut host, &["Bert?", "Cleo"]);
    let mut dora = bot(d.path(), &link, "Dora");
    let table = dora.until("table");
    assert_eq!((&table["place"], &table["seats"]), (&json!(1), &json!(3)));
    let bert = bot(b.path(), &link, "Bert");
    let (events, code) = dora.finish();
    let message = events.last().expect("an error")["message"].to_string();
    assert!(
        code == 4 && message.contains("The table is full"),
        "{message}"
    );
    assert_agree([host, bert, cleo].map(finished), 1);
}

/// The holders of a replaced link get no answer.
#[test]
fn replaced_link_reaches_nobody_and_the_new_one_does() {
    let [a, b, c] = folders();
    // A bot takes no commands.
    let terms = ["--seats", "3", "--open", "--hands", "1"];
    let (mut host, old) = table(a.path(), "127.0.0.1:0", &terms);
    let bert = bot(b.path(), &old, "Bert");
    are_here(&mut host, &["Bert"]);
    host.say(&json!({"do": "link-new"}));
    let new = host.until("invite")["invite"]
        .as_str()
        .expect("a link")
        .to_owned();
    assert_ne!(new, old);
    let (events, code) = bot(c.path(), &old, "Cleo").finish();
    let message = events.last().expect("an error")["message"].to_string();
    assert!(
        code == 3 && message.contains("the invite is outdated"),
        "{message}"
    );
    // Bert keeps his seat.
    let cleo = bot(c.path(), &new, "Cleo");
    host.until("your-turn");
    host.say(&json!({"do": "fold"}));
    assert_agree([host, bert, cleo].map(finished), 1);
}

#[test]
fn host_waits_for_its_guests_until_the_timeout() {
    let [a, b, _] = folders();
    let (mut host, link) = host(a.path(), "127.0.0.1:0", &["--timeout", "10"]);
    let bert = bot(b.path(), &link, "Bert");
    are_here(&mut host, &["Bert"]);
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
fn known_player_waits_for_a_seat_while_the_others_play() {
    let [a, b, c] = folders();
    let d = tempfile::tempdir().expect("a folder");
    let at = free_address();
    // Dora becomes known, and leaves.
    let (mut anna, link) = host(a.path(), &at, &[]);
    let dora = bot(d.path(), &link, "Dora");
    are_here(&mut anna, &["Dora"]);
    for side in [dora, anna] {
        side.kill();
    }
    let stakes = ["--hands", "3", "--stack", "10000", "--time", "none"];
    let (mut anna, link) = host(a.path(), &at, &stakes);
    let bert = bot(b.path(), &link, "Bert");
    let join = ["join", &link, "--json", "--yes", "--name", "Cleo"];
    let cleo = Side::start(c.path(), &join);
    anna.until("seated");
    let dora = [
        "join", "Anna", "--at", &at, "--json", "--auto", "--yes", "--name", "Dora",
    ];
    let table = Side::start(d.path(), &dora).until("table");
    assert_eq!((&table["place"], &table["seats"]), (&json!(1), &json!(3)));
    drop([bert, cleo]);
}

/// A host that is lost while a guest is asked about the terms has not got its consent.
#[test]
fn guest_that_is_asked_agrees_to_nothing_when_its_host_is_lost() {
    let folders = folders();
    let [a, b, c] = folders.each_ref().map(|folder| folder.path());
    let (mut host, link) = host(a, &free_address(), &[]);
    let bert = bot(b, &link, "Bert");
    are_here(&mut host, &["Bert"]);
    let mut cleo = Side::start(c, &["join", &link, "--json", "--name", "Cleo"]);
    cleo.until("ask-table");
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
    let (mut host, link) = host(a, &free_address(), &[]);
    let mut bert = Side::start(b, &["join", &link, "--json", "--name", "Bert"]);
    let cleo = bot(c, &link, "Cleo");
    are_here(&mut host, &["Cleo"]);
    bert.until("ask-table");
    // The end of its input declines.
    bert.input = None;
    let (events, code) = bert.finish();
    assert_eq!(code, 4, "{events:?}");
    assert_eq!(common::matches::file(b, "log"), None);
    for side in [host, cleo] {
        side.kill();
    }
}
