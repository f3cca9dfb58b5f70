//! Randomness.

use std::convert::Infallible;

use rand::{TryCryptoRng, TryRng};
use zeroize::Zeroize;

use crate::hash::Hash;

#[cfg(all(feature = "internals", not(target_family = "wasm")))]
pub use crate::testing::seeded::{SystemRng, seed_this_thread, system_rng};

/// The operating system's generator. All secrets of a table are drawn from it.
#[cfg(any(not(feature = "internals"), target_family = "wasm"))]
pub type SystemRng = rand::rand_core::UnwrapErr<rand::rngs::SysRng>;

/// Returns the operating system's generator.
#[cfg(any(not(feature = "internals"), target_family = "wasm"))]
pub fn system_rng() -> SystemRng {
    rand::rand_core::UnwrapErr(rand::rngs::SysRng)
}

/// A generator whose output follows from a hash of secrets and of a place in a log. It is wiped when
/// dropped.
pub struct Derived(blake3::OutputReader);

impl Derived {
    /// The generator for the fields of this hash.
    pub fn new(hash: Hash) -> Self {
        Derived(hash.output())
    }
}

impl TryRng for Derived {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Derived {}

impl Drop for Derived {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}
