//! A door, which accepts connections, and its addresses.

use std::cmp::Reverse;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use anyhow::Context;
use dealerless::net::system_time;
use dealerless_connection::identity::{Address, PublicIdentity};
use dealerless_connection::{Network, PolledDoor, network, own_addresses};
use dealerless_seat::event::Event;
use dealerless_seat::run::door;
use dealerless_table::play::Proposal;

use super::own::Own;

/// A door of this program, and the addresses of its listeners.
pub(crate) struct OpenDoor {
    pub(crate) door: PolledDoor<Arc<Network>>,
    pub(crate) listeners: Vec<SocketAddr>,
}

impl OpenDoor {
    /// Opens a door for guests to whom this is proposed.
    ///
    /// # Errors
    /// If the door cannot listen on these addresses.
    pub(crate) fn open(own: &Own, proposal: &Proposal, listen: &[String]) -> anyhow::Result<Self> {
        let network = network().context("cannot wait for connections")?;
        let mut door = door(own, &network, proposal);
        let listeners = network.listen(&resolve(listen)?, &mut door)?;
        Ok(OpenDoor { door, listeners })
    }

    /// The addresses, as texts.
    pub(crate) fn listens_at(&self) -> Vec<String> {
        self.listeners.iter().map(SocketAddr::to_string).collect()
    }

    /// The event that lists the addresses.
    pub(crate) fn listening(&self) -> Event {
        Event::Listening {
            addresses: self.listens_at(),
        }
    }

    /// Waits for known peers at the relays where they may look for this player: first for those in `expected`, then for
    /// those that were met last.
    pub(crate) fn wait_at_relays(&mut self, own: &Own, expected: &[PublicIdentity]) {
        let mut peers = own.peers.lock().peers().to_vec();
        peers.sort_by_key(|peer| (!expected.contains(&peer.identity), Reverse(peer.last_seen)));
        let at_relays = peers.iter().flat_map(|peer| {
            let relays = own.relays.with_known(peer.relay.as_ref()).into_iter();
            relays.map(|relay| (&peer.identity, relay))
        });
        let now = system_time();
        for (peer, relay) in at_relays.take(MOST_AT_RELAYS) {
            self.door.wait_for_known(relay.into(), peer, now);
        }
    }
}

/// The address on which a host listens by default.
pub(crate) const LISTEN: &str = "0.0.0.0:5252";
/// The address on which a guest listens for other guests by default: a free port.
pub(crate) const LISTEN_AS_GUEST: &str = "0.0.0.0:0";
/// The maximum number of relay connections on which a host waits for known peers. A relay limits the
/// connections of an address.
const MOST_AT_RELAYS: usize = 32;

/// The addresses at which others may reach these listeners, the best first.
///
/// # Errors
/// If the system does not list the addresses of this machine.
pub(crate) fn addresses_of(listeners: &[SocketAddr]) -> anyhow::Result<Vec<Address>> {
    let mut all = Vec::new();
    for &at in listeners {
        if at.ip().is_unspecified() {
            let own = own_addresses(at.port()).context("cannot list the addresses")?;
            // A listener on IPv4 does not accept connections over IPv6. A listener on IPv6 usually
            // accepts IPv4 too.
            let fits = |address: &SocketAddr| at.is_ipv6() || address.is_ipv4();
            all.extend(own.into_iter().filter(fits).map(Address::from));
        } else {
            all.push(at.into())
        }
    }
    Ok(all)
}

/// Resolves the addresses at which a door should listen.
///
/// # Errors
/// If an address cannot be resolved.
pub(crate) fn resolve(listen: &[String]) -> anyhow::Result<Vec<SocketAddr>> {
    let mut all = Vec::new();
    for text in listen {
        let mut found = text
            .to_socket_addrs()
            .with_context(|| format!("{text} is not an address of this machine"))?;
        all.push(
            found
                .next()
                .with_context(|| format!("{text} is not an address"))?,
        );
    }
    Ok(all)
}
