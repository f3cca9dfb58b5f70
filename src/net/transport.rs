//! What the channel needs from whatever carries its bytes.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// An ordered, reliable stream of bytes in both directions between two parties. Two methods make
/// one; the example `own_transport` does.
///
/// `within` says how long a call may wait; it is never zero. When that has passed, the call gives
/// [`ErrorKind::TimedOut`]. The [`Channel`](crate::net::Channel) has the clock: a call that gives up
/// early is made again while there is time. Any other error ends the session.
pub trait Transport: Send {
    /// Queues `bytes`, which are not empty, for sending.
    ///
    /// Never waits for the peer, so that both parties may send much at once and receive
    /// afterwards. `within` is for whoever sends in the background: the peer has so long to take
    /// these bytes, and a later call says that it has not.
    ///
    /// # Errors
    /// If the connection is closed, or bytes that were queued earlier could not be sent.
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()>;

    /// Waits for bytes from the peer, writes them to the front of `buf`, which is not empty, and
    /// says how many: 0 if the connection is closed and all that came before has been read.
    ///
    /// # Errors
    /// If nothing comes in time, or the connection is broken.
    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize>;

    /// Waits until at most `max_unsent` queued bytes are unsent: a party that streams in one
    /// direction calls this now and then, and thereby bounds the queue.
    ///
    /// The default returns at once, for a transport that hands on all bytes.
    ///
    /// # Errors
    /// As [`send`](Self::send), and if too many bytes are still unsent.
    fn drain(&mut self, _max_unsent: usize, _within: Duration) -> io::Result<()> {
        Ok(())
    }

    /// Closes the connection, after waiting no longer than `within` until the peer has taken what
    /// is queued. Closing twice is the same as closing once.
    ///
    /// The channel calls it before it drops the transport. The default does nothing, for a
    /// transport that is closed by being dropped.
    fn close(&mut self, _within: Duration) {}
}

/// A transport that is chosen at run time.
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

/// Whether trying again can help: nothing was ready, the system's own timeout passed (its name
/// differs between systems), or a signal came.
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
