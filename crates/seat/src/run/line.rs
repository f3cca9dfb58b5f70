//! How a guest calls its host, and how a host waits for its guest, at a relay.

use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    Dial, Expected, Happened, Invite, Joined, MeetingError, Place, PolledConnection, PolledMeeting,
    Socket, Timing,
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

impl Route {
    /// Call number `number` on this route. Calls alternate between the invite and the host's keys: the
    /// host may know the invite without knowing the guest yet.
    ///
    /// # Errors
    /// [`MeetingError::Oneself`]; [`MeetingError::NoAddress`] if the route has neither.
    pub(super) fn call<W: World>(
        &self,
        own: &Own<W>,
        number: u32,
        now: Duration,
    ) -> Result<Dial<W>, MeetingError> {
        let (timing, keys) = (Timing::default(), own.credentials());
        let relay = Some(Place::Url(self.relay.clone()));
        match (&self.invite, &self.peer) {
            (Some(invite), peer) if number.is_multiple_of(2) || peer.is_none() => {
                Dial::by_invite(&own.world, keys, invite, &[], relay, timing, now)
            }
            (_, Some(peer)) => Dial::with_known(&own.world, keys, peer, &[], relay, timing, now),
            _ => Err(MeetingError::NoAddress),
        }
    }
}

/// A host that waits at a relay for a guest.
pub(super) struct Call<W: World> {
    place: Place,
    socket: Socket<W>,
    meeting: PolledMeeting,
}

impl<W: World> Call<W> {
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
        let bytes = self.socket.happened(what);
        let bytes = bytes.map_err(|why| self.meeting.failed(why))?;
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
