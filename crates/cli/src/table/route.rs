//! Routes from a guest to another player of its match.

use anyhow::ensure;
use dealerless_connection::identity::{Address, Peer};
use dealerless_seat::run::Route;

use super::relays::Relays;

/// Returns the route to a known player: `at`, or without it the addresses of the last meeting, and a relay.
///
/// # Errors
/// If no address is known.
pub(crate) fn route_to(relays: &Relays, peer: &Peer, at: &[Address]) -> anyhow::Result<Route> {
    let addresses = if at.is_empty() { &peer.addresses } else { at };
    let relay = relays.with_known(peer.relay.as_ref()).into_iter().next();
    ensure!(
        !addresses.is_empty() || relay.is_some(),
        "no address of {} is known; give it with --at HOST:PORT, or a relay with --relay RELAY",
        peer.name
    );
    Ok(Route {
        invite: None,
        peer: Some(peer.identity.clone()),
        addresses: addresses.to_vec(),
        relay: relay.map(Into::into),
    })
}
