//! The 128-bit string used for labels, keys and MACs.

use std::hint::black_box;
use std::ops::{BitAnd, BitXor, BitXorAssign};

use bytemuck::{Pod, Zeroable};
use rand::CryptoRng;
use subtle::{Choice, ConstantTimeEq};
use zeroize::DefaultIsZeroes;

use super::SecretBit;

/// 128 bits. Bit 0, the *colour* bit of a label, is the lowest bit of byte 0.
///
/// The type holds bytes and not a `u128`, so that the wire encoding is the same on every machine.
/// It does not implement `Debug`, because most blocks are secrets.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Block([u8; 16]);

/// Declares a newtype of [`Block`] with XOR.
macro_rules! block_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(transparent)]
        pub struct $name(pub $crate::crypto::Block);

        impl zeroize::DefaultIsZeroes for $name {}

        impl std::ops::BitXor for $name {
            type Output = $name;

            #[inline]
            fn bitxor(self, other: $name) -> $name {
                $name(self.0 ^ other.0)
            }
        }
    };
}

pub(crate) use block_type;

impl Block {
    /// The all-zero block.
    pub const ZERO: Block = Block([0; 16]);

    /// The block with the given bytes.
    pub(super) const fn of_bytes(bytes: [u8; 16]) -> Self {
        Block(bytes)
    }

    /// A uniform block.
    pub fn random(rng: &mut impl CryptoRng) -> Self {
        let mut bytes = [0; 16];
        rng.fill_bytes(&mut bytes);
        Block(bytes)
    }

    /// Bit 0.
    #[inline]
    pub fn lsb(self) -> SecretBit {
        SecretBit::lowest_of(self.0[0])
    }

    /// Returns the same block with bit 0 set to `bit`.
    pub fn with_lsb(mut self, bit: bool) -> Self {
        self.0[0] = (self.0[0] & !1) | u8::from(bit);
        self
    }

    /// Bit `index`, counted from bit 0.
    pub fn bit(self, index: usize) -> SecretBit {
        SecretBit::lowest_of(self.0[index / 8] >> (index % 8))
    }

    /// Returns `self` if the bit is 1, else zero, without a branch in the source. In a loop that
    /// uses the same bit many times the compiler may insert a branch; use [`mask`](Self::mask) in
    /// such a loop.
    #[inline]
    pub fn select(self, bit: impl Into<SecretBit>) -> Self {
        let mask = bit.into().mask();
        let [low, high]: [u64; 2] = bytemuck::cast(self);
        bytemuck::cast([low & mask, high & mask])
    }

    /// Returns all ones if the bit is 1, else zero, for a loop that uses one bit many times.
    ///
    /// The origin of the mask is hidden from the compiler. If the compiler knows that a mask has
    /// only two values, it generates two loops and a branch that selects one.
    #[inline]
    pub fn mask(bit: SecretBit) -> Self {
        let half = black_box(bit.mask());
        bytemuck::cast([half, half])
    }

    /// The bytes, in wire order.
    #[inline]
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl DefaultIsZeroes for Block {}

impl From<[u8; 16]> for Block {
    #[inline]
    fn from(bytes: [u8; 16]) -> Self {
        Block(bytes)
    }
}

impl BitAnd for Block {
    type Output = Block;

    #[inline]
    fn bitand(self, other: Block) -> Block {
        Block((u128::from_ne_bytes(self.0) & u128::from_ne_bytes(other.0)).to_ne_bytes())
    }
}

impl BitXor for Block {
    type Output = Block;

    #[inline]
    fn bitxor(self, other: Block) -> Block {
        Block((u128::from_ne_bytes(self.0) ^ u128::from_ne_bytes(other.0)).to_ne_bytes())
    }
}

impl BitXorAssign for Block {
    #[inline]
    fn bitxor_assign(&mut self, other: Block) {
        *self = *self ^ other;
    }
}

impl ConstantTimeEq for Block {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_zero_is_the_lowest_bit_of_byte_zero() {
        let mut bytes = [0; 16];
        bytes[0] = 1;
        bytes[2] = 0x80;
        let block = Block::from(bytes);
        let bit = |index| block.bit(index).reveal();
        assert!(block.lsb().reveal() && bit(0) && bit(23));
        assert!(!bit(1) && !bit(22));
        assert!(!block.with_lsb(false).lsb().reveal());
    }

    #[test]
    fn select_keeps_or_clears_the_whole_block() {
        let block = Block::from([0xa5; 16]);
        assert_eq!(block.select(true).to_bytes(), [0xa5; 16]);
        assert_eq!(block.select(false).to_bytes(), [0; 16]);
        for bit in [false, true] {
            let masked = block & Block::mask(bit.into());
            assert_eq!(masked.to_bytes(), block.select(bit).to_bytes());
        }
    }
}
