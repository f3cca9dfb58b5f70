//! A player moves to a new machine with a new identity.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A process that is killed at the end of the test.
struct Running(Child, BufReader<ChildStdout>);

impl Running {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_dealerless"))
            .args(args)
            .env("DEALERLESS_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Running(child, output)
    }

    /// Starts a host. Returns the host and its invite.
    fn host(folder: &Path, hands: &str) -> (Self, String) {
        let mut args = vec!["host", "--listen", "127.0.0.1:0", "--json", "--auto"];
        args.extend([
            "--stack", "50", "--blinds", "1/2", "--hands", hands, "--name", "Anna",
        ]);
        let mut host = Running::start(folder, &args);
        let invite = host.until("invite")["invite"].as_str().unwrap().to_owned();
        (host, invite)
    }

    /// The next event of this kind.
    fn until(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.1.read_line(&mut line).unwrap(),
                0,
                "the events ended before {kind}"
            );
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] == kind {
                return event;
            }
        }
    }

    /// The remaining output.
    fn rest(mut self) -> String {
        let mut text = String::new();
        self.1.read_to_string(&mut text).unwrap();
        text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // This fails if the process has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn folders() -> [tempfile::TempDir; 2] {
    [(); 2].map(|()| tempfile::tempdir().unwrap())
}

/// Runs a command to its end. Returns standard output, standard error and the exit code.
fn command(folder: &Path, args: &[&str]) -> (String, String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(args)
        .env("DEALERLESS_HOME", folder)
        .output()
        .unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (out, err, output.status.code().unwrap())
}

fn json_of(folder: &Path, args: &[&str]) -> Value {
    let (out, err, code) = command(folder, args);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn peer_follows_a_player_to_a_new_identity() {
    let [a, b] = folders();
    let play = |b: &Path| {
        let (host, invite) = Running::host(a.path(), "1");
        let (_, err, code) = command(b, &["join", &invite, "--json", "--auto"]);
        assert_eq!(code, 0, "{err}");
        host.rest()
    };
    play(b.path());
    let old = json_of(b.path(), &["identity", "--json"])["fingerprint"].clone();
    let path = b.path().to_str().unwrap();

    let [c, d] = folders();
    let done = json_of(c.path(), &["identity", "succeed", path, "--json"]);
    assert_eq!(
        (&done["succeeds"], &done["peers"]),
        (&json!([old]), &json!(1))
    );
    let own = json_of(c.path(), &["identity", "--json"]);
    assert_eq!(own["fingerprint"], done["fingerprint"]);
    assert_eq!(own["succeeds"], json!([old]));
    let was = json_of(b.path(), &["identity", "--json"]);
    assert_eq!(
        (&was["fingerprint"], &was["succeeded_by"]),
        (&old, &done["fingerprint"])
    );
    let statement = json_of(c.path(), &["identity", "statement", "--json"]);
    assert_eq!(statement["statement"], done["statement"]);

    // The old identity can no longer play, and cannot get a second successor.
    for args in [&["host"][..], &["peers"], &["join", "Anna"]] {
        let (_, err, code) = command(b.path(), args);
        let by = done["fingerprint"].as_str().unwrap();
        assert!(code == 1 && err.contains(by), "{err}");
    }
    let (_, err, code) = command(d.path(), &["identity", "succeed", path]);
    assert!(code == 1 && err.contains("one successor"), "{err}");
    let (_, err, code) = command(b.path(), &["identity", "succeed", path]);
    assert!(code == 1 && err.contains("--home DIR"), "{err}");

    let events = play(c.path());
    assert!(events.contains("has a new identity"), "{events}");
    let peers = json_of(a.path(), &["peers", "--json"]);
    assert_eq!(peers["peers"].as_array().unwrap().len(), 1);
    let peer = &peers["peers"][0];
    assert_eq!(
        (&peer["succeeds"], &peer["hands"]),
        (&json!([old]), &json!(2))
    );
    assert_eq!(peer["fingerprint"], done["fingerprint"]);
}

#[test]
fn statement_is_followed_and_open_matches_are_not_left_silently() {
    let [a, b] = folders();
    let (host, invite) = Running::host(a.path(), "9");
    let mut guest = Running::start(b.path(), &["join", &invite, "--json", "--yes"]);
    guest.until("your-turn");
    // Kills both programs: if only the guest were killed, the host would wait for it.
    drop((guest, host));
    let (path, c) = (b.path().to_str().unwrap(), a.path().join("new"));
    let (_, err, code) = command(&c, &["identity", "succeed", path]);
    assert!(code == 1 && err.contains("--leave-open-matches"), "{err}");
    let args = [
        "identity",
        "succeed",
        path,
        "--leave-open-matches",
        "--json",
    ];
    let done = json_of(&c, &args);
    assert_eq!(done["left_matches"], json!(1));

    let file = a.path().join("statement");
    std::fs::write(&file, done["statement"].as_str().unwrap()).unwrap();
    for statement in [done["statement"].as_str().unwrap(), file.to_str().unwrap()] {
        let (out, err, code) = command(a.path(), &["peers", "follow", statement]);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(done["fingerprint"].as_str().unwrap()), "{out}");
    }
    let (_, err, code) = command(a.path(), &["peers", "follow", "dealerless-succession1-0"]);
    assert!(code == 1 && err.contains("mistyped"), "{err}");
}

/// A player who dislikes its cards and moves to a new machine gets no other match, and so no other
/// deal, until the other player has closed the open match.
#[test]
fn new_identity_gets_no_new_match_until_the_open_one_is_closed() {
    let [a, b] = folders();
    let (host, invite) = Running::host(a.path(), "9");
    let mut guest = Running::start(b.path(), &["join", &invite, "--json", "--yes"]);
    guest.until("your-turn");
    drop(guest);
    drop(host);
    let (path, c) = (b.path().to_str().unwrap(), a.path().join("new"));
    let args = ["identity", "succeed", path, "--leave-open-matches"];
    let (_, err, code) = command(&c, &args);
    assert_eq!(code, 0, "{err}");

    let (mut host, invite) = Running::host(a.path(), "1");
    let (_, err, code) = command(&c, &["join", &invite, "--json", "--auto"]);
    assert!(code == 1 && err.contains("resume --close"), "{err}");
    let notice = loop {
        let notice = host.until("notice")["text"].as_str().unwrap().to_owned();
        if notice.contains("old keys, and cannot be resumed") {
            break notice;
        }
    };
    drop(host);
    let id = notice.rsplit("--close ").next().unwrap();
    let id = id.split(')').next().unwrap();
    let (_, err, code) = command(a.path(), &["resume", "--close", id]);
    assert_eq!(code, 0, "{err}");
    let (host, invite) = Running::host(a.path(), "1");
    let (_, err, code) = command(&c, &["join", &invite, "--json", "--auto"]);
    assert_eq!(code, 0, "{err}");
    host.rest();
}

#[test]
fn name_is_kept_until_another_is_given() {
    let [a, b] = folders();
    let own = |folder: &Path| json_of(folder, &["identity", "--json"])["player"].clone();
    assert_eq!(own(b.path()), Value::Null);
    // In each match the host sees the name that the guest gave last.
    for (given, name) in [
        (&["--name", "Carla"][..], "Carla"),
        (&[], "Carla"),
        (&["--name", "Dora\u{202e}"], "Dora"),
        (&[], "Dora"),
    ] {
        let (mut host, invite) = Running::host(a.path(), "1");
        let join = [&["join", &invite, "--json", "--auto"], given].concat();
        let (_, err, code) = command(b.path(), &join);
        assert_eq!(code, 0, "{err}");
        assert_eq!(host.until("seated")["names"], json!(["Anna", name]));
        host.rest();
        assert_eq!(own(b.path()), name);
    }
    let (out, _, _) = command(b.path(), &["identity"]);
    assert!(out.contains("Your name: Dora"), "{out}");
    let settings = b.path().join("settings.json");
    std::fs::write(&settings, "{").unwrap();
    let (_, err, code) = command(b.path(), &["join", "Anna"]);
    assert!(code == 1 && err.contains("correct or delete it"), "{err}");
}

#[test]
fn peers_can_be_listed_but_not_changed_during_a_match() {
    let [a, b] = folders();
    let (host, invite) = Running::host(a.path(), "1");
    let join = ["join", &invite, "--json", "--auto", "--name", "Bert"];
    assert_eq!(command(b.path(), &join).2, 0);
    host.rest();
    let (mut host, _) = Running::host(a.path(), "1");
    host.until("listening");

    let peers = json_of(a.path(), &["peers", "--json"]);
    let peer = &peers["peers"][0];
    assert_eq!((&peer["name"], &peer["hands"]), (&json!("Bert"), &json!(1)));
    let own = peers["own"].as_str().unwrap();
    assert_eq!(
        json_of(a.path(), &["history", "--json"])["matches"][0]["peer"],
        "Bert"
    );
    assert_eq!(
        json_of(a.path(), &["verify", "Bert", "--json"])["good"],
        true
    );
    let (out, err, code) = command(a.path(), &["show", "Bert"]);
    assert!(code == 0 && out.starts_with("PokerStars Hand"), "{err}");
    for change in ["block", "unblock", "forgive"] {
        let (_, err, code) = command(a.path(), &["peers", change, "Bert"]);
        assert!(
            code == 1 && err.contains("End the program that is playing"),
            "{err}"
        );
    }
    drop(host);
    let (out, err, code) = command(a.path(), &["peers", "block", "Bert"]);
    assert!(code == 0 && out.contains("blocked"), "{err}");
    assert_eq!(json_of(a.path(), &["peers", "--json"])["own"], own);
}

#[test]
fn verify_and_show_use_the_latest_match_and_the_date_of_its_file() {
    let [a, b] = folders();
    for hands in ["1", "2"] {
        let (host, invite) = Running::host(a.path(), hands);
        let join = ["join", &invite, "--json", "--auto", "--name", "Bert Ü."];
        assert_eq!(command(b.path(), &join).2, 0);
        host.rest();
    }
    let listed = json_of(a.path(), &["history", "--json"]);
    let [last, first] = [0, 1].map(|number| listed["matches"][number].clone());
    let file = |one: &Value| one["file"].as_str().unwrap().to_owned();
    // The file of the first match is changed last, in the year 2030.
    let when = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_900_000_000);
    let log = std::fs::File::options()
        .append(true)
        .open(file(&first))
        .unwrap();
    log.set_modified(when).unwrap();

    for (which, of) in [
        ("Bert Ü.", &first),
        (last["match"].as_str().unwrap(), &last),
        (&file(&last), &last),
    ] {
        let verified = json_of(a.path(), &["verify", which, "--json"]);
        assert_eq!(verified["records"][0]["file"], of["file"], "{which}");
    }
    let (out, err, code) = command(a.path(), &["show", "Bert Ü."]);
    assert!(
        code == 0 && err.contains("the latest of 2 matches"),
        "{err}"
    );
    assert!(err.contains("unproven"), "{err}");
    let head = out.lines().next().unwrap();
    assert!(head.ends_with(" - 2030/03/17 17:46:40 UTC"), "{head}");
    let (out, _, _) = command(a.path(), &["show", "Bert Ü.", "--phh"]);
    let date =
        "unproven.\ntime = 17:46:40\ntime_zone = \"UTC\"\nday = 17\nmonth = 3\nyear = 2030\n";
    assert!(out.contains(date), "{out}");
    // A name that fits several matches deletes none of them.
    let (_, err, code) = command(a.path(), &["history", "--delete", "Bert Ü."]);
    assert!(code == 1 && err.contains("several matches"), "{err}");
    // Verifying creates no identity.
    let nobody = a.path().join("nobody");
    let (_, err, code) = command(&nobody, &["verify", "Bert"]);
    assert!(code == 1 && err.contains("there is no match Bert"), "{err}");
    assert!(!nobody.exists());
}
