//! What the channel needs from whatever carries its bytes.

use std::time::Duration;

use super::error::Result;

/// An ordered, reliable stream of bytes in both directions between two parties.
///
/// A transport owns the clock, because not every platform has one; the
/// [`Channel`](crate::net::Channel) hands it durations. Every wait ends at the earlier of two
/// deadlines, that of the current message and that of the current phase, with
/// [`Error::Timeout`](crate::net::Error::Timeout). A transport may wrap another one, as encryption
/// does.
///
/// Dropping a transport closes it.
pub trait Transport: Send {
    /// Queues `bytes` for sending.
    ///
    /// Never waits for the peer, so that both parties may send much at once and receive
    /// afterwards. The queue is without bound: whoever streams in one direction calls
    /// [`drain`](Self::drain) now and then.
    ///
    /// # Errors
    /// [`Error::Lost`](crate::net::Error::Lost) if the connection is closed,
    /// [`Error::Timeout`](crate::net::Error::Timeout) if the peer did not take what was queued earlier;
    /// a failure may thus show only at a later call.
    fn send(&mut self, bytes: Vec<u8>) -> Result<()>;

    /// Waits until at most `max_unsent` queued bytes are unsent.
    ///
    /// # Errors
    /// As [`send`](Self::send), and [`Error::Timeout`](crate::net::Error::Timeout) at the deadline.
    fn drain(&mut self, max_unsent: usize) -> Result<()>;

    /// Waits for bytes from the peer, writes them to the front of `buf`, and says how many: at
    /// least one, at most `buf.len()`, which must not be 0.
    ///
    /// # Errors
    /// [`Error::Lost`](crate::net::Error::Lost) once the connection is closed and all that came before
    /// has been read, [`Error::Timeout`](crate::net::Error::Timeout) at the deadline.
    fn recv(&mut self, buf: &mut [u8]) -> Result<usize>;

    /// Starts the clock of a phase, which may last `limit`. Errors say that they came up while
    /// `name`, for example "checking the garbled tables".
    fn begin_phase(&mut self, name: &'static str, limit: Duration);

    /// Starts the clock of a message, for which the peer has `limit`.
    fn begin_message(&mut self, limit: Duration);

    /// Closes the connection, after waiting no longer than the limit of a message until the peer
    /// has taken what is queued. Closing twice is the same as closing once.
    fn close(&mut self);
}

/// A transport that is chosen at run time.
impl<T: Transport + ?Sized> Transport for Box<T> {
    fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        (**self).send(bytes)
    }

    fn drain(&mut self, max_unsent: usize) -> Result<()> {
        (**self).drain(max_unsent)
    }

    fn recv(&mut self, buf: &mut [u8]) -> Result<usize> {
        (**self).recv(buf)
    }

    fn begin_phase(&mut self, name: &'static str, limit: Duration) {
        (**self).begin_phase(name, limit);
    }

    fn begin_message(&mut self, limit: Duration) {
        (**self).begin_message(limit);
    }

    fn close(&mut self) {
        (**self).close();
    }
}
