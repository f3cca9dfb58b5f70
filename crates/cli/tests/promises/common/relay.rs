//! A relay for two players who can only make outgoing connections.

use std::collections::HashMap;
use std::io::{Read, Write, copy};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// The waiting peer for each token: its side and its connection.
type Waiting = Mutex<HashMap<String, (String, TcpStream)>>;

/// A running relay.
pub struct Relay {
    pub address: SocketAddr,
    joined: Arc<AtomicUsize>,
}

impl Relay {
    /// Starts a relay on loopback that joins two peers with the same token and different sides.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let joined = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&joined);
        let waiting = Arc::new(Waiting::default());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (waiting, count) = (Arc::clone(&waiting), Arc::clone(&count));
                thread::spawn(move || serve(stream.expect("a player"), &waiting, &count));
            }
        });
        Relay { address, joined }
    }

    /// The number of pairs that were joined.
    pub fn joined(&self) -> usize {
        self.joined.load(Ordering::Relaxed)
    }
}

fn serve(mut stream: TcpStream, waiting: &Waiting, joined: &AtomicUsize) {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.last() != Some(&b'\n') {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        line.push(byte[0]);
    }
    let line = String::from_utf8(line).expect("text");
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["please", "relay", token, "for", "side", side] = words[..] else {
        stream
            .write_all(b"bad handshake\n")
            .expect("an open socket");
        return;
    };
    let mut waiting = waiting.lock().expect("no panic");
    let Some((_, mut other)) = waiting.remove(token).filter(|(waits, _)| waits != side) else {
        // Replaces an older connection of the same side.
        waiting.insert(token.into(), (side.into(), stream));
        return;
    };
    drop(waiting);
    joined.fetch_add(1, Ordering::Relaxed);
    for end in [&mut other, &mut stream] {
        // The peer may have gone.
        let _ = end.write_all(b"ok\n");
    }
    let [mut from, mut to] = [&other, &stream].map(|end| end.try_clone().expect("a socket"));
    thread::spawn(move || {
        let _ = copy(&mut from, &mut to);
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
    let _ = copy(&mut stream, &mut other);
    let _ = other.shutdown(std::net::Shutdown::Both);
}
