//! A transport over TCP.

use std::io::{self, Read};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::ops::Range;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::backlog::{Link, is_temporary};
use super::clock::{Clock, Deadlines};
use super::error::{Error, Result};
use super::transport::Transport;

/// What one read may bring. Larger than a frame of bulk data, so that a stream of them costs about
/// one system call each.
const INBOX_BYTES: usize = 128 * 1024;

/// The longest pause between two looks at a listener; a person does not notice it.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// A TCP connection.
///
/// Bytes count as sent once the operating system has taken them. Small writes leave at once
/// (`TCP_NODELAY`): the channel does its own buffering. Neither encrypted nor authenticated.
pub struct TcpTransport {
    link: Arc<Link>,
    inbox: Box<[u8]>,
    /// The part of `inbox` that is not yet read.
    unread: Range<usize>,
    clock: Clock,
}

impl TcpTransport {
    /// Connects to the first address of `addr` that answers within `timeout`, over all of them.
    ///
    /// The operating system may take longer to look up a name.
    ///
    /// # Errors
    /// [`Error::Address`] if the name is unknown; [`Error::Lost`] if nobody listens;
    /// [`Error::Timeout`].
    pub fn connect(addr: impl ToSocketAddrs, timeout: Duration) -> Result<Self> {
        let addresses = addr.to_socket_addrs().map_err(Error::Address)?;
        let clock = Self::opening("connecting to the peer", timeout);
        let mut outcome = Err(Error::Address(io::ErrorKind::NotFound.into()));
        for address in addresses {
            match TcpStream::connect_timeout(&address, clock.remaining()?) {
                Ok(stream) => return Self::from_stream(stream),
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    outcome = Err(clock.timeout(timeout));
                }
                Err(error) => outcome = Err(clock.lost(error)),
            }
        }
        outcome
    }

    /// Waits for one connection to `listener`, which is in blocking mode afterwards.
    ///
    /// # Errors
    /// [`Error::Timeout`] if nobody connects in time; [`Error::Lost`] if the listener fails.
    pub fn accept(listener: &TcpListener, timeout: Duration) -> Result<Self> {
        let clock = Self::opening("waiting for the peer to connect", timeout);
        let broken = |error: io::Error| clock.lost(error);
        listener.set_nonblocking(true).map_err(broken)?;
        let accepted = Self::poll_accept(listener, &clock);
        listener.set_nonblocking(false).map_err(broken)?;
        Self::from_stream(accepted?)
    }

    /// The standard library has no `accept` with a deadline, so this one looks again and again,
    /// at first often: the peer may be another thread.
    fn poll_accept(listener: &TcpListener, clock: &Clock) -> Result<TcpStream> {
        let mut pause = Duration::from_micros(50);
        loop {
            match listener.accept() {
                Ok((stream, _)) => return Ok(stream),
                // The connection came and went; the next one may be the peer.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) if is_temporary(error.kind()) => {
                    thread::sleep(pause.min(clock.remaining()?));
                    pause = (2 * pause).min(ACCEPT_PAUSE);
                }
                Err(error) => return Err(clock.lost(error)),
            }
        }
    }

    /// Takes over a connected socket.
    ///
    /// # Errors
    /// [`Error::Lost`] if its options cannot be set.
    pub fn from_stream(stream: TcpStream) -> Result<Self> {
        let clock = Clock::new("opening the session", Deadlines::default());
        // Some systems let an accepted socket inherit the listener's mode.
        stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_nodelay(true))
            .map_err(|error| clock.lost(error))?;
        Ok(TcpTransport {
            link: Link::new(stream),
            inbox: vec![0; INBOX_BYTES].into_boxed_slice(),
            unread: 0..0,
            clock,
        })
    }

    fn opening(during: &'static str, timeout: Duration) -> Clock {
        let deadlines = Deadlines {
            message: timeout,
            phase: timeout,
        };
        Clock::new(during, deadlines)
    }
}

/// Waits for at least one byte.
fn read(mut stream: &TcpStream, clock: &Clock, buf: &mut [u8]) -> Result<usize> {
    let broken = |error: io::Error| clock.lost(error);
    loop {
        stream
            .set_read_timeout(Some(clock.remaining()?))
            .map_err(broken)?;
        match stream.read(buf) {
            Ok(0) => return Err(clock.closed()),
            Ok(len) => return Ok(len),
            Err(error) if is_temporary(error.kind()) => {}
            Err(error) => return Err(broken(error)),
        }
    }
}

impl Transport for TcpTransport {
    fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.link.send(bytes, &self.clock)
    }

    fn drain(&mut self, max_unsent: usize) -> Result<()> {
        self.link.drain(max_unsent, &self.clock)
    }

    fn recv(&mut self, buf: &mut [u8]) -> Result<usize> {
        if self.unread.is_empty() {
            if buf.len() >= self.inbox.len() {
                return read(&self.link.stream, &self.clock, buf);
            }
            let len = read(&self.link.stream, &self.clock, &mut self.inbox)?;
            self.unread = 0..len;
        }
        let len = self.unread.len().min(buf.len());
        let end = self.unread.start + len;
        buf[..len].copy_from_slice(&self.inbox[self.unread.start..end]);
        self.unread.start = end;
        Ok(len)
    }

    fn begin_phase(&mut self, name: &'static str, limit: Duration) {
        self.clock.begin_phase(name, limit);
    }

    fn begin_message(&mut self, limit: Duration) {
        self.clock.begin_message(limit);
    }

    fn close(&mut self) {
        self.link.close(self.clock.message_limit());
    }
}

impl Drop for TcpTransport {
    fn drop(&mut self) {
        self.close();
    }
}
