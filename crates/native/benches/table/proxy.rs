//! A slow link: bytes are forwarded with a delay and a limited rate.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
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

/// A proxy with this link.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    /// The number of bytes in both directions.
    pub(crate) bytes: Arc<AtomicU64>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// Starts a proxy to `target`.
    pub(crate) fn new(target: SocketAddr, link: Link) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let proxy = Proxy {
            address: listener.local_addr().expect("an address"),
            bytes: Arc::default(),
            streams: Arc::default(),
        };
        let (bytes, streams) = (Arc::clone(&proxy.bytes), Arc::clone(&proxy.streams));
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
                    carry(streams, link, Arc::clone(&bytes));
                }
                streams.lock().expect("no panic").extend([guest, host]);
            }
        });
        proxy
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        for stream in self.streams.lock().expect("no panic").drain(..) {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
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
