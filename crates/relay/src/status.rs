//! Counts for the operator. They contain no addresses, tokens or codes.

use crate::clients::Clients;
use crate::connection::Stage;

/// Counts since the start.
#[derive(Default)]
pub(crate) struct Counts {
    /// The connections that have been served.
    pub(crate) connections: u64,
    /// The rooms with two clients.
    pub(crate) rooms: u64,
    /// The bytes that were forwarded.
    pub(crate) bytes: u64,
    /// The number of connections that each limit has refused or ended.
    limits: [u64; Limit::NAMES.len()],
}

impl Counts {
    pub(crate) fn reached(&mut self, limit: Limit) {
        self.limits[limit as usize] += 1;
    }
}

/// A limit that refuses or ends connections.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    Connections,
    ConnectionsPerAddress,
    Arrivals,
    Waiting,
    Codes,
    AllCodes,
    Handshake,
    Handshakes,
    Unread,
    Blocked,
    ForwardedFor,
    Page,
}

impl Limit {
    /// The names, in the order of the limits.
    const NAMES: [&'static str; 12] = [
        "connections",
        "connections-per-address",
        "new-connections-per-address",
        "waiting-per-address",
        "codes-per-address",
        "codes",
        "handshake-time",
        "handshake-memory",
        "unread-time",
        "unread-clients",
        "forwarded-for",
        "page",
    ];
}

impl Clients {
    /// The counts in the text format of Prometheus.
    pub(crate) fn status(&self) -> String {
        let in_stage = |is_it: fn(&Stage) -> bool| {
            let stages = self.connections.iter().map(|(_, it)| &it.stage);
            stages.filter(|stage| is_it(stage)).count() as u64
        };
        let joined = in_stage(|stage| matches!(stage, Stage::Joined(_)));
        let waiting = in_stage(|stage| matches!(stage, Stage::Waiting(_)));
        let counts = &self.counts;
        let mut text = String::new();
        for (name, kind, value) in [
            ("connections", "gauge", self.connections.len() as u64),
            ("waiting", "gauge", waiting),
            ("rooms", "gauge", joined / 2),
            ("unread_clients", "gauge", self.blocked.len() as u64),
            ("connections_total", "counter", counts.connections),
            ("rooms_total", "counter", counts.rooms),
            ("forwarded_bytes_total", "counter", counts.bytes),
        ] {
            text += &format!("# TYPE {PREFIX}{name} {kind}\n{PREFIX}{name} {value}\n");
        }
        text += &format!("# TYPE {PREFIX}refused_total counter\n");
        for (limit, count) in Limit::NAMES.iter().zip(counts.limits) {
            text += &format!("{PREFIX}refused_total{{limit=\"{limit}\"}} {count}\n");
        }
        text
    }
}

/// The beginning of all names.
const PREFIX: &str = "dealerless_relay_";
