//! Randomness.

use std::convert::Infallible;

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use rand::{TryCryptoRng, TryRng};
use zeroize::Zeroize;

use crate::hash::Hash;

#[cfg(feature = "internals")]
pub use seeded::{SystemRng, seed_this_thread, system_rng};

/// The operating system's generator. All secrets of a table are drawn from it.
#[cfg(not(feature = "internals"))]
pub type SystemRng = UnwrapErr<SysRng>;

/// Returns the operating system's generator.
#[cfg(not(feature = "internals"))]
pub fn system_rng() -> SystemRng {
    UnwrapErr(SysRng)
}

/// The operating system's generator, which a simulation replaces in its own thread.
#[cfg(feature = "internals")]
mod seeded {
    use std::cell::RefCell;

    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    thread_local! {
        static SEEDED: RefCell<Option<StdRng>> = const { RefCell::new(None) };
    }

    /// The operating system's generator. All secrets of a table are drawn from it.
    pub struct SystemRng(());

    /// Returns the operating system's generator.
    pub fn system_rng() -> SystemRng {
        SystemRng(())
    }

    /// From now on, this thread draws from a generator with this seed, and keeps no secrets.
    pub fn seed_this_thread(seed: u64) {
        SEEDED.set(Some(StdRng::seed_from_u64(seed)));
    }

    fn with_rng<T>(draw: impl FnOnce(&mut dyn Rng) -> T) -> T {
        SEEDED.with_borrow_mut(|seeded| match seeded {
            Some(rng) => draw(rng),
            None => draw(&mut UnwrapErr(SysRng)),
        })
    }

    impl TryRng for SystemRng {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(with_rng(|rng| rng.next_u32()))
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(with_rng(|rng| rng.next_u64()))
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            with_rng(|rng| rng.fill_bytes(bytes));
            Ok(())
        }
    }

    impl TryCryptoRng for SystemRng {}
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
