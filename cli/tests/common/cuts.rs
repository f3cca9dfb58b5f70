//! Somebody in the middle of an encrypted line, who cuts it: every second line after one message
//! more than the one before, and those between after many.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// So many lines are cut.
const CUT: usize = 24;
/// After so many messages those lines are cut between which one is cut early.
const MANY: usize = 600;

/// A way to a host.
pub struct Cuts {
    /// Where the guest must connect.
    pub address: SocketAddr,
    cut: Arc<AtomicUsize>,
}

impl Cuts {
    /// Cuts the lines to this host.
    pub fn start(host: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let cut = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&cut);
        thread::spawn(move || {
            for (number, guest) in listener.incoming().enumerate() {
                let guest = guest.expect("a guest");
                let Ok(host) = TcpStream::connect(host) else {
                    continue;
                };
                let messages = match number {
                    CUT.. => usize::MAX,
                    _ if number % 2 == 0 => MANY,
                    _ => 1 + number / 2,
                };
                carry(guest, host, messages, &count);
            }
        });
        Cuts { address, cut }
    }

    /// How many lines were cut.
    pub fn number(&self) -> usize {
        self.cut.load(Ordering::Relaxed)
    }
}

fn carry(guest: TcpStream, host: TcpStream, messages: usize, cut: &Arc<AtomicUsize>) {
    let passed = Arc::new(AtomicUsize::new(0));
    for stream in [&guest, &host] {
        stream.set_nodelay(true).expect("an open socket");
    }
    let copy = |stream: &TcpStream| stream.try_clone().expect("an open socket");
    for (from, to, first) in [(copy(&guest), copy(&host), true), (host, guest, false)] {
        let (passed, cut) = (Arc::clone(&passed), Arc::clone(cut));
        thread::spawn(move || pass((from, to), first, messages, (&passed, &cut)));
    }
}

/// Passes on what comes until the line has carried so many messages.
fn pass(
    (mut from, mut to): (TcpStream, TcpStream),
    first: bool,
    messages: usize,
    (passed, cut): (&AtomicUsize, &AtomicUsize),
) {
    let mut prelude = first;
    while let Some(message) = message(&mut from, std::mem::take(&mut prelude)) {
        let number = passed.fetch_add(1, Ordering::Relaxed);
        if number >= messages {
            if number == messages {
                cut.fetch_add(1, Ordering::Relaxed);
            }
            break;
        }
        if to.write_all(&message).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// One message with its length, after the prelude of the guest.
fn message(source: &mut TcpStream, with_prelude: bool) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if with_prelude {
        bytes.resize(6, 0);
        source.read_exact(&mut bytes).ok()?;
        let rest = if bytes[5] == 1 { 8 } else { 32 };
        bytes.resize(6 + rest, 0);
        source.read_exact(&mut bytes[6..]).ok()?;
    }
    let mut len = [0; 2];
    source.read_exact(&mut len).ok()?;
    bytes.extend_from_slice(&len);
    let start = bytes.len();
    bytes.resize(start + usize::from(u16::from_le_bytes(len)), 0);
    source.read_exact(&mut bytes[start..]).ok()?;
    Some(bytes)
}
