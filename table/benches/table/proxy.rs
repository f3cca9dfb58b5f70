//! A line that is slow: what comes is passed on after a delay, and at a rate.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How a line is.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// In one direction.
    pub(crate) delay: Duration,
    /// Bytes a second in each direction.
    pub(crate) rate: Option<u64>,
}

/// A proxy before `target`; and the bytes that have passed, both ways.
pub(crate) fn proxy(target: SocketAddr, way: Way) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let bytes = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&bytes);
    thread::spawn(move || {
        for guest in listener.incoming() {
            // The handshake of TCP takes a round trip.
            thread::sleep(2 * way.delay);
            let host = TcpStream::connect(target);
            // At the end the host is gone.
            let (Ok(guest), Ok(host)) = (guest, host) else {
                break;
            };
            for (from, to) in [(&guest, &host), (&host, &guest)] {
                from.set_nodelay(true).expect("a socket");
                let streams = [from, to].map(|stream| stream.try_clone().expect("a socket"));
                carry(streams, way, Arc::clone(&counted));
            }
        }
    });
    (address, bytes)
}

fn carry([mut from, to]: [TcpStream; 2], way: Way, bytes: Arc<AtomicU64>) {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || deliver(to, &receiver));
    thread::spawn(move || {
        let mut free = Instant::now();
        let mut buffer = [0; 1448];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            bytes.fetch_add(count as u64, Ordering::Relaxed);
            let takes = way
                .rate
                .map_or(0, |rate| count as u64 * 1_000_000_000 / rate);
            free = free.max(Instant::now()) + Duration::from_nanos(takes);
            let packet: (Instant, Vec<u8>) = (free + way.delay, buffer[..count].to_vec());
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
    // It may be closed already.
    let _ = to.shutdown(Shutdown::Write);
}
