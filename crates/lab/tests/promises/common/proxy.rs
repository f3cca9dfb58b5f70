//! A proxy between two programs that recognises the frames of their connection, but knows no
//! secrets.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

/// The header of a frame: the length of the payload, u32 LE, and the tag.
const HEADER_BYTES: usize = 5;

/// The sender of the frames that the proxy counts and spoils.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Listener,
    Connector,
}

/// The fault that the proxy applies to one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Closes the connection after half of the header.
    CutInHeader,
    /// Closes the connection after half of the payload.
    CutInPayload,
    /// Forwards neither this frame nor any later frame.
    Stall,
    /// Claims four gigabytes in the header.
    Oversize,
    /// Changes the tag.
    WrongTag,
    /// Flips the bits of the last byte.
    Flip,
}

/// A proxy to the listener that spoils one frame in one direction.
pub struct Proxy {
    /// The address to which the connector must connect.
    pub address: SocketAddr,
    counted: JoinHandle<usize>,
}

impl Proxy {
    /// Waits for one connector in the background. Spoils frame `number`, counted from 0.
    pub fn start(listener_at: SocketAddr, from: From, number: usize, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("bound");
        let counted = thread::spawn(move || {
            let (near, _) = listener.accept().expect("a connector");
            let far = TcpStream::connect(listener_at).expect("a listener");
            for stream in [&near, &far] {
                stream.set_nodelay(true).expect("an open socket");
            }
            let (spoiled, clean) = match from {
                From::Connector => ((&near, &far), (&far, &near)),
                From::Listener => ((&far, &near), (&near, &far)),
            };
            thread::scope(|scope| {
                scope.spawn(|| {
                    copy(clean);
                    close(clean);
                });
                let (frames, ended) = spoil(spoiled, number, fault);
                if ended {
                    close(spoiled);
                }
                frames
            })
        });
        Proxy { address, counted }
    }

    /// The number of frames in the spoiled direction, up to the end or the fault.
    pub fn frames(self) -> usize {
        self.counted.join().expect("the proxy does not panic")
    }
}

type Route<'a> = (&'a TcpStream, &'a TcpStream);

/// Closes both sides. Errors are ignored, since a peer may have gone.
fn close((from, to): Route<'_>) {
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

fn copy((mut from, mut to): Route<'_>) {
    let _ = std::io::copy(&mut from, &mut to);
}

/// Forwards frames until the fault. Returns their number, and whether to close the connection.
fn spoil((mut from, mut to): Route<'_>, number: usize, fault: Fault) -> (usize, bool) {
    let mut frames = 0;
    loop {
        let mut header = [0; HEADER_BYTES];
        if from.read_exact(&mut header).is_err() {
            return (frames, true);
        }
        let length = u32::from_le_bytes(header[..4].try_into().expect("4 bytes"));
        let mut payload = vec![0; length as usize];
        if from.read_exact(&mut payload).is_err() {
            return (frames, true);
        }
        let mut frame = [header.as_slice(), &payload].concat();
        if frames == number {
            match fault {
                Fault::CutInHeader => frame.truncate(HEADER_BYTES / 2),
                Fault::CutInPayload => frame.truncate(HEADER_BYTES + payload.len() / 2),
                Fault::Stall => return (frames, false),
                Fault::Oversize => frame[..4].fill(0xff),
                Fault::WrongTag => frame[4] ^= 0x55,
                Fault::Flip => *frame.last_mut().expect("a header at least") ^= 0xff,
            }
        }
        if to.write_all(&frame).is_err() {
            return (frames, true);
        }
        if frames == number && matches!(fault, Fault::CutInHeader | Fault::CutInPayload) {
            return (frames, true);
        }
        frames += 1;
    }
}
