//! One connection: its socket, its stage, and the bytes that its socket has not taken yet.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use socket2::SockRef;

use crate::frames::Frames;
use crate::networks::{Id, Network};
use crate::rooms::Place;

/// A connection.
pub(crate) struct Connection {
    socket: TcpStream,
    pub(crate) id: Id,
    pub(crate) network: Network,
    /// Whether the operator asks for counts.
    pub(crate) is_status: bool,
    pub(crate) stage: Stage,
    /// The decoder of a WebSocket.
    pub(crate) frames: Option<Box<Frames>>,
    /// The time at which the relay ends the connection.
    pub(crate) deadline: Option<Instant>,
    /// The time of the last received bytes.
    pub(crate) heard: Instant,
    /// Whether a ping was sent since then.
    pub(crate) pinged: bool,
    /// Whether the connection is in the list of those with work.
    pub(crate) is_ready: bool,
    readable: bool,
    writable: bool,
    unsent: Unsent,
    /// The number of bytes that the host of a code has to send until the guest's use counts as a success, and
    /// the time of the use. `None` for all others.
    pub(crate) unproven: Option<(usize, Instant)>,
    /// The time until which the bytes of its room use up the rate of a room.
    pub(crate) paid_until: Instant,
    /// The time since which bytes are unsent.
    pub(crate) blocked: Option<Instant>,
    /// The answer to the last ping, while other bytes are unsent.
    pong: Option<Vec<u8>>,
}

/// The stage of a connection.
pub(crate) enum Stage {
    /// It has sent these bytes, which are not a complete handshake.
    Handshake(Vec<u8>),
    /// It waits for a peer.
    Waiting(Place),
    /// It is joined with the connection in this slot.
    Joined(usize),
    /// It gets its last bytes. This many bytes were received and dropped since then.
    Closing(usize),
}

/// Bytes that the socket has not taken yet, from the given position.
enum Unsent {
    Nothing,
    Own(Vec<u8>, usize),
    /// A part of an answer that others get too.
    Shared(Arc<[u8]>, std::ops::Range<usize>),
}

impl Unsent {
    fn bytes(&self) -> &[u8] {
        match self {
            Unsent::Nothing => &[],
            Unsent::Own(bytes, from) => &bytes[*from..],
            Unsent::Shared(bytes, range) => &bytes[range.clone()],
        }
    }

    /// Removes the first `len` bytes.
    fn advance(&mut self, len: usize) {
        match self {
            Unsent::Nothing => {}
            Unsent::Own(_, from) => *from += len,
            Unsent::Shared(_, range) => range.start += len,
        }
        if self.bytes().is_empty() {
            *self = Unsent::Nothing;
        }
    }
}

impl Connection {
    pub(crate) fn new(
        socket: TcpStream,
        id: Id,
        network: Network,
        now: Instant,
        deadline: Instant,
    ) -> Self {
        Connection {
            socket,
            id,
            network,
            is_status: false,
            stage: Stage::Handshake(Vec::new()),
            frames: None,
            deadline: Some(deadline),
            heard: now,
            pinged: false,
            is_ready: false,
            readable: false,
            writable: true,
            unsent: Unsent::Nothing,
            unproven: None,
            paid_until: now,
            blocked: None,
            pong: None,
        }
    }

    /// The address at the other end of the socket: the client's, or that of a proxy.
    pub(crate) fn peer(&self) -> Option<IpAddr> {
        self.socket.peer_addr().ok().map(|address| address.ip())
    }

    /// Notes what the socket may do now.
    pub(crate) fn notice(&mut self, event: &mio::event::Event) {
        self.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        self.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.readable
    }

    pub(crate) fn can_send(&self) -> bool {
        self.writable && self.has_unsent()
    }

    pub(crate) fn has_unsent(&self) -> bool {
        !matches!(self.unsent, Unsent::Nothing)
    }

    /// The size of an incomplete handshake in memory.
    pub(crate) fn handshake_len(&self) -> usize {
        match &self.stage {
            Stage::Handshake(bytes) => bytes.capacity(),
            _ => 0,
        }
    }

    /// Reads once. `None` if there is nothing to read now, and 0 bytes at the end.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> io::Result<Option<usize>> {
        let read = self.socket.read(bytes);
        unless_blocked(read, &mut self.readable)
    }

    /// Sends these bytes after all unsent ones. The caller bounds their number: it reads more from
    /// the peer only when nothing is unsent.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(crate) fn send(&mut self, mut bytes: &[u8], now: Instant) -> io::Result<()> {
        if !self.has_unsent() {
            let sent = write(&mut self.socket, bytes, &mut self.writable)?;
            bytes = &bytes[sent..];
            if bytes.is_empty() {
                return Ok(());
            }
            self.blocked = Some(now);
        }
        let unsent = [self.unsent.bytes(), bytes].concat();
        self.unsent = Unsent::Own(unsent, 0);
        Ok(())
    }

    /// Sends a part of an answer that others get too.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(crate) fn send_shared(
        &mut self,
        bytes: Arc<[u8]>,
        len: usize,
        now: Instant,
    ) -> io::Result<()> {
        self.unsent = Unsent::Shared(bytes, 0..len);
        self.blocked = Some(now);
        self.flush(now)
    }

    /// Sends the answer to a ping: at once, or instead of an older answer when all other bytes are
    /// sent.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(crate) fn send_pong(&mut self, pong: Vec<u8>, now: Instant) -> io::Result<()> {
        if self.has_unsent() {
            self.pong = Some(pong);
            return Ok(());
        }
        self.send(&pong, now)
    }

    /// Sends what is unsent, as far as the socket takes it.
    ///
    /// # Errors
    /// If the connection is broken.
    pub(crate) fn flush(&mut self, now: Instant) -> io::Result<()> {
        let sent = write(&mut self.socket, self.unsent.bytes(), &mut self.writable)?;
        self.unsent.advance(sent);
        if !self.has_unsent() {
            self.blocked = None;
            if let Some(pong) = self.pong.take() {
                return self.send(&pong, now);
            }
        }
        Ok(())
    }

    /// Prepares the end of a connection with unsent bytes: the system drops what it has of them, and
    /// tells the client.
    pub(crate) fn reset(&self) {
        // An error means that the connection is broken.
        let _ = SockRef::from(&self.socket).set_linger(Some(Duration::ZERO));
    }

    /// Tells the client that nothing more is sent.
    pub(crate) fn end_sending(&mut self) {
        // An error means that the connection is broken, which reading shows as well.
        let _ = self.socket.shutdown(Shutdown::Write);
    }
}

/// Writes until the socket takes no more, and returns how much it took.
fn write(socket: &mut TcpStream, bytes: &[u8], writable: &mut bool) -> io::Result<usize> {
    let mut sent = 0;
    while sent < bytes.len() && *writable {
        match unless_blocked(socket.write(&bytes[sent..]), writable)? {
            Some(0) => return Err(ErrorKind::WriteZero.into()),
            Some(len) => sent += len,
            None => {}
        }
    }
    Ok(sent)
}

/// `None` if the socket cannot do this now, which it says only once.
fn unless_blocked(done: io::Result<usize>, possible: &mut bool) -> io::Result<Option<usize>> {
    match done {
        Ok(len) => Ok(Some(len)),
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            *possible = false;
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_pong_waits_for_a_slow_reader() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let _client = std::net::TcpStream::connect(address).unwrap();
        let (socket, peer) = listener.accept().unwrap();
        socket.set_nonblocking(true).unwrap();
        let now = Instant::now();
        let id = Id { number: 1, slot: 0 };
        let network = Network::of(peer.ip());
        let mut connection = Connection::new(TcpStream::from_std(socket), id, network, now, now);
        while !connection.has_unsent() {
            connection.send(&[0; 100_000], now).unwrap();
        }
        let unsent = connection.unsent.bytes().len();
        for number in 0..100 {
            connection.send_pong(vec![number; 100], now).unwrap();
        }
        assert_eq!(connection.unsent.bytes().len(), unsent);
        assert_eq!(connection.pong, Some(vec![99; 100]));
    }
}
