//! A host seats the guest with its invite and the player named by `--for`. It lists all other players who want to play,
//! and its user answers in any order. A player gains nothing by repeated requests, by silence or by many connections.

use dealerless_connection::identity::{Home, Name};
use dealerless_connection::system_rng;
use dealerless_connection::testing::{Connection, Guest};
use dealerless_connection::{ConnectionError, Timing};

use crate::common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use common::matches::{host_at, run};
use common::processes::LIMIT;
use common::processes::free_address;
use common::side::{Side, of_kind};
use common::tables::{at_door, decide, only_one_at_door};
use dealerless_table::play::Control;
use serde_json::{Value, json};
use tempfile::TempDir;

const GAME: [&str; 8] = [
    "--game", "deck", "--cards", "3", "--draw", "1", "--hands", "1",
];

/// The folders of Anna, Bert and Carla. Anna has played with Carla, but does not know Bert.
fn three() -> [TempDir; 3] {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [anna, _, carla] = folders.each_ref().map(TempDir::path);
    let (host, invite) = Side::host(anna, &[&GAME[..], &["--auto"]].concat());
    let join = ["join", &invite, "--json", "--auto", "--name", "Carla"];
    assert_eq!(Side::start(carla, &join).finish().1, 0);
    assert_eq!(host.finish().1, 0);
    folders
}

/// Starts a host. Returns the host, its invite and its address.
fn host(folder: &Path, more: &[&str]) -> (Side, String, String) {
    let (mut host, invite) = Side::host(folder, &[&GAME[..], more].concat());
    let at = host.until("listening")["addresses"][0].clone();
    (host, invite, at.as_str().unwrap().to_owned())
}

/// Starts Carla, who joins by the name of the host.
fn join_by_name(folder: &Path, at: &str) -> Side {
    let join = ["join", "Anna", "--at", at, "--json", "--yes"];
    Side::start(folder, &join)
}

/// Asserts that a guest was refused. Returns the message.
fn refused(guest: Side) -> String {
    let (events, code) = guest.finish();
    let last = events.last().unwrap().clone();
    assert_eq!((code, &last["exit_code"]), (4, &json!(4)), "{events:?}");
    assert!(of_kind(&events, "seated").is_empty(), "{events:?}");
    last["message"].as_str().unwrap().to_owned()
}

/// Carla with a modified program.
struct Carla {
    home: Home,
    at: String,
}

impl Carla {
    fn new(folder: &Path, at: &str) -> Self {
        let home = Home::open(folder, None, &mut system_rng()).unwrap();
        let at = at.to_owned();
        Carla { home, at }
    }

    /// Connects to Anna and sends these messages.
    fn connect(&self, messages: &[Control]) -> Connection {
        let guest = Guest {
            identity: self.home.identity(),
            name: &Name::clean("Bert"),
            timing: Timing::default(),
        };
        let peers = self.home.known_peers().unwrap();
        let anna = &peers.lock().peers()[0].identity.clone();
        let at = [self.at.parse().unwrap()];
        let connection = guest.join_again(anna, &at, None).unwrap();
        for message in messages {
            connection.send_control(message.encode()).unwrap();
        }
        connection
    }
}

/// The answer of the host on a connection.
fn answer(connection: &Connection) -> Result<Control, ConnectionError> {
    let message = connection.recv(LIMIT)?;
    Ok(Control::decode(&message.bytes).unwrap())
}

#[test]
fn repeated_requests_do_not_take_the_seat_of_the_invited_guest() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let carla = Carla::new(c.path(), &at);
    // Carla tries five times before the guest arrives.
    let mut tries: Vec<Connection> = (0..5).map(|_| carla.connect(&[Control::Sit])).collect();
    let asked = only_one_at_door(&mut host);
    // The question has the name that Anna knows, not the name that Carla uses now.
    assert_eq!(
        (&asked["name"], &asked["hands"]),
        (&json!("Carla"), &json!(1))
    );
    let message = asked["message"].as_str().unwrap();
    assert!(message.contains("calling itself Bert,"), "{message}");
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    guest.until("seated");
    let mut events = Vec::new();
    loop {
        let event = host.event();
        let seated = event["event"] == "seated";
        events.push(event);
        if seated {
            break;
        }
    }
    assert_eq!(events.last().unwrap()["names"], json!(["Anna", "Bert"]));
    // The list changes only when the match begins.
    let lists = of_kind(&events, "at-door");
    assert_eq!(lists, [json!({"event": "at-door", "players": []})]);
    // The reason is sent on Carla's newest connection, which replaced her earlier connections.
    assert_eq!(answer(&tries.pop().unwrap()), Ok(Control::Taken));
    assert!(tries.iter().all(|connection| answer(connection).is_err()));
    assert_eq!(answer(&carla.connect(&[])), Ok(Control::Taken));
}

#[test]
fn invite_of_an_earlier_host_needs_a_question() {
    let [a, b, _] = three();
    let at = free_address();
    let args = |folder| host_at(folder, &at, &GAME);
    let (earlier, old) = args(a.path());
    earlier.kill();
    let (mut host, _) = args(a.path());
    let guest = Side::join(b.path(), &old, &[]);
    let asked = only_one_at_door(&mut host);
    assert_eq!(
        (&asked["name"], &asked["hands"]),
        (&json!("Bert"), &json!(0))
    );
    decide(&mut host, &asked, false);
    refused(guest);
    host.kill();
    // The second host has bound the invite to Bert's keys, but the third host did not create it.
    let (mut host, _) = args(a.path());
    let _guest = Side::join(b.path(), &old, &[]);
    assert_eq!(only_one_at_door(&mut host)["name"], "Bert");
}

#[test]
fn accepted_known_player_takes_the_seat_and_the_guest_sees_why() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let mut carla = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut host);
    let notice = carla.until("notice")["text"].to_string();
    assert!(notice.contains("has not accepted it yet"), "{notice}");
    // Answers about another player, or commands of a match, admit nobody.
    for (wrong, code) in [
        (json!({"do": "accept", "fingerprint": "x"}), "nobody-asked"),
        (json!({"do": "rebuy", "agree": true}), "not-allowed"),
    ] {
        host.say(&wrong);
        assert_eq!(host.until("error")["code"], code);
    }
    decide(&mut host, &asked, true);
    host.until("seated");
    carla.until("seated");
    let message = refused(Side::join(b.path(), &invite, &[]));
    assert!(
        message.starts_with("The seat is taken: another player"),
        "{message}"
    );
    assert!(!message.contains("start again"), "{message}");
}

#[test]
fn host_answers_in_any_order_and_the_others_learn_that_the_seat_is_taken() {
    let [a, b, c] = three();
    let at = free_address();
    let (earlier, old) = host_at(a.path(), &at, &GAME);
    earlier.kill();
    let (mut host, _) = host_at(a.path(), &at, &GAME);
    let carla = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut host);
    let mut bert = Side::join(b.path(), &old, &[]);
    let both = at_door(&mut host);
    assert_eq!(both.len(), 2, "{both:?}");
    assert_eq!((&both[0], &both[1]["name"]), (&asked, &json!("Bert")));
    decide(&mut host, &both[1], true);
    assert_eq!(at_door(&mut host), [asked]);
    assert!(at_door(&mut host).is_empty());
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
    bert.until("seated");
    let message = refused(carla);
    assert!(message.starts_with("The seat is taken"), "{message}");
}

#[test]
fn declined_guest_is_told_and_not_asked_about_again() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let first = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut host);
    decide(&mut host, &asked, false);
    let message = refused(first);
    assert!(message.contains("declined to play with you"), "{message}");
    assert!(at_door(&mut host).is_empty());
    assert_eq!(refused(join_by_name(c.path(), &at)), message);
    // Connections that send nothing, too much or a wrong message cause at most one notice.
    let carla = Carla::new(c.path(), &at);
    for messages in [&[][..], &[const { Control::Sit }; 50], &[Control::Taken]] {
        for _ in 0..4 {
            drop(carla.connect(messages));
        }
    }
    assert_eq!(
        answer(&carla.connect(&[Control::Sit])),
        Ok(Control::Declined)
    );
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let mut events = Vec::new();
    while events
        .last()
        .is_none_or(|event: &Value| event["event"] != "seated")
    {
        events.push(host.event());
    }
    assert!(of_kind(&events, "at-door").is_empty(), "{events:?}");
    let notices = of_kind(&events, "notice");
    let gone = |notice: &&Value| notice["text"].to_string().contains("did not sit down");
    assert!(notices.iter().filter(gone).count() <= 1, "{events:?}");
    drop(guest);
}

#[test]
fn player_who_leaves_during_the_question_is_not_waited_for() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let carla = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut host);
    carla.kill();
    assert!(at_door(&mut host).is_empty());
    decide(&mut host, &asked, true);
    assert_eq!(host.until("error")["code"], "nobody-asked");
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    guest.until("seated");
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
}

#[test]
fn bot_seats_no_known_player_except_the_one_named_by_for() {
    let [a, _, c] = three();
    let (anna, _, at) = host(a.path(), &["--auto"]);
    let message = refused(join_by_name(c.path(), &at));
    assert!(message.contains("dealerless host --for"), "{message}");
    assert!(of_kind(&anna.kill(), "at-door").is_empty());
    for name in ["Dora", "Carl"] {
        let wrong = run(a.path(), &["host", "--for", name]);
        assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    }
    let (anna, _, at) = host(a.path(), &["--auto", "--for", "Carla"]);
    let carla = ["join", "Anna", "--at", &at, "--json", "--auto"];
    let (events, code) = Side::start(c.path(), &carla).finish();
    assert_eq!(code, 0, "{events:?}");
    let (events, code) = anna.finish();
    assert!(
        code == 0 && of_kind(&events, "at-door").is_empty(),
        "{events:?}"
    );
}

#[test]
fn blocked_player_sees_the_message_of_a_decline_and_cannot_be_joined() {
    let [a, _, c] = three();
    let [anna, carla] = [a.path(), c.path()];
    let blocked = run(anna, &["peers", "block", "Carla", "--json"]);
    let blocked: Value = serde_json::from_slice(&blocked.stdout).unwrap();
    assert_eq!(blocked["peer"]["blocked"], json!(true));
    let wrong = run(anna, &["host", "--for", "Carla"]);
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    let (host_side, _, at) = host(anna, &[]);
    let by_block = refused(join_by_name(carla, &at));
    assert!(of_kind(&host_side.kill(), "at-door").is_empty());

    // A guest that has blocked the host is refused by its own program, before anything is sent.
    assert!(run(carla, &["peers", "block", "Anna"]).status.success());
    let (events, code) = join_by_name(carla, "127.0.0.1:1").finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("peers unblock"), "{message}");
    assert!(run(carla, &["peers", "unblock", "Anna"]).status.success());
    // An invite of the blocked host is refused in the same way.
    let (host_side, invite, _) = host(carla, &[]);
    let (events, code) = Side::join(anna, &invite, &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("peers unblock"), "{message}");
    drop(host_side);

    assert!(run(anna, &["peers", "unblock", "Carla"]).status.success());
    let (mut host_side, _, at) = host(anna, &[]);
    let guest = join_by_name(carla, &at);
    let asked = only_one_at_door(&mut host_side);
    decide(&mut host_side, &asked, false);
    assert_eq!(refused(guest), by_block);
}

/// The folders of Anna, Bert and Carla. Anna and Carla have an open match.
fn with_an_open_match() -> [TempDir; 3] {
    let folders = three();
    let [anna, _, carla] = folders.each_ref().map(TempDir::path);
    let game = ["--hands", "3", "--for", "Carla"];
    let (mut host, _) = Side::host(anna, &game);
    let at = host.until("listening")["addresses"][0].clone();
    let mut guest = join_by_name(carla, at.as_str().unwrap());
    // Both players have now signed parts of the match.
    host.until("sealed");
    guest.until("sealed");
    host.kill();
    guest.kill();
    folders
}

#[test]
fn player_of_a_closed_match_does_not_take_the_seat_of_the_invited_guest() {
    let [a, b, c] = with_an_open_match();
    let closed = run(a.path(), &["resume", "--close"]);
    assert!(closed.status.success(), "{closed:?}");
    let (mut host, invite, at) = host(a.path(), &[]);
    let mut carla = join_by_name(c.path(), &at);
    let message = loop {
        let event = carla.event();
        assert_ne!(event["event"], "resumed", "Carla has the seat");
        if event["event"] == "error" {
            break event["message"].to_string();
        }
    };
    assert!(
        message.contains("no longer has your open match"),
        "{message}"
    );
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
}

#[test]
fn open_match_resumes_if_the_host_agrees() {
    let [a, b, c] = with_an_open_match();
    let (mut anna, invite, at) = host(a.path(), &[]);
    let carla = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut anna);
    let message = asked["message"].as_str().unwrap();
    assert!(
        message.ends_with("wants to resume your open match"),
        "{message}"
    );
    decide(&mut anna, &asked, false);
    let (events, code) = carla.finish();
    assert_eq!(code, 4, "{events:?}");
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    assert_eq!(anna.until("seated")["names"], json!(["Anna", "Bert"]));
    anna.kill();

    let (mut anna, _, at) = host(a.path(), &[]);
    let mut carla = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut anna);
    decide(&mut anna, &asked, true);
    assert_eq!(anna.until("seated")["resumed"], json!(true));
    carla.until("resumed");
}

#[test]
fn host_is_asked_about_a_guest_with_many_failed_attempts() {
    let [a, b, c] = three();
    let path = a.path().join("known_peers");
    let list = std::fs::read_to_string(&path).unwrap();
    let count = |word: &str| match word.split_once('=') {
        Some((name @ ("attempts" | "in_a_row"), _)) => format!("{name}=8"),
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(count).collect::<Vec<_>>().join(" ");
    let lost: Vec<String> = list.split('\n').map(line).collect();
    std::fs::write(&path, lost.join("\n")).unwrap();

    // The host is asked even about the player named by `--for`.
    let (mut host, invite, at) = host(a.path(), &["--for", "Carla"]);
    let carla = join_by_name(c.path(), &at);
    let asked = only_one_at_door(&mut host);
    let message = asked["message"].as_str().unwrap();
    assert!(
        message.contains("The last 8 attempts with Carla"),
        "{message}"
    );
    // Carla's connection ends during the question.
    carla.kill();
    assert!(at_door(&mut host).is_empty());
    let carla = join_by_name(c.path(), &at);
    assert_eq!(only_one_at_door(&mut host), asked);
    decide(&mut host, &asked, false);
    refused(carla);
    refused(join_by_name(c.path(), &at));
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
}

#[test]
fn a_player_with_the_fingerprint_of_another_as_its_name_is_not_that_player() {
    const FINGERPRINT: &str = "15b6-bd02-6a7y-t711-6453-knx7";
    let [a, _, _] = three();
    let path = a.path().join("known_peers");
    let list = std::fs::read_to_string(&path).unwrap();
    let named = list.replace(" name=Carla", &format!(" name={FINGERPRINT}"));
    assert_ne!(named, list);
    std::fs::write(&path, named).unwrap();
    for command in [
        &["host", "--for", FINGERPRINT, "--timeout", "1"][..],
        &["join", FINGERPRINT],
        &["peers", "block", FINGERPRINT],
        &["peers", "forgive", FINGERPRINT],
    ] {
        let refused = run(a.path(), command);
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{message}");
        assert!(
            message.contains("found by its own fingerprint"),
            "{message}"
        );
    }
    let shown = run(a.path(), &["peers"]).stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains(&format!("\"{FINGERPRINT}\"")), "{shown}");
}

#[test]
fn host_is_notified_once_of_a_blocked_player_with_its_invite() {
    let [a, b, c] = three();
    assert!(run(a.path(), &["peers", "block", "Carla"]).status.success());
    let (mut anna, invite, _) = host(a.path(), &[]);
    for _ in 0..2 {
        let carla = ["join", &invite, "--json", "--yes"];
        refused(Side::start(c.path(), &carla));
    }
    // The invite is used up, so the next guest is refused.
    let (_, code) = Side::join(b.path(), &invite, &[]).finish();
    assert_ne!(code, 0);
    let mut notices = Vec::new();
    while !notices
        .iter()
        .any(|text: &String| text.contains("A second player"))
    {
        notices.push(anna.until("notice")["text"].to_string());
    }
    let about_invite = |text: &&String| text.contains("a blocked player has used your invite");
    assert_eq!(
        notices.iter().filter(about_invite).count(),
        1,
        "{notices:?}"
    );
}

/// Starts a host with a text screen. Returns the host, its output, its invite and its address.
fn terminal(folder: &Path, input: Stdio) -> (Child, Receiver<String>, String, String) {
    let mut host = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["host", "--listen", "127.0.0.1:0", "--name", "Anna"])
        .args(GAME)
        .env("DEALERLESS_HOME", folder)
        .stdin(input)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (sender, lines) = channel();
    let output = BufReader::new(host.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in output.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let last_word = |line: String| line.split(' ').next_back().unwrap().to_owned();
    let invite = last_word(until(&lines, "dealerless join"));
    let at = last_word(until(&lines, "Waiting for a player at"));
    (host, lines, invite, at.trim_end_matches('.').to_owned())
}

/// The next line that contains this text.
fn until(lines: &Receiver<String>, text: &str) -> String {
    loop {
        let line = lines.recv_timeout(LIMIT).expect(text);
        if line.contains(text) {
            return line;
        }
    }
}

#[test]
fn host_at_a_terminal_answers_about_the_player_at_the_door() {
    let [a, _, c] = three();
    let (mut child, lines, _, at) = terminal(a.path(), Stdio::piped());
    let mut input = child.stdin.take().unwrap();
    let mut carla = join_by_name(c.path(), &at);
    until(&lines, "Accept? y or n");
    // A line that was typed before the player came answers nothing.
    writeln!(input, "call\ny").unwrap();
    until(&lines, "Type y or n");
    until(&lines, "type it again");
    std::thread::sleep(std::time::Duration::from_millis(600));
    writeln!(input, "y").unwrap();
    carla.until("seated");
    until(&lines, "You sit at a table with");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn known_player_is_declined_without_input_and_the_host_stays() {
    let [a, b, c] = three();
    let (mut child, lines, invite, at) = terminal(a.path(), Stdio::null());
    refused(join_by_name(c.path(), &at));
    until(&lines, "Nobody is there to answer");
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn host_fails_if_it_cannot_write_its_invites() {
    let [a, b, _] = three();
    let (host, invite, _) = host(a.path(), &[]);
    // The file cannot be replaced, as on a full disk.
    let invites = a.path().join("invites");
    std::fs::remove_file(&invites).unwrap();
    std::fs::create_dir_all(invites.join("full")).unwrap();
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let (events, code) = host.finish();
    let last = events.last().unwrap();
    assert_eq!((code, &last["exit_code"]), (1, &json!(1)), "{events:?}");
    let message = last["message"].to_string();
    assert!(
        message.contains("the file of invites cannot be written"),
        "{message}"
    );
    assert_ne!(guest.finish().1, 0);
}
