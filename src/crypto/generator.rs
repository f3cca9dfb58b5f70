//! Seed expansion: AES-128 in counter mode.

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};

use super::Block;

/// The number of blocks encrypted in parallel: one batch for AES with 512-bit registers.
const BATCH: usize = 64;

/// A pseudo-random generator: AES-128 in counter mode under a seed. The stream is addressed in
/// blocks, so that both parties can expand the same part of it.
///
/// The round keys are wiped on drop (`aes` with its feature `zeroize`).
#[derive(Clone)]
pub struct Generator {
    aes: Aes128,
    counter: u64,
}

impl Generator {
    /// Creates the generator of a seed, at the start of its stream.
    pub fn new(seed: Block) -> Self {
        Generator {
            aes: Aes128::new(&Array::from(seed.to_bytes())),
            counter: 0,
        }
    }

    /// Returns the next block.
    pub fn block(&mut self) -> Block {
        let mut one = [Block::ZERO];
        self.fill(&mut one);
        one[0]
    }

    /// Returns an endless iterator over the low halves of the next blocks.
    pub fn words(mut self) -> impl Iterator<Item = u64> {
        let mut blocks = [Block::ZERO; BATCH];
        std::iter::from_fn(move || {
            self.fill(&mut blocks);
            Some(blocks)
        })
        .flatten()
        .map(|block| {
            let [low, _]: [u64; 2] = bytemuck::cast(block);
            u64::from_le(low)
        })
    }

    /// Fills `out` with the next blocks.
    pub fn fill(&mut self, out: &mut [Block]) {
        self.fill_from(self.counter, out);
        self.counter += out.len() as u64;
    }

    /// Fills `out` with the blocks of the stream, starting at block number `first`.
    pub fn fill_from(&self, first: u64, out: &mut [Block]) {
        let mut numbers = first..;
        for chunk in out.chunks_mut(BATCH) {
            for (block, number) in chunk.iter_mut().zip(numbers.by_ref()) {
                *block = Block::from(u128::from(number).to_le_bytes());
            }
            let bytes: &mut [[u8; 16]] = bytemuck::cast_slice_mut(chunk);
            self.aes
                .encrypt_blocks(Array::cast_slice_from_core_mut(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_is_aes_of_the_counter() {
        // AES-128 of zero under the key zero: the H of test case 1 of the GCM specification
        // (McGrew and Viega, appendix B).
        let mut generator = Generator::new(Block::ZERO);
        assert_eq!(
            generator.block().to_bytes(),
            *b"\x66\xe9\x4b\xd4\xef\x8a\x2c\x3b\x88\x4c\xfa\x59\xca\x34\x2b\x2e"
        );
    }

    #[test]
    fn stream_does_not_depend_on_read_sizes() {
        let mut whole = [Block::ZERO; 129];
        Generator::new(Block::from([9; 16])).fill(&mut whole);
        let mut parts = Generator::new(Block::from([9; 16]));
        let mut read = [Block::ZERO; 129];
        for range in [0..1, 1..4, 4..91, 91..129] {
            parts.fill(&mut read[range]);
        }
        parts.fill_from(50, &mut read[50..100]);
        assert_eq!(
            read.map(Block::to_bytes).to_vec(),
            whole.map(Block::to_bytes).to_vec()
        );
    }
}
