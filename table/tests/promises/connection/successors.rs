//! A player comes from a new machine.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use dealerless_table::connection::{BadInvite, Connection, Guest, Invite, MeetingError};
use dealerless_table::identity::{PeersError, Recognised};

use super::players::{Player, QUICK, SOON, address, connection, invite};
use super::proxy::{Fate, From, judge, proxy};

/// What `player` makes of who is at the other end, and follows.
fn follows(player: &Player, connection: &Connection) -> Recognised {
    let mut peers = player.peers.lock();
    let recognised = peers
        .recognise(&connection.succession, &connection.peer_name)
        .unwrap();
    if let Recognised::Successor { .. } = recognised {
        peers.follow(&connection.succession).unwrap();
    }
    peers
        .remember(&connection.peer, &connection.peer_name, &[], None)
        .unwrap();
    peers.follow(&connection.succession).unwrap();
    recognised
}

/// Both meet by an invite. Gives what the host and the guest make of each other.
fn meet(host: &Player, guest: &Player) -> [Recognised; 2] {
    let door = host.door();
    let joined = guest.join(&invite(&door)).unwrap();
    let let_in = connection(&door);
    [follows(host, &let_in), follows(guest, &joined)]
}

fn is_successor(recognised: &Recognised, name: &str) -> bool {
    matches!(recognised, Recognised::Successor { name: known, .. } if known.as_str() == name)
}

#[test]
fn first_the_guest_and_then_the_host_comes_from_a_new_machine_and_both_are_followed() {
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
    // And once more, over two links.
    guest = guest.moves();
    let [of_guest, _] = meet(&host, &guest);
    assert!(is_successor(&of_guest, "Bob"), "{of_guest:?}");
    let peers = host.peers.lock();
    assert_eq!((peers.peers().len(), peers.peers()[0].before.len()), (1, 2));
    drop(peers);

    // From then on without an invite.
    let door = host.door();
    let public = host.home.identity().public();
    let joined = guest.guest().join_again(public, &[address(&door)], None);
    assert_eq!(joined.unwrap().succession.past().len(), 0);
    assert_eq!(&connection(&door).peer, guest.home.identity().public());
}

#[test]
fn without_an_invite_new_keys_are_not_answered_before_the_other_was_told_of_them() {
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
    assert_eq!(join().unwrap().peer, *host.home.identity().public());
}

#[test]
fn the_length_of_a_meeting_does_not_tell_how_often_somebody_has_moved() {
    let lengths = |guest: &Player| {
        let host = Player::new("Anna");
        let door = host.door();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let note = Arc::clone(&seen);
        let through = proxy(
            door.addresses()[0],
            judge(move |from, number, message| {
                // Of a line that lives nothing is compared.
                if number < if from == From::Guest { 3 } else { 2 } {
                    note.lock().unwrap().push((from, number, message.len()));
                }
                Fate::Pass
            }),
        );
        let joined = guest.join(&door.invite(vec![through], None).unwrap());
        let lines = (joined.unwrap(), connection(&door));
        let mut seen = seen.lock().unwrap().clone();
        drop(lines);
        seen.sort_by_key(|&(from, number, _)| (from == From::Guest, number));
        seen
    };
    let never = Player::new("Bob");
    let often = (0..3).fold(Player::new("Bob"), |player, _| player.moves());
    assert_eq!(often.home.identity().succession().past().len(), 3);
    assert_eq!(lengths(&never), lengths(&often));
}

#[test]
fn two_versions_part_at_once() {
    let host = Player::new("Anna");
    let door = host.door_with(QUICK);
    let text = invite(&door).to_string();
    let other = text.replacen("dealerless2", "dealerless1", 1);
    assert_eq!(
        other.parse::<Invite>().unwrap_err(),
        BadInvite::OtherVersion
    );
    // A program of another version at the door of this one: it is closed, and waits for nothing.
    for version in [1, 3] {
        let mut stream = TcpStream::connect(door.addresses()[0]).unwrap();
        stream.write_all(b"dltb").unwrap();
        stream.write_all(&[version, 1]).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let mut answer = Vec::new();
        // It is closed or reset.
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty());
    }
    // And this one at the door of another, which closes as soon as it has read the version.
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
