//! Deadlines, and the clock of a channel.

use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::error::{Error, Result};
use super::transport::is_temporary;

/// The time limits for waiting on the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// The time limit for one message or one frame of bulk data, from the moment when this side
    /// starts to wait until the last byte has arrived.
    pub message: Duration,
    /// The limit for the time from one call of
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

/// The time since the first call of this function.
pub(super) fn system_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// The current phase, and the deadlines for waiting.
#[derive(Debug)]
pub(super) struct Clock {
    now: fn() -> Duration,
    during: &'static str,
    phase: Timer,
    message: Timer,
}

#[derive(Debug, Clone, Copy)]
struct Timer {
    since: Duration,
    limit: Duration,
}

impl Timer {
    fn remaining(&self, now: Duration) -> Duration {
        self.limit.saturating_sub(now.saturating_sub(self.since))
    }
}

impl Clock {
    /// A clock with running timers for a message and a phase, so that every wait has a limit.
    pub(super) fn new(now: fn() -> Duration, during: &'static str, deadlines: Deadlines) -> Self {
        let begun = |limit| Timer {
            since: now(),
            limit,
        };
        Clock {
            now,
            during,
            phase: begun(deadlines.phase),
            message: begun(deadlines.message),
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

    /// The longest time that the next wait may take; never zero.
    ///
    /// # Errors
    /// [`Error::Timeout`] if a deadline has passed.
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

    /// Converts an error of the transport after which the operation is not repeated.
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
