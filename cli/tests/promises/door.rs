//! A host's door is open to everybody, whoever else stands in it and says nothing.

use crate::common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::matches::{free_address, host_at};
use common::side::{Side, folders};
use dealerless_table::connection::{Connection, Guest, Invite, Timing};
use dealerless_table::identity::{Home, Name, PublicIdentity};
use dealerless_table::system_rng;

/// No test waits longer.
const LIMIT: Duration = Duration::from_secs(60);

/// Somebody whom a host knows, and who says nothing.
struct Silent {
    home: Home,
    host: PublicIdentity,
    /// Where the host was met, and where it listens again.
    at: String,
}

impl Silent {
    /// Meets a host by its invite.
    fn meet(folder: &Path, invite: &str, at: String) -> Self {
        let home = Home::open(folder, None, &mut system_rng()).unwrap();
        let invite: Invite = invite.parse().unwrap();
        let line = guest(&home).join(&invite).unwrap();
        let host = line.peer.clone();
        let silent = Silent { home, host, at };
        // It is known as soon as it can come as one who is known.
        let begun = Instant::now();
        while silent.comes().is_none() {
            assert!(begun.elapsed() < LIMIT);
        }
        silent
    }

    fn comes(&self) -> Option<Connection> {
        let at = [self.at.parse().unwrap()];
        let line = guest(&self.home).join_again(&self.host, &at, None);
        line.ok()
    }
}

fn guest(home: &Home) -> Guest<'_> {
    // Names are only names.
    static NAME: std::sync::LazyLock<Name> = std::sync::LazyLock::new(|| Name::clean("Mallory"));
    Guest {
        identity: home.identity(),
        name: &NAME,
        timing: Timing::default(),
    }
}

#[test]
fn a_known_peer_that_says_nothing_keeps_nobody_waiting_and_holds_one_line() {
    let [a, b] = folders();
    let mallory = tempfile::tempdir().unwrap();
    let at = free_address();
    let bot = ["--auto", "--hands", "1"];
    let (host, invite) = host_at(a.path(), &at, &bot);
    let silent = Silent::meet(mallory.path(), &invite, at.clone());
    host.kill();

    let (mut host, invite) = host_at(a.path(), &at, &bot);
    host.until("listening");
    let lines: Vec<Connection> = (0..20).map(|_| silent.comes().unwrap()).collect();
    let begun = Instant::now();
    while lines[..19].iter().any(|line| line.ended().is_none()) {
        assert!(begun.elapsed() < LIMIT, "it holds more than one line");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(lines[19].ended().is_none());
    let (events, code) = Side::join(b.path(), &invite, &["--auto"]).finish();
    assert_eq!(code, 0, "{:?}", events.last());
    assert_eq!(host.finish().1, 0);
}

#[test]
fn a_host_at_a_terminal_waits_for_its_guest_also_if_nobody_can_type() {
    let [folder, guest] = folders();
    let mut host = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["host", "--listen", "127.0.0.1:0", "--game", "deck"])
        .env("DEALERLESS_HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(host.stdout.take().unwrap()).lines();
    let mut words = said.flat_map(|line| {
        let line = line.unwrap();
        let words = line.split_whitespace().map(str::to_owned);
        words.collect::<Vec<_>>()
    });
    let invite = words.find(|word| word.starts_with("dealerless2-"));
    let mut guest = Side::join(guest.path(), &invite.unwrap(), &["--auto"]);
    guest.until("seated");
    host.kill().unwrap();
    host.wait().unwrap();
}
