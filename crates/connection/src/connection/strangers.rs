//! Strangers: connections at the door that are not authenticated yet. Their number and time are
//! limited.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

use super::meeting::Shown;

/// The maximum number of strangers at the same time.
pub(super) const MAX_STRANGERS: usize = 16;
/// The number of failed meetings after which a [`Source`] is paused: its strangers get less time.
const MAX_FAILURES: u32 = 5;
/// How long a source is paused after its last failure, and how long its failures are remembered.
const PAUSE: Duration = Duration::from_secs(60);
/// The maximum number of sources whose failures are remembered.
const MAX_REMEMBERED: usize = 1024;

/// The origin of a stranger: an IPv4 address, or a /64 network of IPv6, because one person usually
/// has a whole /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source(IpAddr);

impl Source {
    pub(super) fn of(ip: IpAddr) -> Self {
        Source(match ip.to_canonical() {
            IpAddr::V4(ip) => ip.into(),
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
        })
    }
}

/// The stranger that must leave when another one comes to [`MAX_STRANGERS`]: the oldest of those that have
/// shown least. `None` if all have shown [`Shown::Secret`]: then the new one must leave. `shown` is what
/// each has shown, the oldest first.
pub(super) fn evicted(shown: impl Iterator<Item = Shown>) -> Option<usize> {
    let least = shown.enumerate().min_by_key(|(_, shown)| *shown);
    let (index, shown) = least?;
    (shown < Shown::Secret).then_some(index)
}

/// The failed meetings with strangers from each source, the oldest first.
#[derive(Default)]
pub(super) struct Failures(VecDeque<(Source, u32, Duration)>);

impl Failures {
    /// Records a failed meeting with a stranger from this source.
    pub(super) fn record(&mut self, source: Source, now: Duration) {
        self.0
            .retain(|(_, _, last)| now.saturating_sub(*last) < PAUSE);
        let index = self.0.iter().position(|(from, _, _)| *from == source);
        let before = index.and_then(|index| self.0.remove(index));
        if self.0.len() >= MAX_REMEMBERED {
            self.0.pop_front();
        }
        let count = before.map_or(0, |(_, count, _)| count);
        self.0.push_back((source, count.saturating_add(1), now));
    }

    /// Whether strangers from this source get less time because of earlier failures.
    pub(super) fn is_paused(&self, source: Source, now: Duration) -> bool {
        self.0.iter().any(|(from, count, last)| {
            *from == source && *count >= MAX_FAILURES && now.saturating_sub(*last) < PAUSE
        })
    }

    /// The number of remembered failures.
    #[cfg(test)]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|(_, count, _)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stranger_that_has_shown_least_is_evicted() {
        use Shown::{Nothing, Prelude, Secret};
        for (shown, expected) in [
            ([Nothing, Nothing, Nothing], Some(0)),
            ([Secret, Prelude, Nothing], Some(2)),
            ([Secret, Prelude, Prelude], Some(1)),
            ([Prelude, Nothing, Nothing], Some(1)),
            ([Secret, Secret, Secret], None),
        ] {
            assert_eq!(evicted(shown.into_iter()), expected, "{shown:?}");
        }
    }

    #[test]
    fn five_failures_pause_an_ipv4_address_or_an_ipv6_network() {
        let (mut failures, start) = (Failures::default(), Duration::ZERO);
        let source = |text: &str| Source::of(text.parse().unwrap());
        for host in 1..=5 {
            assert!(!failures.is_paused(source("2001:db8::9"), start));
            failures.record(source(&format!("2001:db8::{host}")), start);
            failures.record(source(&format!("198.51.100.{host}")), start);
        }
        assert!(failures.is_paused(source("2001:db8::9"), start));
        assert!(!failures.is_paused(source("2001:db8:0:1::9"), start));
        assert!(!failures.is_paused(source("198.51.100.1"), start));
        assert!(!failures.is_paused(source("2001:db8::9"), start + PAUSE));
        for host in 0..3000u32 {
            failures.record(Source::of(IpAddr::from(host.to_be_bytes())), start);
        }
        assert!(failures.0.len() <= MAX_REMEMBERED);
    }
}
