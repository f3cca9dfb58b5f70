//! The bytes that a socket has not accepted yet, and the thread that writes them.
//!
//! Sending must not wait for the peer. Otherwise two parties that both send a lot at once wait for
//! each other forever. The standard library cannot write to a blocking socket without waiting. The
//! solution has two parts:
//!
//! - While no bytes are unsent, the caller writes directly, with the socket in non-blocking mode
//!   for this one write. This avoids the latency of waking another thread.
//! - The bytes that the socket does not accept become the backlog. A thread writes the backlog in
//!   order, with a deadline for each buffer, and exits when the backlog is empty.
//!
//! The caller and the thread never write at the same time: the caller writes directly only if
//! `unsent` is 0, and the thread sets `unsent` to 0 after its last write. The thread never writes
//! to a non-blocking socket: a backlog starts after the caller has restored blocking mode.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::transport::is_temporary;

/// A socket shared by the transport and the thread that writes its backlog.
pub(super) struct SharedSocket {
    pub(super) stream: TcpStream,
    backlog: Mutex<Backlog>,
    changed: Condvar,
}

#[derive(Default)]
struct Backlog {
    queue: VecDeque<Vec<u8>>,
    /// The number of bytes in `queue` and in the buffer being written.
    unsent: usize,
    /// The time that the peer has to accept one buffer.
    limit: Duration,
    /// The error after which nothing more can be sent. It is stored because the writer thread
    /// cannot return it to the caller.
    failure: Option<io::Error>,
}

impl Backlog {
    fn check(&self) -> io::Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(failure) => Err(match failure.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => failure.kind().into(),
            }),
        }
    }

    fn fail(&mut self, failure: io::Error) -> io::Result<()> {
        self.failure = Some(failure);
        self.queue.clear();
        self.check()
    }
}

impl SharedSocket {
    /// Wraps a socket in blocking mode.
    pub(super) fn new(stream: TcpStream) -> Arc<Self> {
        Arc::new(SharedSocket {
            stream,
            backlog: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Writes `bytes`, and queues the part that the socket does not accept at once. `within` is the
    /// time that the peer has to accept the queued part.
    pub(super) fn send(self: &Arc<Self>, mut bytes: Vec<u8>, within: Duration) -> io::Result<()> {
        let mut backlog = self.lock();
        backlog.check()?;
        let idle = backlog.unsent == 0;
        if idle {
            match self.write_now(&bytes) {
                Ok(written) => drop(bytes.drain(..written)),
                Err(error) => return backlog.fail(error),
            }
        }
        if bytes.is_empty() {
            return Ok(());
        }
        backlog.limit = within;
        backlog.unsent += bytes.len();
        backlog.queue.push_back(bytes);
        if idle {
            let socket = Arc::clone(self);
            let spawned = thread::Builder::new()
                .name("dealerless-writer".into())
                .spawn(move || socket.write_backlog());
            if let Err(error) = spawned {
                return backlog.fail(error);
            }
        }
        Ok(())
    }

    /// Waits until at most `max_unsent` bytes are unsent.
    pub(super) fn drain(&self, max_unsent: usize, within: Duration) -> io::Result<()> {
        let backlog = self.wait(within, |backlog| backlog.unsent > max_unsent);
        backlog.check()?;
        if backlog.unsent > max_unsent {
            Err(ErrorKind::TimedOut.into())
        } else {
            Ok(())
        }
    }

    /// Closes the socket when everything is sent, sending has failed, or `within` has passed. If
    /// bytes are still unsent, the writer thread gets an error and exits.
    pub(super) fn close(&self, within: Duration) {
        drop(self.wait(within, |backlog| backlog.unsent > 0));
        // If the peer has already closed the connection, `shutdown` returns an error, and the
        // socket is closed as well.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// No code panics while it holds the lock, so a poisoned lock guards consistent data.
    fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while `busy` returns `true`, but no longer than `within`. Returns early if sending
    /// fails.
    fn wait(&self, within: Duration, busy: impl Fn(&Backlog) -> bool) -> MutexGuard<'_, Backlog> {
        self.changed
            .wait_timeout_while(self.lock(), within, |backlog| {
                backlog.failure.is_none() && busy(backlog)
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Writes as many bytes as the socket accepts without waiting. Returns their number. Requires
    /// `unsent == 0`.
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_nonblocking(true)?;
        let written = (&self.stream).write(bytes);
        self.stream.set_nonblocking(false)?;
        match written {
            Err(error) if is_temporary(&error) => Ok(0),
            written => written,
        }
    }

    /// The body of the writer thread: writes until the queue is empty or sending fails.
    fn write_backlog(&self) {
        let mut backlog = self.lock();
        while let Some(bytes) = backlog.queue.pop_front() {
            let limit = backlog.limit;
            drop(backlog);
            let outcome = self.write_within(&bytes, limit);
            backlog = self.lock();
            match outcome {
                Ok(()) => backlog.unsent -= bytes.len(),
                // The next call of `send` or `drain` returns the error.
                Err(error) => drop(backlog.fail(error)),
            }
            self.changed.notify_all();
        }
    }

    /// Writes all of `bytes`. The limit applies to the whole buffer, so a peer cannot extend it by
    /// reading one byte at a time.
    fn write_within(&self, mut bytes: &[u8], limit: Duration) -> io::Result<()> {
        let begun = Instant::now();
        while !bytes.is_empty() {
            let remaining = limit.saturating_sub(begun.elapsed());
            if remaining.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_write_timeout(Some(remaining))?;
            match (&self.stream).write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(len) => bytes = &bytes[len..],
                Err(error) if is_temporary(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
