//! The way between the two programs: it follows the host to wherever it listens, counts the frames
//! of each side, and kills a program that has sent a certain one.

use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use dealerless::testing::table_frame::frame;

use crate::points::Frame;

/// Kills the program of a seat. When it returns, that program does nothing more.
pub(crate) type Kill = Box<dyn Fn(usize) + Send + Sync>;

struct Shared {
    host: Mutex<Option<SocketAddr>>,
    kill: Kill,
    trap: Option<Frame>,
    frames: [AtomicUsize; 2],
    closed: AtomicBool,
}

/// A way to the host.
pub(crate) struct Way {
    /// Where the guest connects.
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

impl Way {
    /// A way on which a program is killed at this frame, if there is one.
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
        Way { address, shared }
    }

    /// The host listens there now; or it is gone.
    pub(crate) fn host_is(&self, at: Option<SocketAddr>) {
        *self.shared.host.lock().unwrap() = at;
    }

    /// How many frames each side has sent.
    pub(crate) fn frames(&self) -> [usize; 2] {
        let frames = self.shared.frames.each_ref();
        frames.map(|frames| frames.load(Ordering::Relaxed))
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // It wakes who waits for guests.
        let _ = TcpStream::connect(self.address);
    }
}

fn carry(shared: &Arc<Shared>, host: TcpStream, guest: TcpStream) {
    for stream in [&host, &guest] {
        stream.set_nodelay(true).unwrap();
    }
    let too = [&guest, &host].map(|stream| stream.try_clone().unwrap());
    let [guest_too, host_too] = too;
    for (seat, from, to) in [(0, host, guest), (1, guest_too, host_too)] {
        let shared = Arc::clone(shared);
        thread::spawn(move || pass(&shared, seat, from, to));
    }
}

fn pass(shared: &Shared, seat: usize, mut from: TcpStream, mut to: TcpStream) {
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
