//! Who stands at the door and has not shown who it is: few at a time, and not for long.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Lines in their handshake.
const MAX_WAITING: usize = 16;
/// So many failures, and an address pauses.
const MAX_FAILURES: u32 = 5;
/// How long it pauses, and how long a failure is remembered.
const PAUSE: Duration = Duration::from_secs(60);
/// Addresses of which failures are remembered.
const MAX_REMEMBERED: usize = 1024;

/// Where a stranger comes from: an IPv4 address, or a /64 of IPv6, which one person has.
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

/// What somebody at the door has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shown {
    /// Nothing.
    Nothing,
    /// A live invite's id or a known peer's tag. Both can be read off a line and repeated.
    Prelude,
    /// That it holds the secret, or the key.
    Secret,
}

/// Those who wait, each with the means `K` to send it away, the oldest first.
pub(super) struct Strangers<K> {
    waiting: VecDeque<(u64, Shown, K)>,
    next: u64,
    failures: VecDeque<(Source, u32, Instant)>,
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
    /// Somebody comes. Gives its number, and whom to send away: the oldest of those who have shown
    /// least. If all have shown that they hold the secret, it is the one who comes.
    pub(super) fn comes(&mut self, means: K) -> (u64, Option<K>) {
        let number = self.next;
        self.next += 1;
        if self.waiting.len() < MAX_WAITING {
            self.waiting.push_back((number, Shown::Nothing, means));
            return (number, None);
        }
        let least = self
            .waiting
            .iter()
            .enumerate()
            .min_by_key(|(_, (_, shown, _))| *shown);
        let goes = match least {
            Some((place, (_, shown, _))) if *shown < Shown::Secret => self.waiting.remove(place),
            _ => return (number, Some(means)),
        };
        self.waiting.push_back((number, Shown::Nothing, means));
        (number, goes.map(|(_, _, means)| means))
    }

    /// Somebody has shown something.
    pub(super) fn shows(&mut self, number: u64, shown: Shown) {
        if let Some(entry) = self.waiting.iter_mut().find(|entry| entry.0 == number) {
            entry.1 = shown;
        }
    }

    /// Somebody goes, or has come in.
    pub(super) fn goes(&mut self, number: u64) {
        self.waiting.retain(|entry| entry.0 != number);
    }

    /// Sends all away.
    pub(super) fn all(&mut self) -> impl Iterator<Item = K> {
        self.waiting.drain(..).map(|entry| entry.2)
    }

    /// A handshake from there has failed.
    pub(super) fn fails(&mut self, source: Source, now: Instant) {
        self.failures
            .retain(|(_, _, last)| now.duration_since(*last) < PAUSE);
        let place = self
            .failures
            .iter()
            .position(|(from, _, _)| *from == source);
        let before = place.and_then(|place| self.failures.remove(place));
        if self.failures.len() >= MAX_REMEMBERED {
            self.failures.pop_front();
        }
        let count = before.map_or(0, |(_, count, _)| count);
        self.failures
            .push_back((source, count.saturating_add(1), now));
    }

    /// Whether those from there are given little time.
    pub(super) fn is_paused(&self, source: Source, now: Instant) -> bool {
        self.failures.iter().any(|(from, count, last)| {
            *from == source && *count >= MAX_FAILURES && now.duration_since(*last) < PAUSE
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_those_who_have_shown_least_goes_when_the_seventeenth_comes() {
        let mut strangers = Strangers::default();
        for name in 0..16 {
            assert_eq!(strangers.comes(name), (name, None));
        }
        strangers.shows(0, Shown::Secret);
        strangers.shows(1, Shown::Prelude);
        for name in 16..1000 {
            let gone = strangers.comes(name).1;
            assert_eq!(gone, Some(name - 14));
        }
        for number in 980..1000 {
            strangers.shows(number, Shown::Prelude);
        }
        assert_eq!(strangers.comes(1000).1, Some(1));
        for number in 0..=1000 {
            strangers.shows(number, Shown::Secret);
        }
        assert_eq!(strangers.comes(1001).1, Some(1001));
        strangers.goes(0);
        assert_eq!(strangers.comes(1002).1, None);
    }

    #[test]
    fn an_address_pauses_after_five_failures_and_a_network_of_ipv6_is_one() {
        let (mut strangers, start) = (Strangers::<()>::default(), Instant::now());
        let source = |text: &str| Source::of(text.parse().unwrap());
        for host in 1..=5 {
            assert!(!strangers.is_paused(source("2001:db8::9"), start));
            strangers.fails(source(&format!("2001:db8::{host}")), start);
            strangers.fails(source(&format!("198.51.100.{host}")), start);
        }
        assert!(strangers.is_paused(source("2001:db8::9"), start));
        assert!(!strangers.is_paused(source("2001:db8:0:1::9"), start));
        assert!(!strangers.is_paused(source("198.51.100.1"), start));
        assert!(!strangers.is_paused(source("2001:db8::9"), start + PAUSE));
        for host in 0..3000u32 {
            strangers.fails(Source::of(IpAddr::from(host.to_be_bytes())), start);
        }
        assert!(strangers.failures.len() <= MAX_REMEMBERED);
    }
}
