//! The proxy between the two programs. It follows the host to its current address, counts the
//! frames of each side, and kills a program after a given frame.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use dealerless::testing::table_frame::frame;

use crate::points::Frame;

/// Kills the program of a seat. The program has ended when this returns.
pub(crate) type Kill = Box<dyn Fn(usize) + Send + Sync>;

struct Shared {
    host: Mutex<Option<SocketAddr>>,
    kill: Kill,
    trap: Option<Frame>,
    frames: [AtomicUsize; 2],
    closed: AtomicBool,
}

/// A proxy to the host.
pub(crate) struct Proxy {
    /// The address that the guest connects to.
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Starts a proxy that kills a program at this frame, if given.
    pub(crate) fn new(trap: Option<Frame>, kill: Kill) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            host: Mutex::default(),
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
                let host = *own.host.lock().unwrap();
                if let (Ok(guest), Some(host)) = (guest, host)
                    && let Ok(host) = TcpStream::connect(host)
                {
                    carry(&own, host, guest);
                }
            }
        });
        Proxy { address, shared }
    }

    /// Sets the current address of the host, or `None` while it is down.
    pub(crate) fn set_host(&self, at: Option<SocketAddr>) {
        *self.shared.host.lock().unwrap() = at;
    }

    /// The number of frames that each side has sent.
    pub(crate) fn frames(&self) -> [usize; 2] {
        let frames = self.shared.frames.each_ref();
        frames.map(|frames| frames.load(Ordering::Relaxed))
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
    for (seat, from, to) in [(0, host, guest), (1, guest_clone, host_clone)] {
        let shared = Arc::clone(shared);
        thread::spawn(move || forward(&shared, seat, from, to));
    }
}

fn forward(shared: &Shared, seat: usize, mut from: TcpStream, mut to: TcpStream) {
    let mut prelude = seat == 1;
    while let Some(frame) = frame(&mut from, std::mem::take(&mut prelude)) {
        let number = shared.frames[seat].fetch_add(1, Ordering::Relaxed);
        let trap = shared.trap;
        let trap = trap.filter(|trap| (trap.seat, trap.number) == (seat, number));
        if trap.is_some() {
            (shared.kill)(seat);
        }
        if trap.is_none_or(|trap| trap.arrives) && to.write_all(&frame).is_err() || trap.is_some() {
            break;
        }
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}
