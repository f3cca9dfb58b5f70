//! How a session begins. The two parties exchange hellos, and have a [`Greeting`]: they know that
//! they speak the same version and what they want of each other. An engine takes the greeting, with
//! the channel in it, so that no greeting serves twice.

use rand::CryptoRng;
use serde::{Deserialize, Serialize};

use super::Security;
use super::attempts::{Attempts, Uncounted};
use super::channel_secret::{ChannelSecret, EphemeralKey};
use super::error::{Check, Disagreement, Error, Fault, Result};
use crate::circuit::Party;
use crate::crypto::SessionId;
use crate::net::hello::{MAX_BODY_BYTES, VERSION, recv_hello, send_hello};
use crate::net::{self, Channel, Malformed, Transport};

/// The most bytes of terms that a hello carries: next to them in its body are the role, the
/// security, its bits, nonce, key and the length of the terms.
pub const MAX_TERMS: usize = MAX_BODY_BYTES - (1 + 1 + 1 + 32 + 32 + 8);

/// Bits of statistical security, unless an offer says otherwise: 40, and 10 more because a peer may
/// try 2^10 times.
pub(super) const STATISTICAL_SECURITY: u8 = 50;

const CONTEXT: &str = "dealerless 2026-11 session id v1";

/// What a party wants of a session.
pub struct Offer<'a> {
    role: Party,
    security: Security,
    statistical: u8,
    terms: &'a [u8],
    binding: &'a [u8],
    attempts: Box<dyn Attempts>,
}

impl<'a> Offer<'a> {
    /// A session in which this party has `role`; the peer must have the other one and want the same
    /// security.
    pub fn new(role: Party, security: Security) -> Self {
        Offer {
            role,
            security,
            statistical: STATISTICAL_SECURITY,
            terms: &[],
            binding: &[],
            attempts: Box::new(Uncounted),
        }
    }

    /// What this party's hello says on the layer above, at most [`MAX_TERMS`] bytes.
    #[must_use]
    pub fn terms(mut self, terms: &'a [u8]) -> Self {
        self.terms = terms;
        self
    }

    /// What the channel is bound to: the handshake hash of the encryption below it. Not sent, and
    /// the same at both parties, or nothing that they say fits.
    #[must_use]
    pub fn bound_to(mut self, binding: &'a [u8]) -> Self {
        self.binding = binding;
        self
    }

    /// The bits of statistical security of each batch of triples, 50 unless it is said: 40, and the
    /// logarithm of how often a peer may try. It must be the same at both parties.
    #[must_use]
    pub fn statistical_security(mut self, bits: u8) -> Self {
        self.statistical = bits;
        self
    }

    /// Who counts the peer's attempts.
    #[must_use]
    pub fn counted_by(mut self, attempts: Box<dyn Attempts>) -> Self {
        self.attempts = attempts;
        self
    }
}

/// What a party says first. The terms are those of the layer above (which game, which circuit);
/// here they only go into the session id.
#[derive(Clone, Serialize, Deserialize)]
struct HelloBody {
    garbler: bool,
    malicious: bool,
    statistical: u8,
    nonce: [u8; 32],
    /// The public half of the line's key exchange.
    key: [u8; 32],
    terms: Vec<u8>,
}

/// Both parties have said hello: they speak the same version, have different roles and want the
/// same security.
pub struct Greeting<T: Transport> {
    channel: Channel<T>,
    role: Party,
    security: Security,
    peer_terms: Vec<u8>,
    secrets: Agreed,
}

/// What the engine needs of the greeting.
pub(super) struct Agreed {
    /// The hash of both hellos: nonces, keys, roles, security, version and terms. Everything later
    /// in the session is bound to it.
    pub(super) session: SessionId,
    pub(super) channel_secret: ChannelSecret,
    pub(super) statistical: u8,
    pub(super) attempts: Box<dyn Attempts>,
}

impl<T: Transport> Greeting<T> {
    /// Exchanges hellos.
    ///
    /// # Errors
    /// [`Error::Usage`] if the terms are longer than [`MAX_TERMS`], or fewer than 40 or more than
    /// 100 bits of statistical security are asked for; [`Error::Channel`] if the peer speaks
    /// something else or another version; [`Error::Disagreement`] if it has the same role or wants
    /// other security.
    pub fn exchange(
        mut channel: Channel<T>,
        offer: Offer<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        if offer.terms.len() > MAX_TERMS {
            return Err(Error::usage(format!(
                "terms of {} bytes; at most {MAX_TERMS} fit",
                offer.terms.len()
            )));
        }
        if !(40..=100).contains(&offer.statistical) {
            return Err(Error::usage("statistical security has 40 to 100 bits"));
        }
        channel.begin_phase("saying hello");
        let key = EphemeralKey::random(rng);
        let mut mine = HelloBody {
            garbler: offer.role == Party::Garbler,
            malicious: offer.security == Security::Malicious,
            statistical: offer.statistical,
            nonce: [0; 32],
            key: key.public(),
            terms: offer.terms.to_vec(),
        };
        rng.fill_bytes(&mut mine.nonce);
        let outcome = greet(&mut channel, &mine, offer.binding, key);
        let (session, channel_secret, peer_terms) = outcome.inspect_err(|_| channel.abort())?;
        Ok(Greeting {
            channel,
            role: offer.role,
            security: offer.security,
            peer_terms,
            secrets: Agreed {
                session,
                channel_secret,
                statistical: offer.statistical,
                attempts: offer.attempts,
            },
        })
    }

    /// This party's role.
    pub fn role(&self) -> Party {
        self.role
    }

    /// What both want to be protected against.
    pub fn security(&self) -> Security {
        self.security
    }

    /// What the peer's hello said on the layer above. It may hold anything.
    pub fn peer_terms(&self) -> &[u8] {
        &self.peer_terms
    }

    /// Leaves, and lets the peer know that it was on purpose.
    pub fn refuse(mut self) {
        self.channel.abort();
    }

    /// The channel and the hash of both hellos, for an engine of somebody else's.
    pub fn into_channel(self) -> (Channel<T>, [u8; 32]) {
        (self.channel, self.secrets.session.0)
    }

    /// The parts, for an engine of this security.
    ///
    /// # Errors
    /// [`Disagreement::Security`] if the parties want other security; the connection is closed then.
    pub(super) fn into_parts(mut self, security: Security) -> Result<(Channel<T>, Party, Agreed)> {
        if self.security != security {
            self.channel.abort();
            return Err(Error::Disagreement(Disagreement::Security {
                theirs: self.security,
                ours: security,
            }));
        }
        Ok((self.channel, self.role, self.secrets))
    }
}

fn greet<T: Transport>(
    channel: &mut Channel<T>,
    mine: &HelloBody,
    binding: &[u8],
    key: EphemeralKey,
) -> Result<(SessionId, ChannelSecret, Vec<u8>), Fault> {
    send_hello(channel, mine)?;
    channel.flush()?;
    let peer: HelloBody = recv_hello(channel)?;
    let session = compare(mine, &peer, binding)?;
    let channel_secret = key.agree(&peer.key, &session)?;
    Ok((session, channel_secret, peer.terms))
}

/// The session id of two hellos that fit together.
fn compare(mine: &HelloBody, peer: &HelloBody, binding: &[u8]) -> Result<SessionId, Fault> {
    if mine.garbler == peer.garbler {
        return Err(Fault::Disagreement(Disagreement::SameRole));
    }
    if mine.malicious != peer.malicious {
        let security = |malicious| match malicious {
            true => Security::Malicious,
            false => Security::SemiHonest,
        };
        return Err(Fault::Disagreement(Disagreement::Security {
            theirs: security(peer.malicious),
            ours: security(mine.malicious),
        }));
    }
    if mine.statistical != peer.statistical {
        return Err(Fault::Disagreement(Disagreement::StatisticalSecurity {
            theirs: peer.statistical,
            ours: mine.statistical,
        }));
    }
    if mine.nonce == peer.nonce {
        return Err(Fault::Check(Check::HelloNonce));
    }
    if peer.terms.len() > MAX_TERMS {
        let tag = net::Tag::HELLO;
        let (bytes, limit) = (peer.terms.len(), MAX_TERMS);
        return Err(Malformed::TooLong { tag, bytes, limit }.into());
    }
    let (garbler, evaluator) = match mine.garbler {
        true => (mine, peer),
        false => (peer, mine),
    };
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&[u8::from(mine.malicious), mine.statistical]);
    for hello in [garbler, evaluator] {
        hasher.update(&hello.nonce);
        hasher.update(&hello.key);
        hash_string(&mut hasher, &hello.terms);
    }
    hash_string(&mut hasher, binding);
    Ok(SessionId(*hasher.finalize().as_bytes()))
}

fn hash_string(hasher: &mut blake3::Hasher, string: &[u8]) {
    hasher.update(&(string.len() as u64).to_le_bytes());
    hasher.update(string);
}
