//! A line that lives: one thread that reads, one that writes.

use std::io::{self, ErrorKind, Read as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::engine_stream::EngineStream;
use super::error::LineError;
use super::inbox::{Asked, Inbox};
use super::meeting::Met;
use super::noise::{NotGenuine, Opener, Sealer};
use super::outbox::Outbox;
use super::socket::{is_temporary, write_by};
use super::streams::{FRAME, Message, Priority, Stream};
use crate::identity::{Name, PublicIdentity};
use crate::seat::Seat;

/// How long a meeting may take, when a silent line is asked whether it lives, and when it is given
/// up.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// After so long without a word from the other it is asked for one.
    pub ping: Duration,
    /// After so long without a word the line is given up. The other has as long to take a frame.
    pub dead: Duration,
    /// A meeting takes at most so long, from the first byte to the last.
    pub meeting: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            ping: Duration::from_secs(5),
            dead: Duration::from_secs(20),
            meeting: Duration::from_secs(10),
        }
    }
}

/// An encrypted line to somebody whose keys have verified.
pub struct Line {
    /// One's own seat.
    pub seat: Seat,
    /// The other's keys.
    pub peer: PublicIdentity,
    /// What the other calls itself.
    pub peer_name: Name,
    /// What no other line has.
    pub handshake_hash: [u8; 32],
    /// What the host said of the match, in its own encoding.
    pub header: Vec<u8>,
    /// The host's nonce and the guest's, for a match that begins on this line.
    pub nonces: [[u8; 32]; 2],
    /// Whether an invite was used here for the first time. By an invite that was used before, and
    /// between known peers, an open match is resumed.
    pub first: bool,
    /// Where the other is, or its relay.
    pub at: Option<SocketAddr>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads and the users of a line share.
pub(super) struct Shared {
    stream: TcpStream,
    state: Mutex<State>,
    /// There may be something to write.
    to_write: Condvar,
    /// Something has come or left, or the line has ended.
    changed: Condvar,
    timing: Timing,
}

pub(super) struct State {
    pub(super) outbox: Outbox,
    pub(super) inbox: Inbox,
    pub(super) ended: Option<LineError>,
    pub(super) engine_in_use: bool,
    last_engine: u64,
    /// When the engine's bytes moved last.
    pub(super) engine_moved: Instant,
    heard: Instant,
    pinged: Instant,
    pings: u64,
    closing: bool,
    flushed: bool,
}

impl Line {
    /// The line after a meeting.
    pub(super) fn new(met: Met, seat: Seat, timing: Timing) -> io::Result<Self> {
        let stream = met.socket.into_stream();
        let at = stream.peer_addr().ok();
        stream.set_read_timeout(Some((timing.ping / 4).max(Duration::from_millis(1))))?;
        let now = Instant::now();
        let state = State {
            outbox: Outbox::default(),
            inbox: Inbox::default(),
            ended: None,
            engine_in_use: false,
            last_engine: 0,
            engine_moved: now,
            heard: now,
            pinged: now,
            pings: 0,
            closing: false,
            flushed: false,
        };
        let shared = Arc::new(Shared {
            stream,
            state: Mutex::new(state),
            to_write: Condvar::new(),
            changed: Condvar::new(),
            timing,
        });
        let (opener, sealer) = (met.agreed.opener, met.agreed.sealer);
        let named = |name: &str| thread::Builder::new().name(name.into());
        let own = Arc::clone(&shared);
        let reader = named("line-reader").spawn(move || own.run(|own| Some(own.read(opener))))?;
        let own = Arc::clone(&shared);
        let spawned = named("line-writer").spawn(move || own.run(|own| own.write(sealer)));
        let writer = spawned.inspect_err(|_| shared.end(LineError::ClosedHere))?;
        Ok(Line {
            seat,
            peer: met.peer,
            peer_name: met.peer_name,
            handshake_hash: met.agreed.handshake_hash,
            header: met.header,
            nonces: met.nonces,
            first: met.first,
            at,
            shared,
            threads: vec![reader, writer],
        })
    }

    /// Queues a message on the log's stream. It never waits for the other.
    ///
    /// # Errors
    /// If the line has ended, or the message is empty or longer than [`MAX_MESSAGE`](crate::MAX_MESSAGE).
    pub fn send_log(&self, bytes: Vec<u8>) -> Result<(), LineError> {
        self.send(Stream::Log, &bytes)
    }

    /// Queues a control message, which goes before all others. It never waits for the other.
    ///
    /// # Errors
    /// As [`send_log`](Self::send_log).
    pub fn send_control(&self, bytes: Vec<u8>) -> Result<(), LineError> {
        self.send(Stream::Control, &bytes)
    }

    fn send(&self, stream: Stream, bytes: &[u8]) -> Result<(), LineError> {
        let mut state = self.shared.lock();
        state.check()?;
        state.outbox.message(stream, bytes)?;
        self.shared.to_write.notify_one();
        Ok(())
    }

    /// Waits for the next message of control or log. What came before the line ended is given
    /// before the reason why it ended.
    ///
    /// # Errors
    /// [`LineError::TimedOut`] when nothing came; any other is the end of the line.
    pub fn recv(&self, within: Duration) -> Result<Message, LineError> {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        loop {
            match state.next_message() {
                Ok(Some(message)) => {
                    self.shared.acknowledge(&mut state);
                    return Ok(message);
                }
                Ok(None) => state.check()?,
                Err(error) => {
                    drop(state);
                    self.shared.end(error.clone());
                    return Err(error);
                }
            }
            state = self
                .shared
                .wait(state, deadline)
                .ok_or(LineError::TimedOut)?;
        }
    }

    /// The line as a transport for a session of the engine, of which there is one at a time.
    /// `number` is from 1 on, larger for each session of the line, and the same at both sides: what
    /// the engines say in sessions of other numbers does not reach this one.
    ///
    /// # Errors
    /// [`LineError::EngineInUse`] if the last one was not dropped or had a larger number, and if
    /// the line has ended.
    pub fn engine(&self, number: u64) -> Result<EngineStream, LineError> {
        let mut state = self.shared.lock();
        state.check()?;
        if state.engine_in_use || number <= state.last_engine {
            return Err(LineError::EngineInUse);
        }
        state.engine_in_use = true;
        state.last_engine = number;
        state.outbox.begin_engine(number);
        state.inbox.want_from(number);
        self.shared.acknowledge(&mut state);
        self.shared.to_write.notify_one();
        Ok(EngineStream::new(Arc::clone(&self.shared), number))
    }

    /// How urgent the engine's bytes are from now on.
    pub fn set_engine_priority(&self, priority: Priority) {
        self.shared.lock().outbox.set_priority(priority);
        self.shared.to_write.notify_one();
    }

    /// How long nothing was heard of the other. It answers to pings, so a living one is silent for
    /// hardly longer than [`Timing::ping`].
    pub fn silent_for(&self) -> Duration {
        self.shared.lock().heard.elapsed()
    }

    /// Why the line has ended, if it has.
    pub fn ended(&self) -> Option<LineError> {
        self.shared.lock().ended.clone()
    }

    /// Sends what is queued on control and log, says goodbye and closes the line, waiting no longer
    /// than `within`. Says whether all was handed to the operating system.
    pub fn close(&self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        let mut state = self.shared.lock();
        state.outbox.bye();
        state.closing = true;
        self.shared.to_write.notify_one();
        // Until the other has closed its end too: with bytes of it unread, closing at once could
        // take back what was sent last.
        while state.ended.is_none() {
            match self.shared.wait(state, deadline) {
                Some(next) => state = next,
                None => return self.shared.lock().flushed,
            }
        }
        state.flushed
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.shared.end(LineError::ClosedHere);
        for thread in self.threads.drain(..) {
            // A thread that has panicked has ended the line as well.
            let _ = thread.join();
        }
    }
}

impl State {
    pub(super) fn check(&self) -> Result<(), LineError> {
        self.ended.clone().map_or(Ok(()), Err)
    }

    fn next_message(&mut self) -> Result<Option<Message>, LineError> {
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

    /// Takes in the plaintext of a frame.
    fn take_in(&mut self, frame: &[u8], asked: &mut Vec<Asked>) -> Result<(), LineError> {
        self.inbox.frame(frame, asked)?;
        for asked in asked.drain(..) {
            match asked {
                Asked::Acked(stream, read) => self.outbox.acked(stream, read)?,
                Asked::Pong(number) => self.outbox.pong(number),
                Asked::Bye => return Err(LineError::Closed),
            }
        }
        Ok(())
    }
}

impl Shared {
    /// Nothing that panics leaves the state half changed: a poisoned lock is as good as any.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change; none if there was no time left.
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

    /// There is something to write.
    pub(super) fn wake_writer(&self) {
        self.to_write.notify_one();
    }

    /// Tells the other what was read, when it is enough.
    pub(super) fn acknowledge(&self, state: &mut State) {
        let State { outbox, inbox, .. } = state;
        for (stream, read) in inbox.acks() {
            outbox.ack(stream, read);
            self.to_write.notify_one();
        }
    }

    /// The line has ended; the first reason is the one that counts.
    pub(super) fn end(&self, why: LineError) {
        self.lock().ended.get_or_insert(why);
        // It fails if the other was faster.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.to_write.notify_all();
        self.changed.notify_all();
    }

    /// Runs a thread's work, and ends the line when it is over.
    fn run(&self, work: impl FnOnce(&Self) -> Option<LineError>) {
        if let Some(why) = work(self) {
            self.end(why);
        }
    }

    /// The reader. It drops the opener with its keys when a frame does not open.
    fn read(&self, mut opener: Opener) -> LineError {
        let mut buf = vec![0; 2 * (2 + 65_535)];
        let mut plain = vec![0; 65_535];
        let (mut filled, mut asked) = (0, Vec::new());
        loop {
            match (&self.stream).read(&mut buf[filled..]) {
                Ok(0) => return LineError::Cut(ErrorKind::UnexpectedEof),
                Ok(count) => filled += count,
                Err(error) if is_temporary(&error) => {}
                Err(error) => return LineError::Cut(error.kind()),
            }
            let mut at = 0;
            while let Some(end) = frame_end(&buf[at..filled]) {
                let opened = opener.open(&buf[at + 2..at + end], &mut plain);
                let Ok(len) = opened.map_err(|NotGenuine| ()) else {
                    return LineError::Forged;
                };
                at += end;
                let mut state = self.lock();
                state.heard = Instant::now();
                if let Err(error) = state.take_in(&plain[..len], &mut asked) {
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
            if state.heard.elapsed() > self.timing.dead {
                return LineError::Silent;
            }
        }
    }

    /// The writer. When it has said goodbye, nothing has gone wrong, and the reader goes on.
    fn write(&self, mut sealer: Sealer) -> Option<LineError> {
        let (mut plain, mut sealed) = (Vec::with_capacity(FRAME + 1), Vec::new());
        loop {
            plain.clear();
            match self.next_frame(&mut plain) {
                Ok(true) => {}
                Ok(false) => {
                    self.lock().flushed = true;
                    // It fails if the other was faster.
                    let _ = self.stream.shutdown(Shutdown::Write);
                    return None;
                }
                Err(why) => return Some(why),
            }
            sealed.clear();
            sealer.seal(&plain, &mut sealed);
            match write_by(&self.stream, &sealed, Instant::now() + self.timing.dead) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    return Some(LineError::Silent);
                }
                Err(error) => return Some(LineError::Cut(error.kind())),
            }
        }
    }

    /// Waits for the next frame; false when the line is closed and there is none.
    fn next_frame(&self, plain: &mut Vec<u8>) -> Result<bool, LineError> {
        let mut state = self.lock();
        loop {
            state.check()?;
            let unsent = state.outbox.engine_unsent();
            if state.outbox.next_frame(plain) {
                if state.outbox.engine_unsent() < unsent {
                    state.engine_moved = Instant::now();
                    self.changed.notify_all();
                }
                return Ok(true);
            }
            if state.closing && !state.outbox.owes_bye() {
                return Ok(false);
            }
            let quiet = state.heard.max(state.pinged).elapsed();
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

/// Where the first frame in these bytes ends, if it is whole.
fn frame_end(bytes: &[u8]) -> Option<usize> {
    let end = 2 + usize::from(u16::from_le_bytes(*bytes.first_chunk()?));
    (bytes.len() >= end).then_some(end)
}
