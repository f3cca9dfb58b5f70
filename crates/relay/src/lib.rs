//! A blind relay for two players who can only make outgoing connections.
//!
//! A [`Relay`] listens on one port for TCP and HTTP. Over TCP, and in the binary messages of a
//! WebSocket, it speaks the protocol of the transit relay of Magic Wormhole, and adds codes: short
//! numbers for two people who have no token in common yet. When two connections have met, it
//! forwards bytes between them and reads none of them. It can also serve the static files of a
//! [`Page`].
//!
//! Everything that a client sends is hostile. A client that says nothing costs a file descriptor
//! and a few hundred bytes; what a client may use is in [`Limits`]. docs/relay.md describes the
//! handshakes and how to run a relay.

#![forbid(unsafe_code)]

mod clients;
mod connection;
mod event_loop;
mod frames;
mod handshake;
mod http;
#[cfg(feature = "internals")]
pub mod internals;
mod networks;
mod page;
mod request;
mod rooms;
mod sockets;
mod status;

use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::time::Duration;

pub use event_loop::{Relay, Stop};
pub use page::Page;

/// What clients may use. An *address* is an IPv4 address, or a /64 of IPv6. A /48 may have eight times as
/// many connections, open eight times as many codes, and use four times as many in vain. The other limits
/// apply to each /64.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of connections. Beyond it, a new connection takes the place of the oldest
    /// one that has not completed a handshake, of the address with the most of these. If nearly all
    /// have, it takes the place of the newest one of the address or /48 with the most connections.
    pub connections: usize,
    /// The maximum number of connections of an address.
    pub connections_per_address: usize,
    /// The maximum number of connections of an address that wait for their peer, with the codes that are held
    /// for it.
    pub waiting_per_address: usize,
    /// The number of connections that an address may open at once.
    pub arrivals: u32,
    /// The number of connections that an address may open in a second on average.
    pub arrivals_per_second: u32,
    /// The number of codes that an address may open or use at once.
    pub codes: u32,
    /// The number of codes that an address may open or use in a minute on average.
    pub codes_per_minute: u32,
    /// The number of codes that all clients together may use in vain at once.
    pub failed_codes: u32,
    /// The number of codes that all clients together may use in vain in a minute on average.
    pub failed_codes_per_minute: u32,
    /// Timeout for a handshake. A WebSocket has two: the head of the request, and the line.
    pub handshake: Duration,
    /// The maximum time that a connection waits for its peer.
    pub waiting: Duration,
    /// How long a code is held for its host after a use, and after its host has lost its connection.
    /// Then it is void.
    pub code_hold: Duration,
    /// The maximum time that a guest waits for the host of a code that is held.
    pub code_wait: Duration,
    /// The time until the number of a void code is used again.
    pub code_rest: Duration,
    /// A client that does not read for this time what its peer has sent loses the connection.
    pub unread: Duration,
    /// The maximum number of connections that have not taken all bytes sent to them. Each can fill
    /// buffers of the system. Beyond it, of the network with most of them, the one that has had such
    /// bytes for the longest time ends.
    pub blocked: usize,
    /// The time of silence after which a WebSocket gets a ping. After three times this time it is
    /// dead.
    pub ping: Duration,
    /// The maximum time to send a file.
    pub file: Duration,
    /// The maximum time to send a last answer, and to wait for the end of the connection.
    pub closing: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections: 16_384,
            connections_per_address: 256,
            waiting_per_address: 64,
            arrivals: 256,
            arrivals_per_second: 16,
            codes: 10,
            codes_per_minute: 6,
            failed_codes: 60,
            failed_codes_per_minute: 30,
            handshake: Duration::from_secs(5),
            waiting: Duration::from_secs(3600),
            code_hold: Duration::from_secs(30),
            code_wait: Duration::from_secs(20),
            code_rest: Duration::from_secs(600),
            unread: Duration::from_secs(60),
            blocked: 192,
            ping: Duration::from_secs(30),
            file: Duration::from_secs(120),
            closing: Duration::from_secs(5),
        }
    }
}

/// The settings of a relay.
#[derive(Default)]
pub struct Settings {
    /// What clients may use.
    pub limits: Limits,
    /// Whether HTTP requests from loopback addresses come from a proxy. Limits then apply to the last
    /// value of `X-Forwarded-For`. A request without an address there is refused. Other clients
    /// cannot choose their address: the header counts only in requests from this machine.
    pub behind_proxy: bool,
    /// The page to serve.
    pub page: Option<Page>,
    /// The origins of the pages whose requests are answered, as a browser sends them, such as
    /// `https://page.example.org`. Empty for all. Requests without an origin are not from a page.
    pub allowed_pages: Vec<String>,
    /// The maximum number of bytes that a room forwards in a second on average, in both directions
    /// together. One second of it may come at once.
    pub max_rate: Option<NonZeroU64>,
    /// The loopback address of an HTTP server for the operator. It reports the numbers of connections,
    /// rooms, bytes and refusals, in the text format of Prometheus.
    pub status: Option<SocketAddr>,
}
