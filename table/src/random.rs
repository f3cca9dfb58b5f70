//! Randomness.

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// The operating system's generator. All secrets of a table are drawn from it.
pub type SystemRng = UnwrapErr<SysRng>;

/// Returns the operating system's generator.
pub fn system_rng() -> SystemRng {
    UnwrapErr(SysRng)
}
