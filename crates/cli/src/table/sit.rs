//! The guest of a host, before a match.

use dealerless_connection::identity::{Address, PeersError, PublicIdentity};
use dealerless_connection::{Connection, ConnectionError, Side};
use dealerless_seat::peers::{self, MetPeer};
use dealerless_table::play::Control;

use super::own::Own;

/// Sends a control message.
///
/// # Errors
/// If the connection has ended.
pub(crate) fn send(connection: &Connection, control: Control) -> Result<(), ConnectionError> {
    connection.send_control(control.encode())
}

/// [Recognises](peers::recognise) a connected peer, and stores the relay at which to meet it again: that
/// of the connection, or otherwise the relay in the invite by which the players met. Returns a notice for
/// the player if the keys are new.
///
/// # Errors
/// If the peer's keys are not accepted, or the list cannot be written.
pub(crate) fn recognise(
    own: &Own,
    connection: &Connection,
    in_invite: Option<&Address>,
) -> Result<Option<String>, PeersError> {
    let at: Vec<_> = connection.at.iter().map(|at| (*at).into()).collect();
    let met = MetPeer {
        succession: &connection.met.succession,
        name: &connection.met.peer_name,
        // The address of the connection is only useful if the peer is the host, which listens there.
        addresses: match connection.met.side {
            Side::Guest => &at,
            Side::Host => &[],
        },
        relay: connection.relay.as_ref().or(in_invite),
    };
    peers::recognise(&mut own.peers.lock(), own.home.identity().public(), met)
}

/// Whether this side's player has blocked these keys.
pub(crate) fn is_blocked(own: &Own, peer: &PublicIdentity) -> bool {
    peers::is_blocked(&own.peers.lock(), peer)
}
