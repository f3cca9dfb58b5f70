//! A host seats the guest of its invite and the player of `--for`. Its player is asked about other known
//! players, once about each, and nobody gains by asking again, by silence or by a crowd of lines.

use crate::common;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use common::matches::{free_address, host_at, run};
use common::side::{Side, of_kind};
use dealerless_table::connection::{Connection, ConnectionError, Guest, Timing};
use dealerless_table::identity::{Home, Name};
use dealerless_table::play::Control;
use dealerless_table::system_rng;
use serde_json::{Value, json};
use tempfile::TempDir;

/// No test waits longer.
const LIMIT: Duration = Duration::from_secs(60);
const GAME: [&str; 8] = [
    "--game", "deck", "--cards", "3", "--draw", "1", "--hands", "1",
];

/// Anna, Bert whom she does not know, and Carla, with whom she has played.
fn three() -> [TempDir; 3] {
    let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let [anna, _, carla] = folders.each_ref().map(TempDir::path);
    let (host, invite) = Side::host(anna, &[&GAME[..], &["--auto"]].concat());
    let join = ["join", &invite, "--json", "--auto", "--name", "Carla"];
    assert_eq!(Side::start(carla, &join).finish().1, 0);
    assert_eq!(host.finish().1, 0);
    folders
}

/// A host that is a program, its invite, and where it listens.
fn host(folder: &Path, more: &[&str]) -> (Side, String, String) {
    let (mut host, invite) = Side::host(folder, &[&GAME[..], more].concat());
    let at = host.until("listening")["addresses"][0].clone();
    (host, invite, at.as_str().unwrap().to_owned())
}

/// Carla, who joins by the name of the host.
fn comes(folder: &Path, at: &str) -> Side {
    let join = ["join", "Anna", "--at", at, "--json", "--yes"];
    Side::start(folder, &join)
}

/// How the program of a guest ended that was not let in.
fn refused(guest: Side) -> String {
    let (events, code) = guest.finish();
    let last = events.last().unwrap().clone();
    assert_eq!((code, &last["exit_code"]), (4, &json!(4)), "{events:?}");
    assert!(of_kind(&events, "seated").is_empty(), "{events:?}");
    last["message"].as_str().unwrap().to_owned()
}

fn admit(asked: &Value, agree: bool) -> Value {
    json!({"do": "admit", "fingerprint": asked["fingerprint"], "agree": agree})
}

/// A program of Carla's own making.
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

    /// A line to Anna, on which this was said.
    fn says(&self, words: &[Control]) -> Connection {
        let guest = Guest {
            identity: self.home.identity(),
            name: &Name::clean("Bert"),
            timing: Timing::default(),
        };
        let peers = self.home.known_peers().unwrap();
        let anna = &peers.lock().peers()[0].identity.clone();
        let at = [self.at.parse().unwrap()];
        let line = guest.join_again(anna, &at, None).unwrap();
        for word in words {
            line.send_control(word.encode()).unwrap();
        }
        line
    }
}

/// What the host answers on a line.
fn answer(line: &Connection) -> Result<Control, ConnectionError> {
    let message = line.recv(LIMIT)?;
    Ok(Control::decode(&message.bytes).unwrap())
}

#[test]
fn a_known_player_that_comes_again_and_again_does_not_take_the_seat_of_the_invited_guest() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let carla = Carla::new(c.path(), &at);
    // Five tries, each before the guest.
    let mut tries: Vec<Connection> = (0..5).map(|_| carla.says(&[Control::Sit])).collect();
    let asked = host.until("ask-admit");
    // What she calls herself is not by what she is known.
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
    let lapsed = of_kind(&events, "admit-lapsed");
    assert_eq!(lapsed.len(), 1, "{events:?}");
    assert_eq!(lapsed[0]["fingerprint"], asked["fingerprint"]);
    assert!(of_kind(&events, "ask-admit").is_empty(), "{events:?}");
    // The last of her lines is told why; the others were closed for it.
    assert_eq!(answer(&tries.pop().unwrap()), Ok(Control::Taken));
    assert!(tries.iter().all(|line| answer(line).is_err()));
    assert_eq!(answer(&carla.says(&[])), Ok(Control::Taken));
}

#[test]
fn an_invite_of_an_earlier_host_seats_nobody_without_a_question() {
    let [a, b, _] = three();
    let at = free_address();
    let args = |folder| host_at(folder, &at, &GAME);
    let (earlier, old) = args(a.path());
    earlier.kill();
    let (mut host, _) = args(a.path());
    let guest = Side::join(b.path(), &old, &[]);
    let asked = host.until("ask-admit");
    assert_eq!(
        (&asked["name"], &asked["hands"]),
        (&json!("Bert"), &json!(0))
    );
    host.say(&admit(&asked, false));
    refused(guest);
    host.kill();
    // By now it belongs to his keys, and still was not made by the host that is here.
    let (mut host, _) = args(a.path());
    let _guest = Side::join(b.path(), &old, &[]);
    assert_eq!(host.until("ask-admit")["name"], "Bert");
}

#[test]
fn a_known_player_is_let_in_if_the_host_accepts_and_the_guest_of_the_invite_reads_that_the_seat_is_taken()
 {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let mut carla = comes(c.path(), &at);
    let asked = host.until("ask-admit");
    let told = carla.until("notice")["text"].to_string();
    assert!(told.contains("has not accepted you yet"), "{told}");
    // What is meant for somebody else, or for a match, lets nobody in.
    for (wrong, code) in [
        (
            json!({"do": "admit", "fingerprint": "x", "agree": true}),
            "nobody-asked",
        ),
        (json!({"do": "rebuy", "agree": true}), "not-allowed"),
    ] {
        host.say(&wrong);
        assert_eq!(host.until("error")["code"], code);
    }
    host.say(&admit(&asked, true));
    host.until("seated");
    carla.until("seated");
    let robbed = refused(Side::join(b.path(), &invite, &[]));
    assert!(
        robbed.starts_with("The seat is taken: the host plays"),
        "{robbed}"
    );
    assert!(!robbed.contains("anew"), "{robbed}");
}

#[test]
fn who_was_declined_is_told_so_and_nobody_is_asked_about_it_once_more() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let first = comes(c.path(), &at);
    let asked = host.until("ask-admit");
    host.say(&admit(&asked, false));
    let told = refused(first);
    assert!(told.contains("does not play with you"), "{told}");
    assert_eq!(
        host.until("admit-lapsed")["fingerprint"],
        asked["fingerprint"]
    );
    assert_eq!(refused(comes(c.path(), &at)), told);
    // Lines on which nothing, too much or something else is said are no news either: one notice at most.
    let carla = Carla::new(c.path(), &at);
    for words in [&[][..], &[Control::Sit; 50], &[Control::Taken]] {
        for _ in 0..4 {
            drop(carla.says(words));
        }
    }
    assert_eq!(answer(&carla.says(&[Control::Sit])), Ok(Control::Declined));
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    let mut told = Vec::new();
    while told
        .last()
        .is_none_or(|event: &Value| event["event"] != "seated")
    {
        told.push(host.event());
    }
    assert!(of_kind(&told, "ask-admit").is_empty(), "{told:?}");
    let notices = of_kind(&told, "notice");
    let gone = |notice: &&Value| notice["text"].to_string().contains("did not sit down");
    assert!(notices.iter().filter(gone).count() <= 1, "{told:?}");
    drop(guest);
}

#[test]
fn who_goes_while_the_host_is_asked_is_not_waited_for() {
    let [a, b, c] = three();
    let (mut host, invite, at) = host(a.path(), &[]);
    let carla = comes(c.path(), &at);
    let asked = host.until("ask-admit");
    carla.kill();
    assert_eq!(
        host.until("admit-lapsed")["fingerprint"],
        asked["fingerprint"]
    );
    host.say(&admit(&asked, true));
    let mut guest = Side::join(b.path(), &invite, &["--auto"]);
    guest.until("seated");
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
}

#[test]
fn a_bot_asks_nobody_and_seats_the_known_player_for_whom_it_waits() {
    let [a, _, c] = three();
    let (anna, _, at) = host(a.path(), &["--auto"]);
    let told = refused(comes(c.path(), &at));
    assert!(told.contains("dealerless host --for"), "{told}");
    assert!(of_kind(&anna.kill(), "ask-admit").is_empty());
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
        code == 0 && of_kind(&events, "ask-admit").is_empty(),
        "{events:?}"
    );
}

#[test]
fn a_blocked_player_is_not_announced_reads_what_who_is_declined_reads_and_is_not_joined() {
    let [a, _, c] = three();
    let [anna, carla] = [a.path(), c.path()];
    let blocked = run(anna, &["peers", "block", "Carla", "--json"]);
    let blocked: Value = serde_json::from_slice(&blocked.stdout).unwrap();
    assert_eq!(blocked["peer"]["blocked"], json!(true));
    let wrong = run(anna, &["host", "--for", "Carla"]);
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    let (host_side, _, at) = host(anna, &[]);
    let told = refused(comes(carla, &at));
    assert!(of_kind(&host_side.kill(), "ask-admit").is_empty());

    // The other way round it is refused here, before anything is sent.
    assert!(run(carla, &["peers", "block", "Anna"]).status.success());
    let (events, code) = comes(carla, "127.0.0.1:1").finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("peers unblock"), "{message}");
    assert!(run(carla, &["peers", "unblock", "Anna"]).status.success());
    // By an invite as well.
    let (host_side, invite, _) = host(carla, &[]);
    let (events, code) = Side::join(anna, &invite, &[]).finish();
    let message = events.last().unwrap()["message"].to_string();
    assert!(code == 1 && message.contains("peers unblock"), "{message}");
    drop(host_side);

    assert!(run(anna, &["peers", "unblock", "Carla"]).status.success());
    let (mut host_side, _, at) = host(anna, &[]);
    let guest = comes(carla, &at);
    let asked = host_side.until("ask-admit");
    host_side.say(&admit(&asked, false));
    assert_eq!(refused(guest), told);
}

/// Anna, Bert and Carla; between Anna and Carla a match is open.
fn with_an_open_match() -> [TempDir; 3] {
    let folders = three();
    let [anna, _, carla] = folders.each_ref().map(TempDir::path);
    let game = ["--hands", "3", "--for", "Carla"];
    let (mut host, _) = Side::host(anna, &game);
    let at = host.until("listening")["addresses"][0].clone();
    let mut guest = comes(carla, at.as_str().unwrap());
    // Both have said something in it.
    host.until("sealed");
    guest.until("sealed");
    host.kill();
    guest.kill();
    folders
}

#[test]
fn who_comes_back_to_a_match_that_the_host_has_closed_does_not_take_the_seat_of_the_invited_guest()
{
    let [a, b, c] = with_an_open_match();
    let closed = run(a.path(), &["resume", "--close"]);
    assert!(closed.status.success(), "{closed:?}");
    let (mut host, invite, at) = host(a.path(), &[]);
    let mut carla = comes(c.path(), &at);
    let message = loop {
        let event = carla.event();
        assert_ne!(event["event"], "resumed", "she has the seat");
        if event["event"] == "error" {
            break event["message"].to_string();
        }
    };
    assert!(
        message.contains("does not have your open match"),
        "{message}"
    );
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
}

#[test]
fn who_comes_back_to_an_open_match_is_asked_about_and_goes_on_if_the_host_agrees() {
    let [a, b, c] = with_an_open_match();
    let (mut anna, invite, at) = host(a.path(), &[]);
    let carla = comes(c.path(), &at);
    let asked = anna.until("ask-admit");
    let message = asked["message"].as_str().unwrap();
    assert!(
        message.ends_with("wants to go on with your open match"),
        "{message}"
    );
    anna.say(&admit(&asked, false));
    let (events, code) = carla.finish();
    assert_eq!(code, 4, "{events:?}");
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    assert_eq!(anna.until("seated")["names"], json!(["Anna", "Bert"]));
    anna.kill();

    let (mut anna, _, at) = host(a.path(), &[]);
    let mut carla = comes(c.path(), &at);
    let asked = anna.until("ask-admit");
    anna.say(&admit(&asked, true));
    assert_eq!(anna.until("seated")["resumed"], json!(true));
    carla.until("resumed");
}

#[test]
fn about_a_guest_with_whom_too_much_went_wrong_the_host_is_asked_and_may_say_no() {
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

    // Also about the one for whom the host waits.
    let (mut host, invite, at) = host(a.path(), &["--for", "Carla"]);
    let carla = comes(c.path(), &at);
    let asked = host.until("ask-admit");
    let message = asked["message"].as_str().unwrap();
    assert!(
        message.contains("8 attempts in a row with Carla"),
        "{message}"
    );
    // Its line ends while the host is asked.
    carla.kill();
    host.until("admit-lapsed");
    let carla = comes(c.path(), &at);
    assert_eq!(host.until("ask-admit")["name"], asked["name"]);
    host.say(&admit(&asked, false));
    refused(carla);
    refused(comes(c.path(), &at));
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    assert_eq!(host.until("seated")["names"], json!(["Anna", "Bert"]));
}

#[test]
fn a_blocked_player_that_comes_with_the_invite_is_told_of_once() {
    let [a, b, c] = three();
    assert!(run(a.path(), &["peers", "block", "Carla"]).status.success());
    let (mut anna, invite, _) = host(a.path(), &[]);
    for _ in 0..2 {
        let carla = ["join", &invite, "--json", "--yes"];
        refused(Side::start(c.path(), &carla));
    }
    // The invite is used: the next guest is turned away.
    let (_, code) = Side::join(b.path(), &invite, &[]).finish();
    assert_ne!(code, 0);
    let mut told = Vec::new();
    while !told.iter().any(|text: &String| text.contains("LEAKED")) {
        told.push(anna.until("notice")["text"].to_string());
    }
    let burnt = |text: &&String| text.contains("a blocked player came with your invite");
    assert_eq!(told.iter().filter(burnt).count(), 1, "{told:?}");
}

/// A host with a screen, what it prints, and where it listens.
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

/// The next line with this in it.
fn until(lines: &Receiver<String>, text: &str) -> String {
    loop {
        let line = lines.recv_timeout(LIMIT).expect(text);
        if line.contains(text) {
            return line;
        }
    }
}

#[test]
fn a_host_at_a_terminal_says_yes_or_no() {
    let [a, _, c] = three();
    let (mut child, lines, _, at) = terminal(a.path(), Stdio::piped());
    let mut input = child.stdin.take().unwrap();
    let mut carla = comes(c.path(), &at);
    until(&lines, "Accept? y or n");
    writeln!(input, "call\ny").unwrap();
    carla.until("seated");
    until(&lines, "You sit at a table with");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn where_nobody_can_type_a_known_player_is_declined_and_does_not_end_the_host() {
    let [a, b, c] = three();
    let (mut child, lines, invite, at) = terminal(a.path(), Stdio::null());
    refused(comes(c.path(), &at));
    until(&lines, "Nobody is there to answer");
    Side::join(b.path(), &invite, &["--auto"]).until("seated");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_host_that_cannot_write_who_has_its_invite_ends_with_an_error() {
    let [a, b, _] = three();
    let (host, invite, _) = host(a.path(), &[]);
    // As on a full disk: the file cannot be replaced any more.
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
