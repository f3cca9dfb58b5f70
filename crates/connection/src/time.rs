//! The clocks of the system. Code above the connections takes the time as an argument.

use std::time::Duration;
#[cfg(not(target_family = "wasm"))]
use std::time::{SystemTime, UNIX_EPOCH};

/// A moment, on both clocks of the system.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The time since a fixed moment. It never goes back.
    pub running: Duration,
    /// The seconds since 1970 began, in UTC.
    pub unix: u64,
}

#[cfg(not(target_family = "wasm"))]
/// The seconds since 1970 began, in UTC.
pub fn unix() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
