//! How a session begins: the two hellos, and the session id that binds everything to them.

use rand::CryptoRng;
use serde::{Deserialize, Serialize};

use super::Security;
use crate::circuit::Party;
use crate::crypto::SessionId;
use crate::net::hello::{MAX_BODY_BYTES, recv_hello, send_hello};
use crate::net::{Channel, Malformed, Tag, Transport, VERSION};
use crate::{Check, Disagreement, Error, Result, net};

/// The most bytes of terms that a hello carries: next to them in its body are the role, the
/// security, the nonce and their length.
pub const MAX_TERMS: usize = MAX_BODY_BYTES - (1 + 1 + 32 + 8);

const CONTEXT: &str = "dealerless 2026-11 session id v1";

/// What a party says first. The terms are those of the layer above (which game, which circuit);
/// here they are only compared by being hashed.
#[derive(Serialize, Deserialize)]
struct HelloBody {
    garbler: bool,
    malicious: bool,
    nonce: [u8; 32],
    terms: Vec<u8>,
}

/// Both parties have said hello: they speak the same version, play different roles and want the
/// same security.
pub struct Handshake {
    /// The hash of both hellos: nonces, roles, security, version and terms. Everything later in
    /// the session is bound to it.
    pub session: SessionId,
    /// Which party this is.
    pub party: Party,
    /// What both want to be protected against.
    pub security: Security,
    /// What the peer's hello said on the layer above.
    pub peer_terms: Vec<u8>,
}

impl Handshake {
    /// Exchanges hellos.
    ///
    /// # Errors
    /// [`Error::Usage`] if `terms` are longer than [`MAX_TERMS`]; [`Error::Disagreement`] if the
    /// peer plays the same role or wants other security; [`Error::Channel`] if it speaks another
    /// version or something else.
    pub fn perform<T: Transport>(
        channel: &mut Channel<T>,
        party: Party,
        security: Security,
        terms: &[u8],
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        if terms.len() > MAX_TERMS {
            return Err(Error::usage(format!(
                "terms of {} bytes; at most {MAX_TERMS} fit",
                terms.len()
            )));
        }
        channel.begin_phase("saying hello");
        let mut mine = HelloBody {
            garbler: party == Party::Garbler,
            malicious: security == Security::Malicious,
            nonce: [0; 32],
            terms: terms.to_vec(),
        };
        rng.fill_bytes(&mut mine.nonce);
        send_hello(channel, &mine)?;
        channel.flush()?;
        let outcome = recv_hello(channel)
            .map_err(Error::from)
            .and_then(|peer| compare(&mine, peer));
        let (session, peer_terms) = outcome.inspect_err(|_| channel.abort())?;
        Ok(Handshake {
            session,
            party,
            security,
            peer_terms,
        })
    }
}

fn compare(mine: &HelloBody, peer: HelloBody) -> Result<(SessionId, Vec<u8>)> {
    if mine.garbler == peer.garbler {
        return Err(Error::Disagreement(Disagreement::SameRole));
    }
    if mine.malicious != peer.malicious {
        let security = |malicious| match malicious {
            true => Security::Malicious,
            false => Security::SemiHonest,
        };
        return Err(Error::Disagreement(Disagreement::Security {
            theirs: security(peer.malicious),
            ours: security(mine.malicious),
        }));
    }
    if mine.nonce == peer.nonce {
        return Err(Error::Check(Check::HelloNonce));
    }
    if peer.terms.len() > MAX_TERMS {
        return Err(Error::Channel(net::Error::from(Malformed::TooLong {
            tag: Tag::HELLO,
            bytes: peer.terms.len(),
            limit: MAX_TERMS,
        })));
    }
    let (garbler, evaluator) = if mine.garbler {
        (mine, &peer)
    } else {
        (&peer, mine)
    };
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&[u8::from(mine.malicious)]);
    for hello in [garbler, evaluator] {
        hasher.update(&hello.nonce);
        hasher.update(&(hello.terms.len() as u64).to_le_bytes());
        hasher.update(&hello.terms);
    }
    Ok((SessionId(*hasher.finalize().as_bytes()), peer.terms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(garbler: bool, malicious: bool, nonce: u8, terms: &[u8]) -> HelloBody {
        HelloBody {
            garbler,
            malicious,
            nonce: [nonce; 32],
            terms: terms.to_vec(),
        }
    }

    #[test]
    fn the_session_id_is_that_of_both_hellos_and_the_same_on_both_sides() {
        let id = |malicious, nonces: [u8; 2], terms: [&[u8]; 2]| {
            let [garbler, evaluator] =
                [0, 1].map(|i| move || hello(i == 0, malicious, nonces[i], terms[i]));
            let (mine, heard) = compare(&garbler(), evaluator()).unwrap();
            assert_eq!(heard, terms[1]);
            let (theirs, heard) = compare(&evaluator(), garbler()).unwrap();
            assert_eq!(heard, terms[0]);
            assert_eq!(mine, theirs);
            mine
        };
        let ids = [
            id(true, [1, 2], [b"ab", b"c"]),
            id(false, [1, 2], [b"ab", b"c"]),
            id(true, [3, 2], [b"ab", b"c"]),
            id(true, [1, 3], [b"ab", b"c"]),
            id(true, [2, 1], [b"ab", b"c"]),
            id(true, [1, 2], [b"ad", b"c"]),
            id(true, [1, 2], [b"ab", b"d"]),
            id(true, [1, 2], [b"c", b"ab"]),
        ];
        for (i, id) in ids.iter().enumerate() {
            assert!(!ids[..i].contains(id), "{i}");
        }
    }

    #[test]
    fn a_hello_that_says_this_sides_nonce_or_too_many_terms_is_refused() {
        let mine = hello(true, true, 1, b"");
        let error = compare(&mine, hello(false, true, 1, b"")).unwrap_err();
        assert!(matches!(error, Error::Check(Check::HelloNonce)), "{error}");
        let error = compare(&mine, hello(false, true, 2, &[0; MAX_TERMS + 1])).unwrap_err();
        assert!(
            matches!(error, Error::Channel(net::Error::Malformed(Malformed::TooLong { bytes, .. })) if bytes > MAX_TERMS),
            "{error}"
        );
        assert!(compare(&mine, hello(false, true, 2, &[0; MAX_TERMS])).is_ok());
    }
}
