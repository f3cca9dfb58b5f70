//! A bit that no code may branch on.

use std::hint::black_box;
use std::ops::{BitAnd, BitXor, BitXorAssign, Not};

use bytemuck::{Pod, Zeroable};
use rand::CryptoRng;
use subtle::Choice;
use zeroize::DefaultIsZeroes;

/// A secret bit: 0 or 1 in a byte.
///
/// The type is not a `bool`, because an `if` accepts a `bool`, and because the compiler knows that
/// a `bool` has only two values. It is not a `subtle::Choice`, because a `Choice` cannot be wiped,
/// stored in bulk or cast. Only [`reveal`](Self::reveal) returns the bit as a `bool`: each call
/// marks a place where the bit may be known.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct SecretBit(u8);

impl SecretBit {
    /// A uniform bit.
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        SecretBit::lowest_of(rng.next_u32() as u8)
    }

    /// Wraps a secret given as a `bool`. The compiler knows that a `bool` has two values and may
    /// branch on it; the origin of the returned bit is hidden from the compiler.
    #[inline]
    pub fn hidden(bit: bool) -> Self {
        SecretBit(black_box(u8::from(bit)))
    }

    /// The lowest bit of a byte.
    #[inline]
    pub fn lowest_of(byte: u8) -> Self {
        SecretBit(byte & 1)
    }

    /// Returns the bit. This party must be allowed to know it: the bit is sent, or it is this
    /// party's result.
    #[inline]
    pub fn reveal(self) -> bool {
        self.0 == 1
    }

    /// Returns all ones if the bit is 1, else zero.
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
