//! A transport between two threads of one process.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::{Clock, Deadlines};
use super::error::Result;
use super::transport::Transport;

/// One end of a connection in memory; [`memory_pair`] makes both.
///
/// Bytes count as sent once the other end has taken them. The two ends belong in two threads: a
/// wait for the peer blocks the thread.
pub struct MemoryTransport {
    outgoing: Arc<Pipe>,
    incoming: Arc<Pipe>,
    /// The buffer taken last from `incoming`, of which `taken` bytes have been read.
    inbox: Vec<u8>,
    taken: usize,
    clock: Clock,
}

/// Two ends that are connected to each other.
pub fn memory_pair() -> (MemoryTransport, MemoryTransport) {
    let (there, back) = (Arc::new(Pipe::default()), Arc::new(Pipe::default()));
    let end = |outgoing: &Arc<Pipe>, incoming: &Arc<Pipe>| MemoryTransport {
        outgoing: Arc::clone(outgoing),
        incoming: Arc::clone(incoming),
        inbox: Vec::new(),
        taken: 0,
        clock: Clock::new("opening the session", Deadlines::default()),
    };
    (end(&there, &back), end(&back, &there))
}

/// One direction.
#[derive(Default)]
struct Pipe {
    state: Mutex<Flow>,
    changed: Condvar,
}

#[derive(Default)]
struct Flow {
    queue: VecDeque<Vec<u8>>,
    /// The bytes in `queue`.
    unsent: usize,
    closed: bool,
}

impl Pipe {
    /// Nothing panics while it holds the lock, so a poisoned one is as good as any.
    fn lock(&self) -> MutexGuard<'_, Flow> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the flow is closed or `ready`.
    fn wait(&self, clock: &Clock, ready: impl Fn(&Flow) -> bool) -> Result<MutexGuard<'_, Flow>> {
        let mut flow = self.lock();
        while !flow.closed && !ready(&flow) {
            let remaining = clock.remaining()?;
            (flow, _) = self
                .changed
                .wait_timeout(flow, remaining)
                .unwrap_or_else(PoisonError::into_inner);
        }
        Ok(flow)
    }

    fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }
}

impl Transport for MemoryTransport {
    fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        let mut flow = self.outgoing.lock();
        if flow.closed {
            return Err(self.clock.closed());
        }
        if !bytes.is_empty() {
            flow.unsent += bytes.len();
            flow.queue.push_back(bytes);
            self.outgoing.changed.notify_all();
        }
        Ok(())
    }

    fn drain(&mut self, max_unsent: usize) -> Result<()> {
        let flow = self
            .outgoing
            .wait(&self.clock, |flow| flow.unsent <= max_unsent)?;
        if flow.closed {
            return Err(self.clock.closed());
        }
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8]) -> Result<usize> {
        if self.taken == self.inbox.len() {
            let mut flow = self
                .incoming
                .wait(&self.clock, |flow| !flow.queue.is_empty())?;
            // What was sent before closing is still delivered.
            let bytes = flow.queue.pop_front().ok_or_else(|| self.clock.closed())?;
            flow.unsent -= bytes.len();
            drop(flow);
            self.incoming.changed.notify_all();
            self.inbox = bytes;
            self.taken = 0;
        }
        let rest = &self.inbox[self.taken..];
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        self.taken += len;
        Ok(len)
    }

    fn begin_phase(&mut self, name: &'static str, limit: Duration) {
        self.clock.begin_phase(name, limit);
    }

    fn begin_message(&mut self, limit: Duration) {
        self.clock.begin_message(limit);
    }

    /// Returns at once: the queue outlives this end, and the other one may still read it.
    fn close(&mut self) {
        self.outgoing.close();
        self.incoming.close();
    }
}

impl Drop for MemoryTransport {
    fn drop(&mut self) {
        self.close();
    }
}
