//! Sockets as a connection sees them: opened at a place, written and closed by number.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};

use crate::identity::Address;

/// Where a connection leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A host, or a relay over TCP.
    Tcp(Address),
    /// The URL of a relay over WebSocket.
    Url(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Tcp(address) => address.fmt(f),
            Place::Url(url) => url.fmt(f),
        }
    }
}

impl Place {
    /// The address over TCP, if it is one.
    pub fn tcp(&self) -> Option<&Address> {
        match self {
            Place::Tcp(address) => Some(address),
            Place::Url(_) => None,
        }
    }
}

impl From<Address> for Place {
    fn from(address: Address) -> Self {
        Place::Tcp(address)
    }
}

/// The sockets of a program. A value of this type is a handle: its clones are the same sockets.
///
/// The program reports what [happens](Happened) to a socket. The functions do not wait.
pub trait Sockets: Clone {
    /// Opens a socket. Returns its number, which was never used before.
    fn open(&self, place: &Place) -> u32;

    /// Sends bytes on an open socket. Returns whether the socket is ready for more bytes. If not, it keeps
    /// these and reports [`Happened::Ready`] later, or drops them because it is closed.
    fn send(&self, socket: u32, bytes: &[u8]) -> bool;

    /// Closes a socket if it is open. Nothing happens to it after that.
    fn close(&self, socket: u32);

    /// The address of the peer of an open socket, if it is known.
    fn peer(&self, _: u32) -> Option<SocketAddr> {
        None
    }
}

/// Something that happened to a socket.
#[derive(Debug)]
pub enum Happened<'a> {
    /// It is open.
    Opened,
    /// Bytes have arrived.
    Received(&'a [u8]),
    /// It is ready to send again.
    Ready,
    /// It listens, and has accepted a connection from this address on another socket.
    Accepted {
        /// The number of the other socket, which is open.
        socket: u32,
        /// The address.
        from: IpAddr,
    },
    /// It is closed, or could not be opened.
    Closed(io::Error),
}

/// A socket, closed when dropped.
pub(super) struct Socket<S: Sockets> {
    sockets: S,
    number: u32,
    is_open: bool,
}

impl<S: Sockets> Socket<S> {
    /// Opens a socket.
    pub(super) fn open(sockets: &S, place: &Place) -> Self {
        Socket {
            number: sockets.open(place),
            sockets: sockets.clone(),
            is_open: false,
        }
    }

    /// A socket that the program has accepted.
    pub(super) fn accepted(sockets: &S, number: u32) -> Self {
        Socket {
            number,
            sockets: sockets.clone(),
            is_open: true,
        }
    }

    /// Its number.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// The address of the peer, if it is known.
    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.sockets.peer(self.number)
    }

    /// Whether it has been opened.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Processes what has happened to the socket. Returns the received bytes.
    ///
    /// # Errors
    /// The socket is closed, or could not be opened.
    pub(super) fn happened<'a>(&mut self, what: Happened<'a>) -> io::Result<&'a [u8]> {
        match what {
            Happened::Opened => {
                self.is_open = true;
                Ok(&[])
            }
            Happened::Ready | Happened::Accepted { .. } => Ok(&[]),
            Happened::Received(bytes) => Ok(bytes),
            // A browser reports the end of a socket also if it was not opened.
            Happened::Closed(error)
                if !self.is_open && error.kind() == ErrorKind::UnexpectedEof =>
            {
                Err(ErrorKind::ConnectionRefused.into())
            }
            Happened::Closed(error) => Err(error),
        }
    }

    /// Sends bytes on an open socket, unless there are none. Returns whether it is ready for more.
    pub(super) fn send(&self, bytes: &[u8]) -> bool {
        bytes.is_empty() || self.sockets.send(self.number, bytes)
    }

    /// Closes it.
    pub(super) fn close(&mut self) {
        self.sockets.close(self.number);
    }
}

impl<S: Sockets> Drop for Socket<S> {
    fn drop(&mut self) {
        self.close();
    }
}
