//! How a guest calls its host at a relay.

use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{Dial, Invite, MeetingError, Place, Timing};

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
