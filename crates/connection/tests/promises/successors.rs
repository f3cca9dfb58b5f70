//! A player comes back from a new machine, with a new identity.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use dealerless_connection::identity::{PeersError, Recognised};
use dealerless_connection::testing::players::{Player, QUICK, SOON, address, connection, invite};
use dealerless_connection::testing::proxy::{Fate, From, judge, proxy};
use dealerless_connection::testing::{Connection, Guest};
use dealerless_connection::{BadInvite, Invite, MeetingError};

/// Returns how `player` recognises the peer. If the peer has moved, `player` replaces its old keys.
fn recognise_and_follow(player: &Player, connection: &Connection) -> Recognised {
    let mut peers = player.peers.lock();
    let recognised = peers
        .recognise(&connection.met.succession, &connection.met.peer_name)
        .unwrap();
    if let Recognised::Successor { .. } = recognised {
        peers.follow(&connection.met.succession).unwrap();
    }
    peers
        .remember(&connection.met.peer, &connection.met.peer_name, &[], None)
        .unwrap();
    peers.follow(&connection.met.succession).unwrap();
    recognised
}

/// Both meet by an invite. Returns how the host recognises the guest, and how the guest
/// recognises the host.
fn meet(host: &Player, guest: &Player) -> [Recognised; 2] {
    let door = host.door();
    let joined = guest.join(&invite(&door)).unwrap();
    let let_in = connection(&door);
    [
        recognise_and_follow(host, &let_in),
        recognise_and_follow(guest, &joined),
    ]
}

fn is_successor(recognised: &Recognised, name: &str) -> bool {
    matches!(recognised, Recognised::Successor { name: known, .. } if known.as_str() == name)
}

#[test]
fn moved_guest_and_moved_host_are_followed() {
    let [mut host, mut guest] = ["Anna", "Bob"].map(Player::new);
    assert_eq!(meet(&host, &guest), [Recognised::New, Recognised::New]);
    let bob = guest.home.identity().public().clone();
    host.peers.lock().count_hands(&bob, 12).unwrap();
    host.peers.lock().count_failed_check(&bob).unwrap();

    guest = guest.moves();
    let [of_guest, of_host] = meet(&host, &guest);
    assert!(is_successor(&of_guest, "Bob"), "{of_guest:?}");
    assert_eq!(of_host, Recognised::Known);
    {
        let peers = host.peers.lock();
        let [peer] = peers.peers() else {
            panic!("{peers:?}")
        };
        assert_eq!(&peer.identity, guest.home.identity().public());
        assert_eq!((peer.hands, peer.failed_checks), (12, 1));
        let old = peers.recognise(&bob.into(), &guest.name);
        assert!(matches!(old, Err(PeersError::Succeeded { .. })));
    }

    host = host.moves();
    let [of_guest, of_host] = meet(&host, &guest);
    assert_eq!(of_guest, Recognised::Known);
    assert!(is_successor(&of_host, "Anna"), "{of_host:?}");
    // A second move of the guest.
    guest = guest.moves();
    let [of_guest, _] = meet(&host, &guest);
    assert!(is_successor(&of_guest, "Bob"), "{of_guest:?}");
    let peers = host.peers.lock();
    assert_eq!((peers.peers().len(), peers.peers()[0].before.len()), (1, 2));
    drop(peers);

    // After these meetings no invite is needed.
    let door = host.door();
    let public = host.home.identity().public();
    let joined = guest.guest().join_again(public, &[address(&door)], None);
    assert_eq!(joined.unwrap().met.succession.past().len(), 0);
    assert_eq!(&connection(&door).met.peer, guest.home.identity().public());
}

#[test]
fn new_identity_needs_an_invite_or_a_statement() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    meet(&host, &guest);
    let guest = guest.moves();
    let door = host.door();
    let join = || {
        let public = host.home.identity().public();
        guest.guest().join_again(public, &[address(&door)], None)
    };
    assert!(matches!(join(), Err(MeetingError::NotAnswered)));
    let statement = guest.home.identity().succession().to_string();
    let statement = statement.parse().unwrap();
    host.peers.lock().follow(&statement).unwrap();
    assert_eq!(join().unwrap().met.peer, *host.home.identity().public());
}

#[test]
fn message_lengths_do_not_reveal_earlier_moves() {
    let lengths = |guest: &Player| {
        let host = Player::new("Anna");
        let door = host.door();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = Arc::clone(&seen);
        let through = proxy(
            door.addresses()[0],
            judge(move |from, number, message| {
                // Messages after the meeting are not compared.
                if number < if from == From::Guest { 3 } else { 2 } {
                    note.lock().unwrap().push((from, number, message.len()));
                }
                Fate::Pass
            }),
        );
        let joined = guest.join(&door.invite(vec![through], None).unwrap());
        let connections = (joined.unwrap(), connection(&door));
        let mut seen = seen.lock().unwrap().clone();
        drop(connections);
        seen.sort_by_key(|&(from, number, _)| (from == From::Guest, number));
        seen
    };
    let never = Player::new("Bob");
    let often = (0..3).fold(Player::new("Bob"), |player, _| player.moves());
    assert_eq!(often.home.identity().succession().past().len(), 3);
    assert_eq!(lengths(&never), lengths(&often));
}

#[test]
fn mismatched_versions_disconnect_at_once() {
    let host = Player::new("Anna");
    let door = host.door_with(QUICK);
    let text = invite(&door).to_string();
    let other = text.replacen("dealerless2", "dealerless1", 1);
    assert_eq!(
        other.parse::<Invite>().unwrap_err(),
        BadInvite::OtherVersion
    );
    // This door closes the connection of a program of another version at once.
    for version in [1, 3] {
        let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
        stream.write_all(b"dltb").unwrap();
        stream.write_all(&[version, 1]).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut answer = Vec::new();
        // The connection is closed or reset.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty());
    }
    // A door of another version closes the connection as soon as it has read our version.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap().into();
    let old = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 6]).unwrap();
    });
    let guest = Player::new("Bob");
    let joined = Guest {
        timing: QUICK,
        ..guest.guest()
    }
    .join(&door.invite(vec![at], None).unwrap());
    assert!(matches!(joined, Err(MeetingError::NotAnswered)));
    old.join().unwrap();
}
