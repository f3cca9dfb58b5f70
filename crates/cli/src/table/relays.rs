//! Relays for players who cannot reach each other.

use std::fmt;
use std::str::FromStr;

use anyhow::Context;
use dealerless_connection::identity::Address;

use super::headings::CONNECTION;
use crate::link::{NONE, Url};
use crate::settings::Settings;

/// A relay as users name it: by its TCP address, or by the URL of its WebSocket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RelayName {
    /// The TCP address.
    pub(crate) tcp: Address,
    url: Option<String>,
}

/// The TCP port of a relay whose WebSocket is behind a proxy for TLS.
const PORT: u16 = 4001;

/// The text does not name a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a relay is HOST:PORT, for example relay.example.org:4001, or the URL of its WebSocket, such as \
     wss://relay.example.org/"
)]
pub(crate) struct BadRelay;

impl FromStr for RelayName {
    type Err = BadRelay;

    fn from_str(text: &str) -> Result<Self, BadRelay> {
        if !text.contains("://") {
            let tcp = text.parse().map_err(|_| BadRelay)?;
            return Ok(RelayName { tcp, url: None });
        }
        let url = Url::of(text).ok_or(BadRelay)?;
        let tcp = match url.scheme {
            "ws" => url.address,
            "wss" => format!("{}:{PORT}", url.host)
                .parse()
                .map_err(|_| BadRelay)?,
            _ => return Err(BadRelay),
        };
        let url = Some(text.to_owned());
        Ok(RelayName { tcp, url })
    }
}

impl fmt::Display for RelayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.url {
            Some(url) => f.write_str(url),
            None => self.tcp.fmt(f),
        }
    }
}

impl RelayName {
    /// The URL to which a page may connect: encrypted, or on this machine.
    pub(crate) fn for_page(&self) -> Option<&str> {
        let url = self.url.as_deref()?;
        (url.starts_with("wss:") || self.tcp.is_loopback()).then_some(url)
    }
}

/// A relay, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RelayChoice {
    None,
    At(RelayName),
}

impl FromStr for RelayChoice {
    type Err = BadRelay;

    fn from_str(text: &str) -> Result<Self, BadRelay> {
        match text {
            NONE => Ok(RelayChoice::None),
            _ => text.parse().map(RelayChoice::At),
        }
    }
}

/// The option for a relay.
#[derive(clap::Args)]
pub(crate) struct RelayArgs {
    /// Relay for players whom you cannot reach directly: HOST:PORT, or the URL of its
    /// WebSocket; `none` for no relay [default: the relay of `dealerless config relay`].
    #[arg(long, value_name = "RELAY", help_heading = CONNECTION)]
    relay: Option<RelayChoice>,
}

impl RelayArgs {
    /// The relays of this player.
    ///
    /// # Errors
    /// If the settings have an invalid relay.
    pub(crate) fn relays(&self, settings: &Settings) -> anyhow::Result<Relays> {
        let configured = settings.relay.as_deref().map(str::parse);
        let configured = configured.transpose().context(
            "the relay in the settings is not valid: set it with `dealerless config relay RELAY`",
        )?;
        Ok(Relays {
            given: self.relay.clone(),
            configured,
        })
    }
}

/// The relays of this player.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relays {
    /// The relay for this command.
    given: Option<RelayChoice>,
    /// The relay for all commands without another one.
    configured: Option<RelayName>,
}

impl Relays {
    /// The relay for players who have not met this player yet.
    pub(crate) fn own(&self) -> Option<&RelayName> {
        match &self.given {
            None => self.configured.as_ref(),
            Some(RelayChoice::None) => None,
            Some(RelayChoice::At(relay)) => Some(relay),
        }
    }

    /// The relay of this command, if one was given.
    pub(crate) fn given(&self) -> Option<&RelayChoice> {
        self.given.as_ref()
    }

    /// The relays at which this player and a known player may find each other: the one of this command,
    /// or otherwise the one where they `last` met and the configured one. The first of these is the one
    /// that the other player knows too.
    pub(crate) fn with_known(&self, last: Option<&Address>) -> Vec<Address> {
        let own = self.own().map(|relay| relay.tcp.clone());
        let last = last.filter(|_| self.given.is_none());
        let own = own.filter(|own| last != Some(own));
        last.cloned().into_iter().chain(own).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relay(text: &str) -> RelayName {
        text.parse().unwrap()
    }

    #[test]
    fn relay_has_a_tcp_address_and_perhaps_a_websocket() {
        for (text, tcp, for_page) in [
            ("relay.example.org:4001", "relay.example.org:4001", false),
            ("192.0.2.1:7", "192.0.2.1:7", false),
            ("[2001:db8::1]:7", "[2001:db8::1]:7", false),
            ("wss://relay.example.org/", "relay.example.org:4001", true),
            ("wss://relay.example.org", "relay.example.org:4001", true),
            (
                "wss://Relay.example.org:8443/a?b",
                "relay.example.org:4001",
                true,
            ),
            ("wss://[2001:db8::1]/", "[2001:db8::1]:4001", true),
            ("ws://127.0.0.1:4002/", "127.0.0.1:4002", true),
            ("ws://[::1]:4002", "[::1]:4002", true),
            (
                "ws://relay.example.org:4001/",
                "relay.example.org:4001",
                false,
            ),
            ("ws://relay.example.org/", "relay.example.org:80", false),
        ] {
            let relay = relay(text);
            assert_eq!(relay.tcp.to_string(), tcp);
            assert_eq!(relay.for_page(), for_page.then_some(text));
            assert_eq!(relay.to_string(), text);
        }
        for text in [
            "",
            "none",
            "relay.example.org",
            "relay.example.org:0",
            "https://relay.example.org/",
            "WSS://relay.example.org/",
            "wss://",
            "wss://user@relay.example.org/",
            "wss://relay.example.org/#a",
            "wss://relay.example.org/ ",
            "ws://relay.example.org:99999/",
        ] {
            assert_eq!(text.parse::<RelayName>(), Err(BadRelay), "{text:?}");
        }
        assert_eq!("none".parse(), Ok(RelayChoice::None));
    }

    #[test]
    fn given_relay_replaces_the_last_and_the_configured_one() {
        let relays = |given: Option<&str>, configured: Option<&str>, last: Option<&str>| {
            let relays = Relays {
                given: given.map(|given| given.parse().unwrap()),
                configured: configured.map(relay),
            };
            let own = relays.own().map(ToString::to_string);
            let last = last.map(|last| last.parse().unwrap());
            let with_known = relays.with_known(last.as_ref());
            let with_known: Vec<_> = with_known.iter().map(Address::to_string).collect();
            (own.unwrap_or_default(), with_known.join(" "))
        };
        let both = |own: &str, with: &str| (own.to_owned(), with.to_owned());
        let (c, last) = (Some("c:1"), Some("last:1"));
        assert_eq!(relays(None, None, None), both("", ""));
        assert_eq!(relays(None, c, None), both("c:1", "c:1"));
        assert_eq!(relays(None, None, last), both("", "last:1"));
        assert_eq!(relays(None, c, last), both("c:1", "last:1 c:1"));
        assert_eq!(relays(None, last, last), both("last:1", "last:1"));
        assert_eq!(relays(Some("g:1"), c, last), both("g:1", "g:1"));
        assert_eq!(relays(Some("none"), c, last), both("", ""));
    }
}
