//! The proxy between two programs. It follows the program that listens to its current address, counts
//! the frames of each side, and kills a program after a given frame.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use dealerless::testing::table_frame::frame;

use crate::points::Frame;

/// Kills the program of a seat. The program has ended when this returns.
pub(crate) type Kill = Arc<dyn Fn(usize) + Send + Sync>;

struct Shared {
    /// The seat that listens, and the one that connects to it.
    ends: [usize; 2],
    listens_at: Mutex<Option<SocketAddr>>,
    kill: Kill,
    trap: Option<Frame>,
    frames: [AtomicUsize; 2],
    closed: AtomicBool,
}

/// A proxy to a program that listens.
pub(crate) struct Proxy {
    /// The address that the other program connects to.
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Starts a proxy that kills a program at this frame, if given.
    pub(crate) fn new(ends: [usize; 2], trap: Option<Frame>, kill: Kill) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            ends,
            listens_at: Mutex::default(),
            kill,
            trap,
            frames: Default::default(),
            closed: AtomicBool::new(false),
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for guest in listener.incoming() {
                if own.closed.load(Ordering::Relaxed) {
                    return;
                }
                let address = *own.listens_at.lock().unwrap();
                if let (Ok(guest), Some(address)) = (guest, address)
                    && let Ok(host) = TcpStream::connect(address)
                {
                    carry(&own, host, guest);
                }
            }
        });
        Proxy { address, shared }
    }

    /// Sets the current address of a program, or `None` while it is down, if it is the one that listens.
    pub(crate) fn set_address(&self, seat: usize, at: Option<SocketAddr>) {
        if seat == self.shared.ends[0] {
            *self.shared.listens_at.lock().unwrap() = at;
        }
    }

    /// Whether the program of this seat connects to the other one.
    pub(crate) fn dials(&self, seat: usize) -> bool {
        seat == self.shared.ends[1]
    }

    /// The number of frames that each side has sent, with the seats of the sender and the receiver.
    pub(crate) fn frames(&self) -> [((usize, usize), usize); 2] {
        let [host, guest] = self.shared.ends;
        let frames = self.shared.frames.each_ref();
        let [of_host, of_guest] = frames.map(|frames| frames.load(Ordering::Relaxed));
        [((host, guest), of_host), ((guest, host), of_guest)]
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // This connection wakes the thread that accepts guests.
        let _ = TcpStream::connect(self.address);
    }
}

fn carry(shared: &Arc<Shared>, host: TcpStream, guest: TcpStream) {
    for stream in [&host, &guest] {
        stream.set_nodelay(true).unwrap();
    }
    let clones = [&guest, &host].map(|stream| stream.try_clone().unwrap());
    let [guest_clone, host_clone] = clones;
    for (side, from, to) in [(0, host, guest), (1, guest_clone, host_clone)] {
        let shared = Arc::clone(shared);
        thread::spawn(move || forward(&shared, side, from, to));
    }
}

fn forward(shared: &Shared, side: usize, mut from: TcpStream, mut to: TcpStream) {
    let mut prelude = side == 1;
    let (sender, receiver) = (shared.ends[side], shared.ends[1 - side]);
    while let Some(frame) = frame(&mut from, std::mem::take(&mut prelude)) {
        let number = shared.frames[side].fetch_add(1, Ordering::Relaxed);
        let trap = shared.trap;
        let trap =
            trap.filter(|trap| (trap.from, trap.to, trap.number) == (sender, receiver, number));
        if trap.is_some() {
            (shared.kill)(sender);
        }
        if trap.is_none_or(|trap| trap.arrives) && to.write_all(&frame).is_err() || trap.is_some() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
