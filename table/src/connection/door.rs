//! Where a host waits for its guests, and strangers cost little.

use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::error::MeetingError;
use super::invite::{Invite, InviteId};
use super::invites::Invites;
use super::live::{Connection, Timing};
use super::meeting::{MAX_HEADER, Met, Own};
use super::prelude::Prelude;
use super::relay::{self, RelayToken};
use super::socket::{Socket, is_temporary};
use super::strangers::{Shown, Source, Strangers};
use super::{again, first};
use crate::identity::{Address, Fingerprint, Home, Name, PairSecret, PublicIdentity, SharedPeers};
use crate::random::system_rng;
use crate::seat::Seat;

/// Between two looks at the listeners.
const ACCEPT_PAUSE: Duration = Duration::from_millis(2);
/// What somebody from a paused address has for its prelude.
const PAUSED_TIME: Duration = Duration::from_secs(1);
/// Lines that were not taken by the host's program. More are closed.
const MAX_EVENTS: usize = 16;

/// What happens at the door.
pub enum DoorEvent {
    /// Somebody has come in, by an invite or as a known peer. To remember it, and to ask whether
    /// its name is known with other keys, is left to the program.
    Connection(Box<Connection>),
    /// **A second guest came with an invite that belongs to another. The invite has leaked**: one
    /// of the two is not whom the host has invited, so fingerprints must be compared.
    InviteLeaked {
        /// Who came second. It was told that the invite was used, and nothing else.
        second: Fingerprint,
    },
    /// A guest came with an invite, and the file of invites cannot be written. The guest got no answer.
    CannotBurn(io::Error),
}

/// A door cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DoorError {
    /// An address cannot be listened on: it is not of this machine, or the port is taken.
    #[error("cannot listen on {address}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The file of invites cannot be used.
    #[error("cannot use the file of invites")]
    Invites(#[source] io::Error),
    /// The header is longer than 4096 bytes.
    #[error("the header of a match has at most {MAX_HEADER} bytes, not {0}")]
    Header(usize),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// A host that waits, until it is dropped. Lines that were given away live on.
pub struct Door {
    pub(super) inner: Arc<Inner>,
    events: Receiver<DoorEvent>,
    addresses: Vec<SocketAddr>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

pub(super) struct Inner {
    home: Arc<Home>,
    peers: SharedPeers,
    name: Name,
    header: Vec<u8>,
    timing: Timing,
    invites: Mutex<Invites>,
    strangers: Mutex<Strangers<TcpStream>>,
    /// One X25519 for each known peer, not for each peer and stranger.
    secrets: Mutex<HashMap<[u8; 32], PairSecret>>,
    events: SyncSender<DoorEvent>,
    closed: AtomicBool,
}

impl Door {
    /// Listens on all these addresses. `header` is what the host says of the match to whom it lets
    /// in.
    ///
    /// # Errors
    /// [`DoorError`].
    pub fn open(
        home: Arc<Home>,
        peers: SharedPeers,
        name: Name,
        header: Vec<u8>,
        listen: &[SocketAddr],
        timing: Timing,
    ) -> Result<Self, DoorError> {
        if header.len() > MAX_HEADER {
            return Err(DoorError::Header(header.len()));
        }
        let invites = Invites::open(home.invites()).map_err(DoorError::Invites)?;
        let listeners = listen.iter().map(|address| listener(*address));
        let listeners = listeners.collect::<Result<Vec<_>, _>>()?;
        let addresses = listeners
            .iter()
            .filter_map(|listener| listener.local_addr().ok());
        let addresses = addresses.collect();
        let (sender, events) = sync_channel(MAX_EVENTS);
        let inner = Arc::new(Inner {
            home,
            peers,
            name,
            header,
            timing,
            invites: Mutex::new(invites),
            strangers: Mutex::default(),
            secrets: Mutex::default(),
            events: sender,
            closed: AtomicBool::new(false),
        });
        let door = Door {
            inner,
            events,
            addresses,
            threads: Mutex::default(),
        };
        door.spawn("door", move |inner| inner.accept(&listeners))
            .map_err(DoorError::Thread)?;
        Ok(door)
    }

    /// Where it listens, with the ports that the system chose.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Makes an invite with these addresses. With a relay, the host waits there too.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn invite(
        &self,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> Result<Invite, DoorError> {
        let added = lock(&self.inner.invites).add(&mut system_rng());
        let secret = added.map_err(DoorError::Invites)?;
        let key = *self.inner.home.identity().public().x25519();
        let invite = Invite::new(key, secret, addresses, relay);
        if let Some(relay) = invite.relay() {
            let token = RelayToken(invite.secret.relay_token());
            self.wait_at(relay.clone(), token)?;
        }
        Ok(invite)
    }

    /// Ends an invite: whoever comes with it is not answered.
    ///
    /// # Errors
    /// If that cannot be written down.
    #[cfg(feature = "internals")]
    pub fn end_invite(&self, invite: &Invite) -> Result<(), DoorError> {
        lock(&self.inner.invites)
            .end(&invite.secret.id())
            .map_err(DoorError::Invites)
    }

    /// Waits at a relay for a known peer.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn wait_at_relay(&self, relay: &Address, peer: &PublicIdentity) -> Result<(), DoorError> {
        match self.inner.home.identity().secret_with(peer) {
            Some(secret) => self.wait_at(relay.clone(), RelayToken::of_peers(&secret)),
            None => Ok(()),
        }
    }

    fn wait_at(&self, relay: Address, token: RelayToken) -> Result<(), DoorError> {
        let waiting = move |inner: &Arc<Inner>| relay::wait(inner, &relay, &token);
        self.spawn("door-relay", waiting).map_err(DoorError::Thread)
    }

    /// Waits for what happens next; none if nothing did.
    pub fn next(&self, within: Duration) -> Option<DoorEvent> {
        self.events.recv_timeout(within).ok()
    }

    fn spawn(&self, name: &str, work: impl FnOnce(&Arc<Inner>) + Send + 'static) -> io::Result<()> {
        let inner = Arc::clone(&self.inner);
        let thread = thread::Builder::new()
            .name(name.into())
            .spawn(move || work(&inner))?;
        lock(&self.threads).push(thread);
        Ok(())
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.inner.closed.store(true, Ordering::Relaxed);
        for stream in lock(&self.inner.strangers).all() {
            // It fails if the other was faster.
            let _ = stream.shutdown(Shutdown::Both);
        }
        for thread in lock(&self.threads).drain(..) {
            // What it did is over, also if it has panicked.
            let _ = thread.join();
        }
    }
}

fn listener(address: SocketAddr) -> Result<TcpListener, DoorError> {
    let listening = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    listening.map_err(|source| DoorError::Listen { address, source })
}

/// Nothing that panics leaves these half changed: a poisoned lock is as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn accept(self: &Arc<Self>, listeners: &[TcpListener]) {
        while !self.is_closed() {
            let mut idle = true;
            for listener in listeners {
                match listener.accept() {
                    Ok((stream, from)) => {
                        idle = false;
                        self.comes(stream, Some(Source::of(from.ip())));
                    }
                    Err(error) if is_temporary(&error) => {}
                    // It came and went, or there are no handles left: the next look may do.
                    Err(_) => {}
                }
            }
            if idle {
                thread::sleep(ACCEPT_PAUSE);
            }
        }
    }

    /// Somebody is connected: from an address, or by a relay.
    pub(super) fn comes(self: &Arc<Self>, stream: TcpStream, source: Option<Source>) {
        let Ok(means) = stream.try_clone() else {
            return;
        };
        let (number, goes) = lock(&self.strangers).comes(means);
        if let Some(goes) = goes {
            // It fails if the other was faster.
            let _ = goes.shutdown(Shutdown::Both);
        }
        let inner = Arc::clone(self);
        let greet = move || {
            let met = inner.meet(stream, source, number);
            lock(&inner.strangers).goes(number);
            inner.tell(met);
        };
        // Without a thread the stream is closed, and the guest tries again.
        if thread::Builder::new()
            .name("door-guest".into())
            .spawn(greet)
            .is_err()
        {
            lock(&self.strangers).goes(number);
        }
    }

    fn tell(&self, met: Result<Met, MeetingError>) {
        let event = match met {
            Ok(met) => match Connection::new(met, Seat::HOST, self.timing) {
                Ok(connection) => DoorEvent::Connection(Box::new(connection)),
                Err(_) => return,
            },
            Err(MeetingError::SecondGuest(second)) => DoorEvent::InviteLeaked { second },
            Err(MeetingError::Invites(error)) => DoorEvent::CannotBurn(error),
            // Strangers are no news.
            Err(_) => return,
        };
        match self.events.try_send(event) {
            // A line that nobody takes is closed by being dropped.
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }

    fn meet(
        &self,
        stream: TcpStream,
        source: Option<Source>,
        number: u64,
    ) -> Result<Met, MeetingError> {
        let paused =
            source.is_some_and(|source| lock(&self.strangers).is_paused(source, Instant::now()));
        let time = if paused {
            PAUSED_TIME
        } else {
            self.timing.meeting
        };
        let met = self.meet_within(stream, time, number);
        if let (Err(_), Some(source)) = (&met, source) {
            lock(&self.strangers).fails(source, Instant::now());
        }
        met
    }

    fn meet_within(
        &self,
        stream: TcpStream,
        time: Duration,
        number: u64,
    ) -> Result<Met, MeetingError> {
        // Who shows a live prelude has its full time, from the same beginning.
        let deadline = Instant::now() + self.timing.meeting;
        let mut socket = Socket::new(stream, time).map_err(MeetingError::Connection)?;
        let prelude =
            Prelude::read(|buf| socket.read_exact(buf)).map_err(MeetingError::Connection)?;
        let prelude = prelude.ok_or(MeetingError::Broken("no prelude of this version"))?;
        let shows = |shown| lock(&self.strangers).shows(number, shown);
        let own = Own {
            identity: self.home.identity(),
            name: &self.name,
        };
        let rng = &mut system_rng();
        match prelude {
            Prelude::First(id) if self.is_live(&id) => {
                shows(Shown::Prelude);
                socket.set_deadline(deadline);
                let verified = || shows(Shown::Secret);
                let invites = (id, &self.invites);
                first::as_host(&own, invites, &self.header, socket, verified, rng)
            }
            Prelude::First(_) => Err(MeetingError::NotAnswered),
            Prelude::Again { .. } => {
                let peer = self.known_peer(&prelude).ok_or(MeetingError::NotAnswered)?;
                shows(Shown::Prelude);
                socket.set_deadline(deadline);
                let verified = || shows(Shown::Secret);
                again::as_host(&own, (&peer, prelude), &self.header, socket, verified, rng)
            }
        }
    }

    fn is_live(&self, id: &InviteId) -> bool {
        lock(&self.invites).secret(id).is_some()
    }

    /// The known peer that made this prelude.
    fn known_peer(&self, prelude: &Prelude) -> Option<PublicIdentity> {
        let known: Vec<_> = {
            let peers = self.peers.lock();
            peers
                .peers()
                .iter()
                .map(|peer| peer.identity.clone())
                .collect()
        };
        let mut secrets = lock(&self.secrets);
        known.into_iter().find(|peer| {
            let secret = match secrets.entry(*peer.x25519()) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(new) => {
                    match self.home.identity().secret_with(peer) {
                        Some(secret) => new.insert(secret),
                        None => return false,
                    }
                }
            };
            prelude.is_by(secret)
        })
    }
}
