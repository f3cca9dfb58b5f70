//! Network addresses.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use crate::wire::{Malformed, Reader, Writer};

/// A host and a port: `198.51.100.7:4000`, `[2001:db8::7]:4000` or `table.example.org:4000`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    host: Host,
    port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Host {
    Ip(IpAddr),
    Name(String),
}

/// The text is not an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address is HOST:PORT, for example 192.0.2.1:5252 or [2001:db8::1]:5252")]
pub struct BadAddress;

impl Address {
    /// The maximum length of an address as text, in bytes.
    pub(super) const MAX_LEN: usize = 253 + 6;

    /// Writes the address as text.
    pub fn write(&self, writer: &mut Writer) {
        writer.string(self.to_string().as_bytes());
    }

    /// Reads an output of [`write`](Self::write).
    pub fn read(reader: &mut Reader) -> Result<Self, Malformed> {
        let text = reader.text(Self::MAX_LEN)?;
        let address: Address = text.parse().map_err(|_| Malformed)?;
        (address.to_string() == text)
            .then_some(address)
            .ok_or(Malformed)
    }

    /// Whether the host is given by an IP address, so that connecting needs no look-up of a name.
    pub fn is_ip(&self) -> bool {
        matches!(self.host, Host::Ip(_))
    }

    /// Whether only programs on the same machine can reach this address.
    pub fn is_loopback(&self) -> bool {
        match self.host {
            Host::Ip(ip) => ip.is_loopback(),
            Host::Name(ref name) => name == "localhost",
        }
    }

    /// Whether only machines in the same local network can reach this address.
    pub fn is_private(&self) -> bool {
        match self.host {
            Host::Ip(IpAddr::V4(ip)) => {
                // 100.64.0.0/10 is the address space that providers share between their customers.
                let shared = ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64;
                ip.is_private() || ip.is_loopback() || ip.is_link_local() || shared
            }
            Host::Ip(IpAddr::V6(ip)) => {
                ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()
            }
            Host::Name(ref name) => name == "localhost",
        }
    }
}

impl From<SocketAddr> for Address {
    fn from(address: SocketAddr) -> Self {
        Address {
            host: Host::Ip(address.ip()),
            port: address.port(),
        }
    }
}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let (host, port) = text.rsplit_once(':').ok_or(BadAddress)?;
        // `u16::from_str` would also accept a plus sign.
        if !port.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(BadAddress);
        }
        let port = port.parse().map_err(|_| BadAddress)?;
        if port == 0 {
            return Err(BadAddress);
        }
        let host = match host.strip_prefix('[') {
            Some(rest) => {
                let inner = rest.strip_suffix(']').ok_or(BadAddress)?;
                let ip: Ipv6Addr = inner.parse().map_err(|_| BadAddress)?;
                Host::Ip(ip.into())
            }
            None => name_or_ip(host)?,
        };
        Ok(Address { host, port })
    }
}

fn name_or_ip(host: &str) -> Result<Host, BadAddress> {
    if let Ok(ip) = host.parse::<std::net::Ipv4Addr>() {
        return Ok(Host::Ip(ip.into()));
    }
    let is_name_character = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'.';
    // If the last label has only digits, other programs could read the name as an IP address in an
    // unusual notation.
    let last = host.rsplit('.').next().unwrap_or(host);
    let is_name = !last.is_empty() && !last.bytes().all(|c| c.is_ascii_digit());
    if host.len() <= 253 && is_name && host.bytes().all(is_name_character) {
        Ok(Host::Name(host.to_ascii_lowercase()))
    } else {
        Err(BadAddress)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Ip(ip) => SocketAddr::new(*ip, self.port).fmt(f),
            Host::Name(name) => write!(f, "{name}:{}", self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_round_trip() {
        for text in ["1.2.3.4:5", "[2001:db8::7]:4000", "a-b.example.org:65535"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn invalid_addresses_are_refused() {
        for text in [
            "",
            ":",
            "a",
            "a:",
            ":1",
            "a:0",
            "a:+1",
            "a:65536",
            "::1:5",
            "[::1]",
            "[1.2.3.4]:5",
            "a b:1",
            "1.2.3:4",
            "0x7f:1a",
            "a\n:1",
            "1.2.3.400:5",
            "é:1",
        ] {
            assert_eq!(text.parse::<Address>(), Err(BadAddress), "{text:?}");
        }
    }

    #[test]
    fn private_addresses_are_recognised() {
        for text in [
            "10.0.0.1:1",
            "127.0.0.1:1",
            "100.64.3.4:1",
            "[fd00::1]:1",
            "[fe80::1]:1",
        ] {
            assert!(text.parse::<Address>().unwrap().is_private(), "{text}");
        }
        for text in ["198.51.100.7:1", "[2001:db8::7]:1", "example.org:1"] {
            assert!(!text.parse::<Address>().unwrap().is_private(), "{text}");
        }
    }
}
