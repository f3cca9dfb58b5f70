//! Identities without their secret keys.

use std::fmt;

use ed25519_dalek::{Signature, VerifyingKey};
use x25519_dalek::{PublicKey, StaticSecret};

use super::fingerprint::Fingerprint;
use super::name::Name;
use crate::hash::Hash;
use crate::wire::{Malformed, Reader};

/// The public keys of an identity: an Ed25519 signing key, an X25519 connection key, and a
/// signature of the connection key with the signing key.
///
/// A value of this type has been verified: both keys are canonical and not of small order, and the
/// signature is valid.
#[derive(Clone)]
pub struct PublicIdentity {
    ed25519: [u8; 32],
    x25519: [u8; 32],
    proof: [u8; 64],
}

/// Compares only the keys, because their holder can make several valid signatures of the same keys.
impl PartialEq for PublicIdentity {
    fn eq(&self, other: &Self) -> bool {
        (self.ed25519, self.x25519) == (other.ed25519, other.x25519)
    }
}

impl Eq for PublicIdentity {}

/// The bytes are not a valid identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadIdentity {
    /// The length is wrong.
    #[error("an identity must have 128 bytes")]
    Length,
    /// The encoding of the signing key is not canonical, or the key has a component of small order.
    #[error("invalid Ed25519 key")]
    Ed25519,
    /// The encoding of the connection key is not canonical, or the key is of small order.
    #[error("invalid X25519 key")]
    X25519,
    /// The signature of the connection key is not valid.
    #[error("the two keys of the identity do not belong together")]
    Proof,
}

impl PublicIdentity {
    /// The length of an encoded identity in bytes.
    pub const LEN: usize = 128;

    /// Creates the public keys of an [`Identity`](super::Identity) of this player, without
    /// verification.
    pub(super) fn own(ed25519: [u8; 32], x25519: [u8; 32], proof: [u8; 64]) -> Self {
        PublicIdentity {
            ed25519,
            x25519,
            proof,
        }
    }

    /// Decodes and verifies an identity.
    ///
    /// # Errors
    /// If the bytes are not an output of [`encode`](Self::encode) for an honest identity.
    pub fn decode(bytes: &[u8]) -> Result<Self, BadIdentity> {
        let mut reader = Reader::new(bytes);
        let length = |_: Malformed| BadIdentity::Length;
        let identity = PublicIdentity {
            ed25519: reader.array().map_err(length)?,
            x25519: reader.array().map_err(length)?,
            proof: reader.array().map_err(length)?,
        };
        reader.finish().map_err(length)?;
        if !is_x25519_key(&identity.x25519) {
            return Err(BadIdentity::X25519);
        }
        verifying_key(&identity.ed25519).ok_or(BadIdentity::Ed25519)?;
        if !identity.has_signed("identity", &[&identity.x25519], &identity.proof) {
            return Err(BadIdentity::Proof);
        }
        Ok(identity)
    }

    /// Encodes both keys and the signature of the connection key.
    pub fn encode(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..32].copy_from_slice(&self.ed25519);
        bytes[32..64].copy_from_slice(&self.x25519);
        bytes[64..].copy_from_slice(&self.proof);
        bytes
    }

    /// The signing key.
    pub(crate) fn ed25519(&self) -> &[u8; 32] {
        &self.ed25519
    }

    /// The connection key.
    pub(crate) fn x25519(&self) -> &[u8; 32] {
        &self.x25519
    }

    /// Whether the two identities have a key in common. Two different identities that share a key
    /// belong to one person.
    pub fn shares_a_key_with(&self, other: &Self) -> bool {
        self.ed25519 == other.ed25519 || self.x25519 == other.x25519
    }

    /// The fingerprint for people to compare.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(self)
    }

    /// Whether a text of the user means the holder of these keys, who chose this name. A fingerprint means
    /// the keys alone, whatever name another player has chosen.
    pub fn is_meant_by(&self, text: &str, name: &Name) -> bool {
        Fingerprint::parse(text) == Some(self.fingerprint())
            || Name::typed(text).is_some_and(|typed| typed == *name)
    }

    /// Whether [`Identity::sign`](super::Identity::sign) made this signature for the same purpose
    /// over the same fields, according to [`VerifyingKey::verify_strict`].
    #[must_use]
    pub fn has_signed(&self, tag: &str, fields: &[&[u8]], signature: &[u8; 64]) -> bool {
        let signature = Signature::from_bytes(signature);
        VerifyingKey::from_bytes(&self.ed25519)
            .and_then(|key| key.verify_strict(&signed(tag, fields), &signature))
            .is_ok()
    }
}

impl fmt::Debug for PublicIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicIdentity({})", self.fingerprint())
    }
}

/// The hash that is signed.
pub(super) fn signed(tag: &str, fields: &[&[u8]]) -> [u8; 32] {
    let start = Hash::new("signature").field(tag.as_bytes());
    fields
        .iter()
        .fold(start, |hash, field| hash.field(field))
        .finish()
}

/// Decodes the key if it is canonical and in the group of prime order.
fn verifying_key(bytes: &[u8; 32]) -> Option<VerifyingKey> {
    let key = VerifyingKey::from_bytes(bytes).ok()?;
    let point = key.to_edwards();
    // The decoder accepts y >= p, and a sign bit with x = 0.
    let canonical = point.compress().as_bytes() == bytes;
    (canonical && !key.is_weak() && point.is_torsion_free()).then_some(key)
}

/// Whether an X25519 key is canonical and not of small order. Noise accepts all keys, but with a
/// key of small order the shared secret would be known to everybody.
pub(crate) fn is_x25519_key(bytes: &[u8; 32]) -> bool {
    is_below_p(bytes) && agreed(&StaticSecret::from([1; 32]), bytes).is_some()
}

/// Whether these little-endian bytes are less than 2^255 - 19.
fn is_below_p(bytes: &[u8; 32]) -> bool {
    let high_bits_set = bytes[31] == 0x7f && bytes[1..31].iter().all(|&byte| byte == 0xff);
    bytes[31] < 0x80 && !(high_bits_set && bytes[0] >= 0xed)
}

/// The X25519 shared secret. `None` if the other key is of small order.
pub(super) fn agreed(own: &StaticSecret, other: &[u8; 32]) -> Option<zeroize::Zeroizing<[u8; 32]>> {
    let shared = own.diffie_hellman(&PublicKey::from(*other));
    shared
        .was_contributory()
        .then(|| zeroize::Zeroizing::new(shared.to_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    /// The u-coordinates of all points of small order, reduced modulo p: 0, 1, -1 and the two of
    /// order 8.
    const SMALL: [[u8; 32]; 5] = {
        let mut minus_one = [0xff; 32];
        minus_one[0] = 0xec;
        minus_one[31] = 0x7f;
        let mut one = [0; 32];
        one[0] = 1;
        [
            [0; 32],
            one,
            minus_one,
            [
                0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f,
                0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16,
                0x5f, 0x49, 0xb8, 0x00,
            ],
            [
                0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83,
                0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd,
                0xd0, 0x9f, 0x11, 0x57,
            ],
        ]
    };

    #[test]
    fn an_identity_round_trips_and_every_modified_byte_is_detected() {
        let bytes = Identity::from_seed([7; 32]).public().encode();
        assert_eq!(PublicIdentity::decode(&bytes).unwrap().encode(), bytes);
        for at in 0..bytes.len() {
            let mut changed = bytes;
            changed[at] ^= 1 << (at % 8);
            assert!(PublicIdentity::decode(&changed).is_err(), "{at}");
        }
        assert_eq!(
            PublicIdentity::decode(&bytes[1..]),
            Err(BadIdentity::Length)
        );
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(PublicIdentity::decode(&longer), Err(BadIdentity::Length));
    }

    #[test]
    fn x25519_keys_of_small_order_are_refused_even_with_a_signature() {
        let identity = Identity::from_seed([7; 32]);
        for small in SMALL {
            assert!(!is_x25519_key(&small));
            let proof = identity.sign("identity", &[&small]);
            let bytes = [&identity.public().ed25519[..], &small, &proof].concat();
            assert_eq!(PublicIdentity::decode(&bytes), Err(BadIdentity::X25519));
        }
    }

    #[test]
    fn non_canonical_x25519_keys_are_refused() {
        let mut key = *Identity::from_seed([7; 32]).public().x25519();
        assert!(is_x25519_key(&key));
        key[31] |= 0x80;
        assert!(!is_x25519_key(&key));
        // The base point 9, encoded as 9 + p.
        let mut nine = [0xff; 32];
        (nine[0], nine[31]) = (0xf6, 0x7f);
        assert!(!is_x25519_key(&nine));
        (nine, nine[0]) = ([0; 32], 9);
        assert!(is_x25519_key(&nine));
    }

    #[test]
    fn ed25519_keys_with_a_component_of_small_order_are_refused() {
        let mut one = [0; 32];
        one[0] = 1;
        let mut minus_one = [0xff; 32];
        (minus_one[0], minus_one[31]) = (0xec, 0x7f);
        let mut one_and_p = [0xff; 32];
        (one_and_p[0], one_and_p[31]) = (0xee, 0x7f);
        for key in [one, minus_one, [0; 32], one_and_p] {
            assert!(verifying_key(&key).is_none());
        }
        // An honest key plus the point of order 2: (x, y) becomes (-x, -y).
        let honest = VerifyingKey::from_bytes(Identity::from_seed([7; 32]).public().ed25519());
        let two = VerifyingKey::from_bytes(&minus_one).unwrap().to_edwards();
        let mixed = (honest.unwrap().to_edwards() + two).compress().to_bytes();
        assert!(VerifyingKey::from_bytes(&mixed).is_ok());
        assert!(verifying_key(&mixed).is_none());
    }

    #[test]
    fn a_signature_is_for_one_purpose_and_one_list_of_fields() {
        let identity = Identity::from_seed([7; 32]);
        let signature = identity.sign("part", &[b"a", b"b"]);
        let public = identity.public();
        assert!(public.has_signed("part", &[b"a", b"b"], &signature));
        assert!(!public.has_signed("step", &[b"a", b"b"], &signature));
        assert!(!public.has_signed("part", &[b"ab"], &signature));
        assert!(!public.has_signed("part", &[b"a", b"b"], &[0; 64]));
        let other = Identity::from_seed([8; 32]);
        assert!(!other.public().has_signed("part", &[b"a", b"b"], &signature));
    }
}
