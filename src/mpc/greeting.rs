//! The start of a session. The parties exchange hellos, and each party obtains a [`Greeting`]. It
//! shows that both parties speak the same version and want matching sessions. An engine consumes
//! the greeting and the channel in it, so that no greeting is used twice.

use rand::CryptoRng;
use serde::{Deserialize, Serialize};

use super::EngineKind;
use super::attempts::{Attempts, Uncounted};
use super::channel_secret::{ChannelSecret, EphemeralKey};
use super::error::{Check, Disagreement, Error, Fault, Result};
use crate::circuit::Party;
use crate::crypto::SessionId;
use crate::net::hello::{MAX_BODY_BYTES, VERSION, recv_hello, send_hello};
use crate::net::{self, Channel, Malformed};

/// The maximum size of the terms in a hello, in bytes (see [`Offer::terms`]). The body of the hello
/// also holds the role, the engine, the bits of statistical security, the nonce, the key and
/// the length of the terms.
pub const MAX_TERMS: usize = MAX_BODY_BYTES - (1 + 1 + 1 + 32 + 32 + 8);

/// The default number of bits of statistical security: 40, plus 10 because a peer may make 2^10
/// attempts.
pub const STATISTICAL_SECURITY: u8 = 50;

/// Checks that `bits` is a valid number of bits of statistical security.
///
/// # Errors
/// [`Error::Usage`] if `bits` is not between 40 and 80.
pub(super) fn check_statistical(bits: u8) -> Result<()> {
    match bits {
        40..=80 => Ok(()),
        _ => Err(Error::usage("statistical security must be 40 to 80 bits")),
    }
}

const CONTEXT: &str = "dealerless 2026-11 session id v1";

/// The parameters of the session that a party wants.
pub struct Offer<'a> {
    role: Party,
    engine: EngineKind,
    statistical: u8,
    terms: &'a [u8],
    binding: &'a [u8],
    attempts: Box<dyn Attempts>,
}

impl<'a> Offer<'a> {
    /// An offer for a session in which this party has `role`. The peer must have the other role and
    /// want the same engine.
    pub fn new(role: Party, engine: EngineKind) -> Self {
        Offer {
            role,
            engine,
            statistical: STATISTICAL_SECURITY,
            terms: &[],
            binding: &[],
            attempts: Box::new(Uncounted),
        }
    }

    /// Sets the terms: bytes in this party's hello that the caller chooses, at most [`MAX_TERMS`].
    /// The peer reads them with [`Greeting::peer_terms`].
    #[must_use]
    pub fn terms(mut self, terms: &'a [u8]) -> Self {
        self.terms = terms;
        self
    }

    /// Binds the session to the connection that carries it. `binding` is, for example, the
    /// handshake hash of an encrypted connection. `binding` is not sent. If the two parties pass
    /// different bytes, the session fails.
    #[must_use]
    pub fn bound_to(mut self, binding: &'a [u8]) -> Self {
        self.binding = binding;
        self
    }

    /// Sets the number of bits of statistical security of each batch of triples. The default is 50.
    /// The number should be 40 plus the binary logarithm of the number of attempts that a peer may
    /// make. Both parties must choose the same number.
    #[must_use]
    pub fn statistical_security(mut self, bits: u8) -> Self {
        self.statistical = bits;
        self
    }

    /// Sets the counter of the steps in which the peer could cheat. The default does not count
    /// them.
    #[must_use]
    pub fn counted_by(mut self, attempts: Box<dyn Attempts>) -> Self {
        self.attempts = attempts;
        self
    }
}

/// The body of a hello, the first message. The caller chooses the terms (for example the game and
/// the circuit); this module only hashes them into the session id.
#[derive(Clone, Serialize, Deserialize)]
struct HelloBody {
    garbler: bool,
    /// The number of the engine.
    engine: u8,
    statistical: u8,
    nonce: [u8; 32],
    /// The sender's public key for the [channel secret](ChannelSecret).
    key: [u8; 32],
    terms: Vec<u8>,
}

/// A channel on which both parties have exchanged hellos. The parties speak the same version, have
/// different roles and want the same engine.
pub struct Greeting {
    channel: Channel,
    role: Party,
    engine: EngineKind,
    peer_terms: Vec<u8>,
    secrets: Agreed,
}

/// The parts of the greeting that an engine needs.
pub(super) struct Agreed {
    /// The session id: the hash of both hellos and of the binding. All later messages depend on it.
    pub(super) session: SessionId,
    pub(super) channel_secret: ChannelSecret,
    pub(super) statistical: u8,
    pub(super) attempts: Box<dyn Attempts>,
}

impl Greeting {
    /// Exchanges hellos.
    ///
    /// # Errors
    /// [`Error::Usage`] if the terms are longer than [`MAX_TERMS`], or the bits of statistical
    /// security are not between 40 and 80; [`Error::Channel`] if the peer speaks a different
    /// protocol or version; [`Error::Disagreement`] if the peer has the same role or wants
    /// another engine.
    pub fn exchange(
        mut channel: Channel,
        offer: Offer<'_>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self> {
        if offer.terms.len() > MAX_TERMS {
            return Err(Error::usage(format!(
                "the terms have {} bytes; the limit is {MAX_TERMS}",
                offer.terms.len()
            )));
        }
        check_statistical(offer.statistical)?;
        channel.begin_phase("saying hello");
        let key = EphemeralKey::random(rng);
        let mut mine = HelloBody {
            garbler: offer.role == Party::Garbler,
            engine: offer.engine.number(),
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
            engine: offer.engine,
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

    /// The engine that both parties want.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// The terms in the peer's hello. They may be any bytes.
    pub fn peer_terms(&self) -> &[u8] {
        &self.peer_terms
    }

    /// Sends an abort and closes the connection.
    pub fn refuse(mut self) {
        self.channel.abort();
    }

    /// Returns the channel and the session id, for an engine outside this crate.
    pub fn into_channel(self) -> (Channel, [u8; 32]) {
        (self.channel, self.secrets.session.0)
    }

    /// Returns the channel, the role and the secrets, for an engine of the given kind.
    ///
    /// # Errors
    /// [`Disagreement::Engine`] if the parties have agreed on another engine. In this case
    /// the connection is closed.
    pub(super) fn into_parts(mut self, engine: EngineKind) -> Result<(Channel, Party, Agreed)> {
        if self.engine != engine {
            self.channel.abort();
            return Err(Error::Disagreement(Disagreement::Engine {
                theirs: self.engine,
                ours: engine,
            }));
        }
        Ok((self.channel, self.role, self.secrets))
    }
}

fn greet(
    channel: &mut Channel,
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

/// Checks that two hellos are compatible. Returns their session id.
fn compare(mine: &HelloBody, peer: &HelloBody, binding: &[u8]) -> Result<SessionId, Fault> {
    if mine.garbler == peer.garbler {
        return Err(Fault::Disagreement(Disagreement::SameRole));
    }
    if mine.engine != peer.engine {
        let (theirs, ours) = (engine(peer)?, engine(mine)?);
        return Err(Fault::Disagreement(Disagreement::Engine { theirs, ours }));
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
    let (garbler, evaluator) = if mine.garbler {
        (mine, peer)
    } else {
        (peer, mine)
    };
    let mut hasher = blake3::Hasher::new_derive_key(CONTEXT);
    hasher.update(&VERSION.to_le_bytes());
    hasher.update(&[mine.engine, mine.statistical]);
    for hello in [garbler, evaluator] {
        hasher.update(&hello.nonce);
        hasher.update(&hello.key);
        hash_string(&mut hasher, &hello.terms);
    }
    hash_string(&mut hasher, binding);
    Ok(SessionId(*hasher.finalize().as_bytes()))
}

fn engine(hello: &HelloBody) -> Result<EngineKind, Malformed> {
    let mut kinds = EngineKind::ALL.into_iter();
    let kind = kinds.find(|kind| kind.number() == hello.engine);
    kind.ok_or(Malformed::Undecodable(net::Tag::HELLO))
}

fn hash_string(hasher: &mut blake3::Hasher, string: &[u8]) {
    hasher.update(&(string.len() as u64).to_le_bytes());
    hasher.update(string);
}
