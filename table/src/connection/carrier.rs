//! The two threads of a connection, a reader and a writer, and the state that they share with the
//! users of the connection.

use std::io::{self, ErrorKind, Read as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::error::ConnectionError;
use super::inbox::{Inbox, Request};
use super::live::Timing;
use super::noise::{NotGenuine, Opener, Sealer};
use super::outbox::Outbox;
use super::socket::{is_temporary, write_by};
use super::streams::{FRAME, Message, Stream};

/// The state shared by the threads and the users of a connection.
pub(super) struct Shared {
    stream: TcpStream,
    state: Mutex<State>,
    /// Tells the writer that a frame may be ready to be sent.
    to_write: Condvar,
    /// Tells the users that data arrived or was sent, or that the connection ended.
    changed: Condvar,
    timing: Timing,
    /// The number of bytes of frames handed to the operating system.
    sent: AtomicU64,
}

pub(super) struct State {
    pub(super) outbox: Outbox,
    pub(super) inbox: Inbox,
    pub(super) ended: Option<ConnectionError>,
    pub(super) engine_in_use: bool,
    pub(super) last_engine: u64,
    /// The last time at which queued engine bytes were sent, or new ones put into an empty queue.
    pub(super) engine_moved: Instant,
    pub(super) last_received: Instant,
    pinged: Instant,
    pings: u64,
    pub(super) closing: bool,
    /// Whether the writer has sent everything, including the goodbye.
    pub(super) flushed: bool,
    /// Whether the writer has finished.
    pub(super) writer_done: bool,
}

impl State {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        State {
            outbox: Outbox::default(),
            inbox: Inbox::default(),
            ended: None,
            engine_in_use: false,
            last_engine: 0,
            engine_moved: now,
            last_received: now,
            pinged: now,
            pings: 0,
            closing: false,
            flushed: false,
            writer_done: false,
        }
    }

    pub(super) fn check(&self) -> Result<(), ConnectionError> {
        self.ended.clone().map_or(Ok(()), Err)
    }

    pub(super) fn next_message(&mut self) -> Result<Option<Message>, ConnectionError> {
        if let Some(bytes) = self.inbox.control()? {
            return Ok(Some(Message {
                stream: Stream::Control,
                bytes,
            }));
        }
        let bytes = self.inbox.log()?;
        Ok(bytes.map(|bytes| Message {
            stream: Stream::Log,
            bytes,
        }))
    }

    /// Processes the plaintext of a frame.
    pub(super) fn take_in(
        &mut self,
        frame: &[u8],
        requests: &mut Vec<Request>,
    ) -> Result<(), ConnectionError> {
        self.inbox.frame(frame, requests)?;
        for request in requests.drain(..) {
            match request {
                Request::Acked(stream, read) => self.outbox.acked(stream, read)?,
                Request::Pong(number) => self.outbox.pong(number),
                Request::Bye => return Err(ConnectionError::Closed),
            }
        }
        Ok(())
    }
}

impl Shared {
    /// Starts the threads of a connection.
    pub(super) fn start(
        stream: TcpStream,
        opener: Opener,
        sealer: Sealer,
        timing: Timing,
    ) -> io::Result<(Arc<Self>, Vec<JoinHandle<()>>)> {
        stream.set_read_timeout(Some((timing.ping / 4).max(Duration::from_millis(1))))?;
        let shared = Arc::new(Shared {
            stream,
            state: Mutex::new(State::new()),
            to_write: Condvar::new(),
            changed: Condvar::new(),
            timing,
            sent: AtomicU64::new(0),
        });
        let named = |name: &str| thread::Builder::new().name(name.into());
        let own = Arc::clone(&shared);
        let reader = named("conn-reader").spawn(move || own.run(|own| Some(own.read(opener))))?;
        let own = Arc::clone(&shared);
        let spawned = named("conn-writer").spawn(move || {
            own.run(|own| own.write(sealer));
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
        deadline: Instant,
    ) -> Option<MutexGuard<'a, State>> {
        let left = deadline.saturating_duration_since(Instant::now());
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

    /// Queues the acknowledgements that are due.
    pub(super) fn acknowledge(&self, state: &mut State) {
        let State { outbox, inbox, .. } = state;
        for (stream, read) in inbox.acks() {
            outbox.ack(stream, read);
            self.to_write.notify_one();
        }
    }

    /// Ends the connection for the reason `why`. If it has already ended, the first reason is kept.
    pub(super) fn end(&self, why: ConnectionError) {
        self.lock().ended.get_or_insert(why);
        // This fails if the peer has already closed the connection.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.to_write.notify_all();
        self.changed.notify_all();
    }

    /// Runs the work of a thread, and ends the connection if the work returns a reason.
    fn run(&self, work: impl FnOnce(&Self) -> Option<ConnectionError>) {
        if let Some(why) = work(self) {
            self.end(why);
        }
    }

    /// The work of the reader. Returns the reason for the end of the connection. `opener`, which
    /// holds the keys, is dropped then.
    fn read(&self, mut opener: Opener) -> ConnectionError {
        let mut buf = vec![0; 2 * (2 + 65_535)];
        let mut plain = vec![0; 65_535];
        let (mut filled, mut requests) = (0, Vec::new());
        loop {
            match (&self.stream).read(&mut buf[filled..]) {
                Ok(0) => return ConnectionError::Cut(ErrorKind::UnexpectedEof),
                Ok(count) => filled += count,
                Err(error) if is_temporary(&error) => {}
                Err(error) => return ConnectionError::Cut(error.kind()),
            }
            let mut at = 0;
            while let Some(end) = frame_end(&buf[at..filled]) {
                let opened = opener.open(&buf[at + 2..at + end], &mut plain);
                let Ok(len) = opened.map_err(|NotGenuine| ()) else {
                    return ConnectionError::Forged;
                };
                at += end;
                let mut state = self.lock();
                state.last_received = Instant::now();
                if let Err(error) = state.take_in(&plain[..len], &mut requests) {
                    return error;
                }
                self.acknowledge(&mut state);
                self.to_write.notify_one();
                self.changed.notify_all();
            }
            buf.copy_within(at..filled, 0);
            filled -= at;
            let state = self.lock();
            if let Some(why) = &state.ended {
                return why.clone();
            }
            if state.last_received.elapsed() > self.timing.dead {
                return ConnectionError::Silent;
            }
        }
    }

    /// The work of the writer. Returns `None` if the connection has not ended: the reader continues
    /// after the goodbye, and after a failed write, because the peer may have said goodbye before
    /// its socket closed.
    fn write(&self, mut sealer: Sealer) -> Option<ConnectionError> {
        let (mut plain, mut sealed) = (Vec::with_capacity(FRAME + 1), Vec::new());
        loop {
            plain.clear();
            match self.next_frame(&mut plain) {
                Ok(true) => {}
                Ok(false) => {
                    self.lock().flushed = true;
                    // This fails if the peer has already closed the connection.
                    let _ = self.stream.shutdown(Shutdown::Write);
                    return None;
                }
                Err(why) => return Some(why),
            }
            sealed.clear();
            sealer.seal(&plain, &mut sealed);
            match write_by(&self.stream, &sealed, Instant::now() + self.timing.dead) {
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

    /// Waits for the next frame to send and writes its plaintext into `plain`. Returns `false` if
    /// the goodbye was already sent.
    fn next_frame(&self, plain: &mut Vec<u8>) -> Result<bool, ConnectionError> {
        let mut state = self.lock();
        loop {
            // Check this before `state.check`, because the peer may answer the goodbye by ending
            // the connection.
            if state.closing && !state.outbox.bye_pending() {
                return Ok(false);
            }
            state.check()?;
            let unsent = state.outbox.engine_unsent();
            if state.outbox.next_frame(plain) {
                if state.outbox.engine_unsent() < unsent {
                    state.engine_moved = Instant::now();
                    self.changed.notify_all();
                }
                return Ok(true);
            }
            let quiet = state.last_received.max(state.pinged).elapsed();
            if quiet >= self.timing.ping {
                state.pings += 1;
                state.pinged = Instant::now();
                let number = state.pings;
                state.outbox.ping(number);
                continue;
            }
            let waited = self.to_write.wait_timeout(state, self.timing.ping - quiet);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The end of the first frame in these bytes, if it is complete.
fn frame_end(bytes: &[u8]) -> Option<usize> {
    let end = 2 + usize::from(u16::from_le_bytes(*bytes.first_chunk()?));
    (bytes.len() >= end).then_some(end)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::super::noise::Handshake;
    use super::super::streams::Stream;
    use super::*;
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

        let shared = Shared {
            stream,
            state: Mutex::new(State::new()),
            to_write: Condvar::new(),
            changed: Condvar::new(),
            timing: Timing::default(),
            sent: AtomicU64::new(0),
        };
        // The socket of the peer answers these bytes with a reset.
        io::Write::write_all(&mut &shared.stream, b"x").unwrap();
        thread::sleep(Duration::from_millis(50));
        shared.lock().outbox.ping(1);
        assert_eq!(shared.write(own.sealer), None);
        assert_eq!(shared.read(own.opener), ConnectionError::Closed);
        let message = shared.lock().next_message().unwrap().unwrap();
        assert_eq!(message.bytes, b"last words");
    }
}
