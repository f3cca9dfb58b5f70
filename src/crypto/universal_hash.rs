//! An F2-linear universal hash over the field of 2^128 elements: POLYVAL (RFC 8452, section 3).

use polyval::Polyval;
use polyval::universal_hash::UniversalHash as _;

use super::Block;

/// A hash that evaluates rows of blocks as polynomials at a point chosen by the challenge.
///
/// The hash is linear over F2: `hash(a ^ b) = hash(a) ^ hash(b)`. Two different rows of `n` blocks
/// collide with probability at most `n / 2^128` over the key.
pub struct UniversalHash(Polyval);

impl UniversalHash {
    /// The hash with the given key (the challenge).
    pub fn new(key: Block) -> Self {
        UniversalHash(Polyval::new(&key.to_bytes().into()))
    }

    /// The hash of a row.
    pub fn hash(&self, row: &[Block]) -> Block {
        let mut state = self.0.clone();
        let bytes: &[[u8; 16]] = bytemuck::cast_slice(row);
        state.update(polyval::Block::cast_slice_from_core(bytes));
        Block::from(<[u8; 16]>::from(state.finalize()))
    }
}

impl Block {
    /// The multiplicative identity of [`dot`]: `x^128`, reduced.
    pub const ONE: Block = Block::of_bytes(REDUCTION.to_le_bytes());
}

/// `x^128` modulo the polynomial of POLYVAL, `x^128 + x^127 + x^126 + x^121 + 1`.
const REDUCTION: u128 = 1 << 127 | 1 << 126 | 1 << 121 | 1;

/// The product of two elements: `a * b * x^-128` (`dot` in RFC 8452, section 3).
///
/// With this product, as with the ordinary one, the blocks are a field of 2^128 elements. Its
/// identity is [`Block::ONE`]. [`UniversalHash`] evaluates polynomials with this product.
pub fn dot(a: Block, b: Block) -> Block {
    UniversalHash::new(a).hash(&[b])
}

/// A map from 128 blocks to one block: `sum x^i * block_i`, with the ordinary product. The map is
/// linear over the field. It is injective on bits (blocks that are zero or [`Block::ONE`]): of all
/// vectors of 128 bits, only the zero vector maps to zero.
pub fn linear(blocks: impl DoubleEndedIterator<Item = Block>) -> Block {
    let sum = blocks.rev().fold(0u128, |sum, block| {
        let carry = (sum >> 127).wrapping_neg();
        (sum << 1) ^ (carry & REDUCTION) ^ u128::from_le_bytes(block.to_bytes())
    });
    Block::from(sum.to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::Generator;

    #[test]
    fn hash_is_the_polyval_of_rfc_8452_appendix_a() {
        let key = *b"\x25\x62\x93\x47\x58\x92\x42\x76\x1d\x31\xf8\x26\xba\x4b\x75\x7b";
        let row = [
            Block::from(*b"\x4f\x4f\x95\x66\x8c\x83\xdf\xb6\x40\x17\x62\xbb\x2d\x01\xa2\x62"),
            Block::from(*b"\xd1\xa2\x4d\xdd\x27\x21\xd0\x06\xbb\xe4\x5f\x20\xd3\xc9\xf3\x62"),
        ];
        assert_eq!(
            UniversalHash::new(Block::from(key)).hash(&row).to_bytes(),
            *b"\xf7\xa3\xb4\x7b\x84\x61\x19\xfa\xe5\xb7\x86\x6c\xf5\xe5\xb7\x7e"
        );
    }

    fn element(seed: u8) -> Block {
        Generator::new(Block::from([seed; 16])).block()
    }

    #[test]
    fn blocks_with_dot_are_a_field() {
        let [a, b, c] = [3, 5, 8].map(element);
        let same = |left: Block, right: Block| assert_eq!(left.to_bytes(), right.to_bytes());
        same(dot(Block::ONE, a), a);
        same(dot(a, b), dot(b, a));
        same(dot(dot(a, b), c), dot(a, dot(b, c)));
        same(dot(a, b ^ c), dot(a, b) ^ dot(a, c));
        let powers = dot(a, dot(c, dot(c, c))) ^ dot(b, dot(c, c)) ^ dot(c, c);
        same(UniversalHash::new(c).hash(&[a, b, c]), powers);
    }

    #[test]
    fn linear_commutes_with_dot_and_is_injective_on_bits() {
        let blocks: Vec<Block> = (0..128).map(element).collect();
        let scaled = blocks.iter().map(|block| dot(*block, element(200)));
        let expected = dot(linear(blocks.iter().copied()), element(200));
        assert_eq!(linear(scaled).to_bytes(), expected.to_bytes());
        // Gaussian elimination: the images of the unit vectors are independent.
        let mut reduced: Vec<u128> = Vec::new();
        for bit in 0..128 {
            let image = linear((0..128).map(|i| Block::ONE.select(i == bit)));
            let image = (reduced.iter()).fold(u128::from_le_bytes(image.to_bytes()), |sum, row| {
                sum.min(sum ^ row)
            });
            assert_ne!(image, 0, "bit {bit}");
            reduced.push(image);
        }
    }

    #[test]
    fn hash_is_linear() {
        let hash = UniversalHash::new(Block::from([0x3c; 16]));
        let a: Vec<Block> = (0..9).map(|i| Block::from([i; 16])).collect();
        let b: Vec<Block> = (0..9).map(|i| Block::from([200 - 3 * i; 16])).collect();
        let sum: Vec<Block> = a.iter().zip(&b).map(|(a, b)| *a ^ *b).collect();
        assert_eq!(
            hash.hash(&sum).to_bytes(),
            (hash.hash(&a) ^ hash.hash(&b)).to_bytes()
        );
    }
}
