//! A bit that nothing may branch on.

use std::hint::black_box;
use std::ops::{BitAnd, BitXor, BitXorAssign, Not};

use bytemuck::{Pod, Zeroable};
use rand::CryptoRng;
use subtle::Choice;
use zeroize::DefaultIsZeroes;

/// A secret bit: 0 or 1 in a byte.
///
/// Not a `bool`, which an `if` would take and which the compiler knows to have two values only;
/// and not a `subtle::Choice`, which cannot be wiped, stored in bulk or cast. To learn it, somebody
/// has to [`reveal`](Self::reveal) it: each call is a place where the bit is meant to be known.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct SecretBit(u8);

impl SecretBit {
    /// A uniform bit.
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        SecretBit::lowest_of(rng.next_u32() as u8)
    }

    /// A secret that came in as a `bool`. Of a `bool` the compiler knows that it has two values, and
    /// may branch on it; it does not see where this bit comes from.
    #[inline]
    pub fn hidden(bit: bool) -> Self {
        SecretBit(black_box(u8::from(bit)))
    }

    /// The lowest bit of a byte.
    #[inline]
    pub fn lowest_of(byte: u8) -> Self {
        SecretBit(byte & 1)
    }

    /// The bit, for whoever is meant to know it: it is sent, or this party's result.
    #[inline]
    pub fn reveal(self) -> bool {
        self.0 == 1
    }

    /// All ones or all zeros.
    #[inline]
    pub(super) fn mask(self) -> u64 {
        u64::from(self.0).wrapping_neg()
    }
}

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
