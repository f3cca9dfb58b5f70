//! The first meeting of two players, by an invite: Noise `XKpsk0`.
//!
//! ```text
//! guest -> host   prelude; psk, e, es
//! host  -> guest  e, ee
//! guest -> host   s, se        { identity, name, past }
//! host  -> guest  (transport)  { 1, identity, name, past, header, nonce } or { 0 }: already used
//! guest -> host   (transport)  { nonce }
//! ```
//!
//! The *past* is the chain of identities that the sender's identity has succeeded, padded to a
//! fixed length.

use std::sync::{Arc, Mutex};

use rand::CryptoRng;

use super::door::lock;
use super::error::{MeetingError, SecondGuest};
use super::invite::{Invite, InviteId};
use super::invites::Invites;
use super::meeting::{
    Credentials, MAX_HEADER, MAX_MEETING_MESSAGE, Met, Shown, Side, Step, Stepped, introduced,
    introduction, nonce, with_length,
};
use super::noise::{Handshake, NotGenuine, SHORT_MESSAGE};
use super::prelude::Prelude;
use crate::wire::{Reader, Writer};

const USED: u8 = 0;
const WELCOME: u8 = 1;

/// Starts the guest's side.
pub(super) fn as_guest(own: Credentials, invite: Invite, rng: &mut impl CryptoRng) -> Stepped {
    if invite.host_key == *own.identity.public().x25519() {
        return Err(MeetingError::Oneself);
    }
    let prelude = Prelude::First(invite.secret.id()).encode();
    let mut handshake =
        Handshake::first_guest(&own.identity, &invite.host_key, &invite.secret, &prelude);
    let first = [prelude, with_length(&handshake.write(&[]))].concat();
    let guests = nonce(rng);
    Ok(Step::exchange(first, SHORT_MESSAGE, move |second| {
        let empty = handshake
            .read(second)
            .map_err(|NotGenuine| MeetingError::WrongHost)?;
        if !empty.is_empty() {
            return Err(MeetingError::Broken("unexpected payload"));
        }
        let third = with_length(&handshake.write(&introduction(&own)));
        let mut agreed = handshake.finish();
        Ok(Step::exchange(third, MAX_MEETING_MESSAGE, move |answer| {
            let answer = agreed.open(answer)?;
            let mut reader = Reader::new(&answer);
            match reader.u8()? {
                WELCOME => {}
                USED => return Err(MeetingError::Used),
                _ => return Err(MeetingError::Broken("unknown answer")),
            }
            let (peer, peer_name) = introduced(&mut reader, &invite.host_key, &own)?;
            let header = reader.string(MAX_HEADER)?.to_vec();
            let hosts = reader.array()?;
            reader.finish()?;
            let last = agreed.seal(&guests);
            let met = Met {
                side: Side::Guest,
                peer: peer.current().clone(),
                succession: peer,
                peer_name,
                handshake_hash: agreed.handshake_hash,
                header,
                nonces: [hosts, guests],
                invite: Some(invite.secret.id()),
            };
            Ok(Step::over(last, Ok((met, agreed))))
        }))
    }))
}

/// Starts the host's side, after a prelude with the invite's `id`.
pub(super) fn as_host(
    own: Credentials,
    id: InviteId,
    invites: Arc<Mutex<Invites>>,
    header: Vec<u8>,
    rng: &mut impl CryptoRng,
) -> Stepped {
    let (secret, is_table) = {
        let invites = lock(&invites);
        (invites.secret(&id), invites.is_table_link(&id))
    };
    let secret = secret.ok_or(MeetingError::NotAnswered)?;
    // Many may hold the link of a table, so it proves less than the prelude of a known peer.
    let proves = move |shown| if is_table { Shown::Link } else { shown };
    let prelude = Prelude::First(id).encode();
    let mut handshake = Handshake::first_host(&own.identity, &secret, &prelude);
    let broken = |NotGenuine| MeetingError::Broken("invalid handshake message");
    let hosts = nonce(rng);
    let first = Step::exchange(Vec::new(), SHORT_MESSAGE, move |first| {
        handshake.read(first).map_err(broken)?;
        lock(&invites).answer(&id, first)?;
        let second = with_length(&handshake.write(&[]));
        // The guest knows the secret of the invite.
        let next = Step::exchange(second, MAX_MEETING_MESSAGE, move |third| {
            let payload = handshake.read(third).map_err(broken)?;
            let key = handshake
                .peer_key()
                .ok_or(MeetingError::Broken("missing key"))?;
            let mut reader = Reader::new(&payload);
            let (peer, peer_name) = introduced(&mut reader, &key, &own)?;
            reader.finish()?;

            // The new owner of the invite is on disk before the guest receives an answer.
            let holder = lock(&invites).burn(&id, peer.current())?;
            let mut agreed = handshake.finish();
            if let Some(first) = holder {
                let second = SecondGuest {
                    invite: id,
                    first,
                    second: peer.current().clone(),
                    name: peer_name,
                };
                let second = MeetingError::SecondGuest(Box::new(second));
                return Ok(Step::over(agreed.seal(&[USED]), Err(second)));
            }
            let mut answer = Writer::default();
            answer
                .u8(WELCOME)
                .raw(&introduction(&own))
                .string(&header)
                .raw(&hosts);
            let answer = agreed.seal(&answer.finish());
            let next = Step::exchange(answer, MAX_MEETING_MESSAGE, move |last| {
                let guests = agreed
                    .open(last)?
                    .try_into()
                    .map_err(|_| MeetingError::Broken("invalid length of a nonce"))?;
                let met = Met {
                    side: Side::Host,
                    peer: peer.current().clone(),
                    succession: peer,
                    peer_name,
                    handshake_hash: agreed.handshake_hash,
                    header,
                    nonces: [hosts, guests],
                    invite: Some(id),
                };
                Ok(Step::over(Vec::new(), Ok((met, agreed))))
            });
            Ok(next.shows(proves(Shown::Secret)))
        });
        Ok(next.shows(proves(Shown::Secret)))
    });
    Ok(first.shows(proves(Shown::Prelude)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::meeting::Meeting;
    use super::*;
    use crate::identity::{BadIdentity, Identity, Name, PublicIdentity, Succession};
    use crate::storage::MemoryVault;

    /// Runs both sides. The guest has the keys of `guest` and sends `introduction`. Returns the
    /// result of the host's side.
    fn host_meets(
        host: &Arc<Identity>,
        invites: &Arc<Mutex<Invites>>,
        id: InviteId,
        guest: &Identity,
        introduction: &[u8],
    ) -> Result<Met, MeetingError> {
        let own = Credentials {
            identity: Arc::clone(host),
            name: Name::clean("Anna"),
        };
        let first = as_host(own, id, Arc::clone(invites), Vec::new(), &mut rand::rng())?;
        let mut meeting = Meeting::host(first, [Duration::MAX; 2]);
        let mut send = |bytes: &[u8]| {
            let met = meeting.received(&mut &bytes[..], Duration::ZERO)?;
            Ok::<_, MeetingError>((met, meeting.outgoing()))
        };
        let secret = invites.lock().unwrap().secret(&id).unwrap();
        let prelude = Prelude::First(id).encode();
        let key = host.public().x25519();
        let mut handshake = Handshake::first_guest(guest, key, &secret, &prelude);
        let (_, second) = send(&with_length(&handshake.write(&[])))?;
        handshake.read(&second[2..]).unwrap();
        let (_, answer) = send(&with_length(&handshake.write(introduction)))?;
        let mut agreed = handshake.finish();
        agreed.open(&answer[2..])?;
        let (met, _) = send(&agreed.seal(&[0; 32]))?;
        Ok(met.unwrap().0)
    }

    #[test]
    fn a_guest_with_a_wrong_identity_is_refused_and_burns_no_invite() {
        let [host, guest, other] = [1, 2, 3].map(|seed| Arc::new(Identity::from_seed([seed; 32])));
        let invites = Invites::open(Box::<MemoryVault>::default()).unwrap();
        let invites = Arc::new(Mutex::new(invites));
        let id = {
            let own = host.public();
            let invite = invites.lock().unwrap().invite(own, Vec::new(), None);
            invite.unwrap().secret.id()
        };
        let introduced = |identity: &Arc<Identity>| {
            introduction(&Credentials {
                identity: Arc::clone(identity),
                name: Name::clean("Bob"),
            })
        };
        let honest = introduced(&guest);
        // A signed key of small order; keys that the guest does not hold; the host's own keys; a
        // name that is longer than the message; an extra byte.
        let small = [0; 32];
        let proof = guest.sign("identity", &[&small]);
        let small = [&guest.public().ed25519()[..], &small, &proof, &[1, 0, b'B']].concat();
        let foreign = introduced(&other);
        let hosts = introduced(&host);
        let mut long = honest.clone();
        long[PublicIdentity::LEN] = 0xff;
        let more = [&honest[..], &[0]].concat();
        // A chain with a count of links that are not there; with too many links; with non-zero
        // padding.
        let [mut claims, mut many, mut padding] = [0; 3].map(|_| honest.clone());
        let chain = honest.len() - Succession::PADDED;
        (claims[chain], many[chain], padding[chain + 9]) = (8, 255, 1);
        for wrong in [
            vec![],
            small,
            foreign,
            hosts,
            long,
            more,
            claims,
            many,
            padding,
            honest[..100].to_vec(),
            honest[..chain].to_vec(),
        ] {
            assert!(host_meets(&host, &invites, id, &guest, &wrong).is_err());
        }
        let foreign = introduced(&other);
        let error = host_meets(&host, &invites, id, &guest, &foreign)
            .err()
            .unwrap();
        assert!(matches!(error, MeetingError::Identity(BadIdentity::Proof)));
        assert!(invites.lock().unwrap().is_unused(&id));
        host_meets(&host, &invites, id, &guest, &honest).unwrap();
        assert!(!invites.lock().unwrap().is_unused(&id));
    }
}
