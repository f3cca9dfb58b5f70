//! Many guests of a table come by its one link and its one code, at our relay.

use std::collections::HashSet;
use std::thread;

use dealerless_connection::identity::Address;
use dealerless_connection::testing::players::{Player, address, connection};
use dealerless_connection::testing::{Door, use_code};
use dealerless_connection::{MeetingError, SpokenCode, SpokenError};
use dealerless_relay::{Limits, Relay, Settings, Stop};

use super::codes::wrong;

const TABLE: [u8; 32] = [7; 32];

/// A running relay. It ends with the test.
struct Running(Address, Stop);

impl Running {
    fn new() -> Self {
        let limits = Limits {
            codes: 100,
            ..Limits::default()
        };
        let settings = Settings {
            limits,
            ..Settings::default()
        };
        let relay = Relay::listen(&["127.0.0.1:0".parse().unwrap()], settings).unwrap();
        let running = Running(relay.addresses()[0].into(), relay.stopper());
        thread::spawn(|| relay.run().unwrap());
        running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.1.stop();
        self.1.stop();
    }
}

fn guests(names: &[&str]) -> Vec<Player> {
    names.iter().copied().map(Player::new).collect()
}

/// The players whose connections come to the door next.
fn come(door: &Door, guests: &[Player]) {
    let identity = |guest: &Player| guest.home.identity().public().encode();
    let expected: HashSet<_> = guests.iter().map(identity).collect();
    let came = guests.iter().map(|_| connection(door).met.peer.encode());
    assert_eq!(came.collect::<HashSet<_>>(), expected);
}

#[test]
fn many_guests_at_once_meet_the_host_by_one_link_at_a_relay() {
    let host = Player::new("Anna");
    let relay = Running::new();
    let door = host.door();
    let link = door.table_link(Vec::new(), Some(relay.0.clone()), TABLE);
    let link = link.unwrap();
    let guests = guests(&["B", "C", "D", "E", "F", "G", "H", "I", "J", "K"]);
    let joined: Vec<_> = thread::scope(|scope| {
        let guests = guests.iter();
        let joining = guests.map(|guest| scope.spawn(|| guest.join(&link).unwrap()));
        let joining: Vec<_> = joining.collect();
        let joined = joining.into_iter().map(|guest| guest.join().unwrap());
        joined.collect()
    });
    assert_eq!(joined.len(), guests.len());
    come(&door, &guests);
    // A replaced link leads nowhere, and the new one to the host.
    let by_address = || door.table_link(vec![address(&door)], None, TABLE).unwrap();
    let old = by_address();
    door.end_invite(&old).unwrap();
    let refused = guests[0].join(&old);
    assert!(matches!(refused, Err(MeetingError::NotAnswered)));
    guests[0].join(&by_address()).unwrap();
}

#[test]
fn many_guests_get_the_link_of_a_table_by_one_code() {
    let host = Player::new("Anna");
    let relay = Running::new();
    let door = host.door();
    let link = door.table_link(vec![address(&door)], None, TABLE).unwrap();
    let code = door.offer_code(&relay.0, &link).unwrap();
    let gets = |code: &SpokenCode| {
        let got = use_code(&relay.0, code.clone()).unwrap();
        assert_eq!(got.to_string(), link.to_string());
        got
    };
    let first = guests(&["Bob", "Carl", "Dora"]);
    for guest in &first {
        guest.join(&gets(&code)).unwrap();
    }
    come(&door, &first);
    // Some come at once. They wait for each other at the relay.
    let more = guests(&["Emil", "Fritz", "Gina", "Hans"]);
    thread::scope(|scope| {
        for guest in &more {
            scope.spawn(|| guest.join(&gets(&code)).unwrap());
        }
    });
    come(&door, &more);
    // A guest with other words gets nothing, and those with the right ones still do.
    for _ in 0..2 {
        let guessed = use_code(&relay.0, wrong(&code));
        assert!(matches!(guessed, Err(SpokenError::Wrong)), "{guessed:?}");
        gets(&code);
    }
}
