//! Randomness.

use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;

/// The operating system's generator: what all secrets of a table are drawn from.
pub type SystemRng = UnwrapErr<SysRng>;

/// The operating system's generator.
pub fn system_rng() -> SystemRng {
    UnwrapErr(SysRng)
}
