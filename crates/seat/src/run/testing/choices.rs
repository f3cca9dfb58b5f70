//! Where the choices of a simulation come from: the bytes of a fuzzer, and after them a seed.

use std::collections::VecDeque;
use std::convert::Infallible;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng, TryRng};

/// A generator that first returns given bytes. Each number takes one of them.
pub(super) struct Choices {
    given: VecDeque<u8>,
    rest: StdRng,
}

impl Choices {
    pub(super) fn new(seed: u64, given: &[u8]) -> Self {
        Choices {
            given: given.iter().copied().collect(),
            rest: StdRng::seed_from_u64(seed),
        }
    }
}

impl TryRng for Choices {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(match self.given.pop_front() {
            // The high bits decide. The low bits are not those that an unbiased choice rejects.
            Some(byte) => u32::from_be_bytes([byte, 0x55, 0x55, 0x55]),
            None => self.rest.next_u32(),
        })
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(match self.given.pop_front() {
            Some(byte) => u64::from_be_bytes([byte, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55]),
            None => self.rest.next_u64(),
        })
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.rest.fill_bytes(bytes);
        Ok(())
    }
}
