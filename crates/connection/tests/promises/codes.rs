//! A guest with a code gets the host's invite through a room of a relay. The tests use an imitation
//! of our relay.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use dealerless::testing::line::NOBODY;
use dealerless_connection::identity::Address;
use dealerless_connection::testing::players::{Player, SOON, connection, invite};
use dealerless_connection::testing::use_code;
use dealerless_connection::{DoorEvent, SpokenCode, SpokenError};

use super::relay::until;

/// The rooms of a relay: each is for one host and one guest.
#[derive(Default)]
struct Rooms {
    /// Whether the relay is one of Magic Wormhole, which has no rooms.
    has_none: AtomicBool,
    /// Whether the relay uses each code itself at once.
    uses_codes: AtomicBool,
    last: AtomicU32,
    waiting: Mutex<HashMap<u32, TcpStream>>,
}

impl Rooms {
    fn start() -> (Arc<Self>, Address) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().into();
        let rooms = Arc::new(Rooms::default());
        let own = Arc::clone(&rooms);
        thread::spawn(move || {
            for stream in listener.incoming() {
                own.serve(stream.unwrap());
            }
        });
        (rooms, address)
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut line = Vec::new();
        while line.last() != Some(&b'\n') {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        let line = String::from_utf8(line).unwrap();
        if self.has_none.load(Ordering::Relaxed) {
            stream.write_all(b"bad handshake\n").unwrap();
        } else if line.starts_with("please open a code as ") {
            let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
            if self.uses_codes.load(Ordering::Relaxed) {
                let answer = format!("code {number}\nok\n");
                stream.write_all(answer.as_bytes()).unwrap();
                let sent = stream.read(&mut [0]);
                assert!(!matches!(sent, Ok(1..)), "the host begins the exchange");
                return;
            }
            // Locked, so that a host with a code always waits.
            let mut waiting = self.waiting.lock().unwrap();
            writeln!(stream, "code {number}").unwrap();
            waiting.insert(number, stream);
        } else {
            let number = line.strip_prefix("please use code ").unwrap().trim_end();
            let host = self
                .waiting
                .lock()
                .unwrap()
                .remove(&number.parse().unwrap());
            match host {
                None => stream.write_all(b"no such code\n").unwrap(),
                Some(mut host) => {
                    for end in [&mut host, &mut stream] {
                        end.write_all(b"ok\n").unwrap();
                    }
                    carry(&host, &stream);
                    carry(&stream, &host);
                }
            }
        }
    }

    /// Cuts the connections of all waiting hosts.
    fn cut(&self) {
        self.waiting.lock().unwrap().clear();
    }

    /// Whether a host is connected. A host that has left is found by its closed connection.
    fn has_host(&self) -> bool {
        self.waiting.lock().unwrap().values().any(|host| {
            host.set_read_timeout(Some(Duration::from_millis(1)))
                .unwrap();
            !matches!((&mut &*host).read(&mut [0]), Ok(0))
        })
    }
}

fn carry(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
}

/// The same number with other words.
pub(super) fn wrong(code: &SpokenCode) -> SpokenCode {
    let text = code.to_string();
    let mut parts: Vec<&str> = text.split('-').collect();
    parts[1] = if parts[1] == "crossbow" {
        "guitar"
    } else {
        "crossbow"
    };
    parts.join("-").parse().unwrap()
}

#[test]
fn a_guest_with_the_code_meets_the_host_and_the_code_serves_once() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (_, relay) = Rooms::start();
    let door = host.door();
    let invite = invite(&door);
    let code = door.offer_code(&relay, &invite).unwrap();
    let got = use_code(&relay, code.clone()).unwrap();
    assert_eq!(got.to_string(), invite.to_string());
    let again = use_code(&relay, code);
    assert!(matches!(again, Err(SpokenError::NoSuchCode)), "{again:?}");
    let joined = guest.join(&got).unwrap();
    assert_eq!(&joined.met.peer, host.home.identity().public());
    assert!(connection(&door).met.came_by(&invite));
}

#[test]
fn each_wrong_guess_voids_a_code_and_another_one_follows() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (_rooms, relay) = Rooms::start();
    let door = host.door();
    let invite = invite(&door);
    let mut code = door.offer_code(&relay, &invite).unwrap();
    for _ in 0..2 {
        let wrong = use_code(&relay, wrong(&code));
        assert!(matches!(wrong, Err(SpokenError::Wrong)), "{wrong:?}");
        let right = use_code(&relay, code);
        assert!(matches!(right, Err(SpokenError::NoSuchCode)), "{right:?}");
        let Some(DoorEvent::CodeVoid { why, is_last, .. }) = door.next(SOON) else {
            panic!("no event for a void code")
        };
        assert!(matches!(why, SpokenError::Guessed) && !is_last, "{why}");
        let Some(DoorEvent::NewCode {
            invite: of,
            code: new,
        }) = door.next(SOON)
        else {
            panic!("no new code")
        };
        assert_eq!(of.to_string(), invite.to_string());
        code = new;
    }
    let got = use_code(&relay, code).unwrap();
    guest.join(&got).unwrap();
}

#[test]
fn a_relay_that_uses_the_code_before_the_player_knows_it_gets_no_guess() {
    let host = Player::new("Anna");
    let (rooms, relay) = Rooms::start();
    let door = host.door();
    let invite = invite(&door);
    rooms.uses_codes.store(true, Ordering::Relaxed);
    let offered = door.offer_code(&relay, &invite);
    assert!(matches!(offered, Err(SpokenError::Relay(_))), "{offered:?}");
    // The same in place of a new code.
    rooms.uses_codes.store(false, Ordering::Relaxed);
    door.offer_code(&relay, &invite).unwrap();
    rooms.uses_codes.store(true, Ordering::Relaxed);
    rooms.cut();
    let Some(DoorEvent::CodeVoid { is_last: false, .. }) = door.next(SOON) else {
        panic!("no event for a void code")
    };
    let Some(DoorEvent::CodeVoid { why, is_last, .. }) = door.next(SOON) else {
        panic!("no event for a code that was not given")
    };
    assert!(
        matches!(why, SpokenError::NoNewCode(_)) && !is_last,
        "{why}"
    );
    until(|| rooms.last.load(Ordering::Relaxed) == 4);
    assert!(door.next(Duration::from_millis(50)).is_none());
}

#[test]
fn a_guest_that_leaves_voids_the_code_and_a_lost_relay_costs_no_guess() {
    let host = Player::new("Anna");
    let (rooms, relay) = Rooms::start();
    let door = host.door();
    let invite = invite(&door);
    let mut code = door.offer_code(&relay, &invite).unwrap();
    let mut next = |cause: &dyn Fn(&SpokenCode)| {
        cause(&code);
        let Some(DoorEvent::CodeVoid { why, is_last, .. }) = door.next(SOON) else {
            panic!("no event for a void code")
        };
        assert!(!is_last);
        if let Some(DoorEvent::NewCode { code: new, .. }) = door.next(SOON) {
            code = new;
        }
        why
    };
    for _ in 0..5 {
        let why = next(&|_| rooms.cut());
        assert!(matches!(why, SpokenError::Relay(_)), "{why}");
    }
    let why = next(&|code| {
        let mut stream = TcpStream::connect(relay.to_string()).unwrap();
        let number = code.to_string();
        let number = number.split('-').next().unwrap();
        writeln!(stream, "please use code {number}").unwrap();
        stream.read_exact(&mut [0; 3]).unwrap();
    });
    assert!(matches!(why, SpokenError::Left), "{why}");
    assert!(use_code(&relay, code).is_ok());
}

#[test]
fn a_relay_that_ends_all_codes_gets_24_of_them() {
    let host = Player::new("Anna");
    let (rooms, relay) = Rooms::start();
    let door = host.door();
    door.offer_code(&relay, &invite(&door)).unwrap();
    for code in 1..=24 {
        rooms.cut();
        let Some(DoorEvent::CodeVoid { is_last, .. }) = door.next(SOON) else {
            panic!("no event for a void code")
        };
        assert_eq!(is_last, code == 24);
        if !is_last {
            assert!(matches!(door.next(SOON), Some(DoorEvent::NewCode { .. })));
        }
    }
    until(|| !rooms.has_host());
}

#[test]
fn a_code_ends_with_its_invite_and_with_the_door() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (rooms, relay) = Rooms::start();
    let door = host.door();
    let invites = [invite(&door), invite(&door)];
    door.offer_code(&relay, &invites[0]).unwrap();
    assert!(rooms.has_host());
    guest.join(&invites[0]).unwrap();
    until(|| !rooms.has_host());
    door.offer_code(&relay, &invites[1]).unwrap();
    until(|| rooms.has_host());
    drop(door);
    until(|| !rooms.has_host());
}

#[test]
fn a_relay_without_codes_and_a_dead_one_are_distinguished() {
    let host = Player::new("Anna");
    let (rooms, relay) = Rooms::start();
    rooms.has_none.store(true, Ordering::Relaxed);
    let door = host.door();
    let invite = invite(&door);
    let offered = door.offer_code(&relay, &invite);
    assert!(matches!(offered, Err(SpokenError::NotOffered)));
    let code: SpokenCode = "7-crossbow-guitar".parse().unwrap();
    let used = use_code(&relay, code.clone());
    assert!(matches!(used, Err(SpokenError::NotOffered)));
    let dead: Address = NOBODY.parse().unwrap();
    assert!(matches!(
        door.offer_code(&dead, &invite),
        Err(SpokenError::Relay(_))
    ));
    assert!(matches!(use_code(&dead, code), Err(SpokenError::Relay(_))));
}
