//! A guest refuses a match whose log has a version that its program does not know.

use crate::common;

use std::sync::Arc;

use common::matches::file;
use common::side::{Side, folders};
use dealerless::shuffle::Algorithm;
use dealerless_connection::Timing;
use dealerless_connection::identity::{Home, Name};
use dealerless_connection::system_rng;
use dealerless_connection::testing::Door;
use dealerless_table::log::Clock;
use dealerless_table::play::Seating;
use dealerless_table::rules::{Stakes, Variety};

/// The error of a guest whose host proposes a match with this version of the log.
fn error_for_version(version: u16) -> String {
    let [a, b] = folders();
    let clock = Clock {
        each_move: 0,
        bank: 0,
    };
    let stakes = Stakes::new(Variety::Deck { cards: 3, drawn: 1 }, 2, 1).unwrap();
    let (header, _) = Seating::propose(stakes, Algorithm::FisherYates, clock).unwrap();
    let mut header = header.encode();
    header[..2].copy_from_slice(&version.to_le_bytes());
    let home = Home::open(a.path(), None, &mut system_rng()).unwrap();
    let peers = home.known_peers().unwrap();
    let listen = ["127.0.0.1:0".parse().unwrap()];
    let (name, timing) = (Name::clean("Anna"), Timing::default());
    let door = Door::open(Arc::new(home), peers, name, header, &listen, timing).unwrap();
    let invite = door.invite(vec![door.addresses()[0].into()], None).unwrap();
    let (events, code) = Side::join(b.path(), &invite.to_string(), &["--auto"]).finish();
    assert_eq!(code, 1, "{events:?}");
    assert!(file(b.path(), "log").is_none());
    events.last().unwrap()["message"].to_string()
}

#[test]
fn guest_refuses_an_unknown_version_and_names_the_known_ones() {
    for version in [2, 5] {
        let output = error_for_version(version);
        assert!(
            output.contains(&format!("version {version}")) && output.contains("versions 3 and 4"),
            "{output}"
        );
    }
}
