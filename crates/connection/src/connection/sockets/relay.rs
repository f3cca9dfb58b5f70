//! Connections through a relay over TCP: how a guest is paired, and how a host keeps a connection
//! waiting.

use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::meeting::Side;
use super::super::polled::PolledMeeting;
use super::super::relay_request::{RelayAnswer, RelayToken, not_a_relay};
use super::door::{Inner, Origin};
use super::routes::connect;
use super::socket::{self, read_by, write_by};
use crate::identity::Address;

/// The pause after a failed connection to the relay.
const PAUSE: Duration = Duration::from_secs(2);
/// The minimum time between two guests from a relay. Otherwise a relay could fill the door with
/// made-up guests, which displace all other strangers.
const BETWEEN: Duration = Duration::from_millis(100);
/// The pause between two checks whether the door is closed.
const POLL: Duration = Duration::from_millis(100);

/// A connection that waits for the answer of a relay.
struct Asking {
    stream: TcpStream,
    answer: RelayAnswer,
}

impl Asking {
    fn new(relay: &Address, token: &RelayToken, side: Side) -> io::Result<Self> {
        let deadline = system_time() + Duration::from_secs(10);
        Self::send(connect(relay)?, token.request(side).as_bytes(), deadline)
    }

    fn send(stream: TcpStream, request: &[u8], deadline: Duration) -> io::Result<Self> {
        socket::prepare(&stream)?;
        write_by(&stream, request, deadline)?;
        let answer = RelayAnswer::default();
        Ok(Asking { stream, answer })
    }

    /// Waits for the answer that the players are paired. `TimedOut` if no complete answer has
    /// arrived before `deadline`.
    fn wait(&mut self, deadline: Duration) -> io::Result<()> {
        // Read byte by byte, because the bytes after the answer are from the other player.
        while !self.answer.is_complete() {
            let mut byte = [0];
            read_by(&self.stream, &mut byte, deadline)?;
            self.answer.push(&mut &byte[..]);
        }
        self.answer.check()
    }
}

/// Checks whether a transit relay answers at an address. A relay answers a malformed request with
/// `bad handshake`, and sends nothing to a waiting player.
///
/// # Errors
/// If the address cannot be reached in time, or does not answer like a transit relay.
pub fn ask_relay(relay: &Address, within: Duration) -> io::Result<()> {
    let (sender, answer) = channel();
    let relay = relay.clone();
    let ask = move || _ = sender.send(answer_of(&relay, within));
    // The request runs in its own thread because a DNS lookup has no timeout.
    let thread = thread::Builder::new().name("ask-relay".into());
    thread.spawn(ask)?;
    let answer = answer.recv_timeout(within);
    answer.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into()))
}

fn answer_of(relay: &Address, within: Duration) -> io::Result<()> {
    let deadline = system_time() + within;
    let mut asking = Asking::send(connect(relay)?, b"is this a relay\n", deadline)?;
    let waited = asking.wait(deadline);
    match waited {
        _ if asking.answer.is_bad_handshake() => Ok(()),
        Err(error) if error.kind() == ErrorKind::TimedOut => Err(error),
        _ => Err(not_a_relay()),
    }
}

/// Sends a request to a relay, and waits until the relay has paired both players.
pub(super) fn pair(stream: TcpStream, request: &str, deadline: Duration) -> io::Result<TcpStream> {
    let mut asking = Asking::send(stream, request.as_bytes(), deadline)?;
    asking.wait(deadline)?;
    Ok(asking.stream)
}

/// Keeps one connection waiting at a relay until the door is closed, and passes the guests to the
/// door.
pub(super) fn wait(door: &Arc<Inner>, relay: &Address, token: &RelayToken) {
    while !door.is_closed() {
        let next = system_time() + BETWEEN;
        let waited = wait_once(door, relay, token);
        thread::sleep(next.saturating_sub(system_time()));
        // Without an error, that is after a guest or after `PolledMeeting::RENEW`, reconnect without this pause.
        if waited.is_err() {
            let until = system_time() + PAUSE;
            while system_time() < until && !door.is_closed() {
                thread::sleep(POLL);
            }
        }
    }
}

fn wait_once(door: &Arc<Inner>, relay: &Address, token: &RelayToken) -> io::Result<()> {
    let mut asking = Asking::new(relay, token, Side::Host)?;
    let until = system_time() + PolledMeeting::RENEW;
    while system_time() < until && !door.is_closed() {
        match asking.wait(system_time() + POLL) {
            Ok(()) => {
                door.greet(asking.stream, Origin::Relay(relay.clone()));
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process::{Child, Command, Stdio};

    use super::*;

    struct Twist(Child);

    impl Drop for Twist {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// Starts a real relay with the program `twist`, or the program at the path `DEALERLESS_TWIST`.
    /// `None` if it is not installed.
    fn real_relay() -> Option<(Twist, Address)> {
        let program = std::env::var("DEALERLESS_TWIST").unwrap_or_else(|_| "twist".into());
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let at = format!("--port=tcp:{}:interface=127.0.0.1", port.port());
        let mut command = Command::new(program);
        command
            .args(["transitrelay", &at])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let Ok(child) = command.spawn() else {
            eprintln!("skipped: magic-wormhole-transit-relay is not installed (DEALERLESS_TWIST)");
            return None;
        };
        let twist = Twist(child);
        let until = system_time() + Duration::from_secs(30);
        while TcpStream::connect(port).is_err() {
            assert!(system_time() < until);
            thread::sleep(Duration::from_millis(20));
        }
        Some((twist, port.into()))
    }

    fn soon() -> Duration {
        system_time() + Duration::from_secs(5)
    }

    fn paired(relay: &Address, token: &RelayToken, side: Side) -> io::Result<TcpStream> {
        pair(connect(relay)?, &token.request(side), soon())
    }

    fn moment() -> Duration {
        system_time() + Duration::from_millis(500)
    }

    #[test]
    fn a_real_relay_does_not_pair_two_connections_of_one_side() {
        let Some((_twist, relay)) = real_relay() else {
            return;
        };
        let token = RelayToken([7; 32]);
        let mut first = Asking::new(&relay, &token, Side::Host).unwrap();
        let mut second = Asking::new(&relay, &token, Side::Host).unwrap();
        for asking in [&mut first, &mut second] {
            assert_eq!(
                asking.wait(moment()).unwrap_err().kind(),
                ErrorKind::TimedOut
            );
        }
        // The relay pairs a third connection with a different side, even though one player made all
        // three.
        assert!(paired(&relay, &token, Side::Guest).is_ok());
    }

    #[test]
    fn a_guest_at_a_real_relay_finds_the_host_among_dead_connections() {
        let Some((_twist, relay)) = real_relay() else {
            return;
        };
        let token = Arc::new(RelayToken([8; 32]));
        // These connections stay open, but nobody uses them.
        let dead = [(); 3].map(|()| Asking::new(&relay, &token, Side::Host).unwrap());
        let (at, same) = (relay.clone(), Arc::clone(&token));
        // The thread ends when the relay ends.
        thread::spawn(move || {
            while let Ok(mut living) = Asking::new(&at, &same, Side::Host) {
                if living.wait(moment()).is_ok() {
                    let _ = write_by(&living.stream, b"here", moment());
                }
            }
        });
        let answered = (0..20).find(|_| {
            let Ok(stream) = paired(&relay, &token, Side::Guest) else {
                return false;
            };
            read_by(&stream, &mut [0; 4], moment()).is_ok()
        });
        eprintln!("{:?} attempts reached dead connections", answered);
        assert!(answered.is_some());
        drop(dead);
    }

    #[test]
    fn a_real_relay_answers_as_expected() {
        let Some((_twist, relay)) = real_relay() else {
            return;
        };
        let answer = |bytes: &[u8]| {
            let mut asking = Asking::send(connect(&relay).unwrap(), bytes, moment()).unwrap();
            asking.wait(soon()).unwrap_err().to_string()
        };
        assert_eq!(
            answer(b"hello, who is there\n"),
            "the relay answered: bad handshake"
        );
        ask_relay(&relay, Duration::from_secs(5)).unwrap();
        let early = RelayToken([9; 32]).request(Side::Host) + "too early";
        assert_eq!(answer(early.as_bytes()), "the relay answered: impatient");
    }

    #[test]
    fn the_request_of_a_side_never_changes() {
        let request = |token, side| RelayToken([token; 32]).request(side);
        assert_eq!(request(1, Side::Host), request(1, Side::Host));
        let side = |request: &str| request.rsplit(' ').next().map(String::from);
        assert_ne!(
            side(&request(1, Side::Host)),
            side(&request(1, Side::Guest))
        );
        assert_ne!(side(&request(1, Side::Host)), side(&request(2, Side::Host)));
    }
}
