//! The link of an invite to a page in a browser (docs/browser-guest.md), and the URLs in it.

use dealerless_connection::Invite;
use dealerless_connection::identity::Address;

/// The link of an invite: the page, the invite, and the URL of the relay's WebSocket.
pub(crate) fn link(page: &str, invite: &Invite, relay: &str) -> String {
    format!("{page}#{invite}&relay={}", url_encoded(relay))
}

/// The invite in a link and the URL of the relay, if the text is the link of an invite.
pub(crate) fn parts_of_link(text: &str) -> Option<(&str, Option<String>)> {
    let (_, fragment) = text.split_once('#')?;
    let mut parts = fragment.split('&');
    let invite = parts.next().filter(|invite| !invite.is_empty())?;
    let relay = parts.find_map(|part| part.strip_prefix("relay="));
    Some((invite, relay.map(url_decoded)))
}

/// The value of `--page` that forgets the page.
pub(crate) const NONE: &str = "none";

/// Checks the URL of a page, or `none`.
pub(crate) fn page(text: &str) -> Result<String, String> {
    let is_valid = text == NONE
        || Url::of(text).is_some_and(|url| {
            url.scheme == "https" || (url.scheme == "http" && url.address.is_loopback())
        });
    is_valid.then(|| text.to_owned()).ok_or_else(|| {
        "expected the https:// address of a page without a #, such as https://cards.example.org/; \
         http:// is only for this machine"
            .into()
    })
}

/// The parts of a URL without a user and without a fragment.
pub(crate) struct Url<'a> {
    pub(crate) scheme: &'a str,
    /// The host, without the port. An IPv6 address is in brackets.
    pub(crate) host: &'a str,
    /// The host and the port.
    pub(crate) address: Address,
}

/// The maximum length of a URL in bytes.
const MAX_URL: usize = 512;

impl<'a> Url<'a> {
    pub(crate) fn of(text: &'a str) -> Option<Self> {
        let is_plain_text = |c: u8| c.is_ascii_graphic() && !br##""#<>\^`{|}"##.contains(&c);
        if text.len() > MAX_URL || !text.bytes().all(is_plain_text) {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let place = rest.split(['/', '?']).next().unwrap_or(rest);
        let port = match scheme {
            "http" | "ws" => 80,
            _ => 443,
        };
        let (host, address) = match place.rsplit_once(':') {
            Some((host, _)) if !place.ends_with(']') => (host, place.to_owned()),
            _ => (place, format!("{place}:{port}")),
        };
        let address = address.parse().ok()?;
        Some(Url {
            scheme,
            host,
            address,
        })
    }
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

/// The reverse of [`url_encoded`]. Invalid codes stay as they are.
fn url_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut decoded = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part.get(..2).map(|code| u8::from_str_radix(code, 16));
        match code {
            Some(Ok(byte)) => {
                decoded.push(byte);
                decoded.extend_from_slice(&part.as_bytes()[2..]);
            }
            _ => decoded.extend([b"%", part.as_bytes()].concat()),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
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
    }

    #[test]
    fn a_url_in_a_url_has_no_characters_with_a_meaning() {
        let url = "wss://relay.example.org:443/a-b_c~d?e=f&g%";
        let encoded = "wss%3A%2F%2Frelay.example.org%3A443%2Fa-b_c~d%3Fe%3Df%26g%25";
        assert_eq!(url_encoded(url), encoded);
        assert_eq!(url_decoded(encoded), url);
        for text in ["", "%", "%%", "%4", "a%zz%\u{fc}b", "%+1", "%2"] {
            assert_eq!(url_decoded(&url_encoded(text)), text);
            // Whatever a pasted link has, it is read without a panic.
            let _ = url_decoded(text);
        }
    }

    #[test]
    fn a_link_has_an_invite_and_perhaps_a_relay() {
        let read = |text| parts_of_link(text);
        let relay = Some("wss://r/".to_owned());
        let link = "https://page/#dealerless2-abc&relay=wss%3A%2F%2Fr%2F";
        assert_eq!(read(link), Some(("dealerless2-abc", relay.clone())));
        let unencoded = "https://page/?x=1#dealerless2-abc&y=2&relay=wss://r/";
        assert_eq!(read(unencoded), Some(("dealerless2-abc", relay)));
        assert_eq!(read("#dealerless2-abc"), Some(("dealerless2-abc", None)));
        for text in ["", "Anna", "https://page/", "https://page/#"] {
            assert_eq!(read(text), None);
        }
    }
}
