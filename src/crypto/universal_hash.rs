//! An F2-linear universal hash over the field of 2^128 elements: POLYVAL (RFC 8452, section 3).

use polyval::Polyval;
use polyval::universal_hash::UniversalHash as _;

use super::Block;

/// Evaluates rows of blocks as polynomials at a point chosen by the challenge.
///
/// Linear over F2, so `hash(a ^ b) = hash(a) ^ hash(b)`, and two different rows of `n` blocks
/// collide with probability at most `n / 2^128` over the key.
pub struct UniversalHash(Polyval);

impl UniversalHash {
    /// The hash with this key (the challenge).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_polyval_of_rfc_8452_appendix_a() {
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

    #[test]
    fn it_is_linear() {
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
