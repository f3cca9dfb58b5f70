//! Whether a program is a relay.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::relay_request::{RelayAnswer, not_a_relay};
use super::network::CONNECT_TIME;
use crate::identity::Address;

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
    let left = || match deadline.saturating_sub(system_time()) {
        Duration::ZERO => Err(io::Error::from(ErrorKind::TimedOut)),
        left => Ok(left),
    };
    let mut stream = Err(ErrorKind::NotFound.into());
    for address in relay.to_string().to_socket_addrs()? {
        stream = TcpStream::connect_timeout(&address, left()?.min(CONNECT_TIME));
        if stream.is_ok() {
            break;
        }
    }
    let mut stream = stream?;
    stream.write_all(b"is this a relay\n")?;
    let mut answer = RelayAnswer::default();
    while !answer.is_complete() {
        stream.set_read_timeout(Some(left()?))?;
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(0) => return Err(not_a_relay()),
            Ok(_) => answer.push(&mut &byte[..]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                return Err(ErrorKind::TimedOut.into());
            }
            Err(error) => return Err(error),
        }
    }
    match answer.is_bad_handshake() {
        true => Ok(()),
        false => Err(not_a_relay()),
    }
}
