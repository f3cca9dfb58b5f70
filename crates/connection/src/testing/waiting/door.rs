//! The door of a host.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dealerless::net::system_time;

use super::live::Connection;
use crate::identity::{Address, Home, Name, PublicIdentity, SharedPeers};
use crate::{
    Admits, Credentials, DoorEvent, Happened, Invite, InviteId, Invites, Network, PolledDoor,
    SocketTask, SpokenCode, SpokenError, Timing, network,
};

/// The maximum number of events that the host's program has not taken yet. Further events are
/// dropped, and their connections closed.
const MAX_EVENTS: usize = 16;

/// The time limit for the first code, with the look-up of the relay's name and the connection.
const FIRST: Duration = Duration::from_secs(30);

/// A host that waits for guests. Its program must not hold the lock of the [`SharedPeers`] while it calls the
/// door, which looks up the senders of preludes there. Dropping the door stops the waiting. Connections that the door has
/// returned stay open.
pub struct Door {
    home: Arc<Home>,
    invites: Arc<Mutex<Invites>>,
    shared: Arc<Shared>,
    events: Receiver<DoorEvent<Connection>>,
    addresses: Vec<SocketAddr>,
}

/// A door that the thread of the sockets shares with its program.
struct Shared {
    network: Arc<Network>,
    state: Mutex<State>,
    /// The first code of an invite, or the error, has come.
    has_code: Condvar,
    events: SyncSender<DoorEvent<Connection>>,
}

struct State {
    /// `None` once [`Door::into_polled`] has returned it.
    door: Option<PolledDoor<Arc<Network>>>,
    /// The timer that the event loop has seen last.
    planned: Duration,
    /// The invites whose first code the program waits for.
    first: BTreeMap<InviteId, Option<Result<SpokenCode, SpokenError>>>,
}

impl Door {
    /// Listens on all addresses of `listen`. Authenticated guests receive `header`, which describes
    /// the match.
    ///
    /// # Errors
    /// If the file of invites cannot be read, or an address cannot be listened on.
    pub fn open(
        home: Arc<Home>,
        peers: SharedPeers,
        name: Name,
        header: Vec<u8>,
        listen: &[SocketAddr],
        timing: Timing,
    ) -> io::Result<Self> {
        Self::open_for(Admits::Invited(peers), home, name, header, listen, timing)
    }

    /// Listens on all addresses of `listen` for these players only, as a guest does for the other
    /// guests of its match. They do not need to be known peers, and invites are not accepted.
    ///
    /// # Errors
    /// If the file of invites cannot be read, or an address cannot be listened on.
    pub fn for_players(
        players: Vec<PublicIdentity>,
        home: Arc<Home>,
        name: Name,
        listen: &[SocketAddr],
        timing: Timing,
    ) -> io::Result<Self> {
        let admits = Admits::Only {
            invite: None,
            players,
        };
        Self::open_for(admits, home, name, Vec::new(), listen, timing)
    }

    fn open_for(
        admits: Admits,
        home: Arc<Home>,
        name: Name,
        header: Vec<u8>,
        listen: &[SocketAddr],
        timing: Timing,
    ) -> io::Result<Self> {
        let invites = Invites::open(home.invites())?;
        let invites = Arc::new(Mutex::new(invites));
        let network = network()?;
        let own = Credentials {
            identity: Arc::clone(home.identity()),
            name,
        };
        let mut door = PolledDoor::new(&network, own, admits, Arc::clone(&invites), header, timing);
        let (sender, events) = sync_channel(MAX_EVENTS);
        let addresses = network
            .listen(listen, &mut door)
            .map_err(io::Error::other)?;
        let shared = Arc::new(Shared {
            network: Arc::clone(&network),
            state: Mutex::new(State {
                door: Some(door),
                planned: Duration::ZERO,
                first: BTreeMap::new(),
            }),
            has_code: Condvar::new(),
            events: sender,
        });
        network.add(Arc::clone(&shared) as _);
        Ok(Door {
            home,
            invites,
            shared,
            events,
            addresses,
        })
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
    pub fn invite(&self, addresses: Vec<Address>, relay: Option<Address>) -> io::Result<Invite> {
        let own = self.home.identity().public();
        let invite = lock(&self.invites).invite(own, addresses, relay);
        Ok(self.waiting_for(invite?))
    }

    /// The link of a table with these addresses and relay, as [`invite`](Self::invite).
    ///
    /// # Errors
    /// If the link cannot be saved.
    pub fn table_link(
        &self,
        addresses: Vec<Address>,
        relay: Option<Address>,
        table: [u8; 32],
    ) -> io::Result<Invite> {
        let own = self.home.identity().public();
        let link = lock(&self.invites).table_link(own, addresses, relay, table);
        Ok(self.waiting_for(link?))
    }

    fn waiting_for(&self, invite: Invite) -> Invite {
        if let Some(relay) = invite.relay() {
            let relay = relay.clone().into();
            self.shared
                .with(|door, now| door.wait_for_invite(relay, &invite, now));
        }
        invite
    }

    /// Gets a code for an invite from a relay, and waits there for the guest of the code. If the code
    /// expires, is used by somebody else or is lost with the relay, the door offers a new one, until the
    /// invite is used.
    ///
    /// # Errors
    /// [`SpokenError`], if the relay gives no code within 4 s of its connection, or within 30 s. Then no code
    /// is offered.
    pub fn offer_code(&self, relay: &Address, invite: &Invite) -> Result<SpokenCode, SpokenError> {
        let id = invite.secret.id();
        let mut state = lock(&self.shared.state);
        state.first.insert(id, None);
        if let Some(door) = &mut state.door {
            door.offer_code(relay.clone().into(), invite, system_time());
        }
        self.shared.network.wake();
        let waits = |state: &mut State| matches!(state.first.get(&id), Some(None));
        let waited = self.shared.has_code.wait_timeout_while(state, FIRST, waits);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let late = || Err(SpokenError::Relay(ErrorKind::TimedOut.into()));
        state.first.remove(&id).flatten().unwrap_or_else(late)
    }

    /// Revokes an invite. A guest that uses it later receives no answer.
    ///
    /// # Errors
    /// If the change cannot be saved.
    pub fn end_invite(&self, invite: &Invite) -> io::Result<()> {
        lock(&self.invites).end(invite)
    }

    /// Waits at a relay for a known peer.
    pub fn wait_at_relay(&self, relay: &Address, peer: &PublicIdentity) {
        let relay = relay.clone().into();
        self.shared
            .with(|door, now| door.wait_for_known(relay, peer, now));
    }

    /// Greets a stranger like a guest that comes through a relay.
    pub fn greet(&self, stream: TcpStream) {
        stream.set_nonblocking(true).expect("a socket");
        let relay: Address = "relay.example.org:4001".parse().expect("an address");
        let network = &self.shared.network;
        let mut state = lock(&self.shared.state);
        let stream = mio::net::TcpStream::from_std(stream);
        let socket = network.adopt(stream).expect("a socket");
        if let Some(door) = &mut state.door {
            door.accepted_at(socket, relay.into(), system_time());
        }
        network.wake();
    }

    /// The number of failed meetings that the door has counted, once no stranger is left.
    #[cfg(test)]
    pub(super) fn failures(&self) -> u32 {
        loop {
            let state = lock(&self.shared.state);
            match state.door.as_ref().map_or((0, 0), PolledDoor::counts) {
                (0, failures) => return failures,
                _ => std::thread::yield_now(),
            }
        }
    }

    /// Waits for the next event. `None` if no event happens within the given time.
    pub fn next(&self, within: Duration) -> Option<DoorEvent<Connection>> {
        self.events.recv_timeout(within).ok()
    }

    /// The door without its lock and its waiting, for the [`SocketTask`] that uses it from now on, as
    /// [`Connection::into_polled`], and the events that the program has not taken. `None` only if it was taken
    /// before.
    pub fn into_polled(self) -> (Option<PolledDoor<Arc<Network>>>, Vec<DoorEvent<Connection>>) {
        let door = lock(&self.shared.state).door.take();
        (door, self.events.try_iter().collect())
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        // The event loop may hold the task for a moment, but the program may listen on the same port again now.
        let door = lock(&self.shared.state).door.take();
        drop(door);
        self.shared.network.remove(&*self.shared);
    }
}

/// Locks a mutex. A panic never leaves a value of the door half changed, so the value of a poisoned
/// lock is still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Does something with the door, and reports what follows.
    fn with(&self, work: impl FnOnce(&mut PolledDoor<Arc<Network>>, Duration)) {
        self.locked(lock(&self.state), work);
    }

    fn locked(
        &self,
        mut state: MutexGuard<'_, State>,
        work: impl FnOnce(&mut PolledDoor<Arc<Network>>, Duration),
    ) {
        let now = system_time();
        let Some(door) = &mut state.door else {
            return;
        };
        work(door, now);
        door.step(now);
        let timer = door.timer();
        self.report(&mut state);
        if timer < state.planned {
            self.network.wake();
        }
    }

    fn report(&self, state: &mut State) {
        while let Some(event) = state.door.as_mut().and_then(PolledDoor::next_event) {
            let event = match event {
                DoorEvent::Connection(connection) => {
                    let connection = Connection::new(&self.network, *connection);
                    DoorEvent::Connection(Box::new(connection))
                }
                DoorEvent::SecondGuest(second) => DoorEvent::SecondGuest(second),
                DoorEvent::LinkUsedUp(link) => DoorEvent::LinkUsedUp(link),
                DoorEvent::CannotBurn(error) => DoorEvent::CannotBurn(error),
                DoorEvent::RelayFails { relay, source } => DoorEvent::RelayFails { relay, source },
                DoorEvent::CodeVoid {
                    invite,
                    why,
                    is_last,
                } => {
                    if let Some(first) = state.first.get_mut(&invite.secret.id())
                        && is_last
                    {
                        *first = Some(Err(why));
                        self.has_code.notify_all();
                        continue;
                    }
                    DoorEvent::CodeVoid {
                        invite,
                        why,
                        is_last,
                    }
                }
                DoorEvent::NewCode { invite, code } => {
                    if let Some(first) = state.first.get_mut(&invite.secret.id()) {
                        *first = Some(Ok(code));
                        self.has_code.notify_all();
                        continue;
                    }
                    DoorEvent::NewCode { invite, code }
                }
            };
            // If the queue is full, the event is dropped, which closes its connection.
            let _ = self.events.try_send(event);
        }
    }
}

impl SocketTask for Shared {
    fn has(&self, socket: u32) -> bool {
        let state = lock(&self.state);
        state.door.as_ref().is_some_and(|door| door.has(socket))
    }

    fn happened(&self, socket: u32, what: Happened<'_>, now: Duration) {
        let state = lock(&self.state);
        if state.door.is_none() {
            drop(state);
            // It was taken meanwhile. Its new task has the socket.
            return self.network.tell(socket, what, now);
        }
        self.locked(state, |door, now| door.happened(socket, what, now));
    }

    fn step(&self, _: Duration) {
        self.with(|_, _| {});
    }

    fn timer(&self) -> Duration {
        let mut state = lock(&self.state);
        let door = state.door.as_ref();
        state.planned = door.map_or(Duration::MAX, PolledDoor::timer);
        state.planned
    }
}
