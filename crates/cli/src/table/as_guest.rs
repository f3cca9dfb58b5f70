//! The requirements of a guest of this program, and its connections to the other players.

use std::net::SocketAddr;
use std::sync::Arc;

use dealerless_connection::identity::{Address, Peer};
use dealerless_connection::{Network, Place, PolledDoor};
use dealerless_native::Native;
use dealerless_seat::run::{self, Requirements, Route, SeatWorld as _, Ways};
use dealerless_table::log::Header;

use super::door::{LISTEN_AS_GUEST, addresses_of, resolve};
use super::guest_terms::GuestTerms;
use super::own::Own;
use super::relays::Relays;
use super::route::route_to;
use crate::memory::Limit;

/// A guest of this program.
pub(crate) struct AsGuest {
    /// The terms, for a guest that may begin a match.
    pub(crate) terms: Option<(GuestTerms, Limit)>,
    /// Whether the player is asked before sitting down.
    pub(crate) asks: bool,
    ways: Arc<NativeWays>,
}

/// The means of this program to reach other players.
pub(crate) struct NativeWays {
    /// Numeric, so that nothing waits for the look-up of a name.
    listens_at: Vec<String>,
    relays: Relays,
}

impl NativeWays {
    /// The ways of a program that listens at these addresses for the other guests of a match. Empty: the addresses used
    /// before, or a free port.
    ///
    /// # Errors
    /// If an address cannot be resolved.
    pub(crate) fn new(own: &Own, listen: &[String]) -> anyhow::Result<Self> {
        Ok(NativeWays {
            listens_at: resolve(listen)?.iter().map(SocketAddr::to_string).collect(),
            relays: own.relays.clone(),
        })
    }
}

impl AsGuest {
    /// A guest with these ways, which accepts all terms.
    pub(crate) fn new(ways: NativeWays) -> Self {
        AsGuest {
            terms: None,
            asks: false,
            ways: Arc::new(ways),
        }
    }
}

impl Requirements<Native> for AsGuest {
    fn asks(&self) -> bool {
        self.asks
    }

    fn check(&self, _own: &run::Own<Native>, header: &Header) -> anyhow::Result<()> {
        let Some((terms, memory)) = &self.terms else {
            return Ok(());
        };
        let is_for_two = header.sealed().is_some();
        terms.check(&header.stakes)?;
        // A match of two players needs no consent.
        terms.check_may_leave(header, self.asks || is_for_two)?;
        terms.check_clock_and_shuffle(header, *memory)
    }

    fn ways(&self) -> Option<Arc<dyn Ways<Native>>> {
        Some(Arc::clone(&self.ways) as _)
    }
}

impl Ways<Native> for NativeWays {
    fn listens_at(&self) -> &[String] {
        &self.listens_at
    }

    fn listen(
        &self,
        own: &run::Own<Native>,
        door: &mut PolledDoor<Arc<Network>>,
        at: &[String],
    ) -> anyhow::Result<(Vec<String>, Vec<Address>)> {
        let at = match at {
            [] => resolve(&[LISTEN_AS_GUEST.to_owned()])?,
            at => resolve(at)?,
        };
        let listeners = own.world.sockets().listen(&at, door)?;
        // Without addresses, only this side calls.
        let addresses = addresses_of(&listeners).unwrap_or_default();
        let listeners = listeners.iter().map(SocketAddr::to_string).collect();
        Ok((listeners, addresses))
    }

    fn route(&self, peer: &Peer) -> Option<Route> {
        route_to(&self.relays, peer, &[] as &[Address]).ok()
    }

    fn relay(&self) -> Option<Place> {
        let relay = self.relays.own()?;
        Some(relay.tcp.clone().into())
    }
}
