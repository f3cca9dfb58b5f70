//! `audit`: after a match, two players open their shuffle inputs to each other.

use crate::common;

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

use common::matches::file;
use common::side::{Side, folders};
use dealerless_connection::identity::{Home, Name};
use dealerless_connection::testing::{Connection, Guest};
use dealerless_connection::{ConnectionError, Timing, system_rng};
use dealerless_table::log::MatchId;
use dealerless_table::play::Control;
use dealerless_table::record::Record;
use serde_json::{Value, json};

fn command(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dealerless"));
    let command = command.args(arguments).env("DEALERLESS_HOME", folder);
    command.output().expect("the program starts")
}

fn last_line(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default();
    serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn audit_of_two_players_is_verified_by_a_third() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--hands", "3", "--auto"]);
    let (_, code) = Side::join(b.path(), &invite, &["--auto"]).finish();
    assert_eq!((code, host.finish().1), (0, 0));

    let mut host = Side::start(
        a.path(),
        &["audit", "Bert", "--json", "--listen", "127.0.0.1:0"],
    );
    let at = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    let guest = command(b.path(), &["audit", "--json", "--at", &at]);
    let (events, code) = host.finish();
    assert_eq!((guest.status.code(), code), (Some(0), 0));
    let (mine, theirs) = (events.last().unwrap(), last_line(&guest));
    assert_eq!(mine, &theirs);
    assert_eq!((&mine["good"], &mine["tries"]), (&json!(true), &json!(3)));
    assert_eq!(mine["decks"].as_array().unwrap().len(), 3);
    // The audit has deleted the inputs, so a second audit is refused.
    for folder in [a.path(), b.path()] {
        assert_eq!(file(folder, "inputs"), None);
    }
    assert_eq!(command(a.path(), &["audit", "Bert"]).status.code(), Some(1));

    let log = file(a.path(), "log").unwrap();
    let audit = file(b.path(), "audit").unwrap();
    let verify = |audit: &Path| {
        let paths = [&log, audit].map(|path: &Path| path.to_str().unwrap().to_owned());
        let [log, audit] = &paths;
        command(a.path(), &["verify", log, "--json", "--audit", audit])
    };
    let verified = verify(&audit);
    assert_eq!(verified.status.code(), Some(0));
    assert_eq!(last_line(&verified)["audit"]["decks"], mine["decks"]);
    // An input with a changed bit does not open its commitment.
    let mut bytes = std::fs::read(&audit).unwrap();
    let at = bytes.len() - 3;
    bytes[at] ^= 1;
    let changed = a.path().join("changed.audit");
    std::fs::write(&changed, bytes).unwrap();
    let verified = verify(&changed);
    assert_eq!(verified.status.code(), Some(4));
    assert_eq!(last_line(&verified)["good"], json!(false));
}

#[test]
fn declined_audit_opens_nothing() {
    let [a, b] = folders();
    let (host, invite) = Side::host(a.path(), &["--hands", "1", "--auto"]);
    let (_, code) = Side::join(b.path(), &invite, &["--auto"]).finish();
    assert_eq!((code, host.finish().1), (0, 0));
    let declined = command(a.path(), &["audit", "Bert", "--decline"]);
    assert_eq!(declined.status.code(), Some(0));
    assert_eq!(file(a.path(), "inputs"), None);
    // The host waits for a match instead of an audit. The guest keeps its inputs.
    let mut host = Side::start(a.path(), &["host", "--json", "--listen", "127.0.0.1:0"]);
    let at = host.until("listening")["addresses"][0]
        .as_str()
        .unwrap()
        .to_owned();
    let guest = command(b.path(), &["audit", "--at", &at]);
    assert_ne!(guest.status.code(), Some(0));
    let error = String::from_utf8_lossy(&guest.stderr);
    assert!(error.contains("must run `dealerless audit`"), "{error}");
    assert!(file(b.path(), "inputs").is_some());
    assert!(file(b.path(), "audit").is_none());
    drop(host.kill());
}

/// Makes these files of the only match in this folder look 31 days old. Returns whether the next command keeps the
/// inputs.
fn keeps_inputs(folder: &Path, old_files: &[&str]) -> bool {
    let old = SystemTime::now() - Duration::from_secs(31 * 86_400);
    for ending in old_files {
        let path = file(folder, ending).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(old).unwrap();
    }
    let list = command(folder, &["resume", "--list"]);
    assert_eq!(list.status.code(), Some(0));
    file(folder, "inputs").is_some()
}

#[test]
fn inputs_are_destroyed_30_days_after_the_end_of_their_match() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &["--hands", "1"]);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    host.until("card");
    drop([host, guest].map(Side::kill));
    // The match is open.
    assert!(keeps_inputs(a.path(), &["inputs", "log"]));

    let [a, b] = folders();
    play(a.path(), b.path(), "Bert");
    assert!(keeps_inputs(a.path(), &["inputs"]));
    assert!(!keeps_inputs(a.path(), &["inputs", "log"]));
    // Without its record, nobody needs them.
    std::fs::remove_file(file(b.path(), "log").unwrap()).unwrap();
    assert!(!keeps_inputs(b.path(), &["inputs"]));
}

/// Plays a match of one hand. The guest has this name.
fn play(host: &Path, guest: &Path, name: &str) {
    let (host, invite) = Side::host(host, &["--hands", "1", "--auto"]);
    let join = ["join", &invite, "--json", "--yes", "--auto", "--name", name];
    let (_, code) = Side::start(guest, &join).finish();
    assert_eq!((code, host.finish().1), (0, 0));
}

/// Starts the audit of the match with Bert. Returns the host and its address.
fn audits(folder: &Path) -> (Side, String) {
    let args = ["audit", "Bert", "--json", "--listen", "127.0.0.1:0"];
    let mut host = Side::start(folder, &args);
    let at = host.until("listening")["addresses"][0].clone();
    (host, at.as_str().unwrap().to_owned())
}

/// The connection of a modified program to a host.
fn connect(folder: &Path, at: &str) -> Connection {
    let home = Home::open(folder, None, &mut system_rng()).unwrap();
    let peers = home.known_peers().unwrap();
    let host = peers.lock().find("Anna").unwrap().identity.clone();
    let guest = Guest {
        identity: home.identity(),
        name: &Name::clean("Mallory"),
        timing: Timing::default(),
    };
    let at = [at.parse().unwrap()];
    guest.join_again(&host, &at, None).unwrap()
}

/// The match in this folder.
fn match_in(folder: &Path) -> MatchId {
    let bytes = std::fs::read(file(folder, "log").unwrap()).unwrap();
    Record::read(&bytes, None).unwrap().log.match_info().id()
}

const SOON: Duration = Duration::from_secs(60);

/// Sends a first message. Returns the answer.
fn asks(folder: &Path, at: &str, first: Control) -> Option<Control> {
    let connection = connect(folder, at);
    connection.send_control(first.encode()).unwrap();
    let answer = connection.recv(SOON).unwrap();
    Control::decode(&answer.bytes)
}

#[test]
fn host_audits_with_its_guest_whoever_comes_before() {
    let [a, b] = folders();
    let carla = tempfile::tempdir().unwrap();
    play(a.path(), b.path(), "Bert");
    play(a.path(), carla.path(), "Carla");
    let (of, with_carla) = (match_in(b.path()), match_in(carla.path()));
    let (host, at) = audits(a.path());
    // Another player, another match, and no request to audit.
    let unknown = Some(Control::Unknown(of));
    assert_eq!(asks(carla.path(), &at, Control::Audit(of)), unknown);
    assert_eq!(asks(b.path(), &at, Control::Audit(with_carla)), unknown);
    assert_eq!(asks(b.path(), &at, Control::Resume(of)), unknown);
    assert_eq!(asks(b.path(), &at, Control::Sit), unknown);
    // No request at all.
    let others = [b.path(), carla.path()].map(|folder| connect(folder, &at));
    others[0].send_log(Control::Audit(of).encode()).unwrap();
    others[1].send_control(vec![0xff; 40]).unwrap();
    for connection in &others {
        let answer = connection.recv(SOON);
        assert_ne!(answer.unwrap_err(), ConnectionError::TimedOut);
    }
    // Silent players delay nobody.
    let silent = [carla.path(), b.path()].map(|folder| connect(folder, &at));
    let guest = command(b.path(), &["audit", "--json", "--at", &at]);
    assert_eq!(guest.status.code(), Some(0), "{guest:?}");
    let (events, code) = host.finish();
    assert_eq!((code, &events.last().unwrap()["good"]), (0, &json!(true)));
    drop(silent);
}

#[test]
fn guest_that_breaks_an_audit_ends_it_and_the_host_can_audit_again() {
    let [a, b] = folders();
    play(a.path(), b.path(), "Bert");
    let audit = Control::Audit(match_in(b.path()));
    let breaks = |work: &dyn Fn(&Connection)| {
        let (host, at) = audits(a.path());
        let connection = connect(b.path(), &at);
        connection.send_control(audit.encode()).unwrap();
        // The first message of the host.
        let first = connection.recv(SOON).unwrap().bytes;
        assert_eq!(first.len(), 32 + 32 + 4 + 1);
        work(&connection);
        let (events, code) = host.finish();
        let message = events.last().unwrap()["message"].clone();
        assert!(file(a.path(), "inputs").is_some() && file(a.path(), "audit").is_none());
        (code, message.as_str().unwrap().to_owned())
    };
    let (code, message) = breaks(&|connection| connection.send_log(vec![1; 80]).unwrap());
    assert!(
        code == 2 && message.contains("not part of an audit"),
        "{code} {message}"
    );
    let (code, message) = breaks(&|connection| connection.send_control(vec![1; 80]).unwrap());
    assert!(
        code == 2 && message.contains("different logs"),
        "{code} {message}"
    );
    let (code, message) = breaks(&|connection| _ = connection.close(SOON));
    assert!(code == 3 && message.contains("closed"), "{code} {message}");

    let (host, at) = audits(a.path());
    let guest = command(b.path(), &["audit", "--json", "--at", &at]);
    assert_eq!((guest.status.code(), host.finish().1), (Some(0), 0));
}

#[test]
fn audit_that_finds_nobody_ends_in_time() {
    let [a, b] = folders();
    play(a.path(), b.path(), "Bert");
    let waits = ["audit", "--timeout", "1", "--listen", "127.0.0.1:0"];
    let host = command(a.path(), &waits);
    let error = String::from_utf8_lossy(&host.stderr);
    assert_eq!(host.status.code(), Some(1));
    assert!(error.contains("did not connect in time"), "{error}");
    // A guest calls at least once.
    let at = common::processes::free_address();
    let guest = command(b.path(), &["audit", "--timeout", "0", "--at", &at]);
    let error = String::from_utf8_lossy(&guest.stderr);
    assert_eq!(guest.status.code(), Some(3), "{error}");
}
