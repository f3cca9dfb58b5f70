//! A secret bit. No code may branch on its value.

use std::hint::black_box;
use std::ops::{BitAnd, BitXor, BitXorAssign, Not};

use bytemuck::{Pod, Zeroable};
use rand::CryptoRng;
use subtle::Choice;
use zeroize::DefaultIsZeroes;

/// A secret bit, stored as a byte with the value 0 or 1.
///
/// A `bool` is not safe: an `if` accepts it, and the compiler knows that a `bool` has only two
/// values and may add a branch. A `subtle::Choice` cannot be wiped, stored in bulk or cast to a
/// byte. Only [`reveal`](Self::reveal) returns the bit as a `bool`, so each place where a bit
/// becomes known contains a call of `reveal`.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct SecretBit(u8);

impl SecretBit {
    /// A uniform bit.
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        SecretBit::lowest_of(rng.next_u32() as u8)
    }

    /// Wraps a secret `bool`. The compiler may branch on a `bool`, so this function hides from the
    /// compiler that the returned bit comes from a `bool`.
    #[inline]
    pub fn hidden(bit: bool) -> Self {
        SecretBit(black_box(u8::from(bit)))
    }

    /// The lowest bit of a byte.
    #[inline]
    pub fn lowest_of(byte: u8) -> Self {
        SecretBit(byte & 1)
    }

    /// Returns the bit as a `bool`. Use only for a bit that this party sends, or that it may know
    /// as its result.
    #[inline]
    pub fn reveal(self) -> bool {
        self.0 == 1
    }

    /// Returns a word of 64 ones if the bit is 1, otherwise zero.
    #[inline]
    pub(super) fn mask(self) -> u64 {
        u64::from(self.0).wrapping_neg()
    }
}

/// Wraps a public bit. For a secret, use [`SecretBit::hidden`].
impl From<bool> for SecretBit {
    #[inline]
    fn from(bit: bool) -> Self {
        SecretBit(u8::from(bit))
    }
}

impl From<SecretBit> for Choice {
    fn from(bit: SecretBit) -> Self {
        Choice::from(bit.0)
    }
}

impl DefaultIsZeroes for SecretBit {}

impl BitXor for SecretBit {
    type Output = SecretBit;

    #[inline]
    fn bitxor(self, other: SecretBit) -> SecretBit {
        SecretBit(self.0 ^ other.0)
    }
}

impl BitXor<bool> for SecretBit {
    type Output = SecretBit;

    #[inline]
    fn bitxor(self, public: bool) -> SecretBit {
        SecretBit(self.0 ^ u8::from(public))
    }
}

impl BitXorAssign for SecretBit {
    #[inline]
    fn bitxor_assign(&mut self, other: SecretBit) {
        self.0 ^= other.0;
    }
}

impl BitXorAssign<bool> for SecretBit {
    #[inline]
    fn bitxor_assign(&mut self, public: bool) {
        self.0 ^= u8::from(public);
    }
}

impl BitAnd<bool> for SecretBit {
    type Output = SecretBit;

    #[inline]
    fn bitand(self, public: bool) -> SecretBit {
        SecretBit(self.0 & u8::from(public))
    }
}

impl BitAnd for SecretBit {
    type Output = SecretBit;

    #[inline]
    fn bitand(self, other: SecretBit) -> SecretBit {
        SecretBit(self.0 & other.0)
    }
}

impl Not for SecretBit {
    type Output = SecretBit;

    #[inline]
    fn not(self) -> SecretBit {
        SecretBit(self.0 ^ 1)
    }
}
