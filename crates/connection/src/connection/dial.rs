//! How a guest connects to its host and runs the meeting: a state machine over [`Sockets`].
//!
//! A guest tries all routes to the host at the same time, and prefers the addresses of the host to a
//! relay. Each route has a handshake of its own, because a host answers a first message only once. The
//! host counts and records nothing before the guest's second message, which only one route sends at a
//! time. The others wait for their turn and are closed when a meeting is complete.
//!
//! Time is the [`Duration`] since any fixed moment.

use std::io::{self, ErrorKind};
use std::mem;
use std::time::Duration;

use rand::Rng as _;

use super::core::Timing;
use super::error::MeetingError;
use super::invite::{Invite, MAX_ADDRESSES};
use super::meeting::{Credentials, Established, Meeting, Side, Stepped};
use super::place::{Happened, Place, Socket, Sockets};
use super::polled::PolledConnection;
use super::relay_request::{RelayAnswer, RelayToken};
use super::{again, first};
use crate::identity::{Address, PublicIdentity};
use crate::random::system_rng;

/// The maximum number of connections to a relay. More than one is needed if the relay pairs the
/// guest with a dead connection of the host.
const RELAY_TRIES: usize = 4;
/// The lead of the host's addresses over a relay. The relay is tried earlier if all addresses have
/// failed.
const LEAD: Duration = Duration::from_millis(250);
/// The shortest pause after which a guest with an invite tries a relay again that has not paired it, and the most
/// milliseconds that are added to it at random.
const CROWDED: (Duration, u32) = (Duration::from_millis(200), 1800);
/// How long a guest tries again.
const CROWDED_FOR: Duration = Duration::from_secs(30);
/// The time after which a route whose turn it is gives way to another one that has an answer.
const TURN: Duration = Duration::from_secs(2);

/// A guest that connects to its host. It is over when a function has returned a connection or an error.
pub struct Dial<S: Sockets> {
    sockets: S,
    timing: Timing,
    begin: Begin,
    /// The request to the relay.
    request: String,
    /// The addresses of the host, and then the relay.
    routes: Vec<Route<S>>,
    /// The time until which a relay is tried again that has ended the connection before it has paired the guest.
    /// It pairs one of the guests that wait with the same link, and ends the connections of all others.
    crowded_until: Duration,
    /// The errors of the routes, with their numbers.
    failures: Vec<(usize, MeetingError)>,
}

/// Begins a meeting.
type Begin = Box<dyn Fn() -> Stepped + Send>;

/// A route to the host: an address of the host, or a relay.
struct Route<S: Sockets> {
    place: Place,
    is_relay: bool,
    /// The number of failed attempts.
    failures: usize,
    state: State<S>,
}

enum State<S: Sockets> {
    /// The route is to be started at this time.
    Due(Duration),
    Started(Box<Attempt<S>>),
    Failed,
}

/// A meeting and its socket. The deadline of the meeting is that of its stage.
struct Attempt<S: Sockets> {
    socket: Socket<S>,
    meeting: Meeting,
    stage: Stage,
}

enum Stage {
    /// The socket is being opened.
    Opening,
    /// The relay has not paired the guest with a host yet.
    AtRelay(RelayAnswer),
    /// The host has not answered the first message yet.
    Greeted,
    /// The host has answered. This second message waits for the turn of the route.
    Answered(Vec<u8>),
    /// It is the turn of the route. From this time on it gives way to another one.
    Turn(Duration),
}

impl<S: Sockets> Dial<S> {
    /// Meets the host of an invite. Tries the first 8 of `addresses` at the same time, and after 250 ms or
    /// when all of them have failed also `relay`.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`]; [`MeetingError::NoAddress`] if there is no route.
    pub fn by_invite(
        sockets: &S,
        own: Credentials,
        invite: &Invite,
        addresses: &[Address],
        relay: Option<Place>,
        timing: Timing,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let token = RelayToken(invite.secret.relay_token());
        let invite = invite.clone();
        let begin = move || first::as_guest(own.clone(), invite.clone(), &mut system_rng());
        let mut dial = Self::new(
            sockets,
            &token,
            Box::new(begin),
            addresses,
            relay,
            timing,
            now,
        )?;
        dial.crowded_until = now + CROWDED_FOR;
        Ok(dial)
    }

    /// Meets a known peer that waits for guests. Tries `addresses` and `relay` like
    /// [`by_invite`](Self::by_invite).
    ///
    /// # Errors
    /// As for [`by_invite`](Self::by_invite).
    pub fn with_known(
        sockets: &S,
        own: Credentials,
        peer: &PublicIdentity,
        addresses: &[Address],
        relay: Option<Place>,
        timing: Timing,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let secret = own
            .identity
            .secret_with(peer)
            .ok_or(MeetingError::Oneself)?;
        let (token, peer) = (RelayToken::of_peers(&secret, peer), peer.clone());
        let begin = move || again::as_guest(own.clone(), peer.clone(), &mut system_rng());
        Self::new(
            sockets,
            &token,
            Box::new(begin),
            addresses,
            relay,
            timing,
            now,
        )
    }

    fn new(
        sockets: &S,
        token: &RelayToken,
        begin: Begin,
        addresses: &[Address],
        relay: Option<Place>,
        timing: Timing,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let addresses = addresses.iter().take(MAX_ADDRESSES).cloned();
        let relays_time = match addresses.len() {
            0 => now,
            _ => now + LEAD,
        };
        let of_host = addresses.map(|address| (Place::Tcp(address), false, now));
        let of_relay = relay.map(|relay| (relay, true, relays_time));
        let routes = of_host.chain(of_relay);
        let routes = routes.map(|(place, is_relay, due)| Route {
            place,
            is_relay,
            failures: 0,
            state: State::Due(due),
        });
        let mut dial = Dial {
            sockets: sockets.clone(),
            timing,
            begin,
            request: token.request(Side::Guest),
            routes: routes.collect(),
            crowded_until: now,
            failures: Vec::new(),
        };
        dial.step(now)?;
        Ok(dial)
    }

    /// The attempts that are active, with the numbers of their routes.
    fn attempts(&self) -> impl Iterator<Item = (usize, &Attempt<S>)> {
        let routes = self.routes.iter().enumerate();
        routes.filter_map(|(number, route)| match &route.state {
            State::Started(attempt) => Some((number, &**attempt)),
            State::Due(_) | State::Failed => None,
        })
    }

    /// The first route whose second message waits for its turn.
    fn answered(&self) -> Option<usize> {
        let mut attempts = self.attempts();
        let answered = attempts.find(|(_, attempt)| matches!(attempt.stage, Stage::Answered(_)));
        answered.map(|(number, _)| number)
    }

    /// The route that may send its second message, and the time at which another one may.
    fn turn(&self) -> Option<(usize, Duration)> {
        self.attempts()
            .find_map(|(number, attempt)| match attempt.stage {
                Stage::Turn(until) => Some((number, until)),
                _ => None,
            })
    }

    /// The number of the route with this socket.
    fn route(&self, socket: u32) -> Option<usize> {
        let mut attempts = self.attempts();
        let route = attempts.find(|(_, attempt)| attempt.socket.number() == socket);
        route.map(|(number, _)| number)
    }

    /// Whether this socket belongs to the guest.
    pub fn has(&self, socket: u32) -> bool {
        self.route(socket).is_some()
    }

    /// Processes what has happened to a socket. Returns the connection when a meeting is complete.
    ///
    /// # Errors
    /// An error that is [final](MeetingError::is_final), or if no route is left, the most informative one
    /// of all routes.
    pub fn happened(
        &mut self,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<PolledConnection<S>>, MeetingError> {
        let Some(number) = self.route(socket) else {
            return Ok(None);
        };
        let state = mem::replace(&mut self.routes[number].state, State::Failed);
        let State::Started(mut attempt) = state else {
            return Ok(None);
        };
        let met = match attempt.socket.happened(what) {
            Ok(mut bytes) => self
                .advance(number, &mut attempt, &mut bytes, now)
                .map(|met| Some((met?, bytes))),
            Err(_) if matches!(attempt.stage, Stage::AtRelay(_)) && now < self.crowded_until => {
                let (least, more) = CROWDED;
                let more = system_rng().next_u32() % (more + 1);
                let due = now + least + Duration::from_millis(more.into());
                self.routes[number].state = State::Due(due);
                return Ok(None);
            }
            Err(error) => Err(self.failed(number, &attempt, error)),
        };
        match met {
            Ok(None) => self.routes[number].state = State::Started(attempt),
            Ok(Some((met, rest))) => {
                // The other routes are closed.
                let route = mem::take(&mut self.routes).swap_remove(number);
                let relay = route.is_relay.then_some(route.place);
                let (socket, timing) = (attempt.socket, self.timing);
                let connection = PolledConnection::new(socket, relay, met, rest, timing, now);
                return Ok(Some(connection));
            }
            Err(error) => {
                drop(attempt);
                self.fail(number, error, now)?;
            }
        }
        self.step(now)
    }

    /// Acts on the time. The result has the type of [`happened`](Self::happened), so that callers process
    /// both alike, but is never a connection.
    ///
    /// # Errors
    /// As for [`happened`](Self::happened).
    pub fn step(&mut self, now: Duration) -> Result<Option<PolledConnection<S>>, MeetingError> {
        for number in 0..self.routes.len() {
            if let State::Started(attempt) = &self.routes[number].state
                && now >= attempt.meeting.deadline()
            {
                let error = self.failed(number, attempt, ErrorKind::TimedOut.into());
                self.fail(number, error, now)?;
            }
        }
        if let Some((number, until)) = self.turn()
            && now >= until
            && self.answered().is_some()
        {
            let error = MeetingError::Connection(ErrorKind::TimedOut.into());
            self.fail(number, error, now)?;
        }
        self.start_due(now)?;
        if self.turn().is_none()
            && let Some(number) = self.answered()
            && let State::Started(attempt) = &mut self.routes[number].state
            && let Stage::Answered(second) = &attempt.stage
        {
            attempt.socket.send(second);
            attempt.stage = Stage::Turn(now + TURN);
        }
        let has_failed = |route: &Route<S>| matches!(route.state, State::Failed);
        if self.routes.iter().all(has_failed) {
            return Err(self.failure());
        }
        Ok(None)
    }

    /// The time at which [`step`](Self::step) must be called even if nothing happens.
    pub fn timer(&self) -> Duration {
        let due = self.routes.iter().filter_map(|route| match route.state {
            State::Due(due) => Some(due),
            State::Started(_) | State::Failed => None,
        });
        let gives_way = self.turn().filter(|_| self.answered().is_some());
        let gives_way = gives_way.map(|(_, until)| until);
        let deadlines = self
            .attempts()
            .map(|(_, attempt)| attempt.meeting.deadline());
        let timers = deadlines.chain(due).chain(gives_way);
        timers.min().unwrap_or(Duration::MAX)
    }

    /// Starts the routes whose time has come.
    fn start_due(&mut self, now: Duration) -> Result<(), MeetingError> {
        for route in &mut self.routes {
            if !matches!(route.state, State::Due(due) if now >= due) {
                continue;
            }
            // The program limits the time for connecting, but a browser does not.
            let opened_by = match &route.place {
                Place::Tcp(_) => Duration::MAX,
                Place::Url(_) => now.saturating_add(self.timing.meeting),
            };
            let meeting = Meeting::guest((self.begin)()?, opened_by);
            route.state = State::Started(Box::new(Attempt {
                socket: Socket::open(&self.sockets, &route.place),
                meeting,
                stage: Stage::Opening,
            }));
        }
        Ok(())
    }

    /// Continues an attempt with received bytes, and removes those of the meeting. Returns its result when
    /// it is complete.
    fn advance(
        &self,
        number: usize,
        attempt: &mut Attempt<S>,
        bytes: &mut &[u8],
        now: Duration,
    ) -> Result<Option<Established>, MeetingError> {
        let deadline = now.saturating_add(self.timing.meeting);
        if let Stage::Opening = attempt.stage
            && attempt.socket.is_open()
        {
            if self.routes[number].is_relay {
                attempt.socket.send(self.request.as_bytes());
                let opened_by = attempt.meeting.deadline();
                attempt.meeting.end_by(deadline.min(opened_by));
                attempt.stage = Stage::AtRelay(RelayAnswer::default());
            } else {
                attempt.greet(deadline);
            }
        }
        if let Stage::AtRelay(answer) = &mut attempt.stage {
            answer.push(bytes);
            if !answer.is_complete() {
                return Ok(None);
            }
            let paired = answer.check();
            paired.map_err(|error| self.failed(number, attempt, error))?;
            attempt.greet(deadline);
        }
        attempt.received(bytes, now)
    }

    /// The error of an attempt that ends because of an error of its socket.
    fn failed(&self, number: usize, attempt: &Attempt<S>, source: io::Error) -> MeetingError {
        let route = &self.routes[number];
        let is_late = source.kind() == ErrorKind::TimedOut;
        match (&attempt.stage, route.place.clone()) {
            (Stage::Opening | Stage::AtRelay(_), Place::Url(_)) if is_late => {
                MeetingError::NobodyWaits
            }
            (Stage::Opening | Stage::AtRelay(_), Place::Url(_)) => MeetingError::NoRelay(source),
            (Stage::AtRelay(_), Place::Tcp(relay)) if is_late => MeetingError::NobodyAtRelay(relay),
            (Stage::Opening | Stage::AtRelay(_), Place::Tcp(relay)) if route.is_relay => {
                MeetingError::Relay { relay, source }
            }
            (Stage::Opening, Place::Tcp(address)) => {
                // If there is a relay, its error says more than this one.
                let is_private = |route: &Route<S>| match &route.place {
                    Place::Tcp(address) => address.is_private(),
                    Place::Url(_) => false,
                };
                if self.routes.iter().all(is_private) {
                    MeetingError::OnlyPrivate { address, source }
                } else {
                    MeetingError::Unreachable { address, source }
                }
            }
            _ => attempt.meeting.failed(source),
        }
    }

    /// Records the error of a route. A relay is tried again, unless it has paired nobody, and at once when all
    /// addresses have failed.
    ///
    /// # Errors
    /// The error, if it is [final](MeetingError::is_final).
    fn fail(
        &mut self,
        number: usize,
        error: MeetingError,
        now: Duration,
    ) -> Result<(), MeetingError> {
        if error.is_final() {
            return Err(error);
        }
        let is_retried = match &error {
            MeetingError::Relay { .. }
            | MeetingError::NobodyAtRelay(_)
            | MeetingError::NobodyWaits => false,
            // A browser does not report why a relay has closed a connection, so it is tried again.
            MeetingError::NoRelay(source) => source.kind() != ErrorKind::InvalidData,
            _ => true,
        };
        let route = &mut self.routes[number];
        route.failures += 1;
        route.state = if is_retried && route.is_relay && route.failures < RELAY_TRIES {
            State::Due(now)
        } else {
            State::Failed
        };
        self.failures.push((number, error));
        let is_alone = |route: &Route<S>| route.is_relay || matches!(route.state, State::Failed);
        if self.routes.iter().all(is_alone) {
            for route in &mut self.routes {
                if let State::Due(due) = &mut route.state {
                    *due = now;
                }
            }
        }
        Ok(())
    }

    /// The most informative error of all routes.
    fn failure(&mut self) -> MeetingError {
        self.failures.sort_by_key(|(number, _)| *number);
        let errors = self.failures.drain(..).map(|(_, error)| error);
        errors.fold(MeetingError::NoAddress, more_informative)
    }
}

impl<S: Sockets> Attempt<S> {
    /// Sends the first message to the host. The meeting must be complete by this deadline.
    fn greet(&mut self, deadline: Duration) {
        self.socket.send(&self.meeting.outgoing());
        self.meeting.end_by(deadline);
        self.stage = Stage::Greeted;
    }

    /// Continues the meeting. A host sends nothing after its answer until it has received the guest's
    /// second message.
    fn received(
        &mut self,
        bytes: &mut &[u8],
        now: Duration,
    ) -> Result<Option<Established>, MeetingError> {
        while matches!(self.stage, Stage::Greeted) && !bytes.is_empty() {
            let (mut answer, rest) = bytes.split_at(self.meeting.missing().min(bytes.len()));
            self.meeting.received(&mut answer, now)?;
            *bytes = rest;
            let second = self.meeting.outgoing();
            if !second.is_empty() {
                self.stage = Stage::Answered(second);
            }
        }
        if let Stage::Turn(_) = self.stage {
            let met = self.meeting.received(bytes, now)?;
            self.socket.send(&self.meeting.outgoing());
            return Ok(met);
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        Err(MeetingError::Broken("unexpected message"))
    }
}

/// Returns the more informative of two errors. A failed meeting says more than an unreachable
/// address.
fn more_informative(a: MeetingError, b: MeetingError) -> MeetingError {
    use MeetingError::{NoRelay, NobodyAtRelay, NobodyWaits, OnlyPrivate, Relay, Unreachable};
    let rank = |error: &MeetingError| match error {
        MeetingError::NoAddress => 0,
        OnlyPrivate { .. } | Unreachable { .. } => 1,
        Relay { .. } | NobodyAtRelay(_) | NoRelay(_) | NobodyWaits => 2,
        MeetingError::Connection(_) => 3,
        MeetingError::NotAnswered => 4,
        _ => 5,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
