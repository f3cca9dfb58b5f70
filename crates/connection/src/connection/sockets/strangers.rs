//! Strangers: connections at the door that are not authenticated yet. Their number and time are
//! limited.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::Duration;

/// The maximum number of strangers at the same time.
const MAX_WAITING: usize = 16;
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

/// What a stranger has shown so far to authenticate itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shown {
    /// Nothing.
    Nothing,
    /// The id of a valid invite or the tag of a known peer. Both can be observed on the network and
    /// replayed.
    Prelude,
    /// A proof that it holds the secret of the invite or the private key of the known peer.
    Secret,
}

/// The current strangers, the oldest first, each with a handle `K` to disconnect it, and the
/// failures of sources.
pub(super) struct Strangers<K> {
    waiting: VecDeque<(u64, Shown, K)>,
    next: u64,
    failures: VecDeque<(Source, u32, Duration)>,
}

impl<K> Default for Strangers<K> {
    fn default() -> Self {
        Strangers {
            waiting: VecDeque::new(),
            next: 0,
            failures: VecDeque::new(),
        }
    }
}

impl<K> Strangers<K> {
    /// Adds a stranger. Returns the number of the new stranger. If there are too many strangers,
    /// also returns the handle of the one to disconnect: the oldest of those that have shown least,
    /// or the new one if all others have shown [`Shown::Secret`].
    pub(super) fn add(&mut self, handle: K) -> (u64, Option<K>) {
        let number = self.next;
        self.next += 1;
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back((number, Shown::Nothing, handle));
            return (number, None);
        }
        let least = self
            .waiting
            .iter()
            .enumerate()
            .min_by_key(|(_, (_, shown, _))| *shown);
        let evicted = match least {
            Some((index, (_, shown, _))) if *shown < Shown::Secret => self.waiting.remove(index),
            _ => return (number, Some(handle)),
        };
        self.waiting.push_back((number, Shown::Nothing, handle));
        (number, evicted.map(|(_, _, handle)| handle))
    }

    /// Records what a stranger has shown.
    pub(super) fn set_shown(&mut self, number: u64, shown: Shown) {
        if let Some(entry) = self.waiting.iter_mut().find(|entry| entry.0 == number) {
            entry.1 = shown;
        }
    }

    /// Removes a stranger that has left or has met the host.
    pub(super) fn remove(&mut self, number: u64) {
        self.waiting.retain(|entry| entry.0 != number);
    }

    /// Removes all strangers.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = K> {
        self.waiting.drain(..).map(|entry| entry.2)
    }

    /// Records a failed meeting with a stranger from this source.
    pub(super) fn record_failure(&mut self, source: Source, now: Duration) {
        self.failures
            .retain(|(_, _, last)| now.saturating_sub(*last) < PAUSE);
        let index = self
            .failures
            .iter()
            .position(|(from, _, _)| *from == source);
        let before = index.and_then(|index| self.failures.remove(index));
        if self.failures.len() >= MAX_REMEMBERED {
            self.failures.pop_front();
        }
        let count = before.map_or(0, |(_, count, _)| count);
        self.failures
            .push_back((source, count.saturating_add(1), now));
    }

    /// The numbers of current strangers and of remembered failures.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, u32) {
        let failures = self.failures.iter().map(|(_, count, _)| count);
        (self.waiting.len(), failures.sum())
    }

    /// Whether strangers from this source get less time because of earlier failures.
    pub(super) fn is_paused(&self, source: Source, now: Duration) -> bool {
        self.failures.iter().any(|(from, count, last)| {
            *from == source && *count >= MAX_FAILURES && now.saturating_sub(*last) < PAUSE
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_stranger_that_has_shown_least_is_evicted() {
        let mut strangers = Strangers::default();
        for name in 0..16 {
            assert_eq!(strangers.add(name), (name, None));
        }
        strangers.set_shown(0, Shown::Secret);
        strangers.set_shown(1, Shown::Prelude);
        for name in 16..1000 {
            let gone = strangers.add(name).1;
            assert_eq!(gone, Some(name - 14));
        }
        for number in 980..1000 {
            strangers.set_shown(number, Shown::Prelude);
        }
        assert_eq!(strangers.add(1000).1, Some(1));
        for number in 0..=1000 {
            strangers.set_shown(number, Shown::Secret);
        }
        assert_eq!(strangers.add(1001).1, Some(1001));
        strangers.remove(0);
        assert_eq!(strangers.add(1002).1, None);
    }

    #[test]
    fn five_failures_pause_an_ipv4_address_or_an_ipv6_network() {
        let (mut strangers, start) = (Strangers::<()>::default(), Duration::ZERO);
        let source = |text: &str| Source::of(text.parse().unwrap());
        for host in 1..=5 {
            assert!(!strangers.is_paused(source("2001:db8::9"), start));
            strangers.record_failure(source(&format!("2001:db8::{host}")), start);
            strangers.record_failure(source(&format!("198.51.100.{host}")), start);
        }
        assert!(strangers.is_paused(source("2001:db8::9"), start));
        assert!(!strangers.is_paused(source("2001:db8:0:1::9"), start));
        assert!(!strangers.is_paused(source("198.51.100.1"), start));
        assert!(!strangers.is_paused(source("2001:db8::9"), start + PAUSE));
        for host in 0..3000u32 {
            strangers.record_failure(Source::of(IpAddr::from(host.to_be_bytes())), start);
        }
        assert!(strangers.failures.len() <= MAX_REMEMBERED);
    }
}
