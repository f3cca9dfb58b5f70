//! A code, a meeting and a connection at a relay.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::system_rng;
use dealerless_connection::{
    Exchanged, Expected, Invite, MeetingError, PolledConnection, PolledMeeting, SpokenCode,
    SpokenError, SpokenExchange, Timing,
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

/// A connection of the world, closed when dropped.
struct Socket<W: World> {
    world: W,
    number: u32,
    /// Whether it is open. The bytes to send wait for it.
    is_open: bool,
}

impl<W: World> Socket<W> {
    fn open(world: &W, url: &str) -> Self {
        Socket {
            number: world.connect(url),
            world: world.clone(),
            is_open: false,
        }
    }

    /// Notes an event. Returns the received bytes, or why the socket was closed.
    fn happened<'a>(&mut self, what: Happened<'a>) -> Result<&'a [u8], ErrorKind> {
        match what {
            Happened::Opened => {
                self.is_open = true;
                Ok(&[])
            }
            Happened::Received(bytes) => Ok(bytes),
            Happened::Closed if self.is_open => Err(ErrorKind::UnexpectedEof),
            Happened::Closed => Err(ErrorKind::ConnectionRefused),
        }
    }

    /// Sends the outgoing bytes if the socket is open.
    fn send(&self, outgoing: impl FnOnce() -> Vec<u8>) {
        if !self.is_open {
            return;
        }
        let bytes = outgoing();
        if !bytes.is_empty() {
            self.world.send(self.number, &bytes);
        }
    }
}

impl<W: World> Drop for Socket<W> {
    fn drop(&mut self) {
        self.world.close(self.number);
    }
}

/// Something that happened to a connection of a [`World`].
#[derive(Clone, Copy, Debug)]
pub enum Happened<'a> {
    /// It is open.
    Opened,
    /// Bytes have arrived.
    Received(&'a [u8]),
    /// It is closed, or could not be opened.
    Closed,
}

/// A meeting at a relay: of a guest that calls its host, or of a host that waits for a guest.
pub(super) struct Call<W: World> {
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
        let meeting = match (&route.invite, &route.peer) {
            (Some(invite), peer) if number.is_multiple_of(2) || peer.is_none() => {
                PolledMeeting::by_invite(keys, invite, timing, now)
            }
            (_, Some(peer)) => PolledMeeting::with_known(keys, peer, timing, now)?,
            _ => return Err(MeetingError::NoAddress),
        };
        Ok(Call {
            socket: Socket::open(&own.world, &route.relay),
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
        let meeting = PolledMeeting::as_host(
            keys,
            expected,
            Arc::clone(&own.invites),
            header,
            timing,
            now,
        )?;
        Ok(Call {
            socket: Socket::open(&own.world, relay),
            meeting,
        })
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.socket.number == number
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
    ) -> Result<Option<PolledConnection>, MeetingError> {
        let bytes = self.socket.happened(what);
        let bytes = bytes.map_err(|why| self.meeting.failed(why.into()))?;
        let met = self.meeting.received(bytes, now);
        self.socket.send(|| self.meeting.outgoing());
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
    pub(super) fn connected(self, connection: PolledConnection) -> Line<W> {
        Line {
            socket: self.socket,
            connection,
            timer: Duration::ZERO,
        }
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
            socket: Socket::open(world, relay),
            exchange: SpokenExchange::as_guest(code, now),
        }
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.socket.number == number
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
        let bytes = self.socket.happened(what);
        let bytes = bytes.map_err(|why| self.exchange.failed(why.into()))?;
        let exchanged = self.exchange.received(bytes, now, &mut system_rng());
        self.socket.send(|| self.exchange.outgoing());
        Ok(match exchanged? {
            Some(Exchanged::Received(invite)) => Some(invite),
            _ => None,
        })
    }
}

/// An encrypted connection to another player, at a relay.
pub struct Line<W: World> {
    socket: Socket<W>,
    /// The driver of the engine sends and reads its bytes in `connection.core`.
    pub connection: PolledConnection,
    /// The time of the next timer. [`Duration::MAX`] if nothing is to be sent any more.
    timer: Duration,
}

impl<W: World> Line<W> {
    pub(super) fn number(&self) -> u32 {
        self.socket.number
    }

    pub(super) fn has(&self, number: u32) -> bool {
        self.socket.number == number
    }

    pub(super) fn timer(&self) -> Duration {
        self.timer
    }

    pub(super) fn happened(&mut self, what: Happened<'_>, now: Duration) {
        match what {
            Happened::Opened => {}
            Happened::Received(bytes) => self.connection.received(bytes, now),
            Happened::Closed => self.connection.cut(),
        }
    }

    /// Sends what may be sent now.
    pub fn flush(&mut self, now: Duration) {
        let (frames, timer) = self.connection.outgoing(now);
        if !frames.is_empty() {
            self.socket.world.send(self.socket.number, &frames);
        }
        self.timer = timer.unwrap_or(Duration::MAX);
    }
}
