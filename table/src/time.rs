//! The clocks of the system. Code above the connections takes the time as an argument.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dealerless::net::system_time;

/// A moment, on both clocks of the system.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The time since a fixed moment. It never goes back.
    pub running: Duration,
    /// See [`unix`].
    pub unix: u64,
}

impl Moment {
    pub(crate) fn now() -> Self {
        Moment {
            running: system_time(),
            unix: unix(),
        }
    }
}

/// The seconds since 1970 began, in UTC.
pub(crate) fn unix() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
