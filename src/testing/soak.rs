//! Tests that can be run for longer.

/// The number in `DEALERLESS_SOAK`, if it is set: how often a test repeats what it repeats.
pub fn soak() -> Option<usize> {
    let repeats = std::env::var("DEALERLESS_SOAK").ok()?;
    Some(repeats.parse().expect("DEALERLESS_SOAK is a number"))
}
