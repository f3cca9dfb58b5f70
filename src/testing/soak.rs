//! The setting for longer test runs.

/// The value of `DEALERLESS_SOAK`, if set: the number of repetitions in tests that repeat.
pub fn soak() -> Option<usize> {
    let repeats = std::env::var("DEALERLESS_SOAK").ok()?;
    Some(repeats.parse().expect("DEALERLESS_SOAK must be a number"))
}
