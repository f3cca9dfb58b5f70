//! The interface between the channel and the medium that carries its bytes.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// An ordered, reliable stream of bytes in both directions between two parties. Two methods are
/// required; the example `own_transport` implements them.
///
/// The parameter `within` limits the time that a call may wait. It is never zero. When this time
/// has passed, the call returns [`ErrorKind::TimedOut`]. The [`Channel`](crate::net::Channel) keeps
/// the time: a call that returns early is repeated while time remains. Any other error ends the
/// session.
pub trait Transport: Send {
    /// Queues `bytes`, which are not empty, for sending.
    ///
    /// This method never waits for the peer, so that both parties may send a lot at once and
    /// receive afterwards. Only an implementation that sends in the background needs `within`, the
    /// time that the peer has to accept `bytes`. If the peer does not accept them in time, a later
    /// call returns the error.
    ///
    /// # Errors
    /// If the connection is closed, or bytes queued earlier could not be sent.
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()>;

    /// Waits for bytes from the peer and writes them to the front of `buf`, which is not empty.
    /// Returns the number of bytes, or 0 if the connection is closed and all earlier bytes have
    /// been read.
    ///
    /// # Errors
    /// If no bytes arrive in time, or the connection is broken.
    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize>;

    /// Waits until at most `max_unsent` queued bytes are unsent. A party that streams in one
    /// direction calls this regularly to bound the queue.
    ///
    /// The default implementation returns at once. It is for a transport that does not queue bytes.
    ///
    /// # Errors
    /// Like [`send`](Self::send); also if too many bytes are still unsent after `within`.
    fn drain(&mut self, _max_unsent: usize, _within: Duration) -> io::Result<()> {
        Ok(())
    }

    /// Closes the connection after the peer has taken the queued bytes, but waits no longer than
    /// `within`. Closing twice has the same effect as closing once.
    ///
    /// The channel calls this before it drops the transport. The default implementation does
    /// nothing. It is for a transport that closes its connection when it is dropped.
    fn close(&mut self, _within: Duration) {}
}

/// A transport chosen at run time.
impl<T: Transport + ?Sized> Transport for Box<T> {
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        (**self).send(bytes, within)
    }

    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        (**self).recv(buf, within)
    }

    fn drain(&mut self, max_unsent: usize, within: Duration) -> io::Result<()> {
        (**self).drain(max_unsent, within)
    }

    fn close(&mut self, within: Duration) {
        (**self).close(within);
    }
}

/// Whether the call may be repeated: no data was ready, the timeout of the socket passed (with an
/// error kind that differs between operating systems), or a signal arrived.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
