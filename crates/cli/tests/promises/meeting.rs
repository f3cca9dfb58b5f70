//! Players meet at the configured relay, at another one or at none, and by the link of a page.

use dealerless_connection::identity::{Home, Name};
use dealerless_connection::system_rng;
use dealerless_connection::testing::Door;
use dealerless_connection::{DoorEvent, Timing};

use crate::common;

use std::path::Path;
use std::sync::Arc;

use common::matches::{host_at, run};
use common::processes::LIMIT;
use common::processes::free_address;
use common::relay::Relay;
use common::side::{Side, folders};

/// An address at which nobody listens.
const NOWHERE: &str = "127.0.0.1:1";
const BOT: [&str; 3] = ["--auto", "--hands", "1"];

fn configure(folder: &Path, relay: &str) {
    let set = run(folder, &["config", "relay", relay]);
    assert!(set.status.success(), "{set:?}");
}

/// The exit code and the last event of a guest that does not know the current address of Anna.
fn joined(folder: &Path, options: &[&str]) -> (i32, String) {
    let whom = ["Anna", "--at", NOWHERE, "--auto"];
    let (name, rest) = whom.split_first().unwrap();
    let guest = Side::join(folder, name, &[rest, options].concat());
    let (events, code) = guest.finish();
    (code, events.last().unwrap().to_string())
}

#[test]
fn known_players_meet_at_the_configured_relay_unless_another_is_given() {
    let [a, b] = folders();
    let at = free_address();
    let hosts = |options: &[&str]| host_at(a.path(), &at, &[&BOT, options].concat());
    let (host, invite) = hosts(&[]);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    assert_eq!((guest.finish().1, host.finish().1), (0, 0));
    let (configured, other) = (Relay::start(), Relay::start());
    for folder in [&a, &b] {
        configure(folder.path(), &format!("ws://{}/", configured.address));
    }
    let expects = ["--for", "Bert"];
    let (host, _) = hosts(&expects);
    let (code, last) = joined(b.path(), &["--relay", "none"]);
    assert!(code != 0 && last.contains(NOWHERE), "{last}");
    assert_eq!(configured.joined(), 0);
    assert_eq!(joined(b.path(), &[]).0, 0);
    assert_eq!(host.finish().1, 0);
    assert!(configured.joined() > 0);
    // Both name another relay.
    let before = configured.joined();
    let other_at = other.address.to_string();
    let named = ["--relay", &other_at];
    let (host, _) = hosts(&[&expects[..], &named].concat());
    assert_eq!(joined(b.path(), &named).0, 0);
    assert_eq!(host.finish().1, 0);
    assert!(other.joined() > 0 && configured.joined() == before);
    // They meet again where they met last, and the configured relay stays the host's.
    let (host, invite) = hosts(&expects);
    assert_eq!(joined(b.path(), &[]).0, 0);
    assert_eq!(host.finish().1, 0);
    let invite: dealerless_connection::Invite = invite.parse().unwrap();
    let relay = invite.relay().unwrap().to_string();
    assert_eq!(relay, configured.address.to_string());
    assert_eq!(configured.joined(), before);
}

#[test]
fn guest_joins_by_the_link_of_a_host_without_an_address() {
    let [a, b] = folders();
    let relay = Relay::start();
    let home = Arc::new(Home::open(a.path(), None, &mut system_rng()).unwrap());
    let peers = home.known_peers().unwrap();
    let (name, timing) = (Name::clean("Anna"), Timing::default());
    let door = Door::open(home, peers, name, b"header".to_vec(), &[], timing).unwrap();
    let link = |page: &str| {
        let invite = door.invite(Vec::new(), Some(relay.address.into())).unwrap();
        format!("{page}#{}", invite.at_relay(None))
    };
    let meets = |whom: &str, options: &[&str]| {
        let guest = Side::join(b.path(), whom, options);
        let event = door.next(LIMIT);
        assert!(matches!(event, Some(DoorEvent::Connection(_))), "{whom}");
        drop(event);
        guest.finish();
    };
    let port = relay.address.port();
    meets(
        &format!(
            "{}&relay=ws%3A%2F%2F127.0.0.1%3A{port}%2F",
            link("https://page.example/")
        ),
        &[],
    );
    meets(&link(""), &["--relay", &relay.address.to_string()]);
    // An invite alone leads nowhere, and neither does a link without a relay.
    let alone = Side::join(b.path(), &link("https://page.example/"), &[]);
    let (events, code) = alone.finish();
    let last = events.last().unwrap().to_string();
    assert!(code != 0 && last.contains("no address is known"), "{last}");
    let wrong = Side::join(
        b.path(),
        &format!("{}&relay=ftp://r/", link("https://p/")),
        &[],
    );
    let (events, code) = wrong.finish();
    let last = events.last().unwrap().to_string();
    assert!(
        code != 0 && last.contains("the relay of the link"),
        "{last}"
    );
}
