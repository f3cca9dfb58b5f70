//! A host that listens on this machine.

use std::net::SocketAddr;
use std::time::Duration;

use dealerless_connection::Invite;
use dealerless_connection::identity::Address;
use dealerless_seat::run::{Host, Hosted, Own, SeatWorld as _, door};
use dealerless_seat::seat::PlayerNeeds;
use dealerless_table::play::Proposal;

use super::driver::Native;

/// A host of a match of two that listens at this address, and the invite for its guest, who reaches it there.
///
/// # Errors
/// If it cannot listen there.
pub fn host(
    own: &Own<Native>,
    proposal: Proposal,
    at: SocketAddr,
    needs: PlayerNeeds,
    now: Duration,
) -> anyhow::Result<(Host<Native>, Invite)> {
    let mut door = door(own, own.world.sockets(), &proposal);
    let at = own.world.sockets().listen(&[at], &mut door)?;
    let invite = own.invite(at.into_iter().map(Address::from).collect(), None)?;
    let hosted = Hosted::new(proposal, invite.clone());
    let host = Host::new(own, door, hosted, needs, now);
    Ok((host, invite))
}
