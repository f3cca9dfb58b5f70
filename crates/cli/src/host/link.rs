//! The link of an invite, for a guest who plays on a page in a browser (docs/browser-guest.md).

use anyhow::bail;
use dealerless_connection::Invite;

use crate::link::{NONE, link, page};
use crate::settings::Settings;
use crate::table::{CONNECTION, OwnArgs, RelayName};

/// The option for a guest on a page.
#[derive(clap::Args)]
pub(super) struct LinkArgs {
    /// Also print the invite as a link to this page, for a guest who plays in a browser. Needs the URL
    /// of a relay. Later commands keep it; `none` forgets it.
    #[arg(long, value_name = "URL", value_parser = page, help_heading = CONNECTION)]
    page: Option<String>,
}

/// The link of the invites of a host.
pub(super) enum Link {
    /// No page is known.
    None,
    /// The link to the known page cannot be made, for this reason.
    Incomplete(String),
    /// The URL of the page, and that of the relay's WebSocket.
    To { page: String, relay: String },
}

impl LinkArgs {
    /// Stores the page, which later commands keep. Returns the link of a match, whose host waits
    /// at `relay`.
    ///
    /// # Errors
    /// If a page was given and its link cannot be made, or the settings cannot be read or written.
    pub(super) fn link(&self, own: &OwnArgs, relay: Option<&RelayName>) -> anyhow::Result<Link> {
        let is_given = self.page.as_deref().is_some_and(|page| page != NONE);
        let mut link = Link::None;
        own.keep(|settings| {
            let has_changed = self.replace(settings);
            link = link_of(settings, relay)?;
            match &link {
                Link::Incomplete(why) if is_given => bail!("{why}"),
                _ => Ok(has_changed),
            }
        })?;
        Ok(link)
    }

    /// Replaces the page in the settings if one was given. Returns whether it has changed.
    fn replace(&self, settings: &mut Settings) -> bool {
        let before = settings.page.clone();
        if let Some(page) = &self.page {
            settings.page = Some(page.clone()).filter(|page| page != NONE);
        }
        before != settings.page
    }
}

/// The link to the page in the settings.
///
/// # Errors
/// If the page in the settings is invalid.
fn link_of(settings: &Settings, relay: Option<&RelayName>) -> anyhow::Result<Link> {
    let Some(given) = settings.page.as_deref() else {
        return Ok(Link::None);
    };
    let page = page(given).map_err(|why| {
        anyhow::anyhow!("the page in the settings is not valid ({why}): give --page again")
    })?;
    match relay.map(|relay| relay.for_page().ok_or(relay)) {
        Some(Ok(relay)) => Ok(Link::To {
            page,
            relay: relay.to_owned(),
        }),
        Some(Err(relay)) => Ok(Link::Incomplete(format!(
            "a guest in a browser comes through the WebSocket of a relay, and that of {relay} is not \
             known: name the relay by its URL, such as --relay wss://relay.example.org/"
        ))),
        None => Ok(Link::Incomplete(
            "a guest in a browser can only come through a relay: name one by its URL, such as \
             --relay wss://relay.example.org/"
                .into(),
        )),
    }
}

impl Link {
    /// The link of an invite.
    pub(super) fn of(&self, invite: &Invite) -> Option<String> {
        let Link::To { page, relay } = self else {
            return None;
        };
        Some(link(page, invite, relay))
    }

    /// Notice to the host that its invites have no link.
    pub(super) fn notice(&self) -> Option<String> {
        let Link::Incomplete(why) = self else {
            return None;
        };
        Some(format!("The invite has no link to your page: {why}."))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn link_needs_a_valid_page_and_the_url_of_a_relay() {
        let link = |page: &str, relay: Option<&str>| {
            let settings = serde_json::from_value(json!({ "page": page })).unwrap();
            let relay: Option<RelayName> = relay.map(|relay| relay.parse().unwrap());
            link_of(&settings, relay.as_ref())
        };
        let (page, relay) = ("https://cards.example.org/", Some("wss://r/"));
        assert!(matches!(link(page, relay), Ok(Link::To { .. })));
        for relay in [None, Some("r:4001"), Some("ws://r:4001/")] {
            assert!(matches!(link(page, relay), Ok(Link::Incomplete(_))));
        }
        assert!(link("\u{1b}[31m", relay).is_err());
    }
}
