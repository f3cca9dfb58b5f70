//! A guest tries all addresses of a host and a relay at the same time. One meeting counts, and the
//! others leave nothing behind.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless_connection::identity::Address;
use dealerless_connection::testing::players::{Player, SOON, address, connection};
use dealerless_connection::testing::proxy::{Fate, judge, proxy};
use dealerless_connection::testing::{Connection, Door, Guest};
use dealerless_connection::{DoorEvent, MeetingError, Timing};

use super::relay::{Relay, until};

/// A guest that waits for an answer for longer than any test runs.
fn patient(player: &Player) -> Guest<'_> {
    let timing = Timing {
        meeting: Duration::from_secs(3600),
        ..Timing::default()
    };
    Guest {
        timing,
        ..player.guest()
    }
}

/// Two players who know each other.
fn acquainted() -> [Player; 2] {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    [host, guest]
}

/// An address at which each message reaches `target` after this time.
fn slow(target: SocketAddr, delay: Duration) -> Address {
    let wait = move |_, _, _: &mut Vec<u8>| {
        thread::sleep(delay);
        Fate::Pass
    };
    proxy(target, judge(wait))
}

/// An address that accepts a connection and is silent. The thread ends when the guest closes it.
fn silent() -> (Address, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let accept = move || {
        let mut stream = listener.accept().unwrap().0;
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut received = Vec::new();
        match stream.read_to_end(&mut received) {
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => panic!("{error}"),
            _ => {}
        }
    };
    (at.into(), thread::spawn(accept))
}

/// The one connection of a door. Checks that there is no other event.
fn only_connection(door: &Door, joined: &Connection) -> Connection {
    let let_in = connection(door);
    assert_eq!(let_in.met.handshake_hash, joined.met.handshake_hash);
    assert!(door.next(Duration::from_millis(300)).is_none());
    assert_eq!(joined.ended(), None);
    assert_eq!(let_in.ended(), None);
    let_in
}

#[test]
fn host_at_two_addresses_and_a_relay_gets_one_connection() {
    let [host, guest] = acquainted();
    let (relay, at_relay) = Relay::start();
    let door = host.door();
    let target = door.addresses()[0];
    let known = |of: &Player, other: &Player| {
        let peers = of.peers.lock();
        peers.get(other.home.identity().public()).unwrap().clone()
    };
    let before = [known(&host, &guest), known(&guest, &host)];
    for delay in [0, 90, 130, 300] {
        // Both addresses and the relay lead to the host at about the same time.
        let delay = Duration::from_millis(delay);
        let addresses = || vec![slow(target, delay), slow(target, delay)];
        let invite = door.invite(addresses(), Some(at_relay.clone())).unwrap();
        let public = guest.home.identity().public();
        door.wait_at_relay(&at_relay, public);
        until(|| relay.waiting() >= 2);
        let joined = guest.join(&invite).unwrap();
        let let_in = only_connection(&door, &joined);
        assert_eq!(&let_in.met.peer, public);
        assert!(let_in.met.came_by(&invite));
        let again =
            guest
                .guest()
                .join_again(host.home.identity().public(), &addresses(), Some(&at_relay));
        only_connection(&door, &again.unwrap());
        // The invite is this guest's.
        let second = Player::new("Carl");
        let mallory = second.guest().join(&invite);
        assert!(matches!(mallory, Err(MeetingError::Used)), "{mallory:?}");
        let fingerprint = second.home.identity().public().fingerprint();
        match door.next(SOON) {
            Some(DoorEvent::SecondGuest(met)) => assert_eq!(met.second.fingerprint(), fingerprint),
            _ => panic!("the host was not notified"),
        }
    }
    assert_eq!(before, [known(&host, &guest), known(&guest, &host)]);
}

#[test]
fn silent_addresses_delay_no_meeting_and_are_closed() {
    let [host, guest] = acquainted();
    let (relay, at_relay) = Relay::start();
    let door = host.door();
    let public = host.home.identity().public();
    let (all, ends): (Vec<_>, Vec<_>) = (0..4).map(|_| silent()).unzip();
    // At another address.
    let invite = door.invite([&all[..1], &[address(&door)]].concat(), None);
    let joined = patient(&guest).join(&invite.unwrap()).unwrap();
    assert_eq!(joined.at, Some(door.addresses()[0]));
    only_connection(&door, &joined);
    let joined = patient(&guest).join_again(public, &[all[1].clone(), address(&door)], None);
    only_connection(&door, &joined.unwrap());
    // At the relay.
    let invite = door.invite(all[2..3].to_vec(), Some(at_relay.clone()));
    let joined = patient(&guest).join(&invite.unwrap()).unwrap();
    assert_eq!(joined.at, None);
    only_connection(&door, &joined);
    door.wait_at_relay(&at_relay, guest.home.identity().public());
    until(|| relay.waiting() >= 2);
    let joined = patient(&guest).join_again(public, &all[3..], Some(&at_relay));
    only_connection(&door, &joined.unwrap());
    for end in ends {
        end.join().unwrap();
    }
}

#[test]
fn host_with_other_keys_at_one_address_is_passed_over() {
    let [host, guest] = acquainted();
    let eve = Player::new("Eve");
    eve.remember(&guest);
    let door = host.door();
    // Eve has the secret of the invite, and answers as if she were the host.
    let first = door.invite(vec![], None).unwrap();
    let stolen = host.folder.path().join("invites");
    fs::copy(stolen, eve.folder.path().join("invites")).unwrap();
    let fake = eve.door();
    let at = vec![address(&fake), address(&door)];
    let invite = door.invite(at.clone(), None).unwrap();
    drop(first);
    let joined = guest.join(&invite).unwrap();
    assert_eq!(&joined.met.peer, host.home.identity().public());
    only_connection(&door, &joined);
    let public = host.home.identity().public();
    let joined = guest.guest().join_again(public, &at, None).unwrap();
    only_connection(&door, &joined);
    assert!(fake.next(Duration::from_millis(50)).is_none());
    // Alone, it is an error.
    let alone = guest.guest().join_again(public, &at[..1], None);
    assert!(matches!(alone, Err(MeetingError::NotAnswered)), "{alone:?}");
}

#[test]
fn relay_is_not_asked_if_the_meeting_at_an_address_is_complete_before() {
    let [host, guest] = acquainted();
    let door = host.door();
    let asks_only_the_host = || {
        let (relay, at_relay) = Relay::start();
        let invite = door.invite(vec![address(&door)], Some(at_relay)).unwrap();
        until(|| relay.waiting() == 1);
        let joined = patient(&guest).join(&invite).unwrap();
        only_connection(&door, &joined);
        relay.sides() == 1
    };
    // On a busy machine a meeting may take longer than the lead of an address, 250 ms.
    assert!((0..40).any(|_| asks_only_the_host()));
}

#[test]
fn relay_that_answers_before_the_address_carries_the_connection() {
    let [host, guest] = acquainted();
    let (relay, at_relay) = Relay::start();
    let door = host.door();
    let addresses = || vec![slow(door.addresses()[0], Duration::from_secs(10))];
    let invite = door.invite(addresses(), Some(at_relay.clone())).unwrap();
    until(|| relay.waiting() == 1);
    let joined = patient(&guest).join(&invite).unwrap();
    assert_eq!(joined.at, None);
    only_connection(&door, &joined);
}

/// A relay in front of `relay` that forwards the first message of a guest and the answer, and then
/// nothing more of the guest. Returns its address and the number of bytes that it has swallowed.
fn swallowing(relay: Address) -> (Address, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let swallowed = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&swallowed);
    thread::spawn(move || {
        for guest in listener.incoming() {
            let mut guest = guest.unwrap();
            let mut relay = TcpStream::connect(relay.to_string()).unwrap();
            let [mut to_guest, mut from_relay] =
                [&guest, &relay].map(|stream| stream.try_clone().unwrap());
            let answered = Arc::new(AtomicBool::new(false));
            let (is_answered, count) = (Arc::clone(&answered), Arc::clone(&count));
            thread::spawn(move || {
                let (mut buf, mut all) = ([0; 4096], 0);
                while let Ok(len @ 1..) = from_relay.read(&mut buf) {
                    all += len;
                    is_answered.store(all > "ok\n".len(), Ordering::SeqCst);
                    let _ = to_guest.write_all(&buf[..len]);
                }
            });
            thread::spawn(move || {
                let mut buf = [0; 4096];
                while let Ok(len @ 1..) = guest.read(&mut buf) {
                    if answered.load(Ordering::SeqCst) {
                        count.fetch_add(len, Ordering::SeqCst);
                    } else {
                        relay.write_all(&buf[..len]).unwrap();
                    }
                }
                let _ = relay.shutdown(Shutdown::Both);
            });
        }
    });
    (at.into(), swallowed)
}

/// Meets at an address while a relay stalls the meeting. `false` if the address has answered before
/// the relay, or its meeting has taken longer than the two seconds of its turn.
fn meets_although_a_relay_stalls() -> bool {
    let [host, guest] = acquainted();
    let (relay, at_relay) = Relay::start();
    let (at_swallowing, swallowed) = swallowing(at_relay.clone());
    let door = host.door();
    let addresses = vec![slow(door.addresses()[0], Duration::from_millis(600))];
    let invite = door.invite(addresses, Some(at_relay)).unwrap();
    until(|| relay.waiting() == 1);
    // The host waits at the relay itself, so only what the guest sends is swallowed.
    let invite = invite.at_relay(Some(at_swallowing));
    let Ok(joined) = guest.join(&invite) else {
        return false;
    };
    assert!(joined.at.is_some());
    only_connection(&door, &joined);
    swallowed.load(Ordering::SeqCst) > 0
}

#[test]
fn relay_that_stalls_a_meeting_gives_way_to_an_address() {
    assert!((0..5).any(|_| meets_although_a_relay_stalls()));
}
