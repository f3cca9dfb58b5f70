//! Meetings at a relay and connections, without threads and sockets: the caller passes in what arrives
//! and what time it is, and sends what they return. A browser with a WebSocket to a relay is such a
//! caller.
//!
//! Time is the [`Duration`] since any fixed moment, as in [`Core`].

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::core::{Core, Task, Timing};
use super::error::{ConnectionError, MeetingError};
use super::incoming::Incoming;
use super::invite::Invite;
use super::invites::Invites;
use super::meeting::{Credentials, Established, Meeting, Met, Side, Step};
use super::noise::Sealer;
use super::place::{Happened, Place, Socket, Sockets};
use super::prelude::Prelude;
use super::relay_request::{RelayAnswer, RelayToken};
use super::{again, first};
use crate::identity::PublicIdentity;
use crate::random::system_rng;

/// One side of a meeting at a relay.
pub struct PolledMeeting {
    state: State,
    timing: Timing,
    /// The bytes for the relay.
    outgoing: Vec<u8>,
}

enum State {
    /// Waiting until the relay has paired both players.
    Relay {
        answer: RelayAnswer,
        deadline: Duration,
        meeting: Begin,
    },
    Meeting(Meeting),
    Over,
}

/// Begins a meeting with this deadline.
type Begin = Box<dyn FnOnce(Duration) -> Result<Meeting, MeetingError> + Send>;

/// The guest for whom a host waits at a relay.
#[derive(Clone, Debug)]
pub enum Expected {
    /// The guest of an invite.
    Invited(Invite),
    /// A known peer.
    Known(PublicIdentity),
}

impl PolledMeeting {
    /// A guest that meets the host of an invite.
    pub fn by_invite(own: Credentials, invite: &Invite, timing: Timing, now: Duration) -> Self {
        let token = RelayToken(invite.secret.relay_token());
        let invite = invite.clone();
        let begin = move |deadline| {
            let first = first::as_guest(own, invite, &mut system_rng());
            Ok(Meeting::guest(first?, deadline))
        };
        let deadline = now + timing.meeting;
        Self::new(token, Side::Guest, timing, deadline, begin)
    }

    /// A guest that meets a known peer.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`].
    pub fn with_known(
        own: Credentials,
        peer: &PublicIdentity,
        timing: Timing,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let secret = own
            .identity
            .secret_with(peer)
            .ok_or(MeetingError::Oneself)?;
        let peer = peer.clone();
        let begin = move |deadline| {
            let first = again::as_guest(own, peer, &mut system_rng());
            Ok(Meeting::guest(first?, deadline))
        };
        let (token, deadline) = (RelayToken::of_peers(&secret), now + timing.meeting);
        Ok(Self::new(token, Side::Guest, timing, deadline, begin))
    }

    /// A host that waits for a guest, at most [`RENEW`](Self::RENEW): a relay may forget a connection.
    /// `header` describes the match that the host proposes.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`].
    pub fn as_host(
        own: Credentials,
        expected: Expected,
        invites: Arc<Mutex<Invites>>,
        header: Vec<u8>,
        timing: Timing,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let known = match &expected {
            Expected::Invited(_) => None,
            Expected::Known(peer) => {
                let secret = own
                    .identity
                    .secret_with(peer)
                    .ok_or(MeetingError::Oneself)?;
                Some((peer.clone(), secret))
            }
        };
        let token = match (&expected, &known) {
            (Expected::Invited(invite), _) => RelayToken(invite.secret.relay_token()),
            (_, Some((_, secret))) => RelayToken::of_peers(secret),
            (Expected::Known(_), None) => return Err(MeetingError::Oneself),
        };
        let greet = move |prelude: Prelude| match (prelude, expected, known) {
            (Prelude::First(id), Expected::Invited(invite), _) if id == invite.secret.id() => {
                first::as_host(own, id, invites, header, &mut system_rng())
            }
            (prelude, _, Some((peer, secret))) if prelude.is_by(&secret) => {
                again::as_host(own, peer, prelude, header, &mut system_rng())
            }
            _ => Err(MeetingError::NotAnswered),
        };
        let begin = move |deadline| Ok(Meeting::host(Step::prelude(greet), [deadline; 2]));
        let deadline = now + Self::RENEW;
        Ok(Self::new(token, Side::Host, timing, deadline, begin))
    }

    /// The time after which a waiting host makes a new connection to the relay.
    pub const RENEW: Duration = Duration::from_secs(60);

    fn new(
        token: RelayToken,
        side: Side,
        timing: Timing,
        deadline: Duration,
        begin: impl FnOnce(Duration) -> Result<Meeting, MeetingError> + Send + 'static,
    ) -> Self {
        PolledMeeting {
            state: State::Relay {
                answer: RelayAnswer::default(),
                deadline,
                meeting: Box::new(begin),
            },
            timing,
            outgoing: token.request(side).into_bytes(),
        }
    }

    /// The bytes to send now.
    pub fn outgoing(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outgoing)
    }

    /// The time at which [`received`](Self::received) must be called, even without bytes.
    pub fn deadline(&self) -> Duration {
        match &self.state {
            State::Relay { deadline, .. } => *deadline,
            State::Meeting(meeting) => meeting.deadline(),
            State::Over => Duration::MAX,
        }
    }

    /// The error of the meeting after an error of its connection.
    pub fn failed(&self, error: io::Error) -> MeetingError {
        match &self.state {
            State::Relay { .. } => MeetingError::NoRelay(error),
            State::Meeting(meeting) => meeting.failed(error),
            State::Over => MeetingError::Connection(error),
        }
    }

    /// Processes received bytes. Returns the connection when the meeting is over.
    ///
    /// # Errors
    /// The meeting has failed. [`outgoing`](Self::outgoing) may still have bytes for the peer.
    pub fn received(
        &mut self,
        mut bytes: &[u8],
        now: Duration,
    ) -> Result<Option<Joined>, MeetingError> {
        let mut meeting = match std::mem::replace(&mut self.state, State::Over) {
            State::Over => return Ok(None),
            State::Meeting(meeting) => meeting,
            State::Relay {
                mut answer,
                deadline,
                meeting,
            } => {
                answer.push(&mut bytes);
                if !answer.is_complete() {
                    if now >= deadline {
                        return Err(MeetingError::NobodyWaits);
                    }
                    self.state = State::Relay {
                        answer,
                        deadline,
                        meeting,
                    };
                    return Ok(None);
                }
                answer.check().map_err(MeetingError::NoRelay)?;
                meeting(now + self.timing.meeting)?
            }
        };
        let met = meeting.received(&mut bytes, now);
        self.outgoing.extend(meeting.outgoing());
        match met? {
            None => {
                self.state = State::Meeting(meeting);
                Ok(None)
            }
            Some(established) => Ok(Some(Joined {
                established,
                rest: bytes.to_vec(),
            })),
        }
    }
}

/// A meeting that is over. It becomes a connection on its socket.
pub struct Joined {
    established: Established,
    /// The first bytes of the connection.
    rest: Vec<u8>,
}

/// An encrypted connection to a peer whose keys have been verified.
pub struct PolledConnection<S: Sockets> {
    /// What the meeting has established.
    pub met: Arc<Met>,
    /// The relay through which the connection leads, if it does.
    pub relay: Option<Place>,
    /// Messages, engine bytes, limits and deadlines.
    pub core: Core,
    incoming: Incoming,
    sealer: Sealer,
    socket: Socket<S>,
    /// The time by which the socket must be ready to send again, if it is not.
    ready_by: Option<Duration>,
    /// The time of the next timer.
    timer: Duration,
}

/// The number of bytes after which the socket is asked whether it is ready for more. Messages that are
/// queued later wait for at most this number of bytes.
const BATCH: usize = 32 << 10;

impl<S: Sockets> PolledConnection<S> {
    /// A connection after a meeting on `socket`. `rest` are the first bytes after the meeting.
    pub(super) fn new(
        socket: Socket<S>,
        relay: Option<Place>,
        (met, agreed): Established,
        rest: &[u8],
        timing: Timing,
        now: Duration,
    ) -> Self {
        let mut connection = PolledConnection {
            met: Arc::new(met),
            relay,
            core: Core::new(timing, now),
            incoming: Incoming::new(agreed.opener),
            sealer: agreed.sealer,
            socket,
            ready_by: None,
            timer: now,
        };
        connection.received(rest, now);
        connection
    }

    /// The number of its socket.
    pub fn number(&self) -> u32 {
        self.socket.number()
    }

    /// Processes what has happened to its socket. An error ends the connection;
    /// [`Core::next_message`] returns it after the messages that arrived before.
    pub fn happened(&mut self, what: Happened<'_>, now: Duration) {
        match what {
            Happened::Opened => {}
            Happened::Received(bytes) => self.received(bytes, now),
            Happened::Ready => self.ready_by = None,
            Happened::Closed(error) => self.core.end(ConnectionError::Cut(error.kind())),
        }
    }

    fn received(&mut self, mut bytes: &[u8], now: Duration) {
        while !bytes.is_empty() && self.core.ended().is_none() {
            let room = self.incoming.room();
            let (taken, rest) = bytes.split_at(room.len().min(bytes.len()));
            room[..taken.len()].copy_from_slice(taken);
            let core = &mut self.core;
            let frames = self
                .incoming
                .received(taken.len(), |frame| core.received(frame, now));
            if let Err(why) = frames {
                self.core.end(why);
            }
            bytes = rest;
        }
    }

    /// Sends what may be sent now, and acts on the time. Closes the socket if the connection has ended.
    pub fn flush(&mut self, now: Duration) {
        let (mut frames, mut plain) = (Vec::new(), Vec::new());
        let mut accepted_by = Duration::MAX;
        self.timer = loop {
            if let Some(by) = self.ready_by {
                self.core.tick(now);
                if now >= by {
                    self.core.end(ConnectionError::Silent);
                }
                break match self.core.ended() {
                    None => by.min(self.core.next_timer()),
                    Some(_) => Duration::MAX,
                };
            }
            let until = match self.core.next_frame(now, &mut plain) {
                Ok(Task::Send { by }) => {
                    accepted_by = by;
                    self.sealer.seal(&plain, &mut frames);
                    if frames.len() >= BATCH {
                        self.send(&mut frames, by);
                    }
                    continue;
                }
                Ok(Task::Wait { until }) => until,
                Ok(Task::Close) | Err(_) => Duration::MAX,
            };
            self.send(&mut frames, accepted_by);
            break until.min(self.ready_by.unwrap_or(Duration::MAX));
        };
        if self.core.ended().is_some() {
            self.socket.close();
        }
    }

    /// Sends frames, which the peer must accept by this time.
    fn send(&mut self, frames: &mut Vec<u8>, by: Duration) {
        if !self.socket.send(frames) {
            self.ready_by = Some(by);
        }
        frames.clear();
    }

    /// The time at which [`flush`](Self::flush) must be called even if nothing happens.
    /// [`Duration::MAX`] if the connection has ended, or both sides may close it.
    pub fn timer(&self) -> Duration {
        self.timer
    }

    /// Whether everything was sent, including the goodbye, and the socket has accepted it.
    pub fn is_flushed(&self) -> bool {
        self.core.is_flushed() && self.ready_by.is_none()
    }
}

impl Joined {
    /// The keys of the peer.
    pub fn peer(&self) -> &PublicIdentity {
        &self.established.0.peer
    }

    /// The connection over the socket of the meeting.
    pub fn on<S: Sockets>(
        self,
        socket: Socket<S>,
        relay: Option<Place>,
        timing: Timing,
        now: Duration,
    ) -> PolledConnection<S> {
        PolledConnection::new(socket, relay, self.established, &self.rest, timing, now)
    }
}
