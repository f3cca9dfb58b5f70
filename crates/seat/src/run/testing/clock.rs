//! The clocks and timers of a program.

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use rand::RngExt;

use super::disk::Killed;
use super::world::{Shared, set_unix};

/// The clocks of a program.
pub(super) struct Clock {
    /// Parts per million by which its seconds are too short.
    fast: i64,
    /// What the clock shows when the simulation begins.
    start: Duration,
    /// What the wall clock shows then, in seconds since 1970.
    pub(super) unix: u64,
}

impl Clock {
    pub(super) fn random(shared: &mut Shared) -> Self {
        Clock {
            fast: shared.rng.random_range(-500..500),
            start: shared.millis(1_000_000_000),
            unix: shared.rng.random_range(0..4_000_000_000),
        }
    }

    pub(super) fn now(&self, real: Duration) -> Duration {
        let micros = real.as_micros() as i64;
        let micros = micros + micros * self.fast / 1_000_000;
        self.start + Duration::from_micros(micros as u64)
    }

    /// The first moment at which the clock shows at least this time.
    pub(super) fn when(&self, shown: Duration) -> Duration {
        let micros = shown.saturating_sub(self.start).as_micros();
        let micros = micros * 1_000_000 / (1_000_000 + self.fast) as u128;
        Duration::from_micros((micros as u64).saturating_add(2))
    }

    /// Runs code of a program. `None` if it is killed meanwhile.
    pub(super) fn runs<T>(&self, real: Duration, work: impl FnOnce(Duration) -> T) -> Option<T> {
        let now = self.now(real);
        set_unix(self.unix + now.as_secs());
        match panic::catch_unwind(AssertUnwindSafe(|| work(now))) {
            Ok(result) => Some(result),
            Err(payload) if payload.is::<Killed>() => None,
            Err(payload) => panic::resume_unwind(payload),
        }
    }
}

/// The timers of a program, of which only the last one counts.
#[derive(Default)]
pub(super) struct Timers {
    last: u64,
    /// The number of timers that have expired in this second.
    expired: (u64, u32),
}

impl Timers {
    /// The number of a new timer.
    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Whether the timer with this number counts. Checks that the program does not run in circles.
    pub(super) fn expires(&mut self, number: u64, now: Duration) -> bool {
        if self.last != number {
            return false;
        }
        let second = now.as_secs();
        if self.expired.0 != second {
            self.expired = (second, 0);
        }
        self.expired.1 += 1;
        assert!(self.expired.1 < 1_000, "a program does not pause");
        true
    }
}
