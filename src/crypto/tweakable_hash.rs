//! The tweakable circular correlation robust hash of Guo, Katz, Wang and Yu, "Efficient and Secure
//! Multiparty Computation from Fixed-Key Block Ciphers" (S&P 2020), section 7.4: `H(x, t) =
//! pi(pi(x) ^ t) ^ pi(x)`.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};

use super::{Block, Oracle, SessionId, Step};

/// The purpose of a hash. A tweak consists of the purpose, the number of the run, opening or batch,
/// and an index. No tweak is used twice in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TweakDomain {
    /// A garbled AND gate. Each gate uses two indices.
    Garbling = 1,
    /// The opening of a shared bit to the garbler.
    Opening = 2,
    /// A leaky AND triple; both directions use the same tweak.
    LeakyAnd = 3,
}

impl TweakDomain {
    /// The tweak `(domain, number, index)`, where `number` is the number of the run, opening or
    /// batch.
    ///
    /// Layout: index in bytes 0..8, number (its low 56 bits) in bytes 8..15, domain in byte 15.
    #[inline]
    pub fn tweak(self, number: u64, index: u64) -> Block {
        debug_assert!(number < 1 << 56);
        let high = (u64::from(self as u8) << 56) | number;
        Block::from(((u128::from(high) << 64) | u128::from(index)).to_le_bytes())
    }
}

/// The number of blocks hashed in one pass: one batch for AES with 512-bit registers.
const STRIDE: usize = 64;

/// `H(x, t) = pi(pi(x) ^ t) ^ pi(x)`, where `pi` is AES-128 under a key that both parties derive
/// from the session id. The permutation is public, and a table computed for one session is useless
/// in any other. Within a session all tweaks share the permutation; docs/protocol.md states the
/// consequences.
pub struct TweakableHash {
    pi: Aes128,
}

impl TweakableHash {
    /// The best number of blocks to hash at once.
    pub const LANES: usize = STRIDE;

    /// The hash of the given session.
    pub fn new(session: &SessionId) -> Self {
        let key: [u8; 16] = Oracle::new(session, Step::HashKey, 0).block().to_bytes();
        Self::with_key(key)
    }

    /// The hash with a given key for `pi`, for known-answer tests.
    pub fn with_key(key: [u8; 16]) -> Self {
        TweakableHash {
            pi: Aes128::new(&Array::from(key)),
        }
    }

    /// Replaces each `x[i]` by `H(x[i], tweaks[i])`. The blocks go through AES in parallel, and
    /// [`TweakableHash::LANES`] of them fill the widest registers.
    ///
    /// # Panics
    /// If `x` and `tweaks` differ in length.
    #[inline]
    pub fn hash_each(&self, x: &mut [Block], tweaks: &[Block]) {
        assert_eq!(x.len(), tweaks.len());
        let mut permuted = [Block::ZERO; STRIDE];
        for (x, tweaks) in x.chunks_mut(STRIDE).zip(tweaks.chunks(STRIDE)) {
            self.permute(x);
            permuted[..x.len()].copy_from_slice(x);
            for (x, t) in x.iter_mut().zip(tweaks) {
                *x ^= *t;
            }
            self.permute(x);
            for (x, p) in x.iter_mut().zip(&permuted) {
                *x ^= *p;
            }
        }
    }

    /// `H(x, t)` of a single block.
    pub fn hash(&self, x: Block, tweak: Block) -> Block {
        let mut one = [x];
        self.hash_each(&mut one, &[tweak]);
        one[0]
    }

    #[inline]
    fn permute(&self, blocks: &mut [Block]) {
        let bytes: &mut [[u8; 16]] = bytemuck::cast_slice_mut(blocks);
        self.pi
            .encrypt_blocks(Array::cast_slice_from_core_mut(bytes));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::rngs::StdRng;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn hex(block: Block) -> String {
        block
            .to_bytes()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect()
    }

    #[test]
    fn pi_is_aes_128_of_fips_197() {
        let hash = TweakableHash::with_key(
            *b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f",
        );
        let mut x = [Block::from(
            *b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
        )];
        hash.permute(&mut x);
        assert_eq!(hex(x[0]), "69c4e0d86a7b0430d8cdb78070b4c55a");
    }

    #[test]
    fn hashing_many_equals_hashing_one_by_one() {
        let hash = TweakableHash::with_key([7; 16]);
        let mut x: [Block; 39] = std::array::from_fn(|i| Block::from([i as u8; 16]));
        let tweaks: [Block; 39] = std::array::from_fn(|i| TweakDomain::Garbling.tweak(3, i as u64));
        let single: Vec<String> = x
            .iter()
            .zip(&tweaks)
            .map(|(x, t)| hex(hash.hash(*x, *t)))
            .collect();
        hash.hash_each(&mut x, &tweaks);
        assert_eq!(x.map(hex).to_vec(), single);
    }

    #[test]
    fn tweaks_of_different_domains_numbers_and_indices_differ() {
        let t = |d: TweakDomain, n, i| hex(d.tweak(n, i));
        assert_eq!(
            t(TweakDomain::Garbling, 2, 3),
            "03000000000000000200000000000001"
        );
        assert_eq!(
            t(TweakDomain::Opening, 2, 3),
            "03000000000000000200000000000002"
        );
    }

    /// The attack described in docs/protocol.md, with blocks of 16 bits. A separate tweak for each
    /// hash does not stop one call of the permutation from testing all hashes at once.
    #[test]
    fn one_permutation_call_tests_the_hashes_under_all_tweaks() {
        const CALLS: u16 = 1 << 10;
        const TARGETS: u16 = 1 << 4;
        const TRIALS: usize = 400;
        let rng = &mut StdRng::seed_from_u64(1);
        let mut pi: Vec<u16> = (0..=u16::MAX).collect();
        let mut inverse = pi.clone();
        let trial = |_: &usize| {
            pi.shuffle(rng);
            for (x, y) in (0..=u16::MAX).zip(&pi) {
                inverse[usize::from(*y)] = x;
            }
            let on = |x: u16| pi[usize::from(x)];
            let delta: u16 = rng.random();
            // The known values, by tweak ^ hash: with `a = pi(x ^ delta) ^ t`, tweak ^ hash is
            // `pi(a) ^ a`.
            let targets: HashMap<u16, (u16, u16)> = (0..TARGETS)
                .map(|t| {
                    let x: u16 = rng.random();
                    let permuted = on(x ^ delta);
                    (t ^ on(permuted ^ t) ^ permuted, (x, t))
                })
                .collect();
            (0..CALLS).any(|a| {
                let target = targets.get(&(on(a) ^ a));
                target.is_some_and(|&(x, t)| inverse[usize::from(a ^ t)] ^ x == delta)
            })
        };
        let found = (0..TRIALS).filter(trial).count();
        // CALLS * TARGETS / 2^16 = 1/4, so the attack succeeds in 1 - e^(-1/4) of the trials: 88,
        // with a standard deviation of 8.
        assert!((60..118).contains(&found), "{found}");
    }
}
