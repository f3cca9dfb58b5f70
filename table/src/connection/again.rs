//! Meetings of two players who know each other: Noise `KK`.
//!
//! The first message of `KK` can be replayed. Therefore the handshake carries no payload, and the
//! host changes no state before it receives the guest's first message after the handshake. Both
//! sides know each other's keys, so neither sends its past identities. A player with new keys must
//! use an invite.
//!
//! ```text
//! guest -> host   prelude; e, es, ss
//! host  -> guest  e, ee, se
//! guest -> host   (transport)  { name, nonce }
//! host  -> guest  (transport)  { name, header, nonce }
//! ```

use rand::CryptoRng;

use super::error::MeetingError;
use super::meeting::{MAX_HEADER, Met, Own, malformed, name, nonce, unanswered};
use super::noise::{Handshake, NotGenuine, SHORT_MESSAGE};
use super::prelude::Prelude;
use super::socket::{Socket, with_length};
use crate::identity::PublicIdentity;
use crate::wire::{Reader, Writer};

/// Runs the guest's side.
pub(super) fn as_guest(
    own: &Own,
    peer: &PublicIdentity,
    mut socket: Socket,
    rng: &mut impl CryptoRng,
) -> Result<Met, MeetingError> {
    let secret = own
        .identity
        .secret_with(peer)
        .ok_or(MeetingError::Oneself)?;
    let prelude = Prelude::again(&secret, rng).encode();
    let mut handshake = Handshake::again_guest(own.identity, peer, &prelude);
    let first = [prelude, with_length(&handshake.write(&[]))].concat();
    socket.write_all(&first).map_err(MeetingError::Connection)?;
    let second = socket.read_message(SHORT_MESSAGE).map_err(unanswered)?;
    handshake
        .read(&second)
        .map_err(|NotGenuine| MeetingError::WrongHost)?;
    let mut agreed = handshake.finish();

    let guests = nonce(rng);
    let mut message = Writer::default();
    message.string(own.name.as_str().as_bytes()).raw(&guests);
    agreed.send(&mut socket, &message.finish())?;
    let answer = agreed.recv(&mut socket)?;
    let mut reader = Reader::new(&answer);
    let peer_name = name(&mut reader)?;
    let header = reader.string(MAX_HEADER).map_err(malformed)?.to_vec();
    let hosts = reader.array().map_err(malformed)?;
    reader.finish().map_err(malformed)?;
    let (peer, nonces) = (peer.clone().into(), [hosts, guests]);
    Ok(Met {
        socket,
        agreed,
        peer,
        peer_name,
        header,
        nonces,
        first: false,
        invite: None,
    })
}

/// Runs the host's side, after a prelude of `peer`. Calls `verified` when the guest has proved that
/// it holds the keys of `peer`.
pub(super) fn as_host(
    own: &Own,
    peer: &PublicIdentity,
    prelude: Prelude,
    header: &[u8],
    mut socket: Socket,
    verified: impl FnOnce(),
    rng: &mut impl CryptoRng,
) -> Result<Met, MeetingError> {
    let mut handshake = Handshake::again_host(own.identity, peer, &prelude.encode());
    let first = socket
        .read_message(SHORT_MESSAGE)
        .map_err(MeetingError::Connection)?;
    let broken = |NotGenuine| MeetingError::Broken("invalid handshake message");
    handshake.read(&first).map_err(broken)?;
    let second = with_length(&handshake.write(&[]));
    socket
        .write_all(&second)
        .map_err(MeetingError::Connection)?;
    let mut agreed = handshake.finish();

    let message = agreed.recv(&mut socket)?;
    verified();
    let mut reader = Reader::new(&message);
    let peer_name = name(&mut reader)?;
    let guests = reader.array().map_err(malformed)?;
    reader.finish().map_err(malformed)?;
    let hosts = nonce(rng);
    let mut answer = Writer::default();
    answer
        .string(own.name.as_str().as_bytes())
        .string(header)
        .raw(&hosts);
    agreed.send(&mut socket, &answer.finish())?;
    let (peer, nonces, header) = (peer.clone().into(), [hosts, guests], header.to_vec());
    Ok(Met {
        socket,
        agreed,
        peer,
        peer_name,
        header,
        nonces,
        first: false,
        invite: None,
    })
}
