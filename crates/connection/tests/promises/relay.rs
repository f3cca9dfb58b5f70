//! Two players who can only make outgoing connections meet at a relay. The tests use an imitation
//! with the pitfalls of the Magic Wormhole transit relay and, if installed, that relay itself.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use dealerless_connection::identity::Address;
use dealerless_connection::testing::Guest;
use dealerless_connection::testing::players::{Player, QUICK, SOON, connection};
use dealerless_connection::{MeetingError, Timing};

type Waiting = HashMap<String, Vec<(String, TcpStream)>>;

/// An imitation of the real relay. It joins any two connections with the same token and different
/// sides, the oldest first, and does not notice dead connections.
#[derive(Default)]
pub(super) struct Relay {
    requests: Mutex<Vec<String>>,
    waiting: Mutex<Waiting>,
}

impl Relay {
    pub(super) fn start() -> (Arc<Self>, Address) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().into();
        let relay = Arc::new(Relay::default());
        let own = Arc::clone(&relay);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let own = Arc::clone(&own);
                thread::spawn(move || own.serve(stream.unwrap()));
            }
        });
        (relay, address)
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut line = Vec::new();
        let mut byte = [0];
        while line.last() != Some(&b'\n') {
            if stream.read(&mut byte).unwrap_or(0) == 0 {
                return;
            }
            line.push(byte[0]);
        }
        let line = String::from_utf8(line).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let [.., token, "for", "side", side] = words[..] else {
            panic!("{line}")
        };
        assert_eq!((token.len(), side.len()), (64, 16));
        assert_eq!(line, format!("please relay {token} for side {side}\n"));
        self.requests.lock().unwrap().push(side.into());
        let mut waiting = self.waiting.lock().unwrap();
        let peers = waiting.entry(token.into()).or_default();
        match peers.iter().position(|(other, _)| other != side) {
            None => peers.push((side.into(), stream)),
            Some(place) => {
                let mut other = peers.remove(place).1;
                drop(waiting);
                for end in [&mut other, &mut stream] {
                    let _ = end.write_all(b"ok\n");
                }
                carry(&other, &stream);
                carry(&stream, &other);
            }
        }
    }

    /// The number of sides that have asked for another player.
    pub(super) fn sides(&self) -> usize {
        let requests = self.requests.lock().unwrap();
        requests.iter().collect::<HashSet<_>>().len()
    }

    /// The number of waiting connections.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.lock().unwrap().values().map(Vec::len).sum()
    }
}

/// Forwards data in a thread. Ignores errors of the receiving end.
fn carry(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    thread::spawn(move || {
        let mut buf = [0; 4096];
        while let Ok(len @ 1..) = from.read(&mut buf) {
            let _ = to.write_all(&buf[..len]);
        }
    });
}

pub(super) fn until(condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < SOON);
        thread::sleep(Duration::from_millis(5));
    }
}

fn quick(guest: &Player) -> Guest<'_> {
    let timing = Timing {
        meeting: Duration::from_secs(3),
        ..QUICK
    };
    Guest {
        timing,
        ..guest.guest()
    }
}

#[test]
fn two_players_meet_at_a_relay() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    host.remember(&guest);
    guest.remember(&host);
    let (relay, address) = Relay::start();
    let door = host.door();
    let invite = door.invite(vec![], Some(address.clone())).unwrap();
    until(|| relay.waiting() == 1);
    let joined = guest.join(&invite).unwrap();
    let let_in = connection(&door);
    assert_eq!(joined.met.handshake_hash, let_in.met.handshake_hash);
    // The host waits at the relay again at once.
    until(|| relay.waiting() == 1);
    door.wait_at_relay(&address, guest.home.identity().public());
    until(|| relay.waiting() == 2);
    let public = host.home.identity().public();
    let joined = guest
        .guest()
        .join_again(public, &[], Some(&address))
        .unwrap();
    assert_eq!(
        joined.met.handshake_hash,
        connection(&door).met.handshake_hash
    );
}

#[test]
fn reconnected_host_is_not_joined_to_itself() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (relay, address) = Relay::start();
    let door = host.door();
    let invite = door.invite(vec![], Some(address)).unwrap();
    until(|| relay.waiting() == 1);
    // The host's connection breaks, but the relay keeps the connection in its list.
    for end in relay.waiting.lock().unwrap().values().flatten() {
        end.1.shutdown(Shutdown::Both).unwrap();
    }
    until(|| relay.waiting() == 2);
    let sides = relay.requests.lock().unwrap().clone();
    assert!(sides.len() == 2 && sides[0] == sides[1]);
    // The relay joins the guest to the dead connection first. The guest gets no answer and tries
    // again.
    quick(&guest).join(&invite).unwrap();
    assert_eq!(&connection(&door).met.peer, guest.home.identity().public());
    let sides = relay.requests.lock().unwrap().clone();
    assert!(sides.iter().filter(|side| **side != sides[0]).count() >= 2);
}

#[test]
fn empty_relay_and_non_relay_have_different_errors() {
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let (_relay, address) = Relay::start();
    let door = host.door();
    let invite = door.invite(vec![], Some(address)).unwrap();
    drop(door);
    thread::sleep(Duration::from_millis(50));
    let (_other, elsewhere) = Relay::start();
    let door = host.door();
    host.remember(&guest);
    guest.remember(&host);
    let public = host.home.identity().public();
    let nobody = quick(&guest).join_again(public, &[], Some(&elsewhere));
    assert!(matches!(nobody, Err(MeetingError::NobodyAtRelay(_))));
    let not_a_relay = quick(&guest).join_again(public, &[], Some(&door.addresses()[0].into()));
    assert!(matches!(not_a_relay, Err(MeetingError::Relay { .. })));
    drop(invite);
}

/// The process of the real relay, killed on drop.
struct Twist(Child);

impl Drop for Twist {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the real relay with `twist`, or with the program that `DEALERLESS_TWIST` names. `None` if
/// that program is not installed.
fn real_relay() -> Option<(Twist, Address)> {
    let program = std::env::var("DEALERLESS_TWIST").unwrap_or_else(|_| "twist".into());
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let port_argument = format!("--port=tcp:{}:interface=127.0.0.1", port.port());
    let mut command = Command::new(program);
    command
        .args(["transitrelay", &port_argument])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let twist = Twist(command.spawn().ok()?);
    until(|| TcpStream::connect(port).is_ok());
    Some((twist, port.into()))
}

#[test]
fn two_players_meet_at_the_real_relay_of_magic_wormhole() {
    let Some((_twist, address)) = real_relay() else {
        eprintln!("skipped: magic-wormhole-transit-relay is not installed (DEALERLESS_TWIST)");
        return;
    };
    let [host, guest] = ["Anna", "Bob"].map(Player::new);
    let door = host.door();
    let invite = door.invite(vec![], Some(address)).unwrap();
    for _ in 0..3 {
        let joined = guest.join(&invite).unwrap();
        let let_in = connection(&door);
        assert_eq!(joined.met.handshake_hash, let_in.met.handshake_hash);
        joined.send_log(vec![5; 100_000]).unwrap();
        assert_eq!(let_in.recv(SOON).unwrap().bytes, vec![5; 100_000]);
    }
    // A restarted host is not joined to its own dead connection.
    drop(door);
    let door = host.door();
    drop(door.invite(vec![], invite.relay().cloned()).unwrap());
    assert!(door.next(Duration::from_millis(300)).is_none());
}

#[test]
fn relay_that_invents_guests_is_contacted_only_a_few_times() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at: Address = listener.local_addr().unwrap().into();
    let host = Player::new("Anna");
    let door = host.door();
    door.invite(vec![], Some(at)).unwrap();
    let mut asked = vec![listener.accept().unwrap().0];
    asked[0].write_all(b"ok\n").unwrap();
    listener.set_nonblocking(true).unwrap();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(1) {
        match listener.accept() {
            Ok((mut stream, _)) => {
                let _ = stream.write_all(b"ok\n");
                asked.push(stream);
            }
            Err(_) => thread::sleep(Duration::from_millis(1)),
        }
    }
    assert!(asked.len() <= 11, "{}", asked.len());
}
