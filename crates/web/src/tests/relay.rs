//! A relay over TCP. It joins two players with the same token and different sides.

use std::collections::HashMap;
use std::io::{Read, Write, copy};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::tab::{Fault, Relay, Relays};

/// The waiting player of each token: the side and the connection.
type Waiting = Mutex<HashMap<String, (String, TcpStream)>>;

/// Starts a relay.
pub(crate) fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let waiting = Arc::new(Waiting::default());
        for stream in listener.incoming() {
            let waiting = Arc::clone(&waiting);
            thread::spawn(move || serve(stream.unwrap(), &waiting));
        }
    });
    address
}

/// A page that connects through this relay.
pub(crate) fn through(relay: SocketAddr) -> Relays {
    Box::new(move |_, _| Relay::Passes(relay, Fault::None))
}

/// As [`through`], with a fault on the call with this number.
pub(crate) fn faulty(relay: SocketAddr, at: usize, fault: Fault) -> Relays {
    Box::new(move |call, _| Relay::Passes(relay, if call == at { fault } else { Fault::None }))
}

fn serve(mut stream: TcpStream, waiting: &Waiting) {
    let _ = stream.set_nodelay(true);
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.last() != Some(&b'\n') {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        line.push(byte[0]);
    }
    let line = String::from_utf8(line).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["please", "relay", token, "for", "side", side] = words[..] else {
        panic!("the request of a player: {line}");
    };
    let mut all = waiting.lock().unwrap();
    let other = all
        .remove(token)
        .filter(|(waits, other)| waits != side && !is_closed(other));
    let Some((_, mut other)) = other else {
        // Replaces an older connection of the same side.
        all.insert(token.into(), (side.into(), stream));
        return;
    };
    drop(all);
    for end in [&mut other, &mut stream] {
        let _ = end.write_all(b"ok\n");
    }
    let [mut from, mut to] = [&other, &stream].map(|end| end.try_clone().unwrap());
    thread::spawn(move || {
        let _ = copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    let _ = copy(&mut stream, &mut other);
    let _ = other.shutdown(Shutdown::Both);
}

/// Whether a waiting player has gone.
fn is_closed(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let closed = matches!(stream.peek(&mut [0]), Ok(0));
    let _ = stream.set_nonblocking(false);
    closed
}
