//! A code, a meeting and a connection over a WebSocket to a relay.

use std::cell::Cell;
use std::io::ErrorKind;
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::system_rng;
use dealerless_connection::{
    Exchanged, Expected, Invite, MeetingError, PolledConnection, PolledMeeting, SpokenCode,
    SpokenError, SpokenExchange, Timing,
};

use crate::host;
use crate::own::Own;

/// How to reach a host, and how to authenticate to it.
#[derive(Clone)]
pub(crate) struct Route {
    /// The address of the relay: a URL of a WebSocket.
    pub(crate) relay: String,
    /// The invite of the host, if there is one.
    pub(crate) invite: Option<Box<Invite>>,
    /// The keys of the host, if they are known.
    pub(crate) peer: Option<PublicIdentity>,
}

/// A WebSocket, closed when dropped.
#[derive(Debug)]
struct Socket {
    number: u32,
    /// Whether it is open. The bytes to send wait for it.
    is_open: bool,
}

impl Socket {
    fn open(url: &str) -> Self {
        thread_local! {
            static LAST: Cell<u32> = const { Cell::new(0) };
        }
        let number = LAST.get() + 1;
        LAST.set(number);
        host::socket_open(number, url);
        Socket {
            number,
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
            host::socket_send(self.number, &bytes);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        host::socket_close(self.number);
    }
}

/// Something that happened to a socket.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Happened<'a> {
    Opened,
    Received(&'a [u8]),
    Closed,
}

/// A meeting over a socket to a relay: of a guest that calls its host, or of a host that waits for a guest.
pub(crate) struct Call {
    socket: Socket,
    meeting: PolledMeeting<'static>,
}

impl Call {
    /// Call number `number` on this route. Calls alternate between the invite and the host's keys: the
    /// host may know the invite without knowing the guest yet.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`]; [`MeetingError::NoAddress`] if the route has neither.
    pub(crate) fn new(
        own: &Own,
        route: &Route,
        number: u32,
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let (timing, keys) = (Timing::default(), (own.identity(), own.name));
        let meeting = match (&route.invite, &route.peer) {
            (Some(invite), peer) if number.is_multiple_of(2) || peer.is_none() => {
                PolledMeeting::by_invite(keys, invite, timing, now)
            }
            (_, Some(peer)) => PolledMeeting::with_known(keys, peer, timing, now)?,
            _ => return Err(MeetingError::NoAddress),
        };
        Ok(Call {
            socket: Socket::open(&route.relay),
            meeting,
        })
    }

    /// Waits at a relay for a guest, to whom the host proposes the match of this header.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`].
    pub(crate) fn waiting(
        own: &Own,
        relay: &str,
        expected: Expected,
        header: &'static [u8],
        now: Duration,
    ) -> Result<Self, MeetingError> {
        let (timing, keys) = (Timing::default(), (own.identity(), own.name));
        let meeting = PolledMeeting::as_host(keys, expected, own.invites, header, timing, now)?;
        Ok(Call {
            socket: Socket::open(relay),
            meeting,
        })
    }

    pub(crate) fn has(&self, socket: u32) -> bool {
        self.socket.number == socket
    }

    /// The time of the next timer.
    pub(crate) fn timer(&self) -> Duration {
        self.meeting.deadline()
    }

    /// Continues the meeting. Returns the connection when it is over.
    ///
    /// # Errors
    /// The meeting has failed.
    pub(crate) fn happened(
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
    pub(crate) fn tick(&mut self, now: Duration) -> Result<(), MeetingError> {
        self.meeting.received(&[], now).map(drop)
    }

    /// The connection over the socket of this call.
    pub(crate) fn connected(self, connection: PolledConnection) -> Line {
        Line {
            socket: self.socket,
            connection,
            timer: Duration::ZERO,
        }
    }
}

/// The exchange of a code for the invite of a host, over a socket to a relay.
pub(crate) struct CodeCall {
    socket: Socket,
    exchange: SpokenExchange,
}

impl CodeCall {
    pub(crate) fn new(relay: &str, code: SpokenCode, now: Duration) -> Self {
        CodeCall {
            socket: Socket::open(relay),
            exchange: SpokenExchange::as_guest(code, now),
        }
    }

    pub(crate) fn has(&self, socket: u32) -> bool {
        self.socket.number == socket
    }

    /// The time of the next timer.
    pub(crate) fn timer(&self) -> Duration {
        self.exchange.deadline()
    }

    /// Continues the exchange. Returns the invite when it is over.
    ///
    /// # Errors
    /// The exchange has failed, and the code may be void.
    pub(crate) fn happened(
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

/// A connection over a WebSocket.
pub(crate) struct Line {
    socket: Socket,
    pub(crate) connection: PolledConnection,
    /// The time of the next timer. [`Duration::MAX`] if nothing is to be sent any more.
    timer: Duration,
}

impl Line {
    pub(crate) fn number(&self) -> u32 {
        self.socket.number
    }

    pub(crate) fn has(&self, socket: u32) -> bool {
        self.socket.number == socket
    }

    pub(crate) fn timer(&self) -> Duration {
        self.timer
    }

    pub(crate) fn happened(&mut self, what: Happened<'_>, now: Duration) {
        match what {
            Happened::Opened => {}
            Happened::Received(bytes) => self.connection.received(bytes, now),
            Happened::Closed => self.connection.cut(),
        }
    }

    /// Sends what may be sent now.
    pub(crate) fn flush(&mut self, now: Duration) {
        let (frames, timer) = self.connection.outgoing(now);
        if !frames.is_empty() {
            host::socket_send(self.socket.number, &frames);
        }
        self.timer = timer.unwrap_or(Duration::MAX);
    }
}
