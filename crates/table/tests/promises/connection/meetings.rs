//! How players meet: by an invite, as known peers, and after failures.

use std::fs;
use std::sync::Arc;

use dealerless_table::Seat;
use dealerless_table::connection::{
    BadInvite, Door, DoorEvent, Invite, MeetingError, Stream, Timing,
};

use super::players::{Player, SOON, address, connection, invite, met};
use super::proxy::{Fate, From, judge, proxy};

#[test]
fn players_meet_by_an_invite_and_agree_on_the_handshake() {
    let [host, guest] = ["Anna", "Bob\u{202e}"].map(Player::new);
    let door = host.door();
    let text = invite(&door).to_string();
    let joined = guest.join(&text.parse().unwrap()).unwrap();
    let let_in = connection(&door);
    assert_eq!(
        (let_in.met.seat, joined.met.seat),
        (Seat::HOST, Seat::GUEST)
    );
    assert_eq!(&let_in.met.peer, guest.home.identity().public());
    assert_eq!(&joined.met.peer, host.home.identity().public());
    assert_eq!(
        (let_in.met.peer_name.as_str(), joined.met.peer_name.as_str()),
        ("Bob", "Anna")
    );
    assert_eq!(let_in.met.handshake_hash, joined.met.handshake_hash);
    assert_eq!(let_in.met.nonces, joined.met.nonces);
    assert_ne!(joined.met.nonces[0], joined.met.nonces[1]);
    assert_eq!(joined.met.header, b"header");
    assert!(let_in.met.first);
    joined.send_log(b"part".to_vec()).unwrap();
    let_in.send_control(b"hello".to_vec()).unwrap();
    let message = let_in.recv(SOON).unwrap();
    assert_eq!(
        (message.stream, &message.bytes[..]),
        (Stream::Log, &b"part"[..])
    );
    let message = joined.recv(SOON).unwrap();
    assert_eq!(
        (message.stream, &message.bytes[..]),
        (Stream::Control, &b"hello"[..])
    );
}

#[test]
fn known_peers_meet_without_an_invite() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let door = host.door();
    let join = || {
        let public = host.home.identity().public();
        guest.guest().join_again(public, &[address(&door)], None)
    };
    let joined = join().unwrap();
    let let_in = connection(&door);
    assert_eq!(let_in.met.handshake_hash, joined.met.handshake_hash);
    assert_eq!(
        (let_in.met.nonces, &let_in.met.header),
        (joined.met.nonces, &joined.met.header)
    );
    assert!(!let_in.met.first && !joined.met.first);
    assert_ne!(
        join().unwrap().met.handshake_hash,
        joined.met.handshake_hash
    );
}

#[test]
fn unknown_peer_is_not_answered() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door();
    let public = host.home.identity().public();
    let refused = guest.guest().join_again(public, &[address(&door)], None);
    assert!(matches!(refused, Err(MeetingError::NotAnswered)));
}

#[test]
fn door_for_players_answers_them_only() {
    let [own, player, known, invited] = ["Anna", "Bob", "Carl", "Dora"].map(Player::new);
    // The owner knows Carl, and was the host of an invite that nobody has used.
    own.remember(&known);
    let host_door = own.door();
    let old_invite = invite(&host_door).to_string();
    drop(host_door);
    let door = Door::for_players(
        vec![player.home.identity().public().clone()],
        Arc::clone(&own.home),
        own.name.clone(),
        &["127.0.0.1:0".parse().unwrap()],
        Timing::default(),
    )
    .unwrap();
    let join = |guest: &Player| {
        let host = own.home.identity().public();
        guest.guest().join_again(host, &[address(&door)], None)
    };
    let error = join(&known).unwrap_err();
    assert!(matches!(error, MeetingError::NotAnswered), "{error:?}");
    let moved = proxy_to(&old_invite.parse().unwrap(), &door);
    let error = invited.join(&moved).unwrap_err();
    assert!(matches!(error, MeetingError::NotAnswered), "{error:?}");
    let joined = join(&player).unwrap();
    assert_eq!(&connection(&door).met.peer, player.home.identity().public());
    assert!(joined.met.header.is_empty());
    assert!(
        own.peers
            .lock()
            .get(player.home.identity().public())
            .is_none()
    );
}

#[test]
fn mistyped_used_and_ended_invites_have_different_errors() {
    let [host, guest, second] = ["Anna", "Bob", "Carl"].map(Player::new);
    let door = host.door();
    let used = invite(&door);
    let mistyped = used.to_string().replacen('-', "-7", 1);
    assert_eq!(mistyped.parse::<Invite>().unwrap_err(), BadInvite::Mistyped);
    guest.join(&used).unwrap();
    assert!(connection(&door).met.first);
    assert!(matches!(second.join(&used), Err(MeetingError::Used)));
    let fingerprint = second.home.identity().public().fingerprint();
    match door.next(SOON) {
        Some(DoorEvent::InviteLeaked { second }) => assert_eq!(second, fingerprint),
        _ => panic!("the host was not notified"),
    }
    let wrong = invite(&door);
    door.end_invite(&wrong).unwrap();
    assert!(matches!(guest.join(&wrong), Err(MeetingError::NotAnswered)));
}

#[test]
fn invite_belongs_to_its_guest_after_a_restart_of_the_host() {
    let [host, guest, second] = ["Anna", "Bob", "Carl"].map(Player::new);
    let door = host.door();
    let first = invite(&door);
    guest.join(&first).unwrap();
    assert!(connection(&door).met.first);
    drop(door);
    let door = host.door();
    // The host has kept the invite's secret, but listens at another port.
    let again = guest.guest();
    let moved = proxy_to(&first, &door);
    again.join(&moved).unwrap();
    assert!(!connection(&door).met.first);
    assert!(matches!(
        second.join(&proxy_to(&first, &door)),
        Err(MeetingError::Used)
    ));
}

/// Forwards one connection from the first address of `invite` to `door`. Returns the same invite.
fn proxy_to(invite: &Invite, door: &dealerless_table::connection::Door) -> Invite {
    let old = invite.addresses()[0].to_string();
    let listener = std::net::TcpListener::bind(old).unwrap();
    let target = door.addresses()[0];
    std::thread::spawn(move || {
        let mut guest = listener.accept().unwrap().0;
        let mut host = std::net::TcpStream::connect(target).unwrap();
        let (mut guest_too, mut host_too) = (guest.try_clone().unwrap(), host.try_clone().unwrap());
        drop(listener);
        std::thread::spawn(move || {
            let _ = std::io::copy(&mut host_too, &mut guest_too);
            let _ = guest_too.shutdown(std::net::Shutdown::Both);
        });
        let _ = std::io::copy(&mut guest, &mut host);
    });
    invite.clone()
}

#[test]
fn other_host_with_the_invite_secret_is_refused() {
    let [host, guest, eve] = ["Anna", "Bob", "Eve"].map(Player::new);
    let door = host.door();
    let first = invite(&door);
    fs::copy(
        host.folder.path().join("invites"),
        eve.folder.path().join("invites"),
    )
    .unwrap();
    let fake = eve.door();
    drop(door);
    assert!(matches!(
        guest.join(&proxy_to(&first, &fake)),
        Err(MeetingError::NotAnswered)
    ));
    assert!(fake.next(std::time::Duration::from_millis(50)).is_none());
}

#[test]
fn player_cannot_meet_itself() {
    let host = Player::new("Anna");
    let door = host.door();
    assert!(matches!(
        host.join(&invite(&door)),
        Err(MeetingError::Oneself)
    ));
}

#[test]
fn unreachable_addresses_have_helpful_errors() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door();
    let first = invite(&door);
    drop(door);
    assert!(matches!(
        guest.join(&first),
        Err(MeetingError::OnlyPrivate { .. })
    ));
    let door = host.door();
    let nowhere = door.invite(vec![], None).unwrap();
    assert!(matches!(guest.join(&nowhere), Err(MeetingError::NoAddress)));
    let second = door
        .invite(vec![first.addresses()[0].clone(), address(&door)], None)
        .unwrap();
    guest.join(&second).unwrap();
}

#[test]
fn door_listens_on_several_addresses() {
    let host = Player::new("Anna");
    let listen = |addresses: &[&str]| {
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        let home = std::sync::Arc::clone(&host.home);
        let (peers, name) = (host.peers.clone(), host.name.clone());
        dealerless_table::connection::Door::open(
            home,
            peers,
            name,
            vec![],
            &addresses,
            Timing::default(),
        )
    };
    let door = listen(&["127.0.0.1:0", "127.0.0.2:0"]).unwrap();
    let guest = Player::new("Bob");
    let second = door.addresses()[1];
    guest
        .join(&door.invite(vec![second.into()], None).unwrap())
        .unwrap();
    assert!(listen(&[&second.to_string()]).is_err());
    if let Ok(door) = listen(&["[::1]:0", "127.0.0.1:0"]) {
        guest
            .join(&door.invite(vec![door.addresses()[0].into()], None).unwrap())
            .unwrap();
    }
}

#[test]
fn players_can_meet_after_a_cut_in_an_earlier_meeting() {
    for (from, number) in [
        (From::Guest, 0),
        (From::Host, 0),
        (From::Guest, 1),
        (From::Host, 1),
        (From::Guest, 2),
    ] {
        let [host, guest] = ["Anna", "Bob"].map(Player::new);
        host.remember(&guest);
        guest.remember(&host);
        let door = host.door();
        let cut = move || {
            judge(move |by, n, _| {
                if (by, n) == (from, number) {
                    Fate::Last
                } else {
                    Fate::Pass
                }
            })
        };
        let through = proxy(door.addresses()[0], cut());
        let invite = door.invite(vec![through], None).unwrap();
        drop(guest.join(&invite));
        let straight = door.addresses()[0];
        let joined = guest.join(&proxy_to(&invite, &door)).unwrap();
        assert_eq!(&joined.met.peer, host.home.identity().public());
        let public = host.home.identity().public();
        if number < 2 {
            let through = proxy(straight, cut());
            drop(guest.guest().join_again(public, &[through], None));
        }
        guest
            .guest()
            .join_again(public, &[straight.into()], None)
            .unwrap();
    }
}

#[test]
fn closed_connection_delivers_all_earlier_messages() {
    let (host, guest) = met(Timing::default());
    for part in 0..50u8 {
        guest.send_log(vec![part; 2000]).unwrap();
    }
    let closing = std::thread::spawn(move || guest.close(SOON));
    for part in 0..50u8 {
        assert_eq!(host.recv(SOON).unwrap().bytes, [part; 2000]);
    }
    assert_eq!(
        host.recv(SOON),
        Err(dealerless_table::connection::ConnectionError::Closed)
    );
    drop(host);
    assert!(closing.join().unwrap());
}
