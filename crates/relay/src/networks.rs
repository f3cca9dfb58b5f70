//! What each address uses of the relay, and which connection goes first when a limit is reached.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::time::Instant;

use crate::Limits;
use crate::status::Limit;

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
pub(crate) struct Network(Option<IpAddr>);

impl Network {
    /// The connections of a proxy that have not sent the beginning of a handshake, and so not the
    /// address of the client, and those of the operator. They have no limits of an address.
    pub(crate) const LOCAL: Network = Network(None);

    pub(crate) fn of(address: IpAddr) -> Self {
        Network(Some(prefix(address.to_canonical(), 64)))
    }

    /// The /48 of an IPv6 network, because some providers give a customer as much as this.
    fn wide(self) -> Wide {
        Wide(self.0.map(|address| prefix(address, 48)))
    }
}

/// The first bits of an IPv6 address.
fn prefix(address: IpAddr, bits: u32) -> IpAddr {
    match address {
        IpAddr::V6(ip) => Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << (128 - bits))).into(),
        v4 => v4,
    }
}

/// An IPv4 address, or a /48 of IPv6.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Wide(Option<IpAddr>);

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

    /// Takes back what has not decayed of a [`take`](Self::take) at this time.
    fn give_back(&mut self, taken: Instant, now: Instant, per_second: f64) {
        let take = Bucket {
            used: 1.0,
            at: taken,
        };
        let rest = take.used(now, per_second);
        let used = (self.used(now, per_second) - rest).max(0.0);
        *self = Bucket { used, at: now };
    }
}

/// The codes of an IPv4 address or a /48.
struct WideCodes {
    opened: Bucket,
    /// The uses of codes that have brought no guest to a host.
    failed: Bucket,
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
    /// The connections of each IPv4 address and each /48, the oldest first.
    wide: HashMap<Wide, BTreeSet<Id>>,
    /// The keys of `wide`, by the number of connections.
    by_connections: BTreeSet<(usize, Wide)>,
    wide_codes: HashMap<Wide, WideCodes>,
    /// The uses of codes by all clients that have brought no guest to a host.
    failed_codes: Bucket,
    /// The number of idle connections.
    idle: usize,
    /// The networks with idle connections, by their number.
    by_idle: BTreeSet<(usize, Network)>,
}

impl Networks {
    pub(crate) fn new(limits: Limits, now: Instant) -> Self {
        Networks {
            limits,
            wide_codes: HashMap::new(),
            failed_codes: Bucket { used: 0.0, at: now },
            usage: HashMap::new(),
            wide: HashMap::new(),
            by_connections: BTreeSet::new(),
            idle: 0,
            by_idle: BTreeSet::new(),
        }
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
        network == Network::LOCAL || self.usage(network, now).arrivals.take(now, rate, burst)
    }

    /// Whether another connection of this network needs the place of one that exists.
    pub(crate) fn is_full(&self, network: Network) -> bool {
        let most = self.limits.connections_per_address;
        let used = |usage: &Usage| usage.connections >= most;
        network != Network::LOCAL
            && (self.usage.get(&network).is_some_and(used)
                || self.connections_of(network.wide()) >= Self::WIDE * most)
    }

    /// A /48 may have as many connections, and open as many codes, as this number of addresses.
    const WIDE: usize = 8;
    /// A /48 may use as many codes in vain as this number of addresses.
    const WIDE_FAILED: usize = 4;

    /// Counts a new connection, which is idle.
    pub(crate) fn add(&mut self, network: Network, id: Id, now: Instant) {
        self.usage(network, now).connections += 1;
        self.change_wide(network, |connections| connections.insert(id));
        self.set_idle(network, id, true);
    }

    /// Removes a connection from all counts but that of waiting ones.
    pub(crate) fn remove(&mut self, network: Network, id: Id) {
        self.set_idle(network, id, false);
        if let Some(usage) = self.usage.get_mut(&network) {
            usage.connections -= 1;
        }
        self.change_wide(network, |connections| connections.remove(&id));
    }

    fn connections_of(&self, wide: Wide) -> usize {
        self.wide.get(&wide).map_or(0, BTreeSet::len)
    }

    fn change_wide(&mut self, network: Network, change: impl FnOnce(&mut BTreeSet<Id>) -> bool) {
        if network == Network::LOCAL {
            return;
        }
        let wide = network.wide();
        let connections = self.wide.entry(wide).or_default();
        self.by_connections.remove(&(connections.len(), wide));
        change(connections);
        if connections.is_empty() {
            self.wide.remove(&wide);
        } else {
            self.by_connections.insert((connections.len(), wide));
        }
    }

    /// Sets whether this connection may be closed at any time.
    pub(crate) fn set_idle(&mut self, network: Network, id: Id, idle: bool) {
        let Some(usage) = self.usage.get_mut(&network) else {
            return;
        };
        self.by_idle.remove(&(usage.idle.len(), network));
        self.idle -= usage.idle.len();
        if idle {
            usage.idle.insert(id);
        } else {
            usage.idle.remove(&id);
        }
        self.idle += usage.idle.len();
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

    /// The connection that makes room for another one of this network when the relay is full. An
    /// eighth of all places is for connections that have not said anything yet: if fewer are idle,
    /// the address or /48 with the most connections loses its newest one, unless this network would
    /// then have as many.
    pub(crate) fn superfluous(&self, network: Network) -> Option<Id> {
        let busiest = || {
            let (most, busiest) = self.by_connections.last()?;
            let is_busier = *most > self.connections_of(network.wide()) + 1;
            is_busier.then(|| self.wide.get(busiest)?.last().copied())?
        };
        let many_are_idle = self.idle > self.limits.connections / 8;
        let idle = || self.oldest_idle();
        if many_are_idle {
            idle()
        } else {
            busiest().or_else(idle)
        }
    }

    /// Counts another waiting connection, if the network may have one.
    pub(crate) fn may_wait(&mut self, network: Network, now: Instant) -> bool {
        let most = self.limits.waiting_per_address;
        let usage = self.usage(network, now);
        let may = usage.waiting < most;
        usage.waiting += usize::from(may);
        may
    }

    /// Counts a connection that waits no longer, or a code that is held no longer.
    pub(crate) fn waited(&mut self, network: Network) {
        if let Some(usage) = self.usage.get_mut(&network) {
            usage.waiting -= 1;
        }
    }

    /// The rate of codes of an address in a second, and the number at once.
    fn code_limits(&self) -> (f64, f64) {
        let Limits {
            codes,
            codes_per_minute,
            ..
        } = self.limits;
        (f64::from(codes_per_minute) / 60.0, codes.into())
    }

    /// The same for the uses of codes by all clients that fail.
    fn failed_code_limits(&self) -> (f64, f64) {
        let Limits {
            failed_codes,
            failed_codes_per_minute,
            ..
        } = self.limits;
        (
            f64::from(failed_codes_per_minute) / 60.0,
            failed_codes.into(),
        )
    }

    fn wide_codes(&mut self, network: Network, now: Instant) -> &mut WideCodes {
        let bucket = Bucket { used: 0.0, at: now };
        self.wide_codes.entry(network.wide()).or_insert(WideCodes {
            opened: bucket,
            failed: bucket,
        })
    }

    /// Whether this network may open another code now. One that is refused does not count.
    pub(crate) fn may_open_code(&mut self, network: Network, now: Instant) -> Result<(), Limit> {
        let (rate, burst) = self.code_limits();
        let wide = Self::WIDE as f64;
        let mut own = self.usage(network, now).codes;
        let mut opened = self.wide_codes(network, now).opened;
        if !own.take(now, rate, burst) || !opened.take(now, wide * rate, wide * burst) {
            return Err(Limit::Codes);
        }
        self.usage(network, now).codes = own;
        self.wide_codes(network, now).opened = opened;
        Ok(())
    }

    /// Whether this network may use another code now. The use counts as failed until it has
    /// [succeeded](Self::code_has_succeeded), so a stranger has no more guesses from many addresses. One that is
    /// refused does not count.
    pub(crate) fn may_use_code(&mut self, network: Network, now: Instant) -> Result<(), Limit> {
        let (rate, burst) = self.code_limits();
        let wide = Self::WIDE_FAILED as f64;
        let mut own = self.usage(network, now).codes;
        let mut failed = self.wide_codes(network, now).failed;
        if !own.take(now, rate, burst) || !failed.take(now, wide * rate, wide * burst) {
            return Err(Limit::Codes);
        }
        let (rate, burst) = self.failed_code_limits();
        if !self.failed_codes.take(now, rate, burst) {
            return Err(Limit::AllCodes);
        }
        self.usage(network, now).codes = own;
        self.wide_codes(network, now).failed = failed;
        Ok(())
    }

    /// A code that this network has used at this time has brought a guest to its host.
    pub(crate) fn code_has_succeeded(&mut self, network: Network, used: Instant, now: Instant) {
        let (rate, _) = self.code_limits();
        let wide = Self::WIDE_FAILED as f64 * rate;
        self.wide_codes(network, now)
            .failed
            .give_back(used, now, wide);
        let (rate, _) = self.failed_code_limits();
        self.failed_codes.give_back(used, now, rate);
    }

    /// Forgets networks without connections whose rate limits are unused, or all without
    /// connections if there are very many. The limit for all clients remains.
    pub(crate) fn forget(&mut self, now: Instant) {
        let many = self.usage.len() > 4 * self.limits.connections;
        let many_wide = self.wide_codes.len() > 4 * self.limits.connections;
        let arrivals = f64::from(self.limits.arrivals_per_second);
        let (rate, _) = self.code_limits();
        self.wide_codes.retain(|_, wide| {
            let opened = wide.opened.used(now, Self::WIDE as f64 * rate);
            let failed = wide.failed.used(now, Self::WIDE_FAILED as f64 * rate);
            !many_wide && opened + failed > 0.0
        });
        self.usage.retain(|_, usage| {
            let counts = usage.arrivals.used(now, arrivals) + usage.codes.used(now, rate) > 0.0;
            usage.connections + usage.waiting > 0 || (counts && !many)
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
    }

    #[test]
    fn oldest_idle_connection_of_the_network_with_the_most_goes_first() {
        let now = Instant::now();
        let mut networks = Networks::new(Limits::default(), now);
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
    fn network_with_a_held_code_is_not_forgotten() {
        let begin = Instant::now();
        let mut networks = Networks::new(Limits::default(), begin);
        let host = network("192.0.2.1");
        networks.add(host, id(1), begin);
        assert!(networks.may_wait(host, begin));
        // Its connection ends, and the code is held.
        networks.remove(host, id(1));
        let later = begin + Duration::from_secs(3600);
        networks.forget(later);
        assert!(networks.usage.contains_key(&host));
        networks.waited(host);
        networks.forget(later);
        assert!(networks.usage.is_empty());
    }

    #[test]
    fn a_48_has_a_limit_of_its_own() {
        let now = Instant::now();
        let limits = Limits {
            connections_per_address: 2,
            ..Limits::default()
        };
        let mut networks = Networks::new(limits, now);
        for number in 0..16 {
            let network = network(&format!("2001:db8:0:{number}::1"));
            assert!(!networks.is_full(network));
            networks.add(network, id(number), now);
        }
        assert!(networks.is_full(network("2001:db8:0:99::1")));
        assert!(!networks.is_full(network("2001:db8:1::1")));
    }

    #[test]
    fn busiest_network_loses_its_newest_connection() {
        let now = Instant::now();
        let mut networks = Networks::new(Limits::default(), now);
        let add = |networks: &mut Networks, address: &str, number| {
            networks.add(network(address), id(number), now);
            networks.set_idle(network(address), id(number), false);
        };
        for number in 0..3 {
            add(&mut networks, &format!("2001:db8:0:{number}::1"), number);
        }
        add(&mut networks, "192.0.2.1", 8);
        add(&mut networks, "192.0.2.1", 9);
        let superfluous = |networks: &Networks, address| networks.superfluous(network(address));
        assert_eq!(superfluous(&networks, "192.0.2.2"), Some(id(2)));
        assert_eq!(superfluous(&networks, "192.0.2.1"), None);
        networks.remove(network("2001:db8:0:2::1"), id(2));
        networks.remove(network("192.0.2.1"), id(8));
        assert_eq!(superfluous(&networks, "192.0.2.2"), Some(id(1)));
        networks.remove(network("2001:db8:0:1::1"), id(1));
        assert_eq!(superfluous(&networks, "192.0.2.2"), None);
    }

    #[test]
    fn connections_of_a_proxy_have_no_limits_yet() {
        let limits = Limits {
            arrivals: 0,
            ..Limits::default()
        };
        let now = Instant::now();
        let mut networks = Networks::new(limits, now);
        assert!(networks.may_arrive(Network::LOCAL, now));
        assert!(!networks.may_arrive(network("127.0.0.1"), now));
    }

    #[test]
    fn a_stranger_in_many_networks_has_no_more_failed_codes() {
        let begin = Instant::now();
        let limits = Limits::default();
        // An address, the addresses of a /48, and 1000 addresses.
        let one = vec![network("192.0.2.1")];
        let of_48 = |it| network(&format!("2001:db8:0:{it:x}::1"));
        let of_all = |it| network(&format!("10.0.{}.{}", it / 250, it % 250));
        let many = [
            one,
            (0..1000).map(of_48).collect(),
            (0..1000).map(of_all).collect(),
        ];
        for (networks_of, most) in many.into_iter().zip([10 + 360, 40 + 1440, 60 + 1800]) {
            let mut networks = Networks::new(limits, begin);
            let mut guesses = 0;
            for second in 0..=3600 {
                let now = begin + Duration::from_secs(second);
                let mut may = |network| networks.may_use_code(network, now).is_ok();
                guesses += networks_of.iter().filter(|network| may(**network)).count();
                networks.forget(now);
            }
            assert!((most * 99 / 100..=most).contains(&guesses), "{guesses}");
        }
    }

    #[test]
    fn codes_that_succeed_are_not_counted_for_others() {
        let now = Instant::now();
        let mut networks = Networks::new(Limits::default(), now);
        for it in 0..1000 {
            let network = network(&format!("2001:db8:0:{it:x}::1"));
            assert!(networks.may_use_code(network, now).is_ok());
            networks.code_has_succeeded(network, now, now);
        }
    }

    #[test]
    fn a_use_that_succeeds_late_gives_back_only_what_has_not_decayed() {
        let begin = Instant::now();
        let of_48 = |it| network(&format!("2001:db8:0:{it:x}::1"));
        let of_all = |it| network(&format!("10.0.{}.{}", it / 250, it % 250));
        let many: [(Vec<Network>, usize); 2] = [
            ((0..1000).map(of_48).collect(), 40),
            ((0..1000).map(of_all).collect(), 60),
        ];
        for (networks_of, most) in many {
            let used_at = |networks: &mut Networks, now| {
                let may = |it: &&Network| networks.may_use_code(**it, now).is_ok();
                networks_of.iter().filter(may).copied().collect::<Vec<_>>()
            };
            let mut networks = Networks::new(Limits::default(), begin);
            let saved_up = used_at(&mut networks, begin);
            let later = begin + Duration::from_secs(3600);
            assert_eq!(saved_up.len(), most);
            assert_eq!(used_at(&mut networks, later).len(), most);
            for network in saved_up {
                networks.code_has_succeeded(network, begin, later);
            }
            assert_eq!(used_at(&mut networks, later).len(), 0);
        }
        // After a second, a half of each use is left of the limit for all.
        let mut networks = Networks::new(Limits::default(), begin);
        let later = begin + Duration::from_secs(1);
        for it in 0..2 {
            assert!(networks.may_use_code(of_all(it), begin).is_ok());
        }
        for it in 0..2 {
            networks.code_has_succeeded(of_all(it), begin, later);
        }
        let uses = (2..1000).filter(|it| networks.may_use_code(of_all(*it), later).is_ok());
        assert_eq!(uses.count(), 59);
    }

    #[test]
    fn a_use_that_the_limit_for_all_refuses_does_not_count() {
        let begin = Instant::now();
        let limits = Limits {
            failed_codes: 0,
            ..Limits::default()
        };
        let mut networks = Networks::new(limits, begin);
        let address = network("2001:db8::1");
        for _ in 0..100 {
            let refused = networks.may_use_code(address, begin);
            assert!(matches!(refused, Err(Limit::AllCodes)));
        }
        networks.limits = Limits::default();
        let uses = (0..100).filter(|_| networks.may_use_code(address, begin).is_ok());
        assert_eq!(uses.count(), 10);
    }

    #[test]
    fn a_code_that_a_full_48_cannot_open_does_not_count_for_its_address() {
        let begin = Instant::now();
        let mut networks = Networks::new(Limits::default(), begin);
        let of_48 = |it| network(&format!("2001:db8:0:{it:x}::1"));
        for it in 0..80 {
            assert!(networks.may_open_code(of_48(it), begin).is_ok());
        }
        let last = of_48(99);
        for _ in 0..100 {
            assert!(networks.may_open_code(last, begin).is_err());
        }
        let uses = (0..100).filter(|_| networks.may_use_code(last, begin).is_ok());
        assert_eq!(uses.count(), 10);
    }

    #[test]
    fn one_address_leaves_codes_to_the_rest_of_its_48() {
        let now = Instant::now();
        let mut networks = Networks::new(Limits::default(), now);
        let mut uses = |address| {
            let may = |_: &u32| networks.may_use_code(network(address), now).is_ok();
            (0..100).filter(may).count()
        };
        assert_eq!(uses("2001:db8::1"), 10);
        assert_eq!(uses("2001:db8:0:1::1"), 10);
    }

    #[test]
    fn a_48_opens_as_many_codes_as_eight_addresses() {
        let now = Instant::now();
        let mut networks = Networks::new(Limits::default(), now);
        let of_48 = (0..1000).map(|it| network(&format!("2001:db8:0:{it:x}::1")));
        let opened = of_48.filter(|it| networks.may_open_code(*it, now).is_ok());
        assert_eq!(opened.count(), 80);
        assert!(networks.may_open_code(network("192.0.2.1"), now).is_ok());
    }
}
