//! The link of an invite, for a guest who plays on a page in a browser (docs/browser-guest.md).

use anyhow::bail;
use dealerless_table::connection::Invite;
use dealerless_table::identity::Address;

use crate::settings::Settings;
use crate::table::{CONNECTION, OwnArgs};

/// The options for a guest on a page.
#[derive(clap::Args)]
pub(super) struct LinkArgs {
    /// Also print the invite as a link to this page, for a guest who plays in a browser. Needs
    /// --relay. Later commands keep it; `none` forgets it.
    #[arg(long, value_name = "URL", value_parser = page, help_heading = CONNECTION)]
    page: Option<String>,
    /// The WebSocket address of the relay of --relay, for the link. Later commands with the same
    /// relay keep it.
    #[arg(long, value_name = "URL", value_parser = websocket, requires = "relay",
          help_heading = CONNECTION)]
    page_relay: Option<String>,
}

/// The value of `--page` that forgets the page.
const NONE: &str = "none";

/// The link of the invites of a host.
pub(super) enum Link {
    /// No page is known, or the page cannot play this match.
    None,
    /// The link to the known page cannot be made, for this reason.
    Incomplete(String),
    /// The URL of the page, and that of the relay's WebSocket.
    To { page: String, relay: String },
}

impl LinkArgs {
    /// Stores the options that later commands keep. Returns the link of a match of `seats`, whose host
    /// waits at `relay`.
    ///
    /// # Errors
    /// If a page was given and its link cannot be made, or the settings cannot be read or written.
    pub(super) fn link(
        &self,
        own: &OwnArgs,
        relay: Option<&Address>,
        seats: usize,
    ) -> anyhow::Result<Link> {
        let is_given = self.page.as_deref().is_some_and(|page| page != NONE);
        if is_given && seats > 2 {
            bail!("a page plays matches of two players only: leave out --page or --seats");
        }
        let mut link = Link::None;
        own.keep(|settings| {
            let has_changed = self.replace(settings, relay);
            link = link_of(settings, relay, seats)?;
            match &link {
                Link::Incomplete(why) if is_given => bail!("{why}"),
                _ => Ok(has_changed),
            }
        })?;
        Ok(link)
    }

    /// Replaces the given settings. Returns whether one of them has changed.
    fn replace(&self, settings: &mut Settings, relay: Option<&Address>) -> bool {
        let before = (settings.page.clone(), settings.page_relays.clone());
        if let Some(page) = &self.page {
            settings.page = Some(page.clone()).filter(|page| page != NONE);
        }
        if let (Some(url), Some(relay)) = (&self.page_relay, relay) {
            settings.page_relays.insert(relay.to_string(), url.clone());
        }
        before != (settings.page.clone(), settings.page_relays.clone())
    }
}

/// The link to the page in the settings.
///
/// # Errors
/// If the settings have an invalid URL.
fn link_of(settings: &Settings, relay: Option<&Address>, seats: usize) -> anyhow::Result<Link> {
    let invalid = |what: &str, why: String| {
        anyhow::anyhow!("the {what} in the settings is not valid ({why}): give --{what} again")
    };
    let Some(given) = settings.page.as_deref().filter(|_| seats == 2) else {
        return Ok(Link::None);
    };
    let page = page(given).map_err(|why| invalid("page", why))?;
    let Some(relay) = relay else {
        return Ok(Link::Incomplete(
            "a guest in a browser can only come through a relay: give the TCP address of one with \
             --relay HOST:PORT, and its WebSocket address with --page-relay URL"
                .into(),
        ));
    };
    let Some(url) = settings.page_relays.get(&relay.to_string()) else {
        return Ok(Link::Incomplete(format!(
            "the WebSocket address of the relay {relay} is not known: give it once with --page-relay \
             URL, such as wss://relay.example.org/"
        )));
    };
    let relay = websocket(url).map_err(|why| invalid("page-relay", why))?;
    Ok(Link::To { page, relay })
}

impl Link {
    /// The link of an invite.
    pub(super) fn of(&self, invite: &Invite) -> Option<String> {
        let Link::To { page, relay } = self else {
            return None;
        };
        Some(format!("{page}#{invite}&relay={}", url_encoded(relay)))
    }

    /// Notice to the host that its invites have no link.
    pub(super) fn notice(&self) -> Option<String> {
        let Link::Incomplete(why) = self else {
            return None;
        };
        Some(format!("The invite has no link to your page: {why}."))
    }
}

/// Checks the URL of a page, or `none`.
fn page(text: &str) -> Result<String, String> {
    let is_valid = text == NONE || is_url(text, ["https", "http"]);
    is_valid.then(|| text.to_owned()).ok_or_else(|| {
        "expected the https:// address of a page without a #, such as https://cards.example.org/; \
         http:// is only for this machine"
            .into()
    })
}

/// Checks the URL of a WebSocket.
fn websocket(text: &str) -> Result<String, String> {
    is_url(text, ["wss", "ws"]).then(|| text.to_owned()).ok_or_else(|| {
        "expected the wss:// address of a relay without a #, such as wss://relay.example.org/; ws:// is \
         only for this machine"
            .into()
    })
}

/// The maximum length of a URL in bytes.
const MAX_URL: usize = 512;

/// Whether the text is a URL without a fragment, with the first scheme, or on this machine with the
/// second one.
fn is_url(text: &str, [secure, plain]: [&str; 2]) -> bool {
    let is_plain_text = |c: u8| c.is_ascii_graphic() && !br##""#<>\^`{|}"##.contains(&c);
    if text.len() > MAX_URL || !text.bytes().all(is_plain_text) {
        return false;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let host = rest.split(['/', '?']).next().unwrap_or(rest);
    let has_port = !host.ends_with(']') && host.contains(':');
    let address = match has_port {
        true => host.parse(),
        false => format!("{host}:443").parse(),
    };
    let is_local = address.as_ref().is_ok_and(Address::is_loopback);
    address.is_ok() && (scheme == secure || (scheme == plain && is_local))
}

/// The text with all characters encoded that have a meaning in a URL.
fn url_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            byte if byte.is_ascii_alphanumeric() => encoded.push(byte.into()),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_encrypted_connections_and_this_machine_are_accepted() {
        for text in [
            "https://cards.example.org",
            "https://cards.example.org:8443/a/b?c=d",
            "https://[2001:db8::1]/",
            "http://localhost:8000/",
            "http://127.0.0.1/",
            "http://[::1]:8000/",
            "none",
        ] {
            assert_eq!(page(text).as_deref(), Ok(text));
        }
        for text in [
            "wss://relay.example.org/",
            "ws://127.0.0.1:4002/",
            "ws://[::1]:4002",
        ] {
            assert_eq!(websocket(text).as_deref(), Ok(text));
        }
        let long = format!("https://a.example/{}", "a".repeat(MAX_URL));
        for text in [
            "",
            "https://",
            "cards.example.org",
            "http://cards.example.org/",
            "http://localhost.example.org/",
            "http://localhost@example.org/",
            "HTTPS://cards.example.org/",
            "javascript://localhost/%0aalert(1)",
            "https://user@cards.example.org/",
            "https://cards.example.org/#a",
            "https://cards.example.org/a b",
            "https://cards.example.org/\n",
            "https://cards.example.org/\u{202e}",
            "https://cards.example.org:0/",
            "https://cards.example.org:99999/",
            "wss://cards.example.org/",
            &long,
        ] {
            assert!(page(text).is_err(), "{text}");
        }
        for text in [
            "ws://relay.example.org/",
            "https://relay.example.org/",
            "none",
        ] {
            assert!(websocket(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_url_in_a_url_has_no_characters_with_a_meaning() {
        let encoded = "wss%3A%2F%2Frelay.example.org%3A443%2Fa-b_c~d%3Fe%3Df%26g%25";
        assert_eq!(
            url_encoded("wss://relay.example.org:443/a-b_c~d?e=f&g%"),
            encoded
        );
    }

    #[test]
    fn an_invalid_url_in_the_settings_is_an_error() {
        let relay: Address = "relay.example.org:4001".parse().unwrap();
        let settings = |page: &str, url: &str| -> Settings {
            let settings = json!({ "page": page, "page_relays": { relay.to_string(): url } });
            serde_json::from_value(settings).unwrap()
        };
        let link = |settings: &Settings| link_of(settings, Some(&relay), 2);
        let good = settings("https://cards.example.org/", "wss://relay.example.org/");
        assert!(matches!(link(&good), Ok(Link::To { .. })));
        assert!(matches!(link_of(&good, Some(&relay), 3), Ok(Link::None)));
        for (page, url) in [
            ("\u{1b}[31m", "wss://relay.example.org/"),
            ("https://cards.example.org/", "ws://relay.example.org/"),
        ] {
            assert!(link(&settings(page, url)).is_err());
        }
    }
}
