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
use super::meeting::{
    Credentials, MAX_HEADER, MAX_MEETING_MESSAGE, Met, Side, Step, Stepped, name, nonce,
    with_length,
};
use super::noise::{Handshake, NotGenuine, SHORT_MESSAGE};
use super::prelude::Prelude;
use crate::identity::PublicIdentity;
use crate::wire::{Reader, Writer};

/// Starts the guest's side.
pub(super) fn as_guest(
    own: Credentials,
    peer: PublicIdentity,
    rng: &mut impl CryptoRng,
) -> Stepped {
    let secret = own
        .identity
        .secret_with(&peer)
        .ok_or(MeetingError::Oneself)?;
    let prelude = Prelude::again(&secret, rng).encode();
    let mut handshake = Handshake::again_guest(&own.identity, &peer, &prelude);
    let first = [prelude, with_length(&handshake.write(&[]))].concat();
    let guests = nonce(rng);
    Ok(Step::exchange(first, SHORT_MESSAGE, move |second| {
        handshake
            .read(second)
            .map_err(|NotGenuine| MeetingError::WrongHost)?;
        let mut agreed = handshake.finish();
        let mut message = Writer::default();
        message.string(own.name.as_str().as_bytes()).raw(&guests);
        let message = agreed.seal(&message.finish());
        Ok(Step::exchange(
            message,
            MAX_MEETING_MESSAGE,
            move |answer| {
                let answer = agreed.open(answer)?;
                let mut reader = Reader::new(&answer);
                let peer_name = name(&mut reader)?;
                let header = reader.string(MAX_HEADER)?.to_vec();
                let hosts = reader.array()?;
                reader.finish()?;
                let met = Met {
                    side: Side::Guest,
                    succession: peer.clone().into(),
                    peer,
                    peer_name,
                    handshake_hash: agreed.handshake_hash,
                    header,
                    nonces: [hosts, guests],
                    invite: None,
                };
                Ok(Step::over(Vec::new(), Ok((met, agreed))))
            },
        ))
    }))
}

/// Starts the host's side, after a prelude of `peer`.
pub(super) fn as_host(
    own: Credentials,
    peer: PublicIdentity,
    prelude: Prelude,
    header: Vec<u8>,
    rng: &mut impl CryptoRng,
) -> Stepped {
    let mut handshake = Handshake::again_host(&own.identity, &peer, &prelude.encode());
    let hosts = nonce(rng);
    Ok(Step::exchange(Vec::new(), SHORT_MESSAGE, move |first| {
        handshake
            .read(first)
            .map_err(|NotGenuine| MeetingError::Broken("invalid handshake message"))?;
        let second = with_length(&handshake.write(&[]));
        let mut agreed = handshake.finish();
        Ok(Step::exchange(
            second,
            MAX_MEETING_MESSAGE,
            move |message| {
                let message = agreed.open(message)?;
                let mut reader = Reader::new(&message);
                let peer_name = name(&mut reader)?;
                let guests = reader.array()?;
                reader.finish()?;
                let mut answer = Writer::default();
                answer
                    .string(own.name.as_str().as_bytes())
                    .string(&header)
                    .raw(&hosts);
                let answer = agreed.seal(&answer.finish());
                let met = Met {
                    side: Side::Host,
                    succession: peer.clone().into(),
                    peer,
                    peer_name,
                    handshake_hash: agreed.handshake_hash,
                    header,
                    nonces: [hosts, guests],
                    invite: None,
                };
                Ok(Step::over(answer, Ok((met, agreed))))
            },
        ))
    }))
}
