//! How players meet: by an invite, as known peers, and after failures.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::{fs, io, thread};

use dealerless::testing::line::NOBODY;
use dealerless_connection::identity::Address;
use dealerless_connection::testing::Door;
use dealerless_connection::testing::players::{Player, SOON, address, connection, invite, met};
use dealerless_connection::testing::proxy::{Fate, From, judge, proxy};
use dealerless_connection::{BadInvite, DoorEvent, Invite, MeetingError, Side, Stream, Timing};

/// An address of a host that listens at one port after the other.
struct Forwarder {
    address: Address,
    target: Arc<Mutex<String>>,
}

impl Forwarder {
    /// Forwards all connections to the address that was [set](Self::leads_to) last.
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().into();
        let target = Arc::new(Mutex::new(String::new()));
        let own = Arc::clone(&target);
        thread::spawn(move || {
            for guest in listener.incoming() {
                let guest = guest.unwrap();
                let host = TcpStream::connect(own.lock().unwrap().as_str()).unwrap();
                for (from, to) in [(&guest, &host), (&host, &guest)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    thread::spawn(move || {
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Forwarder { address, target }
    }

    fn leads_to(&self, host: &impl ToString) {
        *self.target.lock().unwrap() = host.to_string();
    }
}

#[test]
fn players_meet_by_an_invite_and_agree_on_the_handshake() {
    let [host, guest] = ["Anna", "Bob\u{202e}"].map(Player::new);
    let door = host.door();
    let text = invite(&door).to_string();
    let joined = guest.join(&text.parse().unwrap()).unwrap();
    let let_in = connection(&door);
    assert_eq!(
        (let_in.met.side, joined.met.side),
        (Side::Host, Side::Guest)
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
    let forwarder = Forwarder::start();
    let old_invite = host_door.invite(vec![forwarder.address.clone()], None);
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
    forwarder.leads_to(&door.addresses()[0]);
    let error = invited.join(&old_invite.unwrap()).unwrap_err();
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
    connection(&door);
    assert!(matches!(second.join(&used), Err(MeetingError::Used)));
    let fingerprint = second.home.identity().public().fingerprint();
    match door.next(SOON) {
        Some(DoorEvent::SecondGuest(met)) => assert_eq!(met.second.fingerprint(), fingerprint),
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
    let forwarder = Forwarder::start();
    forwarder.leads_to(&door.addresses()[0]);
    let first = door.invite(vec![forwarder.address.clone()], None).unwrap();
    guest.join(&first).unwrap();
    connection(&door);
    drop(door);
    let door = host.door();
    // The host has kept the invite's secret, but listens at another port.
    forwarder.leads_to(&door.addresses()[0]);
    guest.join(&first).unwrap();
    connection(&door);
    assert!(matches!(second.join(&first), Err(MeetingError::Used)));
}

#[test]
fn other_host_with_the_invite_secret_is_refused() {
    let [host, guest, eve] = ["Anna", "Bob", "Eve"].map(Player::new);
    let door = host.door();
    let forwarder = Forwarder::start();
    let first = door.invite(vec![forwarder.address.clone()], None).unwrap();
    fs::copy(
        host.folder.path().join("invites"),
        eve.folder.path().join("invites"),
    )
    .unwrap();
    let fake = eve.door();
    drop(door);
    forwarder.leads_to(&fake.addresses()[0]);
    assert!(matches!(guest.join(&first), Err(MeetingError::NotAnswered)));
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
    let nobody: Address = NOBODY.parse().unwrap();
    let first = door.invite(vec![nobody.clone()], None).unwrap();
    let (peer, at) = (host.home.identity().public(), [nobody.clone()]);
    for failed in [
        guest.join(&first),
        guest.guest().join_again(peer, &at, None),
    ] {
        let error = failed.err().unwrap();
        assert!(matches!(error, MeetingError::OnlyPrivate { .. }));
        // A known player is called without an invite.
        assert!(
            error
                .to_string()
                .contains("only private addresses are known")
        );
        assert!(!error.to_string().contains("invite"));
    }
    let nowhere = door.invite(vec![], None).unwrap();
    assert!(matches!(guest.join(&nowhere), Err(MeetingError::NoAddress)));
    let second = door.invite(vec![nobody, address(&door)], None).unwrap();
    guest.join(&second).unwrap();
}

#[test]
fn door_listens_on_several_addresses() {
    let host = Player::new("Anna");
    let listen = |addresses: &[&str]| {
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        let home = std::sync::Arc::clone(&host.home);
        let (peers, name) = (host.peers.clone(), host.name.clone());
        dealerless_connection::testing::Door::open(
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
        let straight = door.addresses()[0];
        let forwarder = Forwarder::start();
        let invite = door.invite(vec![forwarder.address.clone()], None).unwrap();
        forwarder.leads_to(&proxy(straight, cut()));
        drop(guest.join(&invite));
        forwarder.leads_to(&straight);
        let joined = guest.join(&invite).unwrap();
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
    let closing = thread::spawn(move || guest.close(SOON));
    for part in 0..50u8 {
        assert_eq!(host.recv(SOON).unwrap().bytes, [part; 2000]);
    }
    assert_eq!(
        host.recv(SOON),
        Err(dealerless_connection::ConnectionError::Closed)
    );
    assert!(host.close(SOON));
    assert!(closing.join().unwrap());
}

#[test]
fn connection_that_the_peer_only_drops_may_have_lost_messages() {
    let (host, guest) = met(Timing::default());
    guest.send_log(b"last".to_vec()).unwrap();
    let closing = thread::spawn(move || guest.close(SOON));
    assert_eq!(host.recv(SOON).unwrap().bytes, b"last");
    drop(host);
    assert!(!closing.join().unwrap());
    // Nor does a peer confirm anything that stays silent.
    let (_host, guest) = met(Timing::default());
    assert!(!guest.close(std::time::Duration::from_millis(50)));
}
