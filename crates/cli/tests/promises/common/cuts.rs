//! A proxy between two players that counts the frames of their connection and can cut it.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use dealerless::testing::table_frame::frame;

/// The place of a cut: after `after` frames from a seat.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub seat: usize,
    pub after: usize,
}

#[derive(Default)]
struct Shared {
    cut: Option<Cut>,
    frames: [AtomicUsize; 2],
    was_cut: AtomicBool,
    /// Both ends of all connections.
    ends: Mutex<Vec<TcpStream>>,
}

/// A proxy to a host that can cut connections.
pub struct Cuts {
    /// The address to which the guest must connect.
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Cuts {
    /// Starts a proxy to this host. Frames are counted over all connections.
    pub fn start(host: SocketAddr, cut: Option<Cut>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let shared = Arc::new(Shared {
            cut,
            ..Shared::default()
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for guest in listener.incoming() {
                let guest = guest.expect("a guest");
                // If the host is not reachable, the guest's connection is closed.
                if let Ok(host) = TcpStream::connect(host) {
                    carry(&own, host, guest);
                }
            }
        });
        Cuts { address, shared }
    }

    /// The number of frames passed from each seat.
    pub fn frames(&self) -> [usize; 2] {
        let frames = self.shared.frames.each_ref();
        frames.map(|frames| frames.load(Ordering::Relaxed))
    }

    /// Whether the planned cut has happened.
    pub fn was_cut(&self) -> bool {
        self.shared.was_cut.load(Ordering::Relaxed)
    }

    /// Cuts all connections.
    pub fn cut_now(&self) {
        for end in self.shared.ends.lock().expect("no panic").drain(..) {
            // The connection may have ended already.
            let _ = end.shutdown(Shutdown::Both);
        }
    }
}

fn carry(shared: &Arc<Shared>, host: TcpStream, guest: TcpStream) {
    let copy = |stream: &TcpStream| stream.try_clone().expect("an open socket");
    for stream in [&host, &guest] {
        stream.set_nodelay(true).expect("an open socket");
        shared.ends.lock().expect("no panic").push(copy(stream));
    }
    for (seat, from, to) in [(0, copy(&host), copy(&guest)), (1, guest, host)] {
        let shared = Arc::clone(shared);
        thread::spawn(move || pass(&shared, seat, from, to));
    }
}

/// Forwards the frames from a seat until the connection is cut or ends.
fn pass(shared: &Shared, seat: usize, mut from: TcpStream, mut to: TcpStream) {
    let mut prelude = seat == 1;
    while let Some(frame) = frame(&mut from, std::mem::take(&mut prelude)) {
        if to.write_all(&frame).is_err() {
            break;
        }
        let passed = shared.frames[seat].fetch_add(1, Ordering::Relaxed) + 1;
        let here = |cut: Cut| (cut.seat, cut.after) == (seat, passed);
        if shared.cut.is_some_and(here) {
            shared.was_cut.store(true, Ordering::Relaxed);
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
