//! `audit`: after a match, two players open their shuffle inputs to each other.

use crate::common;

use std::path::Path;
use std::process::{Command, Output};

use common::matches::file;
use common::side::{Side, folders};
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
