//! Access control: only the server's own page may use the server, and only in the browser in which
//! the user has opened the printed address.
//!
//! Each request must name exactly this host, so a domain that resolves to our address is refused.
//! Requests from other pages are refused by the headers that browsers set (`Origin`,
//! `Sec-Fetch-Site`). Requests for files of the page are public. After the login, all other
//! requests need two secrets: a cookie, which no script can read, and a key, which the page stores
//! for its origin. A browser sends the cookie to the servers at all ports of our address, but it does
//! not send them the key.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use dealerless_command_line::system_rng;
use hyper::header::{COOKIE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use rand::RngExt;

/// The header with the key of a page.
pub(super) const KEY: HeaderName = HeaderName::from_static("dealerless-key");
/// The header with which a browser reports the origin of a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// 128 bits from the operating system, as 32 hexadecimal digits.
struct Secret(String);

impl Secret {
    fn new() -> Self {
        let bits: u128 = system_rng().random();
        Secret(format!("{bits:032x}"))
    }

    /// Compares in a time that does not depend on where the texts differ.
    fn is(&self, given: &[u8]) -> bool {
        blake3::hash(self.0.as_bytes()) == blake3::hash(given)
    }
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// The request is for another host.
    #[error("this page is only served at its own address")]
    Host,
    /// The request comes from another page.
    #[error("this request was sent by another page")]
    Origin,
    /// Another page has opened this one.
    #[error("another page has opened this one: type or paste the address yourself")]
    Opened,
    /// The token is unknown.
    #[error("this address is wrong, or belongs to a program that has ended")]
    Token,
    /// The token was used before.
    #[error(
        "this address was used before. If that was not you, end the program and start it again; \
         otherwise press Enter in its terminal for another address"
    )]
    Used,
    /// The cookie or the key is missing or wrong.
    #[error(
        "this page is not logged in, or not any more: open the address that the program has printed, \
         or press Enter in its terminal for another"
    )]
    Stranger,
}

/// The secrets and the address that requests are checked against.
pub(super) struct Gate {
    /// `ADDRESS:PORT`, or `ADDRESS` for port 80.
    host: String,
    origin: String,
    cookie_name: String,
    cookie: Secret,
    key: Secret,
    tokens: Mutex<Tokens>,
}

/// The tokens of printed addresses. Only the newest token can be used.
#[derive(Default)]
struct Tokens {
    open: Option<Secret>,
    used: Vec<Secret>,
}

/// The maximum number of used tokens that are remembered.
const USED: usize = 64;

/// The secrets that a client gets for a token.
pub(super) struct Session {
    /// The value of `Set-Cookie`.
    pub(super) cookie: String,
    /// The key, for the page.
    pub(super) key: String,
}

impl Gate {
    /// The gate of a server at this address.
    pub(super) fn new(at: SocketAddr) -> Self {
        // Browsers omit the default port.
        let host = match at.port() {
            80 => at.ip().to_string(),
            _ => at.to_string(),
        };
        Gate {
            origin: format!("http://{host}"),
            host,
            cookie_name: format!("dealerless-{}", at.port()),
            cookie: Secret::new(),
            key: Secret::new(),
            tokens: Mutex::default(),
        }
    }

    fn tokens(&self) -> std::sync::MutexGuard<'_, Tokens> {
        // Every change leaves the value consistent.
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new address, with which one browser can log in once. An earlier address that was not used
    /// becomes invalid.
    pub(super) fn new_address(&self) -> String {
        let token = Secret::new();
        let address = format!("{}/#{}", self.origin, token.0);
        self.tokens().open = Some(token);
        address
    }

    /// Checks that a request names this host.
    ///
    /// # Errors
    /// [`Refused::Host`].
    pub(super) fn check_host(&self, headers: &HeaderMap) -> Result<(), Refused> {
        match only(headers, HOST) {
            Some(host) if host == self.host.as_str() => Ok(()),
            _ => Err(Refused::Host),
        }
    }

    /// Checks that a file of the page may be loaded: by the page itself, or because the user has
    /// opened its address. A page that another page has opened would have the cookie and the key,
    /// so key presses that were meant for the other page could place bets.
    ///
    /// # Errors
    /// [`Refused::Opened`].
    pub(super) fn check_load(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let mut of_site = headers.get_all(SEC_FETCH_SITE).iter();
        if of_site.all(|site| site == "same-origin" || site == "none") {
            Ok(())
        } else {
            Err(Refused::Opened)
        }
    }

    /// Checks that a request comes from the page of this server. A request that changes something
    /// must have an `Origin`.
    ///
    /// # Errors
    /// [`Refused::Origin`].
    pub(super) fn check_origin(&self, headers: &HeaderMap, changes: bool) -> Result<(), Refused> {
        let of_site = headers.get_all(SEC_FETCH_SITE).iter();
        let other = of_site.into_iter().any(|site| site != "same-origin");
        let ours = match only(headers, ORIGIN) {
            Some(origin) => origin == self.origin.as_str(),
            // Browsers omit `Origin` when a page only reads.
            None => !changes && !headers.contains_key(ORIGIN),
        };
        if ours && !other {
            Ok(())
        } else {
            Err(Refused::Origin)
        }
    }

    /// Checks that the sender has logged in.
    ///
    /// # Errors
    /// [`Refused::Stranger`].
    pub(super) fn check_session(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let cookies = headers.get_all(COOKIE).iter();
        let values = cookies.flat_map(|line| line.as_bytes().split(|&byte| byte == b';'));
        let name = format!("{}=", self.cookie_name);
        let mut ours = values.filter_map(|pair| pair.trim_ascii().strip_prefix(name.as_bytes()));
        let cookie = ours.any(|value| self.cookie.is(value));
        let key = only(headers, KEY).is_some_and(|key| self.key.is(key.as_bytes()));
        if cookie && key {
            Ok(())
        } else {
            Err(Refused::Stranger)
        }
    }

    /// Exchanges a token for the secrets of a session.
    ///
    /// # Errors
    /// [`Refused::Token`] and [`Refused::Used`].
    pub(super) fn exchange(&self, token: &[u8]) -> Result<Session, Refused> {
        let mut tokens = self.tokens();
        if tokens.used.iter().any(|used| used.is(token)) {
            return Err(Refused::Used);
        }
        let open = tokens.open.take_if(|open| open.is(token));
        let open = open.ok_or(Refused::Token)?;
        if tokens.used.len() == USED {
            tokens.used.remove(0);
        }
        tokens.used.push(open);
        let (name, value) = (&self.cookie_name, &self.cookie.0);
        Ok(Session {
            cookie: format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/"),
            key: self.key.0.clone(),
        })
    }
}

/// The value of a header that occurs exactly once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "127.0.0.1:4000";

    fn gate() -> Gate {
        Gate::new(HERE.parse().unwrap())
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), value.parse().unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    /// Logs in. Returns the cookie, as a browser sends it, and the key.
    fn let_in(gate: &Gate) -> (String, String) {
        let address = gate.new_address();
        let (_, token) = address.split_once("/#").unwrap();
        let session = gate.exchange(token.as_bytes()).ok().unwrap();
        let cookie = session.cookie.split(';').next().unwrap().to_owned();
        (cookie, session.key)
    }

    #[test]
    fn only_the_exact_host_is_served() {
        let gate = gate();
        let served = |pairs: &[_]| gate.check_host(&headers(pairs)).is_ok();
        assert!(served(&[("host", HERE)]));
        for other in [
            "localhost:4000",
            "127.0.0.1",
            "127.0.0.1:4001",
            "evil.example:4000",
            "",
        ] {
            assert!(!served(&[("host", other)]), "{other}");
        }
        assert!(!served(&[]));
        assert!(!served(&[("host", HERE), ("host", HERE)]));
    }

    #[test]
    fn only_the_page_and_the_user_can_load_the_page() {
        let gate = gate();
        let loads = |pairs: &[_]| gate.check_load(&headers(pairs)).is_ok();
        assert!(loads(&[]));
        for (site, may) in [
            ("none", true),
            ("same-origin", true),
            ("same-site", false),
            ("cross-site", false),
        ] {
            assert_eq!(loads(&[("sec-fetch-site", site)]), may, "{site}");
        }
        let both = [("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
        assert!(!loads(&both));
    }

    #[test]
    fn the_default_port_is_omitted() {
        let gate = Gate::new("127.0.0.1:80".parse().unwrap());
        assert!(gate.new_address().starts_with("http://127.0.0.1/#"));
        assert!(gate.check_host(&headers(&[("host", "127.0.0.1")])).is_ok());
        assert!(
            gate.check_host(&headers(&[("host", "127.0.0.1:80")]))
                .is_err()
        );
    }

    #[test]
    fn changes_need_our_origin_and_other_pages_are_refused() {
        let gate = gate();
        let ours = ("origin", "http://127.0.0.1:4000");
        let same = ("sec-fetch-site", "same-origin");
        let allowed = |pairs: &[_], changes| gate.check_origin(&headers(pairs), changes).is_ok();
        assert!(allowed(&[ours, same], true) && allowed(&[ours], true));
        assert!(allowed(&[], false) && allowed(&[same], false));
        assert!(!allowed(&[], true) && !allowed(&[same], true));
        for origin in [
            "null",
            "http://127.0.0.1:4001",
            "https://127.0.0.1:4000",
            "http://a.example",
        ] {
            assert!(!allowed(&[("origin", origin)], false), "{origin}");
        }
        assert!(!allowed(&[ours, ours], true) && !allowed(&[ours, ours], false));
        for site in ["cross-site", "same-site", "none"] {
            assert!(!allowed(&[ours, ("sec-fetch-site", site)], true), "{site}");
            assert!(!allowed(&[("sec-fetch-site", site)], false), "{site}");
        }
    }

    #[test]
    fn cookie_and_key_are_both_needed() {
        let gate = gate();
        let (cookie, key) = let_in(&gate);
        let allowed = |pairs: &[_]| gate.check_session(&headers(pairs)).is_ok();
        let with_others = format!("a=b; {cookie}; c=d");
        assert!(allowed(&[("cookie", &cookie), ("dealerless-key", &key)]));
        assert!(allowed(&[
            ("cookie", &with_others),
            ("dealerless-key", &key)
        ]));
        assert!(!allowed(&[("cookie", &cookie)]));
        assert!(!allowed(&[("dealerless-key", &key)]));
        assert!(!allowed(&[
            ("cookie", &cookie),
            ("dealerless-key", &key[1..])
        ]));
        let (_, value) = cookie.split_once('=').unwrap();
        let of_another_port = format!("dealerless-4001={value}");
        assert!(!allowed(&[
            ("cookie", &of_another_port),
            ("dealerless-key", &key)
        ]));
        let as_key = format!("dealerless-4000={key}");
        assert!(!allowed(&[("cookie", &as_key), ("dealerless-key", value)]));
    }

    #[test]
    fn only_the_newest_address_works_and_only_once() {
        let gate = gate();
        let token = |address: String| address.split_once("/#").unwrap().1.to_owned();
        let old = token(gate.new_address());
        let new = token(gate.new_address());
        assert_eq!((old.len(), old == new), (32, false));
        let tried = |token: &str| gate.exchange(token.as_bytes()).err();
        assert_eq!(tried(&old), Some(Refused::Token));
        assert_eq!(tried(""), Some(Refused::Token));
        assert_eq!(tried(&new[1..]), Some(Refused::Token));
        assert_eq!(tried(&new), None);
        assert_eq!(tried(&new), Some(Refused::Used));
        let another = token(gate.new_address());
        assert_eq!(tried(&new), Some(Refused::Used));
        assert_eq!(tried(&another), None);
    }

    #[test]
    fn each_program_has_its_own_secrets() {
        let (a, b) = (let_in(&gate()), let_in(&gate()));
        assert!(a.0 != b.0 && a.1 != b.1);
        assert_eq!(a.1.len(), 32);
    }
}
