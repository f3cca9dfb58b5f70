//! Connections between two parties: in memory, over pipes of the system, and over loopback TCP.

use std::io;
use std::net::TcpListener;
use std::thread;

use super::session::SOON;
use crate::net::{MemoryTransport, TcpTransport, Transport, memory_pair, over_stream};

/// One end of a connection of any kind.
pub type End = Box<dyn Transport>;

/// A loopback address without a listener. An ephemeral port that a test has just released
/// could be assigned again, even to the connection itself.
pub const NOBODY: &str = "127.0.0.1:1";

/// The two ends of a TCP connection over loopback.
pub fn tcp_pair() -> (TcpTransport, TcpTransport) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    thread::scope(|scope| {
        let joining = scope.spawn(move || TcpTransport::connect(addr, SOON).unwrap());
        let host = TcpTransport::accept(&listener, SOON).unwrap();
        (host, joining.join().unwrap())
    })
}

/// The two ends of a connection over two pipes of the system.
pub fn stream_pair() -> (MemoryTransport, MemoryTransport) {
    let [(reader, writer), (far_reader, far_writer)] = [(); 2].map(|()| io::pipe().unwrap());
    (
        over_stream(reader, far_writer).unwrap(),
        over_stream(far_reader, writer).unwrap(),
    )
}

/// Runs a test once over each kind of connection.
pub fn over_each_line(test: impl Fn(End, End)) {
    let (one, other) = memory_pair();
    test(Box::new(one), Box::new(other));
    let (one, other) = stream_pair();
    test(Box::new(one), Box::new(other));
    let (one, other) = tcp_pair();
    test(Box::new(one), Box::new(other));
}
