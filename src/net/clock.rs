//! Deadlines, and the clock of a transport.

use std::io;
use std::time::{Duration, Instant};

use super::error::{Error, Result};

/// How long the peer may keep this side waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For one message, or one frame of bulk data, from the moment that this side waits for it
    /// until its last byte.
    pub message: Duration,
    /// For everything between one [`Channel::begin_phase`](super::Channel::begin_phase) and the
    /// next.
    pub phase: Duration,
}

impl Default for Deadlines {
    /// 30 s a message, 2 min a phase: enough for a slow machine on a slow line.
    fn default() -> Self {
        Deadlines {
            message: Duration::from_secs(30),
            phase: Duration::from_secs(120),
        }
    }
}

/// Knows the current phase, and how long a wait may still last.
#[derive(Debug)]
pub(super) struct Clock {
    during: &'static str,
    phase: Timer,
    message: Timer,
}

/// A start and a limit rather than an end: an `Instant` plus a large `Duration` overflows.
#[derive(Debug, Clone, Copy)]
struct Timer {
    since: Instant,
    limit: Duration,
}

impl Timer {
    fn start(limit: Duration) -> Self {
        Timer {
            since: Instant::now(),
            limit,
        }
    }

    fn remaining(&self, now: Instant) -> Duration {
        self.limit.saturating_sub(now.duration_since(self.since))
    }
}

impl Clock {
    /// A clock on which a message and a phase have begun, so that no wait is without an end.
    pub(super) fn new(during: &'static str, deadlines: Deadlines) -> Self {
        Clock {
            during,
            phase: Timer::start(deadlines.phase),
            message: Timer::start(deadlines.message),
        }
    }

    pub(super) fn begin_phase(&mut self, name: &'static str, limit: Duration) {
        self.during = name;
        self.phase = Timer::start(limit);
    }

    pub(super) fn begin_message(&mut self, limit: Duration) {
        self.message = Timer::start(limit);
    }

    /// What the peer is given for one message.
    pub(super) fn message_limit(&self) -> Duration {
        self.message.limit
    }

    /// How long a wait may still last; never zero.
    ///
    /// # Errors
    /// [`Error::Timeout`] if a deadline has passed.
    pub(super) fn remaining(&self) -> Result<Duration> {
        let now = Instant::now();
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

    /// The peer, or this side, has closed the connection.
    pub(super) fn closed(&self) -> Error {
        let closed = "the connection is closed";
        self.lost(io::Error::new(io::ErrorKind::ConnectionAborted, closed))
    }
}
