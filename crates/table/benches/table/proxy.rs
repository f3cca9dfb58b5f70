//! A slow link: bytes are forwarded with a delay and a limited rate.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// The properties of a link.
#[derive(Clone, Copy)]
pub(crate) struct Link {
    /// The delay in one direction.
    pub(crate) delay: Duration,
    /// The rate in bytes per second in each direction.
    pub(crate) rate: Option<u64>,
}

/// Starts a proxy to `target`. Returns its address and a counter of the bytes in both directions.
pub(crate) fn proxy(target: SocketAddr, link: Link) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let bytes = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&bytes);
    thread::spawn(move || {
        for guest in listener.incoming() {
            // The TCP handshake takes a round trip.
            thread::sleep(2 * link.delay);
            let host = TcpStream::connect(target);
            // The host is gone at the end.
            let (Ok(guest), Ok(host)) = (guest, host) else {
                break;
            };
            for (from, to) in [(&guest, &host), (&host, &guest)] {
                from.set_nodelay(true).expect("a socket");
                let streams = [from, to].map(|stream| stream.try_clone().expect("a socket"));
                carry(streams, link, Arc::clone(&counted));
            }
        }
    });
    (address, bytes)
}

fn carry([mut from, to]: [TcpStream; 2], link: Link, bytes: Arc<AtomicU64>) {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || deliver(to, &receiver));
    thread::spawn(move || {
        let mut free = Instant::now();
        let mut buffer = [0; 1448];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            bytes.fetch_add(count as u64, Ordering::Relaxed);
            let takes = link
                .rate
                .map_or(0, |rate| count as u64 * 1_000_000_000 / rate);
            free = free.max(Instant::now()) + Duration::from_nanos(takes);
            let packet: (Instant, Vec<u8>) = (free + link.delay, buffer[..count].to_vec());
            if Sender::send(&sender, packet).is_err() {
                break;
            }
        }
    });
}

fn deliver(mut to: TcpStream, packets: &Receiver<(Instant, Vec<u8>)>) {
    for (due, packet) in packets {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&packet).is_err() {
            break;
        }
    }
    // The connection may already be closed.
    let _ = to.shutdown(Shutdown::Write);
}
