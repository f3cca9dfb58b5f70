//! The operating system's generator, which a simulation replaces in its own thread.

use std::cell::RefCell;
use std::convert::Infallible;

use rand::rand_core::UnwrapErr;
use rand::rngs::{StdRng, SysRng};
use rand::{Rng, SeedableRng, TryCryptoRng, TryRng};

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
