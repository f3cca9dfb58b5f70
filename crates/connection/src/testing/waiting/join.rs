//! A guest that meets its host, and a guest that uses a code: the caller waits for the result.

use std::sync::Arc;
use std::time::Duration;

use super::live::Connection;
use super::machine::{Machine, wait_for};
use crate::identity::{Address, Identity, Name, PublicIdentity};
use crate::{
    CodeCall, Credentials, Dial, Happened, Invite, MeetingError, Network, PolledConnection,
    SpokenCode, SpokenError, Timing,
};

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
        let (own, relay) = (self.credentials(), invite.relay().cloned().map(Into::into));
        self.meet(|network, now| {
            let addresses = invite.addresses();
            Dial::by_invite(network, own, invite, addresses, relay, self.timing, now)
        })
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
        let (own, relay) = (self.credentials(), relay.cloned().map(Into::into));
        self.meet(|network, now| {
            Dial::with_known(network, own, peer, addresses, relay, self.timing, now)
        })
    }

    fn credentials(&self) -> Credentials {
        Credentials {
            identity: Arc::clone(self.identity),
            name: self.name.clone(),
        }
    }

    fn meet(
        &self,
        begin: impl FnOnce(&Arc<Network>, Duration) -> Result<Dial<Arc<Network>>, MeetingError>,
    ) -> Result<Connection, MeetingError> {
        wait_for(begin, Connection::new, MeetingError::Connection)
    }
}

/// Gets the invite of the host that waits with this code at a relay. The code is void then, whatever
/// the result.
///
/// # Errors
/// [`SpokenError`].
pub fn use_code(relay: &Address, code: SpokenCode) -> Result<Invite, SpokenError> {
    let relay = relay.clone().into();
    let begin = |network: &Arc<Network>, now| Ok(CodeCall::new(network, &relay, code, now));
    wait_for(begin, |_, invite| invite, SpokenError::Relay)
}

impl Machine for Dial<Arc<Network>> {
    type Made = PolledConnection<Arc<Network>>;
    type Error = MeetingError;

    fn has(&self, socket: u32) -> bool {
        Dial::has(self, socket)
    }

    fn happened(
        &mut self,
        socket: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<Self::Made>, MeetingError> {
        Dial::happened(self, socket, what, now)
    }

    fn step(&mut self, now: Duration) -> Result<Option<Self::Made>, MeetingError> {
        Dial::step(self, now)
    }

    fn timer(&self) -> Duration {
        Dial::timer(self)
    }
}

impl Machine for CodeCall<Arc<Network>> {
    type Made = Invite;
    type Error = SpokenError;

    fn has(&self, socket: u32) -> bool {
        CodeCall::has(self, socket)
    }

    fn happened(
        &mut self,
        _: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Result<Option<Invite>, SpokenError> {
        CodeCall::happened(self, what, now)
    }

    fn step(&mut self, now: Duration) -> Result<Option<Invite>, SpokenError> {
        CodeCall::step(self, now).map(|()| None)
    }

    fn timer(&self) -> Duration {
        CodeCall::timer(self)
    }
}
