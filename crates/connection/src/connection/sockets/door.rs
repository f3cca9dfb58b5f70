//! The door of a host: waits for guests. Connections that are not authenticated yet (*strangers*)
//! cost the host little.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use dealerless::net::system_time;

use super::super::core::Timing;
use super::super::error::MeetingError;
use super::super::invite::{Invite, InviteId};
use super::super::invites::Invites;
use super::super::meeting::{Credentials, Established, MAX_HEADER, Meeting, Step, Stepped};
use super::super::prelude::Prelude;
use super::super::relay_request::RelayToken;
use super::super::spoken::SpokenError;
use super::super::spoken_code::SpokenCode;
use super::super::{again, first};
use super::live::Connection;
use super::relay;
use super::socket::{self, is_temporary};
use super::spoken::Offer;
use super::strangers::{Shown, Source, Strangers};
use crate::identity::{Address, Fingerprint, Home, Name, PairSecret, PublicIdentity, SharedPeers};
use crate::random::system_rng;

/// The pause between two checks of the listeners.
const ACCEPT_PAUSE: Duration = Duration::from_millis(2);
/// The time limit for the prelude of a stranger from a source with too many failed meetings (see
/// [`Strangers::is_paused`]).
const PAUSED_TIME: Duration = Duration::from_secs(1);
/// The maximum number of events that the host's program has not taken yet. Further events are
/// dropped, and their connections closed.
const MAX_EVENTS: usize = 16;

/// An event at the door.
pub enum DoorEvent {
    /// A guest has met the host, by an invite or as a known peer. The program must add the guest to
    /// the known peers, and check whether a known peer with other keys has the same name.
    Connection(Box<Connection>),
    /// **A second guest used an invite that belongs to another guest: the invite has leaked.** One
    /// of the two is not the guest that the host invited, so the players must compare fingerprints.
    InviteLeaked {
        /// The second guest. It was told that the invite is used, and nothing else.
        second: Fingerprint,
    },
    /// A guest used an invite, but the file of invites cannot be written. The guest received no
    /// answer.
    CannotBurn(io::Error),
    /// A [code](Door::offer_code) is void, and its invite has reached nobody. The invite stays valid.
    CodeVoid {
        /// The reason.
        why: SpokenError,
        /// Whether no new code follows, because too many codes of the invite were void.
        is_last: bool,
    },
    /// A new code for an invite, in place of a void one.
    NewCode {
        /// The invite.
        invite: Box<Invite>,
        /// The code.
        code: SpokenCode,
    },
}

/// A door cannot be opened, or cannot create an invite.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DoorError {
    /// An address cannot be listened on, because it is not an address of this machine or the port
    /// is taken.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// The file of invites cannot be read or written.
    #[error("cannot use the file of invites")]
    Invites(#[source] io::Error),
    /// The header is longer than 4096 bytes.
    #[error("the header of a match has at most {MAX_HEADER} bytes, not {0}")]
    Header(usize),
    /// A thread cannot be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
}

/// A host that waits for guests. Dropping the door stops the waiting. Connections that the door has
/// returned stay open.
pub struct Door {
    pub(super) inner: Arc<Inner>,
    events: Receiver<DoorEvent>,
    addresses: Vec<SocketAddr>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

pub(super) struct Inner {
    home: Arc<Home>,
    admits: Admits,
    name: Name,
    header: Vec<u8>,
    timing: Timing,
    invites: Mutex<Invites>,
    strangers: Mutex<Strangers<TcpStream>>,
    /// The secrets shared with known peers, by their X25519 keys. With this cache, X25519 is
    /// computed once per peer and not once per peer and stranger.
    secrets: Mutex<HashMap<[u8; 32], PairSecret>>,
    events: SyncSender<DoorEvent>,
    closed: AtomicBool,
    /// Whether codes are offered no longer.
    codes_ended: AtomicBool,
}

/// Where a stranger comes from.
pub(super) enum Origin {
    Source(Source),
    Relay(Address),
}

/// The guests that a door admits.
enum Admits {
    /// Guests with an invite, and these known peers.
    Invited(SharedPeers),
    /// These players, who may be unknown.
    Only(Vec<PublicIdentity>),
}

impl Door {
    /// Listens on all addresses of `listen`. Authenticated guests receive `header`, which describes
    /// the match.
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
        Self::open_for(Admits::Invited(peers), home, name, header, listen, timing)
    }

    /// Listens on all addresses of `listen` for these players only, as a guest does for the other
    /// guests of its match. They do not need to be known peers, and invites are not accepted.
    ///
    /// # Errors
    /// [`DoorError`].
    pub fn for_players(
        players: Vec<PublicIdentity>,
        home: Arc<Home>,
        name: Name,
        listen: &[SocketAddr],
        timing: Timing,
    ) -> Result<Self, DoorError> {
        Self::open_for(
            Admits::Only(players),
            home,
            name,
            Vec::new(),
            listen,
            timing,
        )
    }

    fn open_for(
        admits: Admits,
        home: Arc<Home>,
        name: Name,
        header: Vec<u8>,
        listen: &[SocketAddr],
        timing: Timing,
    ) -> Result<Self, DoorError> {
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
            admits,
            name,
            header,
            timing,
            invites: Mutex::new(invites),
            strangers: Mutex::default(),
            secrets: Mutex::default(),
            events: sender,
            closed: AtomicBool::new(false),
            codes_ended: AtomicBool::new(false),
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

    /// The listening addresses, with the ports chosen by the operating system.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Creates an invite with these addresses. If `relay` is given, the host also waits at the
    /// relay.
    ///
    /// # Errors
    /// If the invite cannot be saved.
    pub fn invite(
        &self,
        addresses: Vec<Address>,
        relay: Option<Address>,
    ) -> Result<Invite, DoorError> {
        let own = self.inner.home.identity().public();
        let invite = lock(&self.inner.invites).invite(own, addresses, relay);
        let invite = invite.map_err(DoorError::Invites)?;
        if let Some(relay) = invite.relay() {
            let token = RelayToken(invite.secret.relay_token());
            self.wait_at(relay.clone(), token)?;
        }
        Ok(invite)
    }

    /// Gets a code for an invite from a relay, and waits there for the guest of the code. If the code
    /// expires, is used by somebody else or is lost with the relay, the door offers a new one, until the
    /// invite is used, 4 codes were used, or 24 codes were void.
    ///
    /// # Errors
    /// [`SpokenError`], if the relay gives no code within 4 s of the look-up of its address. Then no code is
    /// offered.
    pub fn offer_code(&self, relay: &Address, invite: &Invite) -> Result<SpokenCode, SpokenError> {
        let offer = Offer::open(relay, invite, || false)?;
        let code = offer.code.clone();
        self.spawn("door-code", |inner| offer.wait(inner))
            .map_err(SpokenError::Relay)?;
        Ok(code)
    }

    /// Ends all codes. Their invites stay valid.
    pub fn end_codes(&self) {
        self.inner.codes_ended.store(true, Ordering::Relaxed);
    }

    /// Revokes an invite. A guest that uses it later receives no answer.
    ///
    /// # Errors
    /// If the change cannot be saved.
    #[cfg(feature = "internals")]
    pub fn end_invite(&self, invite: &Invite) -> Result<(), DoorError> {
        lock(&self.inner.invites)
            .end(&invite.secret.id())
            .map_err(DoorError::Invites)
    }

    /// Greets a stranger that has come through this relay.
    #[cfg(feature = "internals")]
    pub(in super::super) fn greet(&self, stream: TcpStream, relay: Address) {
        self.inner.greet(stream, Origin::Relay(relay));
    }

    /// Starts a thread that waits at a relay for a known peer.
    ///
    /// # Errors
    /// If no thread can be started.
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

    /// Waits for the next event. `None` if no event happens within the given time.
    pub fn next(&self, within: Duration) -> Option<DoorEvent> {
        self.events.recv_timeout(within).ok()
    }

    /// The number of failed meetings that the door has counted, once no stranger is left.
    #[cfg(test)]
    pub(super) fn failures(&self) -> u32 {
        loop {
            match lock(&self.inner.strangers).counts() {
                (0, failures) => return failures,
                _ => thread::sleep(ACCEPT_PAUSE),
            }
        }
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
        for stream in lock(&self.inner.strangers).drain() {
            // This fails if the peer has already closed the connection.
            let _ = stream.shutdown(Shutdown::Both);
        }
        for thread in lock(&self.threads).drain(..) {
            // A panic of the thread is ignored.
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

/// Locks a mutex. A panic never leaves a value of the door half changed, so the value of a poisoned
/// lock is still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the stranger has disconnected. After a live prelude this is not counted as a failure: a
/// guest that tries several routes completes one meeting and leaves the others. A stranger gains
/// nothing by it, because a failure only shortens the time for later preludes.
fn has_left(error: &MeetingError) -> bool {
    matches!(error, MeetingError::Connection(error) if error.kind() != ErrorKind::TimedOut)
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
                        self.greet(stream, Origin::Source(Source::of(from.ip())));
                    }
                    Err(error) if is_temporary(&error) => {}
                    // The guest has already disconnected, or this process has no file descriptors
                    // left. The next `accept` may succeed.
                    Err(_) => {}
                }
            }
            if idle {
                thread::sleep(ACCEPT_PAUSE);
            }
        }
    }

    /// Meets a stranger in a new thread.
    pub(super) fn greet(self: &Arc<Self>, stream: TcpStream, origin: Origin) {
        let Ok(handle) = stream.try_clone() else {
            return;
        };
        let (number, evicted) = lock(&self.strangers).add(handle);
        if let Some(evicted) = evicted {
            // This fails if the peer has already closed the connection.
            let _ = evicted.shutdown(Shutdown::Both);
        }
        let inner = Arc::clone(self);
        let meet = move || {
            let (source, relay) = match origin {
                Origin::Source(source) => (Some(source), None),
                Origin::Relay(relay) => (None, Some(relay)),
            };
            let met = inner.meet(&stream, source, number);
            lock(&inner.strangers).remove(number);
            inner.report(stream, relay, met);
        };
        // If no thread can be started, the connection is closed. The guest may connect again.
        if thread::Builder::new()
            .name("door-guest".into())
            .spawn(meet)
            .is_err()
        {
            lock(&self.strangers).remove(number);
        }
    }

    fn report(
        &self,
        stream: TcpStream,
        relay: Option<Address>,
        met: Result<Established, MeetingError>,
    ) {
        let event = match met {
            Ok(met) => match Connection::new(stream, relay, met, self.timing) {
                Ok(connection) => DoorEvent::Connection(Box::new(connection)),
                Err(_) => return,
            },
            Err(MeetingError::SecondGuest(second)) => DoorEvent::InviteLeaked { second },
            Err(MeetingError::Invites(error)) => DoorEvent::CannotBurn(error),
            // Failed meetings with strangers are not reported.
            Err(_) => return,
        };
        self.send(event);
    }

    pub(super) fn send(&self, event: DoorEvent) {
        match self.events.try_send(event) {
            // If the queue is full, the event is dropped, which closes its connection.
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }

    fn meet(
        &self,
        stream: &TcpStream,
        source: Option<Source>,
        number: u64,
    ) -> Result<Established, MeetingError> {
        let now = system_time();
        let paused = source.is_some_and(|source| lock(&self.strangers).is_paused(source, now));
        let all = now + self.timing.meeting;
        let prelude = if paused { now + PAUSED_TIME } else { all };
        let is_live = Cell::new(false);
        let first = Step::prelude(|prelude| {
            let step = self.greeted(prelude, number)?;
            is_live.set(true);
            Ok(step)
        });
        let met = socket::prepare(stream)
            .map_err(MeetingError::Connection)
            .and_then(|()| socket::meet(stream, Meeting::host(first, [prelude, all])));
        if let (Err(error), Some(source)) = (&met, source)
            && !(is_live.get() && has_left(error))
        {
            lock(&self.strangers).record_failure(source, system_time());
        }
        met
    }

    /// Continues a meeting after the prelude of a stranger.
    fn greeted(&self, prelude: Prelude, number: u64) -> Stepped<'_> {
        let set_shown = move |shown| lock(&self.strangers).set_shown(number, shown);
        let verified = move || set_shown(Shown::Secret);
        let own = Credentials {
            identity: Arc::clone(self.home.identity()),
            name: self.name.clone(),
        };
        let rng = &mut system_rng();
        match prelude {
            Prelude::First(id) if self.is_live(&id) => {
                set_shown(Shown::Prelude);
                first::as_host(own, id, &self.invites, &self.header, verified, rng)
            }
            Prelude::First(_) => Err(MeetingError::NotAnswered),
            Prelude::Again { .. } => {
                let peer = self.known_peer(&prelude).ok_or(MeetingError::NotAnswered)?;
                set_shown(Shown::Prelude);
                again::as_host(own, peer, prelude, &self.header, verified, rng)
            }
        }
    }

    /// Whether a code for this invite is still of use.
    pub(super) fn needs_code(&self, id: &InviteId) -> bool {
        let is_over = self.is_closed() || self.codes_ended.load(Ordering::Relaxed);
        !is_over && lock(&self.invites).is_unused(id)
    }

    fn is_live(&self, id: &InviteId) -> bool {
        matches!(self.admits, Admits::Invited(_)) && lock(&self.invites).secret(id).is_some()
    }

    /// The known peer that sent this prelude, or the player that the door is for.
    fn known_peer(&self, prelude: &Prelude) -> Option<PublicIdentity> {
        let known: Vec<_> = match &self.admits {
            Admits::Only(players) => players.clone(),
            Admits::Invited(peers) => {
                let peers = peers.lock();
                let identities = peers.peers().iter().map(|peer| peer.identity.clone());
                identities.collect()
            }
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
