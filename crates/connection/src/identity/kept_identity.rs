//! The identity of a player as it is kept: the identity itself, the identities that it has succeeded,
//! and its successor. Each is one value in a [`Vault`].

use std::fmt;
use std::io::{self, ErrorKind};

use rand::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::fingerprint::Fingerprint;
use super::keys::Identity;
use super::known_peers::{KnownPeers, PeersError};
use super::public::PublicIdentity;
use super::succession::{BadSuccession, Succession};
use crate::hash::Hash;
use crate::storage::Vault;

const FIRST_WORD: &str = "dealerless-identity-1";
/// More than the length of an identity, in bytes.
pub(super) const MAX_IDENTITY: usize = 256;
/// More than the length of the longest possible statement, in bytes.
const MAX_STATEMENT: usize = 16 << 10;

/// A value that is kept about an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The seed of the keys.
    Identity,
    /// The identities that it has succeeded.
    Succession,
    /// The identity that has succeeded it.
    Successor,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kept::Identity => "identity",
            Kept::Succession => "succession of the identity",
            Kept::Successor => "successor of the identity",
        })
    }
}

/// An identity cannot be loaded or created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// A stored value was modified or truncated, or the identity is missing. Nothing was changed.
    #[error("the stored {0} was modified or truncated; it was left unchanged")]
    Damaged(Kept),
    /// The identity has a successor and can no longer be used to play.
    #[error("this identity was succeeded by {0}: play with that identity")]
    Succeeded(Fingerprint),
    /// The identity was moved away and can no longer be used to play.
    #[error("this identity was moved away: play with the new identity that succeeds it")]
    Moved,
    /// The storage has failed.
    #[error("cannot read or write the stored {what}")]
    Io {
        /// The value.
        what: Kept,
        /// The cause.
        source: io::Error,
    },
}

/// The vaults in which an identity is kept. Nobody else uses them meanwhile.
pub struct IdentityVaults<'a> {
    /// The vault of the identity.
    pub identity: &'a mut dyn Vault,
    /// The vault of the identities that it has succeeded.
    pub succession: &'a mut dyn Vault,
    /// The vault of its successor, or of the mark that it was moved away.
    pub successor: &'a mut dyn Vault,
}

/// Why an identity can no longer be used to play where it is kept.
#[derive(Clone)]
pub enum Left {
    /// Another identity has succeeded it.
    To(Succession),
    /// It was moved away, and its successor is not known here.
    Moved,
}

/// The value in place of a successor of an identity that was moved away.
const MOVED: &str = "dealerless-moved-1\n";

/// An identity that was loaded.
pub struct KeptIdentity {
    /// The identity.
    pub identity: Identity,
    /// Whether the identity has a successor or was moved away. Then it can no longer be used to play.
    pub left: Option<Left>,
}

impl IdentityVaults<'_> {
    /// Loads the identity of a player, or creates one if nothing is kept.
    ///
    /// # Errors
    /// [`IdentityError`]. A stored value is never overwritten.
    pub fn load_or_create(
        &mut self,
        rng: &mut impl CryptoRng,
    ) -> Result<KeptIdentity, IdentityError> {
        if let Some(kept) = self.load()? {
            return Ok(kept);
        }
        self.create(rng)?;
        self.load()?.ok_or(IdentityError::Damaged(Kept::Identity))
    }

    /// Loads the identity. `None` if nothing is kept.
    ///
    /// # Errors
    /// [`IdentityError`]. An identity that can no longer be used to play is not an error.
    pub fn load(&mut self) -> Result<Option<KeptIdentity>, IdentityError> {
        let kept = text(self.identity, Kept::Identity, MAX_IDENTITY)?;
        let identity = kept.map(|text| decode(&text).ok_or(IdentityError::Damaged(Kept::Identity)));
        let identity = identity.transpose()?;
        let succession = statement(self.succession, Kept::Succession)?;
        let Some(identity) = identity else {
            return match (
                succession,
                text(self.successor, Kept::Successor, MAX_STATEMENT)?,
            ) {
                (None, None) => Ok(None),
                _ => Err(IdentityError::Damaged(Kept::Identity)),
            };
        };
        let identity = match succession {
            None => identity,
            Some(succession) => identity
                .having_succeeded(succession)
                .ok_or(IdentityError::Damaged(Kept::Succession))?,
        };
        let left = left(self.successor, identity.public())?;
        Ok(Some(KeptIdentity { identity, left }))
    }

    /// Creates an identity. Nothing is kept yet.
    pub(super) fn create(&mut self, rng: &mut impl CryptoRng) -> Result<(), IdentityError> {
        let text = encode(&Identity::generate(rng));
        let created = self.identity.keep(text.as_bytes());
        created.map_err(failed(Kept::Identity))
    }
}

/// The old identity cannot be succeeded by the new one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSucceed {
    /// The old identity already has a successor.
    #[error("the old identity was already succeeded by {0}: an identity has only one successor")]
    Before(Fingerprint),
    /// The old identity was moved away from this place.
    #[error("the old identity was moved away from here: use the file with the moved identity")]
    Moved,
    /// The new identity has already been used.
    #[error(
        "the new identity is not new: it has met a peer, played or succeeded another identity; use \
         --home with a folder that does not exist yet"
    )]
    NotNew,
    /// The new identity cannot be the successor, because the succession would not be valid.
    #[error("the old identity cannot be succeeded by this one")]
    Succession(#[from] BadSuccession),
    /// The known peers of one of the two identities cannot be used.
    #[error("cannot take over the known peers")]
    Peers(#[from] PeersError),
    /// A file cannot be written.
    #[error("cannot write the succession; nothing is lost; run the command again")]
    Io(#[from] io::Error),
}

/// A player who has just created an identity.
pub struct NewPlayer<'a> {
    /// The identity.
    pub identity: &'a Identity,
    /// The vault of the identities that it has succeeded.
    pub succession: &'a mut dyn Vault,
    /// The known peers.
    pub peers: KnownPeers,
    /// Whether there is a match of this identity.
    pub has_played: bool,
}

impl KeptIdentity {
    /// Returns the identity of a player who plays with it.
    ///
    /// # Errors
    /// [`IdentityError::Succeeded`] and [`IdentityError::Moved`].
    pub fn to_play(self) -> Result<Identity, IdentityError> {
        match self.left {
            None => Ok(self.identity),
            Some(Left::Moved) => Err(IdentityError::Moved),
            Some(Left::To(new)) => Err(IdentityError::Succeeded(new.current().fingerprint())),
        }
    }

    /// Makes the identity of `new` the successor of this old identity, and adds the `known` peers of
    /// the old identity to those of `new`. The vault `successor` belongs to the old identity.
    ///
    /// Once the first value is written, the old identity cannot be used to play. If the process is
    /// interrupted later, another call completes the change.
    ///
    /// Returns the whole succession, with the new identity at its end, and the number of added known
    /// peers.
    ///
    /// # Errors
    /// [`CannotSucceed`].
    pub fn be_succeeded(
        &self,
        successor: &mut dyn Vault,
        known: Option<KnownPeers>,
        new: NewPlayer<'_>,
    ) -> Result<(Succession, usize), CannotSucceed> {
        let succeeds = new.identity.succession();
        let succession = match &self.left {
            Some(Left::To(begun)) if begun.current() == new.identity.public() => begun.clone(),
            Some(Left::To(other)) => {
                return Err(CannotSucceed::Before(other.current().fingerprint()));
            }
            Some(Left::Moved) => return Err(CannotSucceed::Moved),
            None => {
                let succession = Succession::new(&self.identity, new.identity)?;
                let is_used = succeeds.past().len() > 0 || !new.peers.peers().is_empty();
                if new.has_played || is_used {
                    return Err(CannotSucceed::NotNew);
                }
                successor.keep(text_of(&succession).as_bytes())?;
                succession
            }
        };
        if *succeeds != succession {
            // An existing succession would be kept, but a new identity has none.
            new.succession.keep(text_of(&succession).as_bytes())?;
        }
        // With this `own`, `take_over` skips the keys of the old identity.
        let mut peers = new.peers.with_own(succession.clone());
        let known = known.map(KnownPeers::into_peers).unwrap_or_default();
        let peers = peers.take_over(known)?;
        Ok((succession, peers))
    }
}

/// What the vault of a successor says about the identity `of`.
pub(super) fn left(
    successor: &mut dyn Vault,
    of: &PublicIdentity,
) -> Result<Option<Left>, IdentityError> {
    let kept = text(successor, Kept::Successor, MAX_STATEMENT)?;
    if kept.is_some_and(|kept| *kept == MOVED) {
        return Ok(Some(Left::Moved));
    }
    match statement(successor, Kept::Successor)? {
        Some(new) if new.past().next_back() != Some(of) => {
            Err(IdentityError::Damaged(Kept::Successor))
        }
        new => Ok(new.map(Left::To)),
    }
}

/// Marks the identity as moved away in the vault of its successor.
pub(super) fn leave(successor: &mut dyn Vault, of: &PublicIdentity) -> Result<(), IdentityError> {
    match left(successor, of)? {
        None => successor
            .keep(MOVED.as_bytes())
            .map_err(failed(Kept::Successor)),
        Some(Left::Moved) => Ok(()),
        Some(Left::To(new)) => Err(IdentityError::Succeeded(new.current().fingerprint())),
    }
}

/// The text of a statement as it is kept.
fn text_of(succession: &Succession) -> String {
    format!("{succession}\n")
}

/// The succession statement in a vault, if there is one. An invalid statement is an error: if it were
/// ignored, an old identity could be used to play.
fn statement(vault: &mut dyn Vault, what: Kept) -> Result<Option<Succession>, IdentityError> {
    let Some(text) = text(vault, what, MAX_STATEMENT)? else {
        return Ok(None);
    };
    match text.parse::<Succession>() {
        Ok(succession) if text_of(&succession) == *text => Ok(Some(succession)),
        _ => Err(IdentityError::Damaged(what)),
    }
}

/// The text in a vault, if there is one. A text is damaged if it is longer than `max` bytes.
fn text(
    vault: &mut dyn Vault,
    what: Kept,
    max: usize,
) -> Result<Option<Zeroizing<String>>, IdentityError> {
    let bytes = match vault.kept() {
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            return Err(IdentityError::Damaged(what));
        }
        kept => kept.map_err(failed(what))?,
    };
    let Some(bytes) = bytes else { return Ok(None) };
    match str::from_utf8(&bytes) {
        Ok(text) if text.len() <= max => Ok(Some(Zeroizing::new(text.to_owned()))),
        _ => Err(IdentityError::Damaged(what)),
    }
}

fn failed(what: Kept) -> impl Fn(io::Error) -> IdentityError {
    move |source| IdentityError::Io { what, source }
}

/// Encodes an identity as one line: the word `dealerless-identity-1`, a space, and the seed and a
/// checksum in hexadecimal digits.
pub(super) fn encode(identity: &Identity) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(128));
    text.push_str(FIRST_WORD);
    text.push(' ');
    for byte in identity.seed().iter().chain(&checksum(identity.seed())) {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).expect("less than 16"));
        }
    }
    text.push('\n');
    text
}

fn checksum(seed: &[u8; 32]) -> [u8; 4] {
    let sum = Hash::new("identity file").field(seed).finish();
    [sum[0], sum[1], sum[2], sum[3]]
}

/// Decodes the text of an identity. Only outputs of [`encode`] are accepted.
pub(super) fn decode(text: &str) -> Option<Identity> {
    let digits = text.strip_prefix(FIRST_WORD)?.strip_prefix(' ')?.as_bytes();
    let mut seed = Zeroizing::new([0; 32]);
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |c: u8| char::from(c).to_digit(16);
        *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
    }
    let identity = Identity::from_seed(*seed);
    seed.zeroize();
    (*encode(&identity) == text).then_some(identity)
}
