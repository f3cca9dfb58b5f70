//! A code, a meeting and a connection at a relay.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    Exchanged, Expected, Happened, Invite, Joined, MeetingError, Place, PolledConnection,
    PolledMeeting, Socket, SpokenCode, SpokenError, SpokenExchange, Timing, system_rng,
};

use super::own::Own;
use super::world::World;

/// How to reach a host, and how to authenticate to it.
#[derive(Clone)]
pub(super) struct Route {
    /// The URL of the relay.
    pub(super) relay: String,
    /// The invite of the host, if there is one.
    pub(super) invite: Option<Box<Invite>>,
    /// The keys of the host, if they are known.
    pub(super) peer: Option<PublicIdentity>,
}

/// Notes an event of a socket. Returns the received bytes, or why the socket was closed.
fn bytes_of<'a, W: World>(
    socket: &mut Socket<W>,
    what: Happened<'a>,
) -> Result<&'a [u8], ErrorKind> {
    match what {
        Happened::Opened => {
            socket.opened();
            Ok(&[])
        }
        Happened::Ready => Ok(&[]),
        Happened::Received(bytes) => Ok(bytes),
        Happened::Closed(_) if socket.is_open() => Err(ErrorKind::UnexpectedEof),
        Happened::Closed(_) => Err(ErrorKind::ConnectionRefused),
    }
}

/// A meeting at a relay: of a guest that calls its host, or of a host that waits for a guest.
pub(super) struct Call<W: World> {
    place: Place,
    socket: Socket<W>,
    meeting: PolledMeeting,
}

impl<W: World> Call<W> {
    /// Call number `number` on this route. Calls alternate between the invite and the host's keys: the
    /// host may know the invite without knowing the guest yet.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`]; [`MeetingError::NoAddress`] if the route has neither.
    pub(super) fn new(
        own: &Own<W>,
        route: &Route,
        number: u32,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let (timing, keys) = (Timing::default(), own.credentials());
        let place = Place::Url(route.relay.clone());
        let meeting = match (&route.invite, &route.peer) {
            (Some(invite), peer) if number.is_multiple_of(2) || peer.is_none() => {
                PolledMeeting::by_invite(keys, invite, timing, now)
            }
            (_, Some(peer)) => PolledMeeting::with_known(keys, peer, timing, now)?,
            _ => return Err(MeetingError::NoAddress),
        };
        Ok(Call {
            socket: Socket::open(&own.world, &place),
            place,
            meeting,
        })
    }

    /// Waits at a relay for a guest, to whom the host proposes the match of this header.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`].
    pub(super) fn waiting(
        own: &Own<W>,
        relay: &str,
        expected: Expected,
        header: Vec<u8>,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let (timing, keys) = (Timing::default(), own.credentials());
        let place = Place::Url(relay.to_owned());
        let meeting = PolledMeeting::as_host(
            keys,
            expected,
            Arc::clone(&own.invites),
            header,
            timing,
            now,
        )?;
        Ok(Call {
            socket: Socket::open(&own.world, &place),
            place,
            meeting,
        })
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.socket.number() == number
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        self.meeting.deadline()
    }

    /// Continues the meeting. Returns the connection when it is over.
    ///
    /// # Errors
    /// The meeting has failed.
    pub(super) fn happened(
        &mut self,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<Joined>, MeetingError> {
        let bytes = bytes_of(&mut self.socket, what);
        let bytes = bytes.map_err(|why| self.meeting.failed(why.into()))?;
        let met = self.meeting.received(bytes, now);
        if self.socket.is_open() {
            self.socket.send(&self.meeting.outgoing());
        }
        met
    }

    /// Acts on the time.
    ///
    /// # Errors
    /// The meeting has taken too long.
    pub(super) fn tick(&mut self, now: Duration) -> Result<(), MeetingError> {
        self.meeting.received(&[], now).map(drop)
    }

    /// The connection over the socket of this call.
    pub(super) fn connected(self, joined: Joined, now: Duration) -> PolledConnection<W> {
        let relay = Some(self.place);
        joined.on(self.socket, relay, Timing::default(), now)
    }
}

/// The exchange of a code for the invite of a host, at a relay.
pub(super) struct CodeCall<W: World> {
    socket: Socket<W>,
    exchange: SpokenExchange,
}

impl<W: World> CodeCall<W> {
    pub(super) fn new(world: &W, relay: &str, code: SpokenCode, now: Duration) -> Self {
        CodeCall {
            socket: Socket::open(world, &Place::Url(relay.to_owned())),
            exchange: SpokenExchange::as_guest(code, now),
        }
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.socket.number() == number
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        self.exchange.deadline()
    }

    /// Continues the exchange. Returns the invite when it is over.
    ///
    /// # Errors
    /// The exchange has failed, and the code may be void.
    pub(super) fn happened(
        &mut self,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<Invite>, SpokenError> {
        let bytes = bytes_of(&mut self.socket, what);
        let bytes = bytes.map_err(|why| self.exchange.failed(why.into()))?;
        let exchanged = self.exchange.received(bytes, now, &mut system_rng());
        if self.socket.is_open() {
            self.socket.send(&self.exchange.outgoing());
        }
        Ok(match exchanged? {
            Some(Exchanged::Received(invite)) => Some(invite),
            _ => None,
        })
    }
}
