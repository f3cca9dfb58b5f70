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

use super::transport::is_temporary;

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
    /// Why no more can be sent. It happens in one thread and is told in another.
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

impl Link {
    /// Takes a socket that is in blocking mode.
    pub(super) fn new(stream: TcpStream) -> Arc<Self> {
        Arc::new(Link {
            stream,
            backlog: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Writes `bytes`, or queues what the socket does not take at once; the peer has `within` to take
    /// that.
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
            let link = Arc::clone(self);
            let spawned = thread::Builder::new()
                .name("dealerless-writer".into())
                .spawn(move || link.write_backlog());
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

    /// Closes the socket when everything is sent, when sending has failed, or when `within` has
    /// passed; in the last case the thread fails and ends.
    pub(super) fn close(&self, within: Duration) {
        drop(self.wait(within, |backlog| backlog.unsent > 0));
        // It fails if the peer was faster, and then the socket is closed as well.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Nothing panics while it holds the lock, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, Backlog> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the backlog is `busy`, unless sending fails, and no longer than `within`.
    fn wait(&self, within: Duration, busy: impl Fn(&Backlog) -> bool) -> MutexGuard<'_, Backlog> {
        self.changed
            .wait_timeout_while(self.lock(), within, |backlog| {
                backlog.failure.is_none() && busy(backlog)
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Writes what the socket takes without waiting. Only while nothing is unsent.
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_nonblocking(true)?;
        let written = (&self.stream).write(bytes);
        self.stream.set_nonblocking(false)?;
        match written {
            Err(error) if is_temporary(&error) => Ok(0),
            written => written,
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
                // Whoever sends next is told.
                Err(error) => drop(backlog.fail(error)),
            }
            self.changed.notify_all();
        }
    }

    /// Writes all of `bytes`. The limit holds for the whole, so a peer that reads a byte at a time
    /// gains nothing.
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
