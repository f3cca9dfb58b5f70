//! The relay: one thread that waits for events of all sockets.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};

use crate::clients::Clients;
use crate::status::Limit;
use crate::{Settings, sockets};

/// A relay that listens. [`run`](Self::run) serves its clients.
pub struct Relay {
    poll: Poll,
    listeners: Vec<Listener>,
    clients: Clients,
    stop: Stop,
}

struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    /// Whether it is for the operator, who asks for counts.
    is_status: bool,
    /// Whether connections may wait to be accepted.
    is_ready: bool,
}

/// Ends a relay, from another thread.
#[derive(Clone)]
pub struct Stop {
    waker: Arc<Waker>,
    is_finishing: Arc<AtomicBool>,
    is_stopped: Arc<AtomicBool>,
}

impl Stop {
    /// Makes [`Relay::run`] return when the last room has ended. The relay listens no more, so that
    /// another one can use its addresses, and waiting clients are disconnected.
    pub fn finish(&self) {
        self.set(&self.is_finishing);
    }

    /// Makes [`Relay::run`] return.
    pub fn stop(&self) {
        self.set(&self.is_stopped);
    }

    fn set(&self, flag: &AtomicBool) {
        flag.store(true, Ordering::Release);
        // An error would mean that the relay is gone.
        let _ = self.waker.wake();
    }
}

const WAKER: Token = Token(usize::MAX);
/// The token of the first listener; those of the others are smaller.
const FIRST_LISTENER: usize = usize::MAX - 1;
/// The maximum number of connections that are accepted before the others get their turn.
const ACCEPT: usize = 64;
/// Files that are open besides connections: listeners, standard streams, the poll.
const OTHER_FILES: usize = 64;

impl Relay {
    /// Listens on these addresses. `[::]` also accepts IPv4. Raises the process's limit of open
    /// files if the limits need it; if that is not possible, fewer connections are served.
    ///
    /// # Errors
    /// If an address cannot be used, or that for the counts is not a loopback address.
    pub fn listen(addresses: &[SocketAddr], mut settings: Settings) -> io::Result<Self> {
        let files = sockets::allow_open_files(settings.limits.connections + OTHER_FILES);
        let connections = files.saturating_sub(OTHER_FILES);
        if connections == 0 {
            return Err(io::Error::other("the limit of open files is too low"));
        }
        settings.limits.connections = settings.limits.connections.min(connections);
        let poll = Poll::new()?;
        let mut listeners = Vec::new();
        if settings
            .status
            .is_some_and(|it| !it.ip().to_canonical().is_loopback())
        {
            let why = "the counts have no access control: give them a loopback address";
            return Err(io::Error::new(ErrorKind::InvalidInput, why));
        }
        let addresses = addresses.iter().map(|address| (address, false));
        let all = addresses.chain(settings.status.iter().map(|address| (address, true)));
        for (number, (address, is_status)) in all.enumerate() {
            let mut socket = TcpListener::from_std(sockets::listen(*address)?);
            let token = Token(FIRST_LISTENER - number);
            poll.registry()
                .register(&mut socket, token, Interest::READABLE)?;
            listeners.push(Listener {
                address: socket.local_addr()?,
                socket,
                is_status,
                is_ready: false,
            });
        }
        let stop = Stop {
            waker: Arc::new(Waker::new(poll.registry(), WAKER)?),
            is_finishing: Arc::default(),
            is_stopped: Arc::default(),
        };
        Ok(Relay {
            poll,
            listeners,
            clients: Clients::new(settings),
            stop,
        })
    }

    /// The addresses on which the relay listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let listeners = self.listeners.iter().filter(|it| !it.is_status);
        listeners.map(|it| it.address).collect()
    }

    /// The address of the HTTP server for the operator.
    pub fn status_address(&self) -> Option<SocketAddr> {
        let listener = self.listeners.iter().find(|it| it.is_status);
        listener.map(|it| it.address)
    }

    /// Ends the relay from another thread.
    pub fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Serves clients until [`Stop::stop`] is called. All connections then end. [`Stop::finish`] lets
    /// rooms continue until they end.
    ///
    /// # Errors
    /// If the system cannot wait for events.
    pub fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        let interval = self.clients.interval();
        let mut next_tick = Instant::now() + interval;
        while !self.stop.is_stopped.load(Ordering::Acquire) {
            if self.stop.is_finishing.load(Ordering::Acquire) {
                if !self.listeners.is_empty() {
                    self.listeners.clear();
                    self.clients.end_waiting();
                }
                if self.clients.connections.is_empty() {
                    break;
                }
            }
            let has_work = self.clients.has_work() || self.listeners.iter().any(|it| it.is_ready);
            let timeout = if has_work {
                Duration::ZERO
            } else {
                next_tick.saturating_duration_since(Instant::now())
            };
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() != ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            let now = Instant::now();
            self.clients.set_time(now);
            for event in &events {
                let Token(token) = event.token();
                match self.listeners.get_mut(FIRST_LISTENER.wrapping_sub(token)) {
                    Some(listener) => listener.is_ready = true,
                    None => self.clients.notice(token, event),
                }
            }
            // First what has arrived: a new connection may take the place of one that was silent.
            self.clients.work();
            self.accept();
            if now >= next_tick {
                self.clients.tick();
                // Listeners that could not accept, because there were too many open files.
                self.listeners.iter_mut().for_each(|it| it.is_ready = true);
                next_tick = now + interval;
            }
        }
        Ok(())
    }

    fn accept(&mut self) {
        for listener in self.listeners.iter_mut().filter(|it| it.is_ready) {
            for _ in 0..ACCEPT {
                match listener.socket.accept() {
                    Ok((socket, peer)) => {
                        let registry = self.poll.registry();
                        let is_status = listener.is_status;
                        self.clients.add(socket, peer.ip(), is_status, registry);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {
                        listener.is_ready = false;
                        break;
                    }
                    // The client has left already.
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                        ) => {}
                    // There are too many open files, or too little memory.
                    Err(_) => {
                        let _ = self.clients.drop_one(Limit::Connections);
                        listener.is_ready = false;
                        break;
                    }
                }
            }
        }
    }
}
