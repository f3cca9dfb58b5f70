//! A transport over TCP.

use std::io::{self, Read};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::backlog::SharedSocket;
use super::clock::{Clock, Deadlines, system_time};
use super::error::{Error, Result};
use super::transport::{Transport, is_temporary};

/// The longest pause between two polls of a listener; too short for a person to notice.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// A TCP connection.
///
/// Bytes count as sent once the operating system has accepted them. Small writes are sent at once
/// (`TCP_NODELAY`), because the channel does its own buffering. The connection is neither encrypted
/// nor authenticated.
pub struct TcpTransport {
    socket: Arc<SharedSocket>,
}

impl TcpTransport {
    /// Connects to the first address of `addr` that answers. `timeout` limits the total time for
    /// all addresses.
    ///
    /// `timeout` does not limit the name lookup by the operating system.
    ///
    /// # Errors
    /// [`Error::Address`] if the name is unknown; [`Error::Lost`] if no listener accepts the
    /// connection; [`Error::Timeout`].
    pub fn connect(addr: impl ToSocketAddrs, timeout: Duration) -> Result<Self> {
        let addresses = addr.to_socket_addrs().map_err(Error::Address)?;
        let clock = Self::opening("connecting to the peer", timeout);
        let mut outcome = Err(Error::Address(io::ErrorKind::NotFound.into()));
        for address in addresses {
            match TcpStream::connect_timeout(&address, clock.remaining()?) {
                Ok(stream) => return Self::from_stream(stream).map_err(|error| clock.lost(error)),
                Err(error) => outcome = Err(clock.failure(error)),
            }
        }
        outcome
    }

    /// Waits for one connection to `listener`. Afterwards the listener is in blocking mode.
    ///
    /// # Errors
    /// [`Error::Timeout`] if no peer connects in time; [`Error::Lost`] if the listener fails.
    pub fn accept(listener: &TcpListener, timeout: Duration) -> Result<Self> {
        let clock = Self::opening("waiting for the peer to connect", timeout);
        let broken = |error: io::Error| clock.lost(error);
        listener.set_nonblocking(true).map_err(broken)?;
        let accepted = Self::poll_accept(listener, &clock);
        listener.set_nonblocking(false).map_err(broken)?;
        Self::from_stream(accepted?).map_err(broken)
    }

    /// Polls the listener, because the standard library has no `accept` with a deadline. The first
    /// pauses are short, because the peer may be another thread of this process.
    fn poll_accept(listener: &TcpListener, clock: &Clock) -> Result<TcpStream> {
        let mut pause = Duration::from_micros(50);
        loop {
            match listener.accept() {
                Ok((stream, _)) => return Ok(stream),
                // This connection was closed before it was accepted. The next connection may be the
                // peer's.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) if is_temporary(&error) => {
                    thread::sleep(pause.min(clock.remaining()?));
                    pause = (2 * pause).min(ACCEPT_PAUSE);
                }
                Err(error) => return Err(clock.lost(error)),
            }
        }
    }

    /// Creates a transport from a connected socket.
    ///
    /// # Errors
    /// If the socket options cannot be set.
    pub fn from_stream(stream: TcpStream) -> io::Result<Self> {
        // On some systems an accepted socket inherits the mode of the listener.
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let socket = SharedSocket::new(stream);
        Ok(TcpTransport { socket })
    }

    /// A second handle of the same connection, for another thread.
    pub fn handle(&self) -> Self {
        TcpTransport {
            socket: Arc::clone(&self.socket),
        }
    }

    /// Waits for the first byte of the peer, which stays unread. A listening party uses it to drop
    /// strangers that send nothing before their silence takes up the whole time for a message.
    ///
    /// # Errors
    /// [`Error::Timeout`] if there is no byte in time; [`Error::Lost`] if the connection fails. The end
    /// of the connection is no error here: the next read reports it.
    pub fn await_byte(&self, timeout: Duration) -> Result<()> {
        let clock = Self::opening("waiting for the first byte of the peer", timeout);
        let stream = &self.socket.stream;
        let limited = stream.set_read_timeout(Some(timeout));
        let peeked = limited.and_then(|()| stream.peek(&mut [0]));
        peeked.map(drop).map_err(|error| clock.failure(error))
    }

    fn opening(during: &'static str, timeout: Duration) -> Clock {
        let deadlines = Deadlines {
            message: timeout,
            phase: timeout,
        };
        Clock::new(system_time, during, deadlines)
    }
}

impl Transport for TcpTransport {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        self.socket.send(bytes, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let mut stream = &self.socket.stream;
        stream.set_read_timeout(Some(within))?;
        stream.read(buf)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        self.socket.drain(max_unsent, within)
    }

    fn close(&mut self, within: Duration) {
        self.socket.close(within);
    }
}
