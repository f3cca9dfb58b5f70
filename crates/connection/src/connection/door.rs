//! The door of a host as a state machine over [`Sockets`], without threads and clock: it waits for guests
//! on listening sockets and at relays. Connections that are not authenticated yet (*strangers*) cost the
//! host little.
//!
//! Time is the [`Duration`] since any fixed moment, as in [`Core`](super::core::Core).

use std::collections::hash_map::{Entry, HashMap};
use std::collections::vec_deque::VecDeque;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::core::Timing;
use super::error::{MeetingError, SecondGuest};
use super::invite::{Invite, InviteId};
use super::invites::Invites;
use super::meeting::{Credentials, Meeting, Shown, Side, Step, Stepped};
use super::offer::{Offer, Offered};
use super::place::{Happened, Place, Socket, Sockets};
use super::polled::PolledConnection;
use super::prelude::Prelude;
use super::relay_request::{RelayAnswer, RelayToken};
use super::spoken::SpokenError;
use super::spoken_code::SpokenCode;
use super::strangers::{Failures, MAX_STRANGERS, Source, evicted};
use super::{again, first};
use crate::identity::{PairSecret, PublicIdentity, SharedPeers};
use crate::random::system_rng;

/// The time limit for the prelude of a stranger from a source with too many failed meetings (see
/// [`Failures::is_paused`]).
pub(super) const PAUSED_TIME: Duration = Duration::from_secs(1);
/// The maximum number of events that the host's program has not taken yet. Further events are
/// dropped, and their connections closed.
pub(super) const MAX_EVENTS: usize = 16;
/// The maximum number of connections to relays on which a door waits for known peers. A relay accepts at most 64 from one
/// address.
const MOST_KNOWN: usize = 48;
/// The pause after a failed connection to a relay.
const PAUSE: Duration = Duration::from_secs(2);
/// The pause of a door for each stranger that has come through a relay. Otherwise relays could fill the
/// door with made-up guests, which displace all other strangers, and make it open many connections.
const BETWEEN: Duration = Duration::from_millis(250);

/// An event at the door. `C` is the type of a connection.
pub enum DoorEvent<C> {
    /// A guest has met the host, by an invite or as a known peer. The program must add the guest to
    /// the known peers, and check whether a known peer with other keys has the same name.
    Connection(Box<C>),
    /// A second guest used a one-time invite. It may be the same person on another device, or somebody else
    /// who has the invite, so the players must compare fingerprints.
    SecondGuest(Box<SecondGuest>),
    /// 16 384 first messages were answered for the link of a table. The link is void: the program replaces it.
    LinkUsedUp(InviteId),
    /// A guest used an invite, but the file of invites cannot be written. The guest received no
    /// answer.
    CannotBurn(io::Error),
    /// A code is void and its invite has reached nobody, or no code was given. The invite stays valid. If no new
    /// code is given in place of a void one, the door asks again, and this event comes once.
    CodeVoid {
        /// The invite.
        invite: Box<Invite>,
        /// The reason.
        why: SpokenError,
        /// Whether no new code follows: too many codes of the invite were void, its first one was not given,
        /// or the relay offers no codes any more.
        is_last: bool,
    },
    /// A code for an invite: the first one, or a new one in place of a void one.
    NewCode {
        /// The invite.
        invite: Box<Invite>,
        /// The code.
        code: SpokenCode,
    },
    /// Nobody can come through a relay, because it cannot be reached or is not a transit relay. The door
    /// tries it again. This event does not come again before a guest has come
    /// through the relay, or nobody has come there for a minute.
    RelayFails {
        /// The relay.
        relay: Place,
        /// The cause.
        source: io::Error,
    },
}

/// The guests that a door admits.
pub enum Admits {
    /// Guests with an invite, and these known peers.
    Invited(SharedPeers),
    /// The guest of one invite, and these players, who may be unknown.
    Only {
        /// The invite, if there is one.
        invite: Option<Invite>,
        /// The players.
        players: Vec<PublicIdentity>,
    },
}

/// What a host needs to answer a stranger.
pub(super) struct Host {
    pub(super) own: Credentials,
    admits: Admits,
    pub(super) invites: Arc<Mutex<Invites>>,
    header: Vec<u8>,
    /// The secrets shared with known peers, by their X25519 keys. With this cache, X25519 is
    /// computed once per peer and not once per peer and stranger.
    secrets: Mutex<HashMap<[u8; 32], PairSecret>>,
}

impl Host {
    pub(super) fn new(
        own: Credentials,
        admits: Admits,
        invites: Arc<Mutex<Invites>>,
        header: Vec<u8>,
    ) -> Self {
        Host {
            own,
            admits,
            invites,
            header,
            secrets: Mutex::default(),
        }
    }

    /// Continues a meeting after the prelude of a stranger.
    pub(super) fn greeted(&self, prelude: Prelude) -> Stepped {
        let (own, header, rng) = (self.own.clone(), self.header.clone(), &mut system_rng());
        match prelude {
            Prelude::First(id) if self.admits_guest_of(&id) => {
                first::as_host(own, id, Arc::clone(&self.invites), header, rng)
            }
            Prelude::First(_) => Err(MeetingError::NotAnswered),
            Prelude::Again { .. } => {
                let peer = self.sender(&prelude).ok_or(MeetingError::NotAnswered)?;
                again::as_host(own, peer, prelude, header, rng)
            }
        }
    }

    fn admits_guest_of(&self, id: &InviteId) -> bool {
        match &self.admits {
            Admits::Invited(_) => true,
            Admits::Only { invite, .. } => {
                let invite = invite.as_ref();
                invite.is_some_and(|invite| invite.secret.id() == *id)
            }
        }
    }

    /// The known peer that sent this prelude, or the player that the door is for.
    fn sender(&self, prelude: &Prelude) -> Option<PublicIdentity> {
        let known: Vec<_> = match &self.admits {
            Admits::Only { players, .. } => players.clone(),
            Admits::Invited(peers) => {
                let peers = peers.lock();
                let identities = peers.peers().iter().map(|peer| peer.identity.clone());
                identities.collect()
            }
        };
        let mut secrets = lock(&self.secrets);
        known.into_iter().find(|peer| {
            let secret = match secrets.entry(*peer.x25519()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => match self.own.identity.secret_with(peer) {
                    Some(secret) => new.insert(secret),
                    None => return false,
                },
            };
            prelude.is_by(secret)
        })
    }

    /// Whether an invite serves another guest.
    fn is_unused(&self, id: &InviteId) -> bool {
        lock(&self.invites).is_unused(id)
    }

    /// Whether an invite is not revoked.
    fn has_invite(&self, id: &InviteId) -> bool {
        lock(&self.invites).secret(id).is_some()
    }
}

/// Locks a mutex. A panic never leaves a value of the door half changed, so the value of a poisoned
/// lock is still valid.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a failed meeting counts as a failure of the stranger's source. It does not count if the stranger
/// has disconnected after a live prelude: a guest that tries several routes completes one meeting and leaves
/// the others. A stranger gains nothing by it, because a failure only shortens the time for later preludes.
pub(super) fn is_failure(error: &MeetingError, shown: Shown) -> bool {
    let has_left =
        matches!(error, MeetingError::Connection(error) if error.kind() != ErrorKind::TimedOut);
    !(has_left && shown >= Shown::Link)
}

/// A host that waits for guests. When the door is dropped, it closes its sockets. Connections that it has
/// returned stay open.
///
/// The program calls [`step`](Self::step) after every other call, and at the time of
/// [`timer`](Self::timer).
pub struct PolledDoor<S: Sockets> {
    sockets: S,
    listeners: Vec<Socket<S>>,
    host: Arc<Host>,
    timing: Timing,
    /// The strangers, the oldest first.
    strangers: VecDeque<Stranger<S>>,
    failures: Failures,
    waiting: Vec<Waiting<S>>,
    /// The earliest time of the next connection to a relay, after [`BETWEEN`] for each stranger.
    at_relays_from: Duration,
    /// The relays whose failure was reported and that have not worked since then.
    failing: Vec<Place>,
    offers: Vec<Offer<S>>,
    events: VecDeque<DoorEvent<PolledConnection<S>>>,
}

/// A connection that is not authenticated yet.
struct Stranger<S: Sockets> {
    socket: Socket<S>,
    meeting: Meeting,
    /// Where it comes from. `None` if it comes through a relay.
    source: Option<Source>,
    relay: Option<Place>,
}

/// A place at a relay where a host waits for a guest.
struct Waiting<S: Sockets> {
    relay: Place,
    request: String,
    /// The invite of the guests. `None` for a known peer.
    invite: Option<InviteId>,
    asking: Option<Asking<S>>,
    /// The earliest time of the next connection.
    next: Duration,
}

/// A connection that waits for the answer of a relay.
struct Asking<S: Sockets> {
    socket: Socket<S>,
    answer: RelayAnswer,
    /// The time after which it is replaced.
    until: Duration,
}

impl<S: Sockets> PolledDoor<S> {
    /// The time after which a waiting host makes a new connection to the relay, because a relay may forget
    /// a connection.
    pub const RENEW: Duration = Duration::from_secs(60);

    /// A door for these guests. They receive `header`, which describes the match, once they are
    /// authenticated. It has at most [`MAX_HEADER`](super::meeting::MAX_HEADER) bytes.
    pub fn new(
        sockets: &S,
        own: Credentials,
        admits: Admits,
        invites: Arc<Mutex<Invites>>,
        header: Vec<u8>,
        timing: Timing,
    ) -> Self {
        PolledDoor {
            sockets: sockets.clone(),
            listeners: Vec::new(),
            host: Arc::new(Host::new(own, admits, invites, header)),
            timing,
            strangers: VecDeque::new(),
            failures: Failures::default(),
            waiting: Vec::new(),
            at_relays_from: Duration::ZERO,
            failing: Vec::new(),
            offers: Vec::new(),
            events: VecDeque::new(),
        }
    }

    /// Answers these guests from now on, in place of those before. They receive `header`, as in [`new`](Self::new).
    pub fn admit(&mut self, admits: Admits, header: Vec<u8>) {
        let (own, invites) = (self.host.own.clone(), Arc::clone(&self.host.invites));
        self.host = Arc::new(Host::new(own, admits, invites, header));
    }

    /// Waits for guests at a listening socket, which belongs to the door from now on.
    pub fn listen(&mut self, listener: u32) {
        self.listeners
            .push(Socket::accepted(&self.sockets, listener));
    }

    /// Waits at a relay for the guests of an invite, from the time `first` on, until the invite is
    /// [revoked](Invites::end).
    pub fn wait_for_invite(&mut self, relay: Place, invite: &Invite, first: Duration) {
        let (token, id) = (invite.secret.relay_token(), invite.secret.id());
        self.wait(relay, &RelayToken(token), Some(id), first);
    }

    /// Waits at a relay for a known peer, from the time `first` on. If there are more than 48, the
    /// door stops waiting for the peer that was named longest ago.
    pub fn wait_for_known(&mut self, relay: Place, peer: &PublicIdentity, first: Duration) {
        // Every valid identity shares a secret with this one.
        let own = &self.host.own.identity;
        if let Some(secret) = own.secret_with(peer) {
            let token = RelayToken::of_peers(&secret, own.public());
            self.wait(relay, &token, None, first);
        }
    }

    fn wait(
        &mut self,
        relay: Place,
        token: &RelayToken,
        invite: Option<InviteId>,
        first: Duration,
    ) {
        let request = token.request(Side::Host);
        let is_same = |one: &Waiting<S>| one.relay == relay && one.request == request;
        if let Some(index) = self.waiting.iter().position(is_same) {
            let waiting = self.waiting.remove(index);
            self.waiting.push(waiting);
            return;
        }
        self.waiting.push(Waiting {
            relay,
            request,
            invite,
            asking: None,
            next: first,
        });
        let mut known =
            (0..self.waiting.len()).filter(|index| self.waiting[*index].invite.is_none());
        if let Some(oldest) = known.next()
            && known.count() >= MOST_KNOWN
        {
            self.waiting.remove(oldest);
        }
    }

    /// Closes the connections of strangers and those to relays, and waits for nobody until
    /// [`begin`](Self::begin). Codes stay.
    pub fn stop(&mut self) {
        self.strangers.clear();
        for waiting in &mut self.waiting {
            waiting.asking = None;
            waiting.next = Duration::MAX;
        }
    }

    /// Waits again after [`stop`](Self::stop).
    pub fn begin(&mut self, now: Duration) {
        for waiting in &mut self.waiting {
            waiting.next = waiting.next.min(now);
        }
    }

    /// Gets a code for an invite from a relay, and waits there for the guests of the code. The next event of
    /// the code is [`DoorEvent::NewCode`], or the last [`DoorEvent::CodeVoid`] if the relay gives no code
    /// within 4 s of its connection.
    ///
    /// The code of a table serves all its guests. It is void after four failed uses, and after one if it has four
    /// words. The code of a one-time invite is void after one use.
    ///
    /// If a code is void, the door offers a new one, until the invite is used or revoked, or 24 codes were void or
    /// lost with the connection to the relay that nobody had used. A code that somebody has used without success is replaced after a pause, which
    /// grows from 1 s to 60 s. After four of these, the codes of the invite have four words. If the relay does not
    /// give a new code, the door asks again after a pause that grows from 2 s to 60 s.
    pub fn offer_code(&mut self, relay: Place, invite: &Invite, now: Duration) {
        let is_table = lock(&self.host.invites).is_table_link(&invite.secret.id());
        let offer = Offer::new(relay, invite.clone(), is_table, now);
        self.offers.push(offer);
    }

    /// Ends all codes. Their invites stay valid.
    pub fn end_codes(&mut self) {
        self.offers.clear();
    }

    /// Meets a stranger whose connection was accepted from this address.
    fn accepted(&mut self, socket: u32, from: IpAddr, now: Duration) {
        let socket = Socket::accepted(&self.sockets, socket);
        self.greet(socket, Some(Source::of(from)), None, &[], now);
    }

    /// Meets a stranger that has come through this relay.
    #[cfg(all(feature = "internals", not(target_family = "wasm")))]
    pub(crate) fn accepted_at(&mut self, socket: u32, relay: Place, now: Duration) {
        let socket = Socket::accepted(&self.sockets, socket);
        self.greet(socket, None, Some(relay), &[], now);
    }

    /// The numbers of strangers and of remembered failures.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> (usize, u32) {
        (self.strangers.len(), self.failures.count())
    }

    /// Whether a socket belongs to the door, or to a connection that the program has not taken yet.
    pub fn has(&self, socket: u32) -> bool {
        let strangers = self.strangers.iter().map(|stranger| &stranger.socket);
        let asking = self.waiting.iter().flat_map(|waiting| &waiting.asking);
        let offers = self.offers.iter().filter_map(Offer::socket);
        let connections = self.events.iter().filter_map(|event| match event {
            DoorEvent::Connection(connection) => Some(connection.number()),
            _ => None,
        });
        (self.listeners.iter())
            .chain(strangers)
            .chain(asking.map(|asking| &asking.socket))
            .map(Socket::number)
            .chain(offers.map(Socket::number))
            .chain(connections)
            .any(|number| number == socket)
    }

    /// Processes what has happened to a socket.
    pub fn happened(&mut self, socket: u32, what: Happened<'_>, now: Duration) {
        if let Happened::Accepted { socket, from } = what {
            return self.accepted(socket, from, now);
        }
        let is_it = |other: &Socket<S>| other.number() == socket;
        let mut strangers = self.strangers.iter();
        let mut waiting = self.waiting.iter();
        let mut offers = self.offers.iter();
        if let Some(index) = strangers.position(|stranger| is_it(&stranger.socket)) {
            match self.strangers[index].socket.happened(what) {
                Ok(bytes) => self.meet(index, bytes, now),
                Err(error) => self.lost(index, error, now),
            }
        } else if let Some(index) = waiting.position(|waiting| {
            let asking = waiting.asking.as_ref();
            asking.is_some_and(|asking| is_it(&asking.socket))
        }) {
            self.answered(index, what, now);
        } else if let Some(index) = offers.position(|offer| offer.socket().is_some_and(is_it)) {
            let offered = self.offers[index].happened(what, now);
            self.offered(index, offered);
        } else {
            for event in &mut self.events {
                if let DoorEvent::Connection(connection) = event
                    && connection.number() == socket
                {
                    connection.happened(what, now);
                    connection.flush(now);
                    break;
                }
            }
        }
    }

    /// Does all that is due.
    pub fn step(&mut self, now: Duration) {
        for index in (0..self.strangers.len()).rev() {
            if now >= self.strangers[index].meeting.deadline() {
                self.meet(index, &[], now);
            }
        }
        let host = &self.host;
        self.waiting
            .retain(|waiting| waiting.invite.is_none_or(|id| host.has_invite(&id)));
        for index in 0..self.waiting.len() {
            self.wait_on(index, now);
        }
        let host = &self.host;
        self.offers
            .retain(|offer| offer.is_first() || host.is_unused(&offer.invite().secret.id()));
        for index in (0..self.offers.len()).rev() {
            let offered = self.offers[index].step(&self.sockets, now);
            self.offered(index, offered);
        }
        for event in &mut self.events {
            if let DoorEvent::Connection(connection) = event
                && now >= connection.timer()
            {
                connection.flush(now);
            }
        }
    }

    /// The time at which [`step`](Self::step) must be called even if nothing happens.
    pub fn timer(&self) -> Duration {
        let strangers = self.strangers.iter();
        let waiting = self.waiting.iter().map(|waiting| match &waiting.asking {
            Some(asking) => asking.until,
            None => waiting.next.max(self.at_relays_from),
        });
        let connections = self.events.iter().filter_map(|event| match event {
            DoorEvent::Connection(connection) => Some(connection.timer()),
            _ => None,
        });
        (strangers.map(|stranger| stranger.meeting.deadline()))
            .chain(waiting)
            .chain(self.offers.iter().map(Offer::timer))
            .chain(connections)
            .min()
            .unwrap_or(Duration::MAX)
    }

    /// The next event.
    pub fn next_event(&mut self) -> Option<DoorEvent<PolledConnection<S>>> {
        self.events.pop_front()
    }

    fn report(&mut self, event: DoorEvent<PolledConnection<S>>) {
        if self.events.len() < MAX_EVENTS {
            self.events.push_back(event);
        }
    }

    /// Begins to meet a stranger that has sent these bytes.
    fn greet(
        &mut self,
        socket: Socket<S>,
        source: Option<Source>,
        relay: Option<Place>,
        bytes: &[u8],
        now: Duration,
    ) {
        if self.strangers.len() >= MAX_STRANGERS {
            let shown = self.strangers.iter();
            match evicted(shown.map(|stranger| stranger.meeting.shown())) {
                Some(index) => self.lost(index, ErrorKind::ConnectionAborted.into(), now),
                None => return self.count_failure(source, now),
            }
        }
        let is_paused = source.is_some_and(|source| self.failures.is_paused(source, now));
        let all = now.saturating_add(self.timing.meeting);
        let prelude = if is_paused { now + PAUSED_TIME } else { all };
        let host = Arc::clone(&self.host);
        let first = Step::prelude(move |prelude| host.greeted(prelude));
        self.strangers.push_back(Stranger {
            socket,
            meeting: Meeting::host(first, [prelude, all]),
            source,
            relay,
        });
        self.meet(self.strangers.len() - 1, bytes, now);
    }

    /// Continues the meeting with a stranger.
    fn meet(&mut self, index: usize, mut bytes: &[u8], now: Duration) {
        let stranger = &mut self.strangers[index];
        let met = stranger.meeting.received(&mut bytes, now);
        // The socket keeps the few bytes of a meeting until the stranger accepts them.
        stranger.socket.send(&stranger.meeting.outgoing());
        match met {
            Ok(None) => {}
            Err(error) => self.failed(index, error, now),
            Ok(Some(met)) => {
                if let Some(Stranger { socket, relay, .. }) = self.strangers.remove(index) {
                    self.failing
                        .retain(|failing| Some(failing) != relay.as_ref());
                    if relay.is_some() {
                        // The guest can come again soon, even if others have come at the same time.
                        self.at_relays_from = self.at_relays_from.min(now + BETWEEN);
                    }
                    let connection =
                        PolledConnection::new(socket, relay, met, bytes, self.timing, now);
                    self.report(DoorEvent::Connection(Box::new(connection)));
                }
            }
        }
    }

    /// A meeting has failed because its connection is lost.
    fn lost(&mut self, index: usize, error: io::Error, now: Duration) {
        let error = self.strangers[index].meeting.failed(error);
        self.failed(index, error, now);
    }

    /// A meeting has failed. Most failed meetings with strangers are not reported.
    fn failed(&mut self, index: usize, error: MeetingError, now: Duration) {
        if let Some(stranger) = self.strangers.remove(index)
            && is_failure(&error, stranger.meeting.shown())
        {
            self.count_failure(stranger.source, now);
        }
        match error {
            MeetingError::SecondGuest(second) => self.report(DoorEvent::SecondGuest(second)),
            MeetingError::LinkUsedUp(link) => self.report(DoorEvent::LinkUsedUp(link)),
            MeetingError::Invites(error) => self.report(DoorEvent::CannotBurn(error)),
            _ => {}
        }
    }

    fn count_failure(&mut self, source: Option<Source>, now: Duration) {
        if let Some(source) = source {
            self.failures.record(source, now);
        }
    }

    /// Continues to wait at a relay.
    fn wait_on(&mut self, index: usize, now: Duration) {
        let waiting = &mut self.waiting[index];
        match waiting.asking.take_if(|asking| now >= asking.until) {
            // Nobody has come.
            Some(asking) if asking.socket.is_open() => {
                let relay = &waiting.relay;
                self.failing.retain(|failing| failing != relay);
            }
            Some(_) => self.relay_failed(index, ErrorKind::TimedOut.into(), now),
            None => {}
        }
        let waiting = &mut self.waiting[index];
        if waiting.asking.is_none() && now >= waiting.next.max(self.at_relays_from) {
            waiting.asking = Some(Asking {
                socket: Socket::open(&self.sockets, &waiting.relay),
                answer: RelayAnswer::default(),
                until: now + Self::RENEW,
            });
        }
    }

    /// Something has happened to a connection that waits at a relay.
    fn answered(&mut self, index: usize, what: Happened<'_>, now: Duration) {
        let waiting = &mut self.waiting[index];
        let Some(mut asking) = waiting.asking.take() else {
            return;
        };
        let was_open = asking.socket.is_open();
        match asking.socket.happened(what) {
            // A relay may end a connection on which nobody has come for a long time.
            Err(_) if was_open => waiting.next = now + PAUSE,
            Err(error) => self.relay_failed(index, error, now),
            Ok(mut bytes) => {
                if !was_open && asking.socket.is_open() {
                    asking.socket.send(waiting.request.as_bytes());
                }
                asking.answer.push(&mut bytes);
                if !asking.answer.is_complete() {
                    waiting.asking = Some(asking);
                    return;
                }
                if let Err(error) = asking.answer.check() {
                    return self.relay_failed(index, error, now);
                }
                let relay = Some(waiting.relay.clone());
                self.at_relays_from = self.at_relays_from.max(now) + BETWEEN;
                self.greet(asking.socket, None, relay, bytes, now);
            }
        }
    }

    fn relay_failed(&mut self, index: usize, source: io::Error, now: Duration) {
        let waiting = &mut self.waiting[index];
        waiting.next = now + PAUSE;
        let relay = waiting.relay.clone();
        if !self.failing.contains(&relay) {
            self.failing.push(relay.clone());
            self.report(DoorEvent::RelayFails { relay, source });
        }
    }

    /// Reports the result of a step of a code.
    fn offered(&mut self, index: usize, offered: Option<Offered>) {
        match offered {
            None => {}
            Some(Offered::Sent) => drop(self.offers.remove(index)),
            Some(Offered::Code(code)) => {
                let invite = Box::new(self.offers[index].invite().clone());
                self.report(DoorEvent::NewCode { invite, code });
            }
            Some(Offered::Void { why, is_last }) => {
                let invite = Box::new(self.offers[index].invite().clone());
                if is_last {
                    self.offers.remove(index);
                }
                self.report(DoorEvent::CodeVoid {
                    invite,
                    why,
                    is_last,
                });
            }
        }
    }
}
