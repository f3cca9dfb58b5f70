//! A host that waits at a relay for its guest.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    Admits, DoorEvent, Happened, Invite, Place, PolledConnection, PolledDoor, Timing,
};
use dealerless_table::log::Header;

use super::own::Own;
use super::world::World;
use crate::event::Event;
use crate::peers::{Leaks, cannot_burn};

/// The pause after a guest that did not sit down.
pub(super) const PAUSE: Duration = Duration::from_secs(2);

/// The door of a host that waits at its relay.
pub(super) struct Reception<W: World> {
    world: W,
    door: PolledDoor<W>,
    leaks: Rc<RefCell<Leaks>>,
}

impl<W: World> Reception<W> {
    /// Waits from the time `first` on for the guest of an invite, a known player, or both.
    pub(super) fn new(
        own: &Own<W>,
        relay: &str,
        header: &Header,
        invite: Option<&Invite>,
        peer: Option<&PublicIdentity>,
        first: Duration,
    ) -> Self {
        let admits = Admits::Only {
            invite: invite.cloned(),
            players: peer.cloned().into_iter().collect(),
        };
        let (keys, invites) = (own.credentials(), Arc::clone(&own.invites));
        let (header, timing) = (header.encode(), Timing::default());
        let mut door = PolledDoor::new(&own.world, keys, admits, invites, header, timing);
        let relay = Place::Url(relay.to_owned());
        if let Some(invite) = invite {
            door.wait_for_invite(relay.clone(), invite, first);
        }
        if let Some(peer) = peer {
            door.wait_for_known(relay, peer, first);
        }
        Reception {
            world: own.world.clone(),
            door,
            leaks: Rc::clone(&own.leaks),
        }
    }

    /// Something has happened to a connection. Returns the connection to a guest that was met.
    pub(super) fn happened(
        &mut self,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Option<PolledConnection<W>> {
        self.door.happened(number, what, now);
        self.arrival()
    }

    /// Does all that is due. Returns the connection to a guest that was met.
    pub(super) fn step(&mut self, now: Duration) -> Option<PolledConnection<W>> {
        self.door.step(now);
        self.arrival()
    }

    /// Tells the player what has happened at the door, until a guest was met.
    fn arrival(&mut self) -> Option<PolledConnection<W>> {
        while let Some(event) = self.door.next_event() {
            let text = match event {
                DoorEvent::Connection(line) => return Some(*line),
                DoorEvent::InviteLeaked { invite, second } => {
                    match self.leaks.borrow_mut().notice(invite, &second) {
                        Some(text) => text,
                        None => continue,
                    }
                }
                DoorEvent::CannotBurn(error) => cannot_burn(&error),
                DoorEvent::RelayFails { relay, source } => format!(
                    "Nobody can join now: the relay {relay} cannot be reached, or is not a transit relay ({source}). \
                     Still trying."
                ),
                // A page offers no codes.
                DoorEvent::CodeVoid { .. } | DoorEvent::NewCode { .. } => continue,
            };
            self.world.report(&Event::Notice { text });
        }
        None
    }

    /// Ends all connections, until [`begin`](Self::begin).
    pub(super) fn stop(&mut self) {
        self.door.stop();
    }

    /// Waits again after [`stop`](Self::stop).
    pub(super) fn begin(&mut self, now: Duration) {
        self.door.begin(now);
    }

    /// The time of the next timer.
    pub(super) fn timer(&self) -> Duration {
        self.door.timer()
    }
}
