//! What a socket has not taken yet, and the thread that hands it over.
//!
//! Sending must not wait for the peer, or two parties that send much at once wait for each other
//! forever. The standard library cannot write to a blocking socket without waiting, so:
//!
//! - while nothing is unsent, the caller writes itself, with the socket made non-blocking for that
//!   one call, and spares the latency of waking another thread;
//! - what the socket does not take becomes the backlog, and a thread writes it in order, with a
//!   deadline for each buffer, and ends when there is no more.
//!
//! Exactly one of the two uses the socket for writing at any time, and none while it is
//! non-blocking except the caller: a backlog begins after the caller has put the socket back, and
//! the caller writes itself only once `unsent` is 0, which the thread sets last.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::clock::Clock;
use super::error::{Error, Result};

/// A socket, shared by the transport and the thread that writes for it.
pub(super) struct Link {
    pub(super) stream: TcpStream,
    backlog: Mutex<Backlog>,
    changed: Condvar,
}

#[derive(Default)]
struct Backlog {
    queue: VecDeque<Vec<u8>>,
    /// Bytes in `queue` and in the buffer that is being written.
    unsent: usize,
    /// What the peer is given to take one buffer.
    limit: Duration,
    failure: Option<Failure>,
}

/// Why no more can be sent. It happens in one thread and is told in another.
#[derive(Clone)]
enum Failure {
    Lost(ErrorKind, String),
    Timeout(Duration),
}

impl Failure {
    fn at(self, clock: &Clock) -> Error {
        match self {
            Failure::Lost(kind, cause) => clock.lost(io::Error::new(kind, cause)),
            Failure::Timeout(limit) => clock.timeout(limit),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Lost(error.kind(), error.to_string())
    }
}

impl Link {
    /// Takes a socket that is in blocking mode.
    pub(super) fn new(stream: TcpStream) -> Arc<Self> {
        Arc::new(Link {
            stream,
            backlog: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Writes `bytes`, or queues what the socket does not take at once.
    pub(super) fn send(self: &Arc<Self>, mut bytes: Vec<u8>, clock: &Clock) -> Result<()> {
        let mut backlog = self.lock();
        if let Some(failure) = &backlog.failure {
            return Err(failure.clone().at(clock));
        }
        let idle = backlog.unsent == 0;
        if idle {
            let written = self
                .write_now(&bytes)
                .map_err(|failure| backlog.failure.insert(failure).clone().at(clock))?;
            bytes.drain(..written);
        }
        if !bytes.is_empty() {
            backlog.limit = clock.message_limit();
            backlog.unsent += bytes.len();
            backlog.queue.push_back(bytes);
            if idle {
                let link = Arc::clone(self);
                let spawned = thread::Builder::new()
                    .name("dealerless-writer".into())
                    .spawn(move || link.write_backlog());
                if let Err(error) = spawned {
                    let failure = Failure::from(error);
                    return Err(backlog.failure.insert(failure).clone().at(clock));
                }
            }
        }
        Ok(())
    }

    /// Waits until at most `max_unsent` bytes are unsent.
    pub(super) fn drain(&self, max_unsent: usize, clock: &Clock) -> Result<()> {
        let mut backlog = self.lock();
        loop {
            if let Some(failure) = &backlog.failure {
                return Err(failure.clone().at(clock));
            }
            if backlog.unsent <= max_unsent {
                return Ok(());
            }
            backlog = self.wait(backlog, clock.remaining()?);
        }
    }

    /// Closes the socket when everything is sent, when sending has failed, or after `limit`;
    /// in the last case the thread fails and ends.
    pub(super) fn close(&self, limit: Duration) {
        let begun = Instant::now();
        let mut backlog = self.lock();
        while backlog.unsent > 0 && backlog.failure.is_none() {
            let remaining = limit.saturating_sub(begun.elapsed());
            if remaining.is_zero() {
                break;
            }
            backlog = self.wait(backlog, remaining);
        }
        // It fails if the peer was faster, and then the socket is closed as well.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Nothing panics while it holds the lock, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        backlog: MutexGuard<'a, Backlog>,
        limit: Duration,
    ) -> MutexGuard<'a, Backlog> {
        self.changed
            .wait_timeout(backlog, limit)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Writes what the socket takes without waiting. Only while nothing is unsent.
    fn write_now(&self, bytes: &[u8]) -> Result<usize, Failure> {
        self.stream.set_nonblocking(true)?;
        let written = (&self.stream).write(bytes);
        self.stream.set_nonblocking(false)?;
        match written {
            Ok(len) => Ok(len),
            Err(error) if is_temporary(error.kind()) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// The thread: writes until there is nothing left to write, or sending fails.
    fn write_backlog(&self) {
        let mut backlog = self.lock();
        while let Some(bytes) = backlog.queue.pop_front() {
            let limit = backlog.limit;
            drop(backlog);
            let outcome = self.write_within(&bytes, limit);
            backlog = self.lock();
            match outcome {
                Ok(()) => backlog.unsent -= bytes.len(),
                Err(failure) => {
                    backlog.failure = Some(failure);
                    backlog.queue.clear();
                }
            }
            self.changed.notify_all();
        }
    }

    /// Writes all of `bytes`. The limit holds for the whole, so a peer that reads a byte at a time
    /// gains nothing.
    fn write_within(&self, mut bytes: &[u8], limit: Duration) -> Result<(), Failure> {
        let begun = Instant::now();
        while !bytes.is_empty() {
            let remaining = limit.saturating_sub(begun.elapsed());
            if remaining.is_zero() {
                return Err(Failure::Timeout(limit));
            }
            self.stream.set_write_timeout(Some(remaining))?;
            match (&self.stream).write(bytes) {
                Ok(0) => return Err(io::Error::from(ErrorKind::WriteZero).into()),
                Ok(len) => bytes = &bytes[len..],
                Err(error) if is_temporary(error.kind()) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Whether trying again can help: nothing was ready, the socket's timeout passed (its name differs
/// between systems), or a signal came.
pub(super) fn is_temporary(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
