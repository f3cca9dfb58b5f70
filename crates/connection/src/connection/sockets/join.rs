//! How a guest connects to its host and runs the meeting.
//!
//! A guest tries all routes to the host at the same time, and prefers the addresses of the host to a
//! relay. Each route has a handshake of its own, because a host answers a first message only once. The
//! host counts and records nothing before the guest's second message, which only one route sends at a
//! time. The others wait for their turn and are closed when a meeting is complete.

use std::io::{self, ErrorKind};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use dealerless::net::system_time;

use super::super::core::Timing;
use super::super::error::MeetingError;
use super::super::invite::{Invite, MAX_ADDRESSES};
use super::super::meeting::{Credentials, Established, Meeting, Side, Stepped};
use super::super::relay_request::RelayToken;
use super::super::{again, first};
use super::live::Connection;
use super::routes::{Answer, NoAnswer, Route, Routes};
use super::socket;
use crate::identity::{Address, Identity, Name, PublicIdentity};
use crate::random::system_rng;

/// The maximum number of connections to a relay. More than one is needed if the relay pairs the
/// guest with a dead connection of the host.
const RELAY_TRIES: usize = 4;
/// The lead of the host's addresses over a relay. The relay is tried earlier if all addresses have
/// failed.
const LEAD: Duration = Duration::from_millis(250);
/// The time after which a route whose turn it is gives way to another one that has an answer.
const TURN: Duration = Duration::from_secs(2);
/// The pause between two looks at the other routes during a turn.
const POLL: Duration = Duration::from_millis(20);

/// A player who connects to a host.
pub struct Guest<'a> {
    /// The identity of the guest.
    pub identity: &'a Arc<Identity>,
    /// The name of the guest.
    pub name: &'a Name,
    /// The time limits of the guest's meetings and connections.
    pub timing: Timing,
}

impl Guest<'_> {
    /// Meets the host of an invite. Tries all addresses in the invite at the same time, and after 250 ms or
    /// when all of them have failed also the relay in the invite.
    ///
    /// # Errors
    /// The most informative [`MeetingError`] of all routes.
    pub fn join(&self, invite: &Invite) -> Result<Connection, MeetingError> {
        let own = self.credentials();
        let begin = || first::as_guest(own.clone(), invite.clone(), &mut system_rng());
        let token = RelayToken(invite.secret.relay_token());
        self.meet(invite.addresses(), invite.relay(), &token, begin)
    }

    /// Meets a known peer that waits for guests. Tries the first 8 of `addresses` and `relay` like
    /// [`join`](Self::join).
    ///
    /// # Errors
    /// As for [`join`](Self::join).
    pub fn join_again(
        &self,
        peer: &PublicIdentity,
        addresses: &[Address],
        relay: Option<&Address>,
    ) -> Result<Connection, MeetingError> {
        let own = self.credentials();
        let secret = self
            .identity
            .secret_with(peer)
            .ok_or(MeetingError::Oneself)?;
        let begin = || again::as_guest(own.clone(), peer.clone(), &mut system_rng());
        self.meet(addresses, relay, &RelayToken::of_peers(&secret), begin)
    }

    fn credentials(&self) -> Credentials {
        Credentials {
            identity: Arc::clone(self.identity),
            name: self.name.clone(),
        }
    }

    fn meet<'a>(
        &self,
        addresses: &[Address],
        relay: Option<&Address>,
        token: &RelayToken,
        begin: impl Fn() -> Stepped<'a>,
    ) -> Result<Connection, MeetingError> {
        let of_host = addresses.iter().take(MAX_ADDRESSES).map(|address| Route {
            address: address.clone(),
            request: None,
        });
        let of_relay = relay.map(|relay| Route {
            address: relay.clone(),
            request: Some(token.request(Side::Guest)),
        });
        let tried = of_host.chain(of_relay).map(|route| Tried {
            route,
            tries: 0,
            state: State::Due,
        });
        let race = Race {
            timing: self.timing,
            begun: system_time(),
            begin,
            tried: tried.collect(),
            routes: Routes::default(),
            failures: Vec::new(),
        };
        let (stream, relay, met) = race.run()?;
        Connection::new(stream, relay, met, self.timing).map_err(MeetingError::Connection)
    }
}

/// The meetings on all routes, of which one becomes a connection.
struct Race<'a, B: Fn() -> Stepped<'a>> {
    timing: Timing,
    begun: Duration,
    /// Begins a meeting.
    begin: B,
    /// The addresses of the host, and then the relay.
    tried: Vec<Tried<'a>>,
    routes: Routes,
    /// The errors of the routes, with their numbers.
    failures: Vec<(usize, MeetingError)>,
}

struct Tried<'a> {
    route: Route,
    /// How often the route was started.
    tries: usize,
    state: State<'a>,
}

enum State<'a> {
    /// The route is to be started.
    Due,
    /// The first message of this meeting was not answered yet.
    Started(Meeting<'a>),
    /// The host has answered. The next message waits for the turn of this route.
    Answered(Box<(TcpStream, Meeting<'a>)>),
    /// It is the turn of this route.
    Turn,
    Failed,
}

impl Tried<'_> {
    fn is_relay(&self) -> bool {
        self.route.request.is_some()
    }
}

impl<'a, B: Fn() -> Stepped<'a>> Race<'a, B> {
    /// Returns the connected socket, the relay through which it leads, and the result of the meeting.
    fn run(mut self) -> Result<(TcpStream, Option<Address>, Established), MeetingError> {
        loop {
            let (is_open, wait) = self.start_due()?;
            let answered = |tried: &Tried| matches!(tried.state, State::Answered(_));
            if let Some(number) = self.tried.iter().position(answered) {
                if let Some((stream, met)) = self.take_turn(number)? {
                    let tried = &self.tried[number];
                    let relay = tried.is_relay().then(|| tried.route.address.clone());
                    return Ok((stream, relay, met));
                }
            } else if !is_open {
                return Err(self.failure());
            } else if let Some((number, outcome)) = self.routes.next(wait) {
                self.receive(number, outcome)?;
            }
        }
    }

    /// Starts the routes whose time has come. Returns whether an outcome can still come, and the time
    /// until another route is to be started.
    fn start_due(&mut self) -> Result<(bool, Duration), MeetingError> {
        let left = (self.begun + LEAD).saturating_sub(system_time());
        let is_alone = |tried: &Tried| tried.is_relay() || matches!(tried.state, State::Failed);
        let is_relays_time = left.is_zero() || self.tried.iter().all(is_alone);
        let (mut is_open, mut wait) = (false, Duration::MAX);
        for number in 0..self.tried.len() {
            let tried = &self.tried[number];
            if matches!(tried.state, State::Due) {
                if tried.is_relay() && !is_relays_time {
                    wait = left;
                } else {
                    self.start(number)?;
                }
            }
            is_open |= matches!(self.tried[number].state, State::Due | State::Started(_));
        }
        Ok((is_open, wait))
    }

    fn start(&mut self, number: usize) -> Result<(), MeetingError> {
        let mut meeting = Meeting::guest((self.begin)()?, Duration::MAX);
        let (tried, first) = (&mut self.tried[number], meeting.outgoing());
        tried.tries += 1;
        tried.state = State::Started(meeting);
        let route = tried.route.clone();
        match self.routes.start(number, route, first, self.timing.meeting) {
            Ok(()) => Ok(()),
            Err(error) => self.fail(number, MeetingError::Connection(error)),
        }
    }

    /// Processes the outcome of a route.
    fn receive(
        &mut self,
        number: usize,
        outcome: Result<Answer, NoAnswer>,
    ) -> Result<(), MeetingError> {
        let state = std::mem::replace(&mut self.tried[number].state, State::Failed);
        let State::Started(mut meeting) = state else {
            return Ok(());
        };
        match outcome {
            Ok(answer) => {
                meeting.end_by(answer.deadline);
                match meeting.received(&mut &answer.bytes[..], system_time()) {
                    Ok(_) => {
                        let answered = Box::new((answer.stream, meeting));
                        self.tried[number].state = State::Answered(answered);
                        Ok(())
                    }
                    Err(error) => self.fail(number, error),
                }
            }
            Err(NoAnswer::Silent(error)) => self.fail(number, meeting.failed(error)),
            Err(NoAnswer::Unreachable(source)) => {
                let error = self.unreachable(number, source);
                self.failures.push((number, error));
                Ok(())
            }
            Err(NoAnswer::NotPaired(source)) => {
                let relay = self.tried[number].route.address.clone();
                let error = match source.kind() {
                    ErrorKind::TimedOut => MeetingError::NobodyAtRelay(relay),
                    _ => MeetingError::Relay { relay, source },
                };
                self.failures.push((number, error));
                Ok(())
            }
        }
    }

    /// Continues the meeting on a route that has an answer. No other route sends its second message
    /// meanwhile. Returns the result if the meeting is complete.
    fn take_turn(
        &mut self,
        number: usize,
    ) -> Result<Option<(TcpStream, Established)>, MeetingError> {
        let state = std::mem::replace(&mut self.tried[number].state, State::Turn);
        let State::Answered(answered) = state else {
            return Ok(None);
        };
        let (stream, mut meeting) = *answered;
        let end = system_time() + TURN;
        loop {
            match socket::advance(&stream, &mut meeting, system_time() + POLL) {
                Ok(Some(met)) => return Ok(Some((stream, met))),
                Ok(None) => {}
                Err(error) => return self.fail(number, error).map(|()| None),
            }
            self.start_due()?;
            while let Some((number, outcome)) = self.routes.next(Duration::ZERO) {
                self.receive(number, outcome)?;
            }
            let answered = |tried: &Tried| matches!(tried.state, State::Answered(_));
            if system_time() >= end && self.tried.iter().any(answered) {
                drop(stream);
                let error = MeetingError::Connection(ErrorKind::TimedOut.into());
                return self.fail(number, error).map(|()| None);
            }
        }
    }

    /// Records the error of a meeting. A relay is tried again.
    ///
    /// # Errors
    /// The error, if it is [final](MeetingError::is_final).
    fn fail(&mut self, number: usize, error: MeetingError) -> Result<(), MeetingError> {
        if error.is_final() {
            return Err(error);
        }
        self.failures.push((number, error));
        let tried = &mut self.tried[number];
        tried.state = if tried.is_relay() && tried.tries < RELAY_TRIES {
            State::Due
        } else {
            State::Failed
        };
        Ok(())
    }

    /// The error of an address or a relay that cannot be reached.
    fn unreachable(&self, number: usize, source: io::Error) -> MeetingError {
        let tried = &self.tried[number];
        let address = tried.route.address.clone();
        let mut direct = self.tried.iter().filter(|tried| !tried.is_relay());
        if tried.is_relay() {
            let relay = address;
            MeetingError::Relay { relay, source }
        } else if direct.all(|tried| tried.route.address.is_private()) {
            MeetingError::OnlyPrivate { address, source }
        } else {
            MeetingError::Unreachable { address, source }
        }
    }

    /// The most informative error of all routes.
    fn failure(&mut self) -> MeetingError {
        self.failures.sort_by_key(|(number, _)| *number);
        let errors = self.failures.drain(..).map(|(_, error)| error);
        errors.fold(MeetingError::NoAddress, more_informative)
    }
}

/// Returns the more informative of two errors. A failed meeting says more than an unreachable
/// address.
fn more_informative(a: MeetingError, b: MeetingError) -> MeetingError {
    let rank = |error: &MeetingError| match error {
        MeetingError::NoAddress => 0,
        MeetingError::OnlyPrivate { .. } | MeetingError::Unreachable { .. } => 1,
        MeetingError::Relay { .. } | MeetingError::NobodyAtRelay(_) => 2,
        MeetingError::Connection(_) => 3,
        MeetingError::NotAnswered => 4,
        _ => 5,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
