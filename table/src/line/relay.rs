//! A relay for two players who can only connect out: the transit relay of Magic Wormhole.
//!
//! Both connect, send `please relay TOKEN for side SIDE\n`, and are answered `ok\n` when both are
//! there; then the relay hands on bytes. It has two traps. It joins any two connections with the
//! same token and different sides, so a side that changed from one try to the next could be joined
//! *to itself*: the side follows from the token and the seat. And it may join with a connection
//! that is dead and was not noticed: who gets no answer connects anew, and who waits does it every
//! minute.

use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::door::Inner;
use super::join::connect;
use super::socket::Socket;
use crate::hash::Hash;
use crate::identity::{Address, PairSecret};
use crate::seat::Seat;

/// How long a connection waits before it is renewed.
const RENEW: Duration = Duration::from_secs(60);
/// After a failure.
const PAUSE: Duration = Duration::from_secs(2);
/// Between two looks at whether the door is closed.
const LOOK: Duration = Duration::from_millis(100);

/// The word by which two find each other at a relay.
pub(super) struct RelayToken(pub(super) [u8; 32]);

impl RelayToken {
    /// The token of two who know each other.
    pub(super) fn of_peers(secret: &PairSecret) -> Self {
        RelayToken(secret.hash("relay", &[]))
    }

    /// The line that asks a relay. The same at each try.
    fn request(&self, seat: Seat) -> String {
        let side = Hash::new("relay side")
            .field(&self.0)
            .number(seat.number().into());
        let side = side.finish();
        let hex =
            |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
        format!(
            "please relay {} for side {}\n",
            hex(&self.0),
            hex(&side[..8])
        )
    }
}

/// A connection that asks a relay and was not answered.
struct Asking {
    socket: Socket,
    answer: Vec<u8>,
}

impl Asking {
    fn new(relay: &Address, token: &RelayToken, seat: Seat) -> io::Result<Self> {
        let mut socket = Socket::new(connect(relay)?, Duration::from_secs(10))?;
        socket.write_all(token.request(seat).as_bytes())?;
        Ok(Asking {
            socket,
            answer: Vec::new(),
        })
    }

    /// Waits for the answer. `TimedOut` if there is none yet.
    fn wait(&mut self, within: Duration) -> io::Result<()> {
        self.socket.set_within(within);
        // Byte by byte: what follows is of the other player.
        while self.answer.last() != Some(&b'\n') {
            let mut byte = [0];
            self.socket.read_exact(&mut byte)?;
            self.answer.push(byte[0]);
            if self.answer.len() > 64 {
                break;
            }
        }
        match self.answer.as_slice() {
            b"ok\n" => Ok(()),
            b"impatient\n" => Err(refused("it says: impatient")),
            b"bad handshake\n" => Err(refused("it says: bad handshake")),
            _ => Err(refused("it does not answer as a transit relay")),
        }
    }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

/// Connects to a relay, and waits until the other is there.
pub(super) fn glued(
    relay: &Address,
    token: &RelayToken,
    seat: Seat,
    deadline: Instant,
) -> io::Result<TcpStream> {
    let mut asking = Asking::new(relay, token, seat)?;
    asking.wait(deadline.saturating_duration_since(Instant::now()))?;
    Ok(asking.socket.into_stream())
}

/// Keeps one connection waiting at a relay until the door is closed, and lets in who comes by it.
pub(super) fn wait(door: &Arc<Inner>, relay: &Address, token: &RelayToken) {
    while !door.is_closed() {
        match wait_once(door, relay, token) {
            // It was renewed, or somebody came: the next one is to wait at once.
            Ok(()) => {}
            Err(_) => {
                let until = Instant::now() + PAUSE;
                while Instant::now() < until && !door.is_closed() {
                    thread::sleep(LOOK);
                }
            }
        }
    }
}

fn wait_once(door: &Arc<Inner>, relay: &Address, token: &RelayToken) -> io::Result<()> {
    let mut asking = Asking::new(relay, token, Seat::HOST)?;
    let until = Instant::now() + RENEW;
    while Instant::now() < until && !door.is_closed() {
        match asking.wait(LOOK) {
            Ok(()) => {
                door.comes(asking.socket.into_stream(), None);
                return Ok(());
            }
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
