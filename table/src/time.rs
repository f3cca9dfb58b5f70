//! The clocks of the system. Code above the connections takes the time as an argument.

use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A moment, on both clocks of the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// The time since a fixed moment. It never goes back.
    pub(crate) running: Duration,
    /// The seconds since 1970 began, in UTC.
    pub(crate) unix: u64,
}

impl Moment {
    pub(crate) fn now() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH);
        Moment {
            running: running(),
            unix: unix.map_or(0, |unix| unix.as_secs()),
        }
    }
}

/// The time since the first call of this function.
pub(crate) fn running() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
