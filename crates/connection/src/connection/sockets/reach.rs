//! The addresses of this machine.

use std::io;
use std::net::{IpAddr, SocketAddr};

use crate::identity::Address;

/// The addresses at which other machines may reach a port of this machine, in order of preference:
/// public addresses first, then addresses in the local network. Loopback addresses are only
/// returned if there is no other address.
///
/// # Errors
/// If the operating system does not list its addresses.
pub fn own_addresses(port: u16) -> io::Result<Vec<SocketAddr>> {
    let found = if_addrs::get_if_addrs()?
        .into_iter()
        .map(|interface| interface.ip());
    Ok(in_order(found, port))
}

fn in_order(found: impl Iterator<Item = IpAddr>, port: u16) -> Vec<SocketAddr> {
    // A link-local address cannot be reached without the name of the network interface.
    let is_local = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    };
    let mut ranked: Vec<_> = found
        .filter(|ip| !is_local(ip) && !ip.is_unspecified())
        .map(|ip| {
            let address = SocketAddr::new(ip, port);
            let is_private = Address::from(address).is_private();
            (ip.is_loopback(), is_private, ip.is_ipv6(), address)
        })
        .collect();
    ranked.sort();
    ranked.dedup();
    let only_loopback = ranked.iter().all(|entry| entry.0);
    ranked.retain(|entry| only_loopback || !entry.0);
    ranked.into_iter().map(|entry| entry.3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(ips: &[&str]) -> Vec<String> {
        let ips = ips.iter().map(|ip| ip.parse().unwrap());
        in_order(ips, 7).iter().map(SocketAddr::to_string).collect()
    }

    #[test]
    fn public_addresses_come_first_and_loopback_is_a_last_resort() {
        let all = [
            "127.0.0.1",
            "fe80::1",
            "10.0.0.2",
            "2001:db8::1",
            "198.51.100.7",
            "::1",
        ];
        assert_eq!(
            order(&all),
            ["198.51.100.7:7", "[2001:db8::1]:7", "10.0.0.2:7"]
        );
        assert_eq!(order(&["::1", "127.0.0.1"]), ["127.0.0.1:7", "[::1]:7"]);
    }
}
