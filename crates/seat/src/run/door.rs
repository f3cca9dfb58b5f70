//! The doors of a player, and what their events tell the player.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dealerless_connection::identity::PublicIdentity;
use dealerless_connection::{Admits, DoorEvent, Invite, Place, PolledDoor, Sockets, Timing};
use dealerless_table::play::Proposal;

use super::own::{Own, Stored};
use super::world::SeatWorld;
use crate::event::Event;
use crate::peers::{Leaks, cannot_burn};

/// A door for the guests of invites, and for known players. It does not listen yet.
pub fn door<S: Sockets, F>(own: &Stored<F>, sockets: &S, proposal: &Proposal) -> PolledDoor<S> {
    let admits = Admits::Invited(own.peers.clone());
    door_for(own, sockets, admits, proposal.encode())
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
    proposal: &Proposal,
    invite: Option<&Invite>,
    peer: Option<&PublicIdentity>,
    now: Duration,
) -> PolledDoor<W::Sockets> {
    let admits = match peer {
        Some(peer) => Admits::Only {
            invite: None,
            players: vec![peer.clone()],
        },
        None => Admits::Invited(own.peers.clone()),
    };
    let mut door = door_for(own, own.world.sockets(), admits, proposal.encode());
    let relay = Place::Url(relay.to_owned());
    if let Some(invite) = invite {
        door.wait_for_invite(relay.clone(), invite, now);
    }
    if let Some(peer) = peer {
        door.wait_for_known(relay, peer, now);
    }
    door
}

/// Tells the player of an event at a door, if it concerns the player. `leaks` are those that the player was told of.
pub(super) fn report<W: SeatWorld, C>(world: &W, leaks: &Mutex<Leaks>, event: DoorEvent<C>) {
    let text = match event {
        DoorEvent::SecondGuest(met) => {
            let mut leaks = leaks.lock().unwrap_or_else(PoisonError::into_inner);
            leaks.notice(&met)
        }
        DoorEvent::CannotBurn(error) => Some(cannot_burn(&error)),
        // Nobody comes to a page by another way.
        DoorEvent::RelayFails { relay, source } if W::IN_PAGE => Some(format!(
            "Nobody can join now: the relay {relay} cannot be reached, or is not a transit relay ({source}). \
             Still trying."
        )),
        // In a match, no code is offered.
        // A program with a table handles it.
        DoorEvent::LinkUsedUp(_)
        | DoorEvent::RelayFails { .. }
        | DoorEvent::CodeVoid { .. }
        | DoorEvent::NewCode { .. }
        | DoorEvent::Connection(_) => None,
    };
    if let Some(text) = text {
        world.report(&Event::notice(text));
    }
}
