//! The time limits of a channel, and the clock that measures them.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::error::{Error, Result};
use super::transport::is_temporary;

/// The time limits for waiting for the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// The time limit for one message or one frame of bulk data, from the moment when this side
    /// starts to wait until the last byte has arrived.
    pub message: Duration,
    /// The time limit for one phase. A phase lasts from one call of
    /// [`Channel::begin_phase`](super::Channel::begin_phase) to the next call.
    pub phase: Duration,
}

impl Default for Deadlines {
    /// 30 s for a message, 2 min for a phase: enough for a slow machine on a slow connection.
    fn default() -> Self {
        Deadlines {
            message: Duration::from_secs(30),
            phase: Duration::from_secs(120),
        }
    }
}

/// The time since the first call of this function. Panics on a platform without [`Instant`], like
/// `wasm32-unknown-unknown`.
pub fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// The current phase, and the timers of the current phase and the current message.
#[derive(Debug)]
pub(super) struct Clock {
    /// Returns the time since a fixed moment.
    now: fn() -> Duration,
    /// The name of the current phase.
    during: &'static str,
    phase: Timer,
    message: Timer,
}

#[derive(Debug, Clone, Copy)]
struct Timer {
    /// The time at which the timer was started.
    since: Duration,
    limit: Duration,
}

impl Timer {
    fn remaining(&self, now: Duration) -> Duration {
        self.limit.saturating_sub(now.saturating_sub(self.since))
    }
}

impl Clock {
    /// Creates a clock whose timers are already running, so that the first wait also has a limit.
    pub(super) fn new(now: fn() -> Duration, during: &'static str, deadlines: Deadlines) -> Self {
        let started = |limit| Timer {
            since: now(),
            limit,
        };
        Clock {
            now,
            during,
            phase: started(deadlines.phase),
            message: started(deadlines.message),
        }
    }

    pub(super) fn begin_phase(&mut self, name: &'static str, limit: Duration) {
        self.during = name;
        self.phase = self.begin(limit);
    }

    pub(super) fn begin_message(&mut self, limit: Duration) {
        self.message = self.begin(limit);
    }

    fn begin(&self, limit: Duration) -> Timer {
        let since = (self.now)();
        Timer { since, limit }
    }

    /// The time limit for the current message.
    pub(super) fn message_limit(&self) -> Duration {
        self.message.limit
    }

    /// The maximum duration of the next wait; never zero.
    ///
    /// # Errors
    /// [`Error::Timeout`] if the time limit of the message or of the phase has passed.
    pub(super) fn remaining(&self) -> Result<Duration> {
        let now = (self.now)();
        let mut shortest = Duration::MAX;
        for timer in [self.message, self.phase] {
            let remaining = timer.remaining(now);
            if remaining.is_zero() {
                return Err(self.timeout(timer.limit));
            }
            shortest = shortest.min(remaining);
        }
        Ok(shortest)
    }

    /// Converts the error of a transport operation that will not be repeated. If the error is
    /// temporary, the result is [`Error::Timeout`], otherwise [`Error::Lost`].
    pub(super) fn failure(&self, error: io::Error) -> Error {
        if is_temporary(&error) {
            let passed = self.remaining().err();
            passed.unwrap_or_else(|| self.timeout(self.message.limit))
        } else {
            self.lost(error)
        }
    }

    pub(super) fn timeout(&self, limit: Duration) -> Error {
        Error::Timeout {
            during: self.during,
            limit,
        }
    }

    pub(super) fn lost(&self, source: io::Error) -> Error {
        Error::Lost {
            during: self.during,
            source,
        }
    }
}

/// The error of an operation on a connection that the peer or this side has closed.
pub(super) fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionAborted, "the connection is closed")
}
