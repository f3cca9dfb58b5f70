//! What the player of a page needs and requires.

use anyhow::ensure;
use dealerless::shuffle::Algorithm;
use dealerless_connection::Invite;
use dealerless_connection::Place;
use dealerless_connection::identity::PublicIdentity;
use dealerless_table::log::Header;
use dealerless_table::play::DealCircuit;
use dealerless_table::rules::Stakes;

use super::finding::Route;
use super::joining::Requirements;
use super::matches;
use super::other_guests::Ways;
use super::own::Own;
use super::world::SeatWorld;
use crate::seat::PlayerNeeds;

/// The memory limit of a match, in bytes.
const MEMORY: u64 = 256 << 20;

/// The needs of the player.
pub(super) const NEEDS: PlayerNeeds = PlayerNeeds {
    pauses: true,
    each_second: false,
    never_asked: false,
    is_program: true,
    is_told_nothing: false,
};

/// The requirements of a guest in a page.
pub(super) struct InPage;

impl<W: SeatWorld> Requirements<W> for InPage {
    fn asks(&self) -> bool {
        true
    }

    fn check(&self, own: &Own<W>, header: &Header) -> anyhow::Result<()> {
        if let Some(terms) = header.sealed() {
            check_memory(&header.stakes, terms.algorithm)?;
        }
        matches::check_free(&own.files)
    }

    fn ways(&self) -> Option<&dyn Ways<W>> {
        None
    }
}

/// Checks the memory that a match takes, before a circuit is built.
///
/// # Errors
/// If it takes too much.
pub(super) fn check_memory(stakes: &Stakes, algorithm: Algorithm) -> anyhow::Result<()> {
    let memory = DealCircuit::estimate(stakes, algorithm)?.memory(1);
    ensure!(
        memory <= MEMORY,
        "the match takes {} MB of memory; this page takes at most {} MB",
        memory >> 20,
        MEMORY >> 20
    );
    Ok(())
}

/// The route of a page: through a relay with this URL.
pub(super) fn route_at(
    relay: String,
    invite: Option<Box<Invite>>,
    peer: Option<PublicIdentity>,
) -> Route {
    Route {
        invite,
        peer,
        addresses: Vec::new(),
        relay: Some(Place::Url(relay)),
    }
}
