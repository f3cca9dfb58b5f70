//! The two threads of a connection, a reader and a writer, and the core that they share with the
//! users of the connection.

use std::io::{self, ErrorKind, Read as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless::net::system_time;

use super::super::core::{Core, Task, Timing};
use super::super::error::ConnectionError;
use super::super::incoming::Incoming;
use super::super::noise::{Agreed, Sealer};
use super::super::streams::FRAME;
use super::socket::{is_temporary, write_by};

/// The core of a connection, shared by the threads and the users of the connection.
pub(super) struct Shared {
    stream: TcpStream,
    state: Mutex<State>,
    /// Tells the writer that a frame may be ready to be sent.
    to_write: Condvar,
    /// Tells the users that data arrived or was sent, or that the connection ended.
    changed: Condvar,
    /// The number of bytes of frames handed to the operating system.
    sent: AtomicU64,
}

pub(super) struct State {
    pub(super) core: Core,
    /// Whether the writer has sent everything, including the goodbye.
    pub(super) flushed: bool,
    /// Whether the writer has finished.
    pub(super) writer_done: bool,
}

impl Shared {
    fn new(stream: TcpStream, timing: Timing) -> Self {
        let state = State {
            core: Core::new(timing, system_time()),
            flushed: false,
            writer_done: false,
        };
        Shared {
            stream,
            state: Mutex::new(state),
            to_write: Condvar::new(),
            changed: Condvar::new(),
            sent: AtomicU64::new(0),
        }
    }

    /// Starts the threads of a connection.
    pub(super) fn start(
        stream: TcpStream,
        agreed: Agreed,
        timing: Timing,
    ) -> io::Result<(Arc<Self>, Vec<JoinHandle<()>>)> {
        stream.set_read_timeout(Some((timing.ping / 4).max(Duration::from_millis(1))))?;
        let shared = Arc::new(Shared::new(stream, timing));
        let named = |name: &str| thread::Builder::new().name(name.into());
        let own = Arc::clone(&shared);
        let incoming = Incoming::new(agreed.opener);
        let reader = named("conn-reader").spawn(move || own.end(own.read(incoming)))?;
        let own = Arc::clone(&shared);
        let spawned = named("conn-writer").spawn(move || {
            if let Some(why) = own.write(agreed.sealer) {
                own.end(why);
            }
            own.lock().writer_done = true;
            own.changed.notify_all();
        });
        let writer = spawned.inspect_err(|_| shared.end(ConnectionError::ClosedHere))?;
        Ok((shared, vec![reader, writer]))
    }

    /// Locks the state. A panic never leaves the state half changed, so a poisoned lock is still
    /// valid.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `changed` is notified or the deadline is reached. `None` if the deadline has
    /// passed.
    pub(super) fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        deadline: Duration,
    ) -> Option<MutexGuard<'a, State>> {
        let left = deadline.saturating_sub(system_time());
        if left.is_zero() {
            return None;
        }
        let waited = self.changed.wait_timeout(state, left);
        Some(waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// The number of bytes sent after the handshake.
    pub(super) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Wakes the writer because a frame may be ready to be sent.
    pub(super) fn wake_writer(&self) {
        self.to_write.notify_one();
    }

    /// Wakes the writer if data was read that must be acknowledged.
    pub(super) fn wake_for_acks(&self, core: &Core) {
        if core.has_acks() {
            self.wake_writer();
        }
    }

    /// Ends the connection for the reason `why`. If it has already ended, the first reason is kept.
    pub(super) fn end(&self, why: ConnectionError) {
        self.lock().core.end(why);
        // This fails if the peer has already closed the connection.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.to_write.notify_all();
        self.changed.notify_all();
    }

    /// The work of the reader. Returns the reason for the end of the connection. `incoming`, which
    /// holds the keys, is dropped then.
    fn read(&self, mut incoming: Incoming) -> ConnectionError {
        loop {
            let received = match (&self.stream).read(incoming.room()) {
                Ok(0) => Err(ConnectionError::Cut(ErrorKind::UnexpectedEof)),
                Ok(count) => incoming.received(count, |frame| self.take(frame)),
                Err(error) if is_temporary(&error) => Ok(()),
                Err(error) => Err(ConnectionError::Cut(error.kind())),
            };
            let ticked = received.and_then(|()| {
                let core = &mut self.lock().core;
                core.tick(system_time());
                core.check()
            });
            if let Err(why) = ticked {
                return why;
            }
        }
    }

    fn take(&self, frame: &[u8]) -> Result<(), ConnectionError> {
        self.lock().core.received(frame, system_time())?;
        self.to_write.notify_one();
        self.changed.notify_all();
        Ok(())
    }

    /// The work of the writer. Returns `None` if the connection has not ended: the reader continues
    /// after the goodbye, and after a failed write, because the peer may have said goodbye before
    /// its socket closed.
    fn write(&self, mut sealer: Sealer) -> Option<ConnectionError> {
        let (mut plain, mut sealed) = (Vec::with_capacity(FRAME + 1), Vec::new());
        loop {
            let by = match self.next_frame(&mut plain) {
                Ok(Some(by)) => by,
                Ok(None) => {
                    self.lock().flushed = true;
                    // This fails if the peer has already closed the connection.
                    let _ = self.stream.shutdown(Shutdown::Write);
                    return None;
                }
                Err(why) => return Some(why),
            };
            sealed.clear();
            sealer.seal(&plain, &mut sealed);
            match write_by(&self.stream, &sealed, by) {
                Ok(()) => _ = self.sent.fetch_add(sealed.len() as u64, Ordering::Relaxed),
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    return Some(ConnectionError::Silent);
                }
                Err(_) => {
                    // The reader reads what has arrived, and then the end of the stream.
                    let _ = self.stream.shutdown(Shutdown::Read);
                    return None;
                }
            }
        }
    }

    /// Waits for the next frame to send and writes its plaintext into `plain`. Returns the deadline
    /// of the frame, or `None` if everything was sent.
    fn next_frame(&self, plain: &mut Vec<u8>) -> Result<Option<Duration>, ConnectionError> {
        let mut state = self.lock();
        loop {
            let (unsent, now) = (state.core.engine_unsent(), system_time());
            let until = match state.core.next_frame(now, plain)? {
                Task::Wait { until } => until,
                Task::Close => return Ok(None),
                Task::Send { by } => {
                    if state.core.engine_unsent() < unsent {
                        self.changed.notify_all();
                    }
                    return Ok(Some(by));
                }
            };
            let waited = self.to_write.wait_timeout(state, until.saturating_sub(now));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::connection::noise::Handshake;
    use crate::connection::outbox::Outbox;
    use crate::connection::streams::Stream;
    use crate::identity::Identity;

    /// A writer notices that the peer's socket is closed before the reader has read the peer's last
    /// frames.
    #[test]
    fn goodbye_is_read_after_a_failed_write() {
        let [guest, host] = [1, 2].map(|seed| Identity::from_seed([seed; 32]));
        let mut to = Handshake::again_guest(&guest, host.public(), b"");
        let mut from = Handshake::again_host(&host, guest.public(), b"");
        from.read(&to.write(&[])).unwrap();
        to.read(&from.write(&[])).unwrap();
        let (own, mut peer) = (to.finish(), from.finish());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut socket, _) = listener.accept().unwrap();

        let mut outbox = Outbox::default();
        outbox.message(Stream::Log, b"last words").unwrap();
        outbox.bye();
        let mut plain = Vec::new();
        while outbox.next_frame(&mut plain) {
            let mut sealed = Vec::new();
            peer.sealer.seal(&plain, &mut sealed);
            io::Write::write_all(&mut socket, &sealed).unwrap();
            plain.clear();
        }
        drop(socket);

        let shared = Shared::new(stream, Timing::default());
        // The socket of the peer answers these bytes with a reset.
        io::Write::write_all(&mut &shared.stream, b"x").unwrap();
        thread::sleep(Duration::from_millis(50));
        shared.lock().core.send(Stream::Log, b"x").unwrap();
        assert_eq!(shared.write(own.sealer), None);
        assert_eq!(
            shared.read(Incoming::new(own.opener)),
            ConnectionError::Closed
        );
        let message = shared.lock().core.next_message().unwrap().unwrap();
        assert_eq!(message.bytes, b"last words");
    }
}
