//! A host stays reachable for everybody, even while other peers hold silent connections.

use dealerless_connection::identity::{Home, Name, PublicIdentity};
use dealerless_connection::system_rng;
use dealerless_connection::testing::{Connection, Guest};
use dealerless_connection::{Invite, Timing};

use crate::common;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::matches::host_at;
use common::processes::LIMIT;
use common::processes::free_address;
use common::side::{Side, folders};

/// A peer that the host knows, and that sends nothing.
struct SilentPeer {
    home: Home,
    host: PublicIdentity,
    /// The address at which the host listens, also after a restart.
    at: String,
}

impl SilentPeer {
    /// Meets a host by its invite.
    fn meet(folder: &Path, invite: &str, at: String) -> Self {
        let home = Home::open(folder, None, &mut system_rng()).unwrap();
        let invite: Invite = invite.parse().unwrap();
        let connection = guest(&home).join(&invite).unwrap();
        let host = connection.met.peer.clone();
        let silent = SilentPeer { home, host, at };
        // Waits until the host accepts this peer without an invite.
        let begun = Instant::now();
        while silent.connect().is_none() {
            assert!(begun.elapsed() < LIMIT);
        }
        silent
    }

    fn connect(&self) -> Option<Connection> {
        let at = [self.at.parse().unwrap()];
        guest(&self.home).join_again(&self.host, &at, None).ok()
    }
}

fn guest(home: &Home) -> Guest<'_> {
    static NAME: std::sync::LazyLock<Name> = std::sync::LazyLock::new(|| Name::clean("Mallory"));
    Guest {
        identity: home.identity(),
        name: &NAME,
        timing: Timing::default(),
    }
}

#[test]
fn silent_known_peer_holds_one_connection_and_delays_nobody() {
    let [a, b] = folders();
    let mallory = tempfile::tempdir().unwrap();
    let at = free_address();
    let bot = ["--auto", "--hands", "1"];
    let (host, invite) = host_at(a.path(), &at, &bot);
    let silent = SilentPeer::meet(mallory.path(), &invite, at.clone());
    host.kill();

    let (mut host, invite) = host_at(a.path(), &at, &bot);
    host.until("listening");
    let connections: Vec<Connection> = (0..20).map(|_| silent.connect().unwrap()).collect();
    let begun = Instant::now();
    while connections[..19]
        .iter()
        .any(|connection| connection.ended().is_none())
    {
        assert!(begun.elapsed() < LIMIT, "more than one connection is open");
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(connections[19].ended().is_none());
    let (events, code) = Side::join(b.path(), &invite, &["--auto"]).finish();
    assert_eq!(code, 0, "{:?}", events.last());
    assert_eq!(host.finish().1, 0);
}

#[test]
fn host_at_a_terminal_waits_for_its_guest_without_input() {
    let [folder, guest] = folders();
    let mut host = Command::new(env!("CARGO_BIN_EXE_dealerless"))
        .args(["host", "--listen", "127.0.0.1:0", "--game", "deck"])
        .env("DEALERLESS_HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let output = BufReader::new(host.stdout.take().unwrap()).lines();
    let mut words = output.flat_map(|line| {
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
