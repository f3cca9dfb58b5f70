//! Fingerprints that people compare to verify keys.

use std::fmt;

use super::base32;
use super::public::PublicIdentity;
use crate::hash::Hash;

/// A hash of both keys of an identity for people to compare: six groups of four characters, such as
/// `4j8m-x2dk-...`. 110 bits are a hash of the keys. The last ten bits are a checksum, so that a
/// mistyped fingerprint is not mistaken for the fingerprint of another identity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 15]);

impl Fingerprint {
    /// The length of an encoding in bytes.
    pub const LEN: usize = 15;

    pub(super) fn of(identity: &PublicIdentity) -> Self {
        let hash = Hash::new("fingerprint").field(identity.ed25519());
        let hash = hash.field(identity.x25519()).finish();
        let mut bytes = [0; 15];
        bytes[..14].copy_from_slice(&hash[..14]);
        Self::with_checksum(bytes)
    }

    /// Replaces the last ten of the 120 bits with the checksum.
    fn with_checksum(mut bytes: [u8; 15]) -> Self {
        bytes[13] &= 0xfc;
        bytes[14] = 0;
        let sum = Hash::new("fingerprint checksum").field(&bytes).finish();
        bytes[13] |= sum[0] & 0x03;
        bytes[14] = sum[1];
        Fingerprint(bytes)
    }

    /// Parses a fingerprint, with any punctuation between its characters. `None` if the checksum or the
    /// length is wrong.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::decode(Self::parse_unchecked(text)?)
    }

    /// Parses the form of a fingerprint without verifying its checksum.
    pub(super) fn parse_unchecked(text: &str) -> Option<[u8; Self::LEN]> {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        let text: String = letters.take(25).collect();
        base32::decode(&text)?.try_into().ok()
    }

    /// Decodes a fingerprint. `None` if the checksum is wrong.
    pub fn decode(bytes: [u8; Self::LEN]) -> Option<Self> {
        let right = Self::with_checksum(bytes);
        (right.0 == bytes).then_some(right)
    }

    /// The bytes of the fingerprint, with its checksum.
    pub fn encode(&self) -> [u8; Self::LEN] {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = base32::encode(&self.0);
        for (i, character) in text.chars().enumerate() {
            if i > 0 && i % 4 == 0 {
                f.write_str("-")?;
            }
            write!(f, "{character}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    #[test]
    fn fingerprints_round_trip() {
        let fingerprint = Identity::from_seed([3; 32]).public().fingerprint();
        let text = fingerprint.to_string();
        assert_eq!(text.len(), 6 * 4 + 5);
        assert_eq!(Fingerprint::parse(&text), Some(fingerprint));
        assert_eq!(
            Fingerprint::parse(&text.to_uppercase().replace('-', " ")),
            Some(fingerprint)
        );
        let pasted = format!("> \"{}\".", text.replace('-', "\u{2011}"));
        assert_eq!(Fingerprint::parse(&pasted), Some(fingerprint));
    }

    #[test]
    fn nearly_every_typing_mistake_is_detected() {
        let text = Identity::from_seed([3; 32])
            .public()
            .fingerprint()
            .to_string();
        let mut taken = 0;
        for at in (0..text.len()).filter(|at| at % 5 != 4) {
            for other in "0123456789abcdefghjkmnpqrstvwxyz".chars() {
                let mut wrong = text.clone();
                wrong.replace_range(at..=at, &other.to_string());
                taken += usize::from(wrong != text && Fingerprint::parse(&wrong).is_some());
            }
        }
        // One in 1 024 of 744 mistakes is expected to pass.
        assert!(taken <= 4, "{taken}");
        assert!(Fingerprint::parse(&text[5..]).is_none());
    }
}
