//! What each address uses of the relay, and which connection goes first when a limit is reached.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::time::Instant;

use crate::Limits;

/// A connection: its number in the order of arrival, and its place. The number comes first, so ids
/// are sorted by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id {
    pub(crate) number: u64,
    pub(crate) slot: usize,
}

/// The clients that share limits: an IPv4 address, or a /64 of IPv6, because a provider gives each
/// customer at least a /64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Network(IpAddr);

impl Network {
    pub(crate) fn of(address: IpAddr) -> Self {
        Network(match address.to_canonical() {
            IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
            v4 => v4,
        })
    }

    pub(crate) fn is_loopback(self) -> bool {
        // Of a /64: `::`.
        self.0.is_loopback() || self.0 == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
    }

    /// The /48 of an IPv6 network. Some providers give a customer as much as this.
    fn wide(self) -> Option<u64> {
        match self.0 {
            IpAddr::V6(ip) => Some((ip.to_bits() >> 80) as u64),
            IpAddr::V4(_) => None,
        }
    }
}

/// A rate limit: a counter that falls with time.
#[derive(Clone, Copy)]
struct Bucket {
    used: f64,
    at: Instant,
}

impl Bucket {
    fn used(&self, now: Instant, per_second: f64) -> f64 {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        (self.used - passed * per_second).max(0.0)
    }

    fn take(&mut self, now: Instant, per_second: f64, burst: f64) -> bool {
        let used = self.used(now, per_second);
        let fits = used + 1.0 <= burst;
        *self = Bucket {
            used: used + f64::from(u8::from(fits)),
            at: now,
        };
        fits
    }
}

struct Usage {
    connections: usize,
    waiting: usize,
    /// The connections that may be closed at any time, the oldest first: those that have not
    /// completed a handshake, and those that only get a last answer.
    idle: BTreeSet<Id>,
    arrivals: Bucket,
    codes: Bucket,
}

/// The usage of all networks.
pub(crate) struct Networks {
    limits: Limits,
    usage: HashMap<Network, Usage>,
    /// The number of connections of each /48.
    wide: HashMap<u64, usize>,
    /// The networks with idle connections, by their number.
    by_idle: BTreeSet<(usize, Network)>,
    /// Whether loopback addresses are those of a proxy, which has no limits.
    behind_proxy: bool,
}

impl Networks {
    pub(crate) fn new(limits: Limits, behind_proxy: bool) -> Self {
        Networks {
            limits,
            usage: HashMap::new(),
            wide: HashMap::new(),
            by_idle: BTreeSet::new(),
            behind_proxy,
        }
    }

    pub(crate) fn is_proxy(&self, network: Network) -> bool {
        self.behind_proxy && network.is_loopback()
    }

    fn usage(&mut self, network: Network, now: Instant) -> &mut Usage {
        let bucket = Bucket { used: 0.0, at: now };
        self.usage.entry(network).or_insert(Usage {
            connections: 0,
            waiting: 0,
            idle: BTreeSet::new(),
            arrivals: bucket,
            codes: bucket,
        })
    }

    /// Whether another connection of this network may arrive now.
    pub(crate) fn may_arrive(&mut self, network: Network, now: Instant) -> bool {
        let rate = f64::from(self.limits.arrivals_per_second);
        let burst = f64::from(self.limits.arrivals);
        self.is_proxy(network) || self.usage(network, now).arrivals.take(now, rate, burst)
    }

    /// Whether another connection of this network needs the place of one that exists.
    pub(crate) fn is_full(&self, network: Network) -> bool {
        let most = self.limits.connections_per_address;
        let used = |usage: &Usage| usage.connections >= most;
        let wide = network.wide().and_then(|wide| self.wide.get(&wide));
        !self.is_proxy(network)
            && (self.usage.get(&network).is_some_and(used)
                || wide.is_some_and(|used| *used >= Self::WIDE * most))
    }

    /// A /48 may have as many connections as this number of addresses.
    const WIDE: usize = 8;

    /// Counts a new connection, which is idle.
    pub(crate) fn add(&mut self, network: Network, id: Id, now: Instant) {
        self.usage(network, now).connections += 1;
        if let Some(wide) = network.wide() {
            *self.wide.entry(wide).or_default() += 1;
        }
        self.set_idle(network, id, true);
    }

    /// Removes a connection from all counts but that of waiting ones.
    pub(crate) fn remove(&mut self, network: Network, id: Id) {
        self.set_idle(network, id, false);
        if let Some(usage) = self.usage.get_mut(&network) {
            usage.connections -= 1;
        }
        if let Some(wide) = network.wide()
            && let Some(used) = self.wide.get_mut(&wide)
        {
            *used -= 1;
            if *used == 0 {
                self.wide.remove(&wide);
            }
        }
    }

    /// Sets whether this connection may be closed at any time.
    pub(crate) fn set_idle(&mut self, network: Network, id: Id, idle: bool) {
        let Some(usage) = self.usage.get_mut(&network) else {
            return;
        };
        self.by_idle.remove(&(usage.idle.len(), network));
        if idle {
            usage.idle.insert(id);
        } else {
            usage.idle.remove(&id);
        }
        if !usage.idle.is_empty() {
            self.by_idle.insert((usage.idle.len(), network));
        }
    }

    /// The oldest idle connection of a network.
    pub(crate) fn oldest_idle_of(&self, network: Network) -> Option<Id> {
        self.usage.get(&network)?.idle.first().copied()
    }

    /// The oldest idle connection of the network with the most idle connections.
    pub(crate) fn oldest_idle(&self) -> Option<Id> {
        let (_, network) = self.by_idle.last()?;
        self.oldest_idle_of(*network)
    }

    /// Counts another waiting connection, if the network may have one.
    pub(crate) fn may_wait(&mut self, network: Network, now: Instant) -> bool {
        let most = self.limits.waiting_per_address;
        let is_proxy = self.is_proxy(network);
        let usage = self.usage(network, now);
        let may = is_proxy || usage.waiting < most;
        usage.waiting += usize::from(may);
        may
    }

    /// Counts a connection that waits no longer.
    pub(crate) fn waited(&mut self, network: Network) {
        if let Some(usage) = self.usage.get_mut(&network) {
            usage.waiting -= 1;
        }
    }

    /// Whether this network may open or use another code now.
    pub(crate) fn may_use_code(&mut self, network: Network, now: Instant) -> bool {
        let rate = f64::from(self.limits.codes_per_minute) / 60.0;
        let burst = f64::from(self.limits.codes);
        self.is_proxy(network) || self.usage(network, now).codes.take(now, rate, burst)
    }

    /// Forgets networks without connections whose rate limits are unused, or all without
    /// connections if there are very many.
    pub(crate) fn forget(&mut self, now: Instant) {
        let many = self.usage.len() > 4 * self.limits.connections;
        let [arrivals, codes] = [
            f64::from(self.limits.arrivals_per_second),
            f64::from(self.limits.codes_per_minute) / 60.0,
        ];
        self.usage.retain(|_, usage| {
            let counts = usage.arrivals.used(now, arrivals) + usage.codes.used(now, codes) > 0.0;
            usage.connections > 0 || (counts && !many)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Network {
        Network::of(address.parse().unwrap())
    }

    fn id(number: u64) -> Id {
        Id { number, slot: 0 }
    }

    #[test]
    fn addresses_of_a_64_are_one_network() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.1"));
        assert!(network("::1").is_loopback() && network("127.0.0.9").is_loopback());
    }

    #[test]
    fn oldest_idle_connection_of_the_network_with_the_most_goes_first() {
        let now = Instant::now();
        let mut networks = Networks::new(Limits::default(), false);
        networks.add(network("192.0.2.1"), id(1), now);
        for number in [2, 3] {
            networks.add(network("192.0.2.2"), id(number), now);
        }
        assert_eq!(networks.oldest_idle(), Some(id(2)));
        networks.set_idle(network("192.0.2.2"), id(2), false);
        networks.remove(network("192.0.2.2"), id(3));
        assert_eq!(networks.oldest_idle(), Some(id(1)));
    }

    #[test]
    fn a_48_has_a_limit_of_its_own() {
        let now = Instant::now();
        let limits = Limits {
            connections_per_address: 2,
            ..Limits::default()
        };
        let mut networks = Networks::new(limits, false);
        for number in 0..16 {
            let network = network(&format!("2001:db8:0:{number}::1"));
            assert!(!networks.is_full(network));
            networks.add(network, id(number), now);
        }
        assert!(networks.is_full(network("2001:db8:0:99::1")));
        assert!(!networks.is_full(network("2001:db8:1::1")));
    }

    #[test]
    fn a_proxy_has_no_limits() {
        let limits = Limits {
            arrivals: 0,
            ..Limits::default()
        };
        let now = Instant::now();
        let proxy = network("127.0.0.1");
        assert!(Networks::new(limits, true).may_arrive(proxy, now));
        assert!(!Networks::new(limits, false).may_arrive(proxy, now));
        assert!(!Networks::new(limits, true).may_arrive(network("192.0.2.1"), now));
    }
}
