//! Identities with their secret keys.

use std::fmt;

use ed25519_dalek::{Signer, SigningKey};
use rand::CryptoRng;
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use super::public::{PublicIdentity, agreed, signed};
use super::succession::Succession;
use crate::hash::Hash;

/// The keys of a player, all derived from one random seed.
///
/// An identity must not be copied to a second machine or restored from a backup: the copy could
/// sign a different part for a step that is already signed. Two such signatures convict the player.
pub struct Identity {
    seed: Zeroizing<[u8; 32]>,
    signing: SigningKey,
    noise: StaticSecret,
    succession: Succession,
}

impl Identity {
    /// Generates a new identity.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self::from_zeroizing(seed)
    }

    /// The identity derived from a seed.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn from_seed(seed: [u8; 32]) -> Self {
        Self::from_zeroizing(Zeroizing::new(seed))
    }

    fn from_zeroizing(seed: Zeroizing<[u8; 32]>) -> Self {
        let signing = SigningKey::from_bytes(&derived("sign", &seed));
        let noise = StaticSecret::from(*derived("noise", &seed));
        let x25519 = PublicKey::from(&noise).to_bytes();
        let proof = signing.sign(&signed("identity", &[&x25519])).to_bytes();
        let public = PublicIdentity::own(signing.verifying_key().to_bytes(), x25519, proof);
        Identity {
            seed,
            signing,
            noise,
            succession: public.into(),
        }
    }

    /// Adds the succession of this identity. `None` if the succession belongs to another identity.
    pub(super) fn having_succeeded(mut self, succession: Succession) -> Option<Self> {
        let fits = succession.current() == self.public();
        self.succession = succession;
        fits.then_some(self)
    }

    pub(super) fn seed(&self) -> &[u8; 32] {
        &self.seed
    }

    /// The public keys.
    pub fn public(&self) -> &PublicIdentity {
        self.succession.current()
    }

    /// This identity with the identities that it has succeeded. May be shown to anybody.
    pub fn succession(&self) -> &Succession {
        &self.succession
    }

    /// Signs fields for the purpose named by `tag`.
    pub fn sign(&self, tag: &str, fields: &[&[u8]]) -> [u8; 64] {
        self.signing.sign(&signed(tag, fields)).to_bytes()
    }

    /// The key for the MACs and the encrypted notes in the player's own files.
    pub fn file_key(&self) -> Zeroizing<[u8; 32]> {
        derived("file", &self.seed)
    }

    /// The private X25519 key for the Noise handshakes.
    pub(crate) fn noise_key(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.noise.to_bytes())
    }

    /// The secret shared with `peer`, from the static X25519 keys of both. `None` if the peer's key
    /// has small order.
    pub(crate) fn secret_with(&self, peer: &PublicIdentity) -> Option<PairSecret> {
        let dh = agreed(&self.noise, peer.x25519())?;
        let mut keys = [*self.public().x25519(), *peer.x25519()];
        keys.sort();
        Some(PairSecret { dh, keys })
    }
}

/// A secret that two identities share: `DH(static, static)` and both X25519 keys, the smaller one
/// first.
pub(crate) struct PairSecret {
    dh: Zeroizing<[u8; 32]>,
    keys: [[u8; 32]; 2],
}

impl PairSecret {
    /// Derives a value from the secret for the purpose named by `tag`: `H(tag, DH, both keys,
    /// fields)`.
    pub(crate) fn hash(&self, tag: &str, fields: &[&[u8]]) -> [u8; 32] {
        let hash = Hash::new(tag).field(&*self.dh);
        let hash = hash.field(&self.keys[0]).field(&self.keys[1]);
        fields
            .iter()
            .fold(hash, |hash, field| hash.field(field))
            .finish()
    }
}

fn derived(tag: &str, seed: &[u8; 32]) -> Zeroizing<[u8; 32]> {
    Zeroizing::new(Hash::new(tag).field(seed).finish())
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity")
            .field("public", self.public())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_keys_are_derived_from_the_seed() {
        let [a, b, c] = [1, 1, 2].map(|seed| Identity::from_seed([seed; 32]));
        assert_eq!(a.public(), b.public());
        assert_ne!(a.public(), c.public());
        assert_eq!(*a.file_key(), *b.file_key());
        assert_ne!(*a.file_key(), *a.noise_key());
    }

    #[test]
    fn a_secret_is_shared_by_exactly_two_identities() {
        let [a, b, c] = [1, 2, 3].map(|seed| Identity::from_seed([seed; 32]));
        let hash = |own: &Identity, peer: &Identity, tag, fields: &[&[u8]]| {
            own.secret_with(peer.public()).unwrap().hash(tag, fields)
        };
        let ab = hash(&a, &b, "relay", &[]);
        assert_eq!(hash(&b, &a, "relay", &[]), ab);
        assert_ne!(hash(&a, &c, "relay", &[]), ab);
        assert_ne!(hash(&a, &b, "relay", &[b"r"]), ab);
        assert_ne!(hash(&a, &b, "rendezvous", &[]), ab);
    }

    #[test]
    fn debug_output_shows_no_secret() {
        let printed = format!("{:?}", Identity::from_seed([171; 32]));
        assert!(
            !printed.contains("171") && !printed.contains("abab"),
            "{printed}"
        );
    }
}
