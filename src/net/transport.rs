//! The interface between a channel and the medium that carries the channel's bytes.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// An ordered, reliable stream of bytes in both directions between two parties. Only
/// [`send`](Self::send) and [`recv`](Self::recv) are required; the example `own_transport`
/// implements both.
///
/// The parameter `within` is a time limit and never zero. If the limit passes, `recv` and `drain`
/// return [`ErrorKind::TimedOut`]. The [`Channel`](crate::net::Channel) also measures the time: if
/// `recv` times out early or is interrupted, the channel calls `recv` again with the remaining
/// time. Every other error ends the session.
pub trait Transport: Send {
    /// Queues `bytes`, which are never empty, for sending.
    ///
    /// This method must not wait for the peer. Otherwise two parties that both send much data
    /// before they receive would wait for each other forever. `within` is the time that the peer
    /// has to accept `bytes`. An implementation that sends in the background reports a timeout as
    /// the error of a later call. Other implementations do not need `within`.
    ///
    /// # Errors
    /// If the connection is closed, or the bytes of an earlier call could not be sent.
    fn send(&mut self, bytes: Vec<u8>, within: Duration) -> io::Result<()>;

    /// Waits for at least one byte from the peer. Writes the received bytes to the start of `buf`,
    /// which is never empty, and returns their number. Returns 0 if the connection is closed and
    /// all bytes that the peer sent have been read.
    ///
    /// # Errors
    /// If no bytes arrive in time, or the connection is broken.
    fn recv(&mut self, buf: &mut [u8], within: Duration) -> io::Result<usize>;

    /// Waits until at most `max_unsent` queued bytes are unsent. A party that only sends for a long
    /// time calls this method regularly to bound the queue.
    ///
    /// The default implementation returns at once. It suits a transport whose queue needs no bound.
    ///
    /// # Errors
    /// Like [`send`](Self::send); also if more than `max_unsent` bytes are unsent after `within`.
    fn drain(&mut self, _max_unsent: usize, _within: Duration) -> io::Result<()> {
        Ok(())
    }

    /// Closes the connection when the peer has accepted the queued bytes, or when `within` has
    /// passed. The channel calls this method after an abort and again before it drops the
    /// transport, so a second call must have no effect.
    ///
    /// The default implementation does nothing. It suits a transport that closes its connection on
    /// drop.
    fn close(&mut self, _within: Duration) {}
}

/// A program can choose its transport at run time, as a `Box<dyn Transport>`.
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

/// Whether the failed call may be repeated: the timeout of the socket has passed (`WouldBlock` or
/// `TimedOut`, depending on the operating system), or a signal arrived (`Interrupted`).
pub(super) fn is_temporary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
