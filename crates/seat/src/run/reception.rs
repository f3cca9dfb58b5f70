//! A door, and what its events tell the player.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{
    Admits, DoorEvent, Happened, Invite, Place, PolledConnection, PolledDoor, Sockets, Timing,
};
use dealerless_table::log::Header;

use super::own::{Own, Stored};
use super::world::SeatWorld;
use crate::event::Event;
use crate::peers::{Leaks, cannot_burn};

/// A door, whose events are told to the player until somebody has come.
pub struct Reception<W: SeatWorld> {
    world: W,
    door: PolledDoor<W::Sockets>,
    leaks: Arc<Mutex<Leaks>>,
    /// Whether everybody must come through one relay.
    is_at_relay: bool,
}

/// A door for the guests of invites, and for known players. It does not listen yet.
pub fn door<S: Sockets, F>(own: &Stored<F>, sockets: &S, header: &Header) -> PolledDoor<S> {
    door_for(own, sockets, Admits::Invited(own.peers.clone()), header.encode())
}

/// A door for these players, who receive this header. It does not listen yet.
pub(super) fn door_for<S: Sockets, F>(
    own: &Stored<F>,
    sockets: &S,
    admits: Admits,
    header: Vec<u8>,
) -> PolledDoor<S> {
    let (keys, invites) = (own.credentials(), Arc::clone(&own.invites));
    PolledDoor::new(sockets, keys, admits, invites, header, Timing::default())
}

/// A door that waits at a relay for this player only, or otherwise for the guest of an invite and known players.
pub(super) fn door_at_relay<W: SeatWorld>(
    own: &Own<W>,
    relay: &str,
    header: &Header,
    (invite, peer): (Option<&Invite>, Option<&PublicIdentity>),
    now: Duration,
) -> PolledDoor<W::Sockets> {
    let admits = match peer {
        Some(peer) => Admits::Only {
            invite: None,
            players: vec![peer.clone()],
        },
        None => Admits::Invited(own.peers.clone()),
    };
    let mut door = door_for(own, own.world.sockets(), admits, header.encode());
    let relay = Place::Url(relay.to_owned());
    if let Some(invite) = invite {
        door.wait_for_invite(relay.clone(), invite, now);
    }
    if let Some(peer) = peer {
        door.wait_for_known(relay, peer, now);
    }
    door
}

/// What the player is told of an event at a door. `leaks` are those that the player was told of; with
/// `is_at_relay`, everybody must come through one relay.
pub fn notice<C>(event: DoorEvent<C>, leaks: &Mutex<Leaks>, is_at_relay: bool) -> Option<Event> {
    let text = match event {
        DoorEvent::InviteLeaked { invite, second } => {
            let mut leaks = leaks.lock().unwrap_or_else(PoisonError::into_inner);
            leaks.notice(invite, &second)?
        }
        DoorEvent::CannotBurn(error) => cannot_burn(&error),
        DoorEvent::RelayFails { relay, source } if is_at_relay => format!(
            "Nobody can join now: the relay {relay} cannot be reached, or is not a transit relay ({source}). \
             Still trying."
        ),
        // Others may come by the addresses of this side. In a match, no code is offered.
        DoorEvent::RelayFails { .. }
        | DoorEvent::CodeVoid { .. }
        | DoorEvent::NewCode { .. }
        | DoorEvent::Connection(_) => return None,
    };
    Some(Event::notice(text))
}

impl<W: SeatWorld> Reception<W> {
    /// Waits at a relay, at a [door](door_at_relay).
    pub(super) fn at_relay(own: &Own<W>, door: PolledDoor<W::Sockets>) -> Self {
        Reception {
            is_at_relay: true,
            ..Reception::of_door(own, door)
        }
    }

    /// Answers at a door.
    pub fn of_door(own: &Own<W>, door: PolledDoor<W::Sockets>) -> Self {
        Reception {
            world: own.world.clone(),
            door,
            leaks: Arc::clone(&own.leaks),
            is_at_relay: false,
        }
    }

    /// Whether a socket belongs to the door.
    pub(super) fn has(&self, number: u32) -> bool {
        self.door.has(number)
    }

    /// Something has happened to a connection. Returns the connection to a guest that was met.
    pub(super) fn happened(
        &mut self,
        number: u32,
        what: Happened<'_>,
        now: Duration,
    ) -> Option<PolledConnection<W::Sockets>> {
        self.door.happened(number, what, now);
        self.arrival()
    }

    /// Does all that is due. Returns the connection to a guest that was met.
    pub(super) fn step(&mut self, now: Duration) -> Option<PolledConnection<W::Sockets>> {
        self.door.step(now);
        self.arrival()
    }

    /// Tells the player what has happened at the door, until a guest was met.
    fn arrival(&mut self) -> Option<PolledConnection<W::Sockets>> {
        while let Some(event) = self.door.next_event() {
            if let DoorEvent::Connection(line) = event {
                return Some(*line);
            }
            if let Some(event) = notice(event, &self.leaks, self.is_at_relay) {
                self.world.report(&event);
            }
        }
        None
    }

    /// Passes on what has happened to a connection. The caller takes the [events](Self::next_event).
    pub(super) fn pass(&mut self, number: u32, what: Happened<'_>, now: Duration) {
        self.door.happened(number, what, now);
    }

    /// Does all that is due. The caller takes the [events](Self::next_event).
    pub(super) fn do_due(&mut self, now: Duration) {
        self.door.step(now);
    }

    /// The next event at the door.
    pub(super) fn next_event(&mut self) -> Option<DoorEvent<PolledConnection<W::Sockets>>> {
        self.door.next_event()
    }

    /// What the player is told of an event at the door.
    pub(super) fn notice_of<C>(&self, event: DoorEvent<C>) -> Option<Event> {
        notice(event, &self.leaks, self.is_at_relay)
    }

    /// Ends all codes. Their invites stay valid.
    pub(super) fn end_codes(&mut self) {
        self.door.end_codes();
    }

    /// Also waits for a known player at a relay.
    pub(super) fn wait_for_known(&mut self, relay: &Place, peer: &PublicIdentity, now: Duration) {
        self.door.wait_for_known(relay.clone(), peer, now);
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
