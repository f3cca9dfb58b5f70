//! The sockets of this process. One thread waits for all of them, with [`mio`], and for the timers of the
//! [`SocketTask`]s that use them.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use dealerless::net::system_time;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Registry, Token, Waker};

use super::super::door::PolledDoor;
use super::super::place::{Happened, Place, Sockets};

/// The time limit for connecting to one IP address.
pub(super) const CONNECT_TIME: Duration = Duration::from_secs(4);
/// The pause after a listener could not accept, because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The maximum number of connections accepted in one turn.
const ACCEPT: usize = 64;
/// The number of bytes that are read from one socket in one turn. A peer that sends without pause delays the
/// others by the time for these.
const READ: usize = 32 << 10;
const WAKER: Token = Token(usize::MAX);

/// A state machine on sockets of this process. The thread of the sockets calls these functions.
pub trait SocketTask: Send + Sync {
    /// Whether it uses this socket or listener.
    fn has(&self, socket: u32) -> bool;

    /// Something has happened to one of its sockets.
    fn happened(&self, socket: u32, what: Happened<'_>, now: Duration);

    /// Acts on the time.
    fn step(&self, now: Duration);

    /// The time at which [`step`](Self::step) must be called.
    fn timer(&self) -> Duration;
}

/// A door cannot listen on an address, because it is not an address of this machine or the port is taken.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}")]
pub struct CannotListen {
    address: SocketAddr,
    source: io::Error,
}

/// The sockets of this process, and the thread that waits for them.
pub struct Network {
    registry: Registry,
    waker: Waker,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of the last socket or listener.
    last: u32,
    entries: HashMap<u32, Entry>,
    tasks: Vec<Arc<dyn SocketTask>>,
}

enum Entry {
    Listener(TcpListener),
    /// The name of the host is looked up.
    Looking,
    Stream(Stream),
    /// The socket could not be opened. Its task learns it next.
    Failed(io::Error),
}

struct Stream {
    stream: TcpStream,
    /// The addresses to try next, and the deadline of the current one. `None` if it is connected.
    connecting: Option<(VecDeque<SocketAddr>, Duration)>,
    /// Bytes that the system has not accepted yet.
    unsent: Vec<u8>,
    /// Whether a write has failed. What has arrived is still read.
    is_broken: bool,
    sent: Arc<AtomicU64>,
}

/// The sockets of this process.
///
/// # Errors
/// If the system cannot wait for events, or the thread cannot be started.
pub fn network() -> io::Result<Arc<Network>> {
    static NETWORK: Mutex<Option<Arc<Network>>> = Mutex::new(None);
    let mut network = NETWORK.lock().unwrap_or_else(PoisonError::into_inner);
    match &*network {
        Some(network) => Ok(Arc::clone(network)),
        None => Ok(Arc::clone(network.insert(Network::start()?))),
    }
}

/// Connects without waiting to the first of these addresses for which that can be begun.
fn connect(mut addresses: VecDeque<SocketAddr>, mut why: io::Error) -> io::Result<Stream> {
    while let Some(address) = addresses.pop_front() {
        match TcpStream::connect(address) {
            Ok(stream) => {
                let until = system_time() + CONNECT_TIME;
                return Ok(Stream::new(stream, Some((addresses, until))));
            }
            Err(error) => why = error,
        }
    }
    Err(why)
}

impl Stream {
    fn new(stream: TcpStream, connecting: Option<(VecDeque<SocketAddr>, Duration)>) -> Self {
        Stream {
            stream,
            connecting,
            unsent: Vec::new(),
            is_broken: false,
            sent: Arc::default(),
        }
    }

    /// Whether the attempt to connect has succeeded. `None` if the system still tries.
    fn connected(&mut self) -> Option<io::Result<()>> {
        match (self.stream.take_error(), self.stream.peer_addr()) {
            (Ok(Some(error)) | Err(error), _) => Some(Err(error)),
            (_, Ok(_)) => Some(self.stream.set_nodelay(true)),
            // The system reports the reason above, or the attempt takes too long.
            (_, Err(_)) => None,
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        if !self.is_broken {
            self.unsent.extend_from_slice(bytes);
        }
        self.flush();
    }

    fn flush(&mut self) {
        let mut done = 0;
        while done < self.unsent.len() {
            match (&self.stream).write(&self.unsent[done..]) {
                Ok(count @ 1..) => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Ok(0) | Err(_) => {
                    self.is_broken = true;
                    self.unsent.clear();
                    return;
                }
            }
        }
        self.sent.fetch_add(done as u64, Ordering::Relaxed);
        self.unsent.drain(..done);
    }
}

impl Network {
    fn start() -> io::Result<Arc<Self>> {
        let poll = Poll::new()?;
        let network = Arc::new(Network {
            registry: poll.registry().try_clone()?,
            waker: Waker::new(poll.registry(), WAKER)?,
            state: Mutex::default(),
        });
        let own = Arc::clone(&network);
        let thread = thread::Builder::new().name("sockets".into());
        thread.spawn(move || {
            let _guard = AbortOnPanic;
            own.run(poll);
        })?;
        Ok(network)
    }

    /// A panic never leaves the state half changed, so a poisoned lock is still valid.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a task.
    pub fn add(&self, task: Arc<dyn SocketTask>) {
        self.lock().tasks.push(task);
        self.wake();
    }

    /// Removes a task.
    pub fn remove(&self, task: &dyn SocketTask) {
        let own = |other: &Arc<dyn SocketTask>| std::ptr::addr_eq(Arc::as_ptr(other), task);
        let mut state = self.lock();
        let found = state.tasks.iter().position(own);
        let removed = found.map(|found| state.tasks.swap_remove(found));
        // It may own sockets, whose drop locks the state.
        drop(state);
        drop(removed);
    }

    /// Lets the thread look at all timers again.
    pub fn wake(&self) {
        // This fails only if the system is out of resources. The next event then wakes the thread.
        let _ = self.waker.wake();
    }

    /// Lets a door listen on all these addresses. Returns them, with the ports that the system has chosen.
    ///
    /// # Errors
    /// [`CannotListen`].
    pub fn listen(
        self: &Arc<Self>,
        at: &[SocketAddr],
        door: &mut PolledDoor<Arc<Self>>,
    ) -> Result<Vec<SocketAddr>, CannotListen> {
        let listens = |&address| {
            let listening = self.listen_on(address);
            let (number, at) = listening.map_err(|source| CannotListen { address, source })?;
            door.listen(number);
            Ok(at)
        };
        at.iter().map(listens).collect()
    }

    fn listen_on(&self, address: SocketAddr) -> io::Result<(u32, SocketAddr)> {
        let mut listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let mut state = self.lock();
        let number = state.next();
        self.registry
            .register(&mut listener, token(number), Interest::READABLE)?;
        state.entries.insert(number, Entry::Listener(listener));
        Ok((number, address))
    }

    /// Takes over a connected socket. Returns its number.
    pub(crate) fn adopt(&self, stream: TcpStream) -> io::Result<u32> {
        stream.set_nodelay(true)?;
        let mut stream = Stream::new(stream, None);
        let mut state = self.lock();
        let number = state.next();
        self.register(&mut stream, number)?;
        state.entries.insert(number, Entry::Stream(stream));
        Ok(number)
    }

    fn register(&self, stream: &mut Stream, number: u32) -> io::Result<()> {
        let interests = Interest::READABLE | Interest::WRITABLE;
        self.registry
            .register(&mut stream.stream, token(number), interests)
    }

    /// The number of bytes that the system has accepted on a socket, now and later.
    pub fn sent(&self, socket: u32) -> Arc<AtomicU64> {
        match self.lock().entries.get(&socket) {
            Some(Entry::Stream(stream)) => Arc::clone(&stream.sent),
            _ => Arc::default(),
        }
    }

    /// Continues to open a socket, at the next of these addresses.
    fn connect(
        &self,
        state: &mut State,
        socket: u32,
        addresses: VecDeque<SocketAddr>,
        why: io::Error,
    ) {
        let connecting = connect(addresses, why).and_then(|mut stream| {
            self.register(&mut stream, socket)?;
            Ok(stream)
        });
        let entry = match connecting {
            Ok(stream) => Entry::Stream(stream),
            Err(error) => {
                self.wake();
                Entry::Failed(error)
            }
        };
        state.entries.insert(socket, entry);
    }

    /// The result of a look-up.
    fn found(&self, socket: u32, addresses: io::Result<VecDeque<SocketAddr>>) {
        let mut state = self.lock();
        // Otherwise the socket was closed meanwhile.
        if matches!(state.entries.get(&socket), Some(Entry::Looking)) {
            match addresses {
                Ok(addresses) => {
                    self.connect(&mut state, socket, addresses, ErrorKind::NotFound.into());
                }
                Err(error) => _ = state.entries.insert(socket, Entry::Failed(error)),
            }
            drop(state);
            self.wake();
        }
    }
}

impl State {
    fn next(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    fn stream(&mut self, socket: u32) -> Option<&mut Stream> {
        match self.entries.get_mut(&socket) {
            Some(Entry::Stream(stream)) => Some(stream),
            _ => None,
        }
    }
}

fn token(number: u32) -> Token {
    Token(number as usize)
}

impl Sockets for Arc<Network> {
    fn open(&self, place: &Place) -> u32 {
        let mut state = self.lock();
        let number = state.next();
        let address = place.to_string();
        if let Ok(address) = address.parse() {
            self.connect(
                &mut state,
                number,
                [address].into(),
                ErrorKind::NotFound.into(),
            );
            return number;
        }
        state.entries.insert(number, Entry::Looking);
        drop(state);
        let network = Arc::clone(self);
        // In a thread of its own, because a look-up has no time limit and cannot be interrupted.
        let look_up = move || {
            let found = address.to_socket_addrs().map(Iterator::collect);
            network.found(number, found);
        };
        let thread = thread::Builder::new().name("look-up".into());
        if let Err(error) = thread.spawn(look_up) {
            self.found(number, Err(error));
        }
        number
    }

    fn send(&self, socket: u32, bytes: &[u8]) -> bool {
        let mut state = self.lock();
        let Some(stream) = state.stream(socket) else {
            return false;
        };
        stream.send(bytes);
        !stream.is_broken && stream.unsent.is_empty()
    }

    fn close(&self, socket: u32) {
        let closed = self.lock().entries.remove(&socket);
        drop(closed);
    }

    fn peer(&self, socket: u32) -> Option<SocketAddr> {
        match self.lock().entries.get(&socket) {
            Some(Entry::Stream(stream)) => stream.stream.peer_addr().ok(),
            _ => None,
        }
    }
}

/// What the thread of the sockets does.
impl Network {
    fn run(&self, mut poll: Poll) {
        let mut events = Events::with_capacity(256);
        let mut buffer = vec![0; 64 << 10];
        // Sockets and listeners from which more may be read.
        let mut ready = BTreeSet::new();
        let mut full: Option<Duration> = None;
        loop {
            let next = self.step();
            let now = system_time();
            let timeout = match (ready.is_empty(), full) {
                (true, None) => next.saturating_sub(now),
                (true, Some(until)) => next.min(until).saturating_sub(now),
                (false, _) => Duration::ZERO,
            };
            if let Err(error) = poll.poll(&mut events, Some(timeout))
                && error.kind() != ErrorKind::Interrupted
            {
                // The poll itself is broken. Without a pause, this thread would spin.
                thread::sleep(ACCEPT_PAUSE);
            }
            let now = system_time();
            for event in events.iter().filter(|event| event.token() != WAKER) {
                let Ok(number) = u32::try_from(event.token().0) else {
                    continue;
                };
                let is_opened =
                    (event.is_writable() || event.is_error()) && self.writable(number, now);
                // What arrived before the socket was open has not been read.
                if is_opened || event.is_readable() || event.is_read_closed() || event.is_error() {
                    ready.insert(number);
                }
            }
            if full.take_if(|until| now >= *until).is_some() {
                ready.extend(self.listeners());
            }
            self.fail(now);
            for number in std::mem::take(&mut ready) {
                match self.read(number, &mut buffer, now) {
                    Turn::Empty => {}
                    Turn::MayHaveMore => _ = ready.insert(number),
                    Turn::IsFull => full = Some(now + ACCEPT_PAUSE),
                }
            }
        }
    }

    fn tasks(&self) -> Vec<Arc<dyn SocketTask>> {
        self.lock().tasks.clone()
    }

    /// Lets the tasks act on the time. Returns the time of the next timer.
    fn step(&self) -> Duration {
        let mut next = Duration::MAX;
        for task in self.tasks() {
            // The timer of a task that is due at once is the current time, so the clock is read after it.
            let timer = task.timer();
            let now = system_time();
            if timer <= now {
                task.step(now);
            }
            next = next.min(task.timer());
        }
        let state = self.lock();
        for entry in state.entries.values() {
            match entry {
                Entry::Failed(_) => next = Duration::ZERO,
                Entry::Stream(stream) => {
                    if let Some((_, until)) = stream.connecting {
                        next = next.min(until);
                    }
                }
                Entry::Listener(_) | Entry::Looking => {}
            }
        }
        // mio does not accept every duration.
        next.min(system_time() + Duration::from_secs(3600))
    }

    pub(crate) fn tell(&self, socket: u32, what: Happened<'_>, now: Duration) {
        if let Some(task) = self.task_of(socket) {
            task.happened(socket, what, now);
        }
    }

    /// The task that has a socket.
    fn task_of(&self, socket: u32) -> Option<Arc<dyn SocketTask>> {
        let find = || self.tasks().into_iter().find(|task| task.has(socket));
        // While the tasks are asked, a new one may take the socket from one of them.
        find().or_else(find)
    }

    fn listeners(&self) -> Vec<u32> {
        let state = self.lock();
        let listeners = state.entries.iter();
        let listeners = listeners.filter(|(_, entry)| matches!(entry, Entry::Listener(_)));
        listeners.map(|(number, _)| *number).collect()
    }

    /// Continues to open a socket, or sends what it has kept. Returns whether the socket has been opened.
    fn writable(&self, socket: u32, now: Duration) -> bool {
        let mut state = self.lock();
        let Some(stream) = state.stream(socket) else {
            return false;
        };
        let is_opened = match &stream.connecting {
            None if stream.unsent.is_empty() => return false,
            None => {
                stream.flush();
                if stream.is_broken || !stream.unsent.is_empty() {
                    return false;
                }
                false
            }
            Some(_) => match stream.connected() {
                None => return false,
                Some(Ok(())) => {
                    stream.connecting = None;
                    true
                }
                Some(Err(error)) => {
                    self.try_next(&mut state, socket, error);
                    return false;
                }
            },
        };
        drop(state);
        let what = match is_opened {
            true => Happened::Opened,
            false => Happened::Ready,
        };
        self.tell(socket, what, now);
        is_opened
    }

    /// Tries the next address of a socket whose current one has failed.
    fn try_next(&self, state: &mut State, socket: u32, why: io::Error) {
        if let Some(Entry::Stream(stream)) = state.entries.remove(&socket) {
            let rest = stream.connecting.map(|(rest, _)| rest);
            self.connect(state, socket, rest.unwrap_or_default(), why);
        }
    }

    /// Reports the sockets that could not be opened.
    fn fail(&self, now: Duration) {
        let mut state = self.lock();
        let late = |entry: &Entry| match entry {
            Entry::Stream(stream) => stream.connecting.as_ref().is_some_and(|(_, by)| now >= *by),
            _ => false,
        };
        let numbers = |state: &State, of: &dyn Fn(&Entry) -> bool| -> Vec<u32> {
            let found = state.entries.iter().filter(|(_, entry)| of(entry));
            found.map(|(number, _)| *number).collect()
        };
        for socket in numbers(&state, &late) {
            let timed_out = io::Error::new(ErrorKind::TimedOut, "connection timed out");
            self.try_next(&mut state, socket, timed_out);
        }
        let failed = numbers(&state, &|entry| matches!(entry, Entry::Failed(_)));
        let failed: Vec<_> = failed
            .into_iter()
            .filter_map(|socket| match state.entries.remove(&socket) {
                Some(Entry::Failed(error)) => Some((socket, error)),
                _ => None,
            })
            .collect();
        drop(state);
        for (socket, error) in failed {
            self.tell(socket, Happened::Closed(error), now);
        }
    }

    /// Reads from a socket, or accepts connections on a listener.
    fn read(&self, number: u32, buffer: &mut [u8], now: Duration) -> Turn {
        let mut read = 0;
        while read < READ {
            let mut state = self.lock();
            let received = match state.entries.get_mut(&number) {
                Some(Entry::Listener(_)) => {
                    drop(state);
                    return self.accept(number, buffer, now);
                }
                Some(Entry::Stream(stream)) if stream.connecting.is_none() => {
                    stream.stream.read(buffer)
                }
                _ => return Turn::Empty,
            };
            let error = match received {
                Ok(count @ 1..) => {
                    drop(state);
                    read += count;
                    self.tell(number, Happened::Received(&buffer[..count]), now);
                    continue;
                }
                Ok(0) => ErrorKind::UnexpectedEof.into(),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Turn::Empty,
                Err(error) => error,
            };
            let closed = state.entries.remove(&number);
            drop(state);
            drop(closed);
            self.tell(number, Happened::Closed(error), now);
            return Turn::Empty;
        }
        Turn::MayHaveMore
    }

    fn accept(&self, listener: u32, buffer: &mut [u8], now: Duration) -> Turn {
        for _ in 0..ACCEPT {
            let accepted = match self.lock().entries.get(&listener) {
                Some(Entry::Listener(listener)) => listener.accept(),
                _ => return Turn::Empty,
            };
            match accepted {
                // If the connection cannot be registered, it is closed. The guest may connect again.
                Ok((stream, from)) => {
                    if let Some(task) = self.task_of(listener)
                        && let Ok(socket) = self.adopt(stream)
                    {
                        let from = from.ip();
                        task.happened(listener, Happened::Accepted { socket, from }, now);
                        if self.task_of(socket).is_none() {
                            // The task has dropped the listener meanwhile.
                            let closed = self.lock().entries.remove(&socket);
                            drop(closed);
                        }
                        // A guest's first message counts before the next stranger takes a place.
                        self.read(socket, buffer, now);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Turn::Empty,
                // The client has left already.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                    ) => {}
                // There are too many open files, or too little memory.
                Err(_) => return Turn::IsFull,
            }
        }
        Turn::MayHaveMore
    }
}

/// Ends the process if the thread of the sockets panics: its tasks would wait for ever.
struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::abort();
        }
    }
}

/// The result of a turn of a socket or listener.
enum Turn {
    Empty,
    MayHaveMore,
    IsFull,
}

#[cfg(test)]
mod tests;
