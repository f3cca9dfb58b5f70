//! One direction of a connection within a process.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::closed;

/// Bytes in transit from one thread to another.
#[derive(Default)]
pub(super) struct Pipe {
    flow: Mutex<Flow>,
    changed: Condvar,
}

#[derive(Default)]
struct Flow {
    bytes: VecDeque<u8>,
    closed: bool,
    /// The error that closed the pipe, until one call has returned it.
    failure: Option<io::Error>,
}

impl Flow {
    /// The error for an operation on a closed pipe.
    fn end(&mut self) -> io::Error {
        self.failure.take().unwrap_or_else(closed)
    }
}

impl Pipe {
    /// No code panics while it holds the lock, so a poisoned lock guards consistent data.
    fn lock(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the pipe is closed or `ready` returns `true`.
    fn wait(
        &self,
        within: Duration,
        ready: impl Fn(&Flow) -> bool,
    ) -> io::Result<MutexGuard<'_, Flow>> {
        let (flow, waited) = self
            .changed
            .wait_timeout_while(self.lock(), within, |flow| !flow.closed && !ready(flow))
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            Err(ErrorKind::TimedOut.into())
        } else {
            Ok(flow)
        }
    }

    /// Appends bytes, without waiting.
    pub(super) fn push(&self, bytes: &[u8]) -> io::Result<()> {
        let mut flow = self.lock();
        if flow.closed {
            return Err(flow.end());
        }
        flow.bytes.extend(bytes);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for bytes and moves some of them to `buf`. Returns their number, or 0 if the pipe is
    /// closed and empty.
    pub(super) fn pull(&self, buf: &mut [u8], within: Duration) -> io::Result<usize> {
        let mut flow = self.wait(within, |flow| !flow.bytes.is_empty())?;
        // Bytes that were sent before the pipe was closed are still delivered.
        let len = flow.bytes.read(buf)?;
        if len == 0
            && let Some(failure) = flow.failure.take()
        {
            return Err(failure);
        }
        self.changed.notify_all();
        Ok(len)
    }

    /// Waits for bytes without a timeout and copies some of them to `buf`. The copied bytes stay in
    /// the pipe until [`remove`](Self::remove) is called. Returns their number, or 0 if the pipe is
    /// closed and empty.
    pub(super) fn peek(&self, buf: &mut [u8]) -> io::Result<usize> {
        let flow = self.wait(Duration::MAX, |flow| !flow.bytes.is_empty())?;
        let mut bytes = flow.bytes.as_slices().0;
        bytes.read(buf)
    }

    /// Removes the first `len` bytes.
    pub(super) fn remove(&self, len: usize) {
        self.lock().bytes.drain(..len);
        self.changed.notify_all();
    }

    /// Waits until at most `max` bytes are in the pipe.
    pub(super) fn drain(&self, max: usize, within: Duration) -> io::Result<()> {
        let mut flow = self.wait(within, |flow| flow.bytes.len() <= max)?;
        if flow.closed { Err(flow.end()) } else { Ok(()) }
    }

    /// Closes the pipe for both threads. `failure` is the error that caused this, if any.
    pub(super) fn close(&self, failure: Option<io::Error>) {
        let mut flow = self.lock();
        if !flow.closed {
            flow.closed = true;
            flow.failure = failure;
        }
        self.changed.notify_all();
    }
}
