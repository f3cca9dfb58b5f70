//! The head of an HTTP request, and the answers that are not files.

use std::net::{IpAddr, SocketAddr};

use httparse::{EMPTY_HEADER, Status};
use tungstenite::handshake::derive_accept_key;

/// The maximum length of the head of a request, in bytes.
pub(crate) const MAX_HEAD: usize = 8 << 10;
/// The maximum number of its headers.
const MAX_HEADERS: usize = 64;

/// A request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The request, or the status of a request that is not served.
    pub(crate) asks: Result<Asks, Refused>,
    /// The last value of the last `X-Forwarded-For`, if it is an address.
    pub(crate) forwarded_for: Option<IpAddr>,
    /// The values of `Origin`.
    pub(crate) origins: Vec<Vec<u8>>,
    /// The length of the head.
    pub(crate) len: usize,
}

/// What a request asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// A WebSocket, with the value that accepts it.
    WebSocket { accept: String },
    /// A file.
    File {
        path: String,
        /// `HEAD` in place of `GET`.
        head_only: bool,
        gzip: bool,
    },
}

/// The answer to a request that is refused.
pub(crate) type Refused = &'static str;

pub(crate) const BAD_REQUEST: Refused = "400 Bad Request";
pub(crate) const FORBIDDEN: Refused = "403 Forbidden";
pub(crate) const NOT_FOUND: Refused = "404 Not Found";
const METHOD_NOT_ALLOWED: Refused = "405 Method Not Allowed";
const UPGRADE_REQUIRED: Refused = "426 Upgrade Required";
pub(crate) const TOO_MANY: Refused = "429 Too Many Requests";
const HEAD_TOO_LARGE: Refused = "431 Request Header Fields Too Large";

impl Head {
    /// Reads the head at the beginning of `bytes`. `None` if it is incomplete.
    ///
    /// # Errors
    /// The answer to a malformed head.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, Refused> {
        let mut headers = [EMPTY_HEADER; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let len = match request.parse(&bytes[..bytes.len().min(MAX_HEAD)]) {
            Ok(Status::Complete(len)) => len,
            Ok(Status::Partial) if bytes.len() >= MAX_HEAD => return Err(HEAD_TOO_LARGE),
            Ok(Status::Partial) => return Ok(None),
            Err(httparse::Error::TooManyHeaders) => return Err(HEAD_TOO_LARGE),
            Err(_) => return Err(BAD_REQUEST),
        };
        // The proxy appends its value, so the values before it are the client's. They need not be text.
        let is_forwarded = |name: &str| name.eq_ignore_ascii_case("X-Forwarded-For");
        let mut headers = request.headers.iter();
        let forwarded = headers.rfind(|header| is_forwarded(header.name));
        let last = forwarded.and_then(|header| header.value.rsplit(|byte| *byte == b',').next());
        let headers = request.headers.iter();
        let origins = headers.filter(|header| header.name.eq_ignore_ascii_case("Origin"));
        Ok(Some(Head {
            asks: Asks::of(&request),
            forwarded_for: last.and_then(address),
            origins: origins.map(|header| header.value.to_vec()).collect(),
            len,
        }))
    }
}

impl Asks {
    fn of(request: &httparse::Request) -> Result<Self, Refused> {
        let values = |name: &'static str| {
            let headers = request.headers.iter();
            let named = headers.filter(move |header| header.name.eq_ignore_ascii_case(name));
            named.filter_map(|header| str::from_utf8(header.value).ok())
        };
        let items = |name| values(name).flat_map(|value| value.split(',').map(str::trim));
        let has = |name, item: &str| items(name).any(|other| other.eq_ignore_ascii_case(item));

        let is_get = request.method == Some("GET");
        if is_get && has("Upgrade", "websocket") && has("Connection", "Upgrade") {
            // RFC 6455, 4.2.1. The key is the Base64 encoding of 16 bytes.
            let key = values("Sec-WebSocket-Key").find(|key| key.len() == 24);
            if !has("Sec-WebSocket-Version", "13") {
                return Err(UPGRADE_REQUIRED);
            }
            let accept = derive_accept_key(key.ok_or(BAD_REQUEST)?.as_bytes());
            Ok(Asks::WebSocket { accept })
        } else if is_get || request.method == Some("HEAD") {
            let path = request.path.unwrap_or_default();
            let path = path.split(['?', '#']).next().unwrap_or_default().to_owned();
            let encodings = items("Accept-Encoding");
            // Also with a weight, as in `gzip;q=0.5`, but not `gzip;q=0`.
            let weighted = encodings.map(|item| item.split_once(';').unwrap_or((item, "")));
            let mut gzip = weighted.filter(|(name, _)| name.trim().eq_ignore_ascii_case("gzip"));
            Ok(Asks::File {
                path,
                head_only: !is_get,
                gzip: gzip.any(|(_, weight)| weight.trim() != "q=0"),
            })
        } else {
            Err(METHOD_NOT_ALLOWED)
        }
    }
}

/// An address with or without a port. That of IPv6 may be in brackets.
fn address(value: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(value).ok()?.trim();
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || text.parse().ok().map(|address: SocketAddr| address.ip());
    let bare = text.parse().ok().or_else(with_port);
    bare.or_else(|| in_brackets().map(IpAddr::V6))
}

/// The answer that makes the connection a WebSocket.
pub(crate) fn accepted(accept: &str) -> String {
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )
}

/// The answer with counts, in the text format of Prometheus.
pub(crate) fn counts(counts: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; version=0.0.4\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Length: {}\r\n\r\n{counts}",
        counts.len()
    )
}

/// An answer without a file.
pub(crate) fn refusal(status: Refused) -> String {
    let body = match status {
        NOT_FOUND => "This is a relay: it answers WebSockets and the transit relay protocol.\n",
        _ => "",
    };
    let more = match status {
        METHOD_NOT_ALLOWED => "Allow: GET, HEAD\r\n",
        UPGRADE_REQUIRED => "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
        _ => "",
    };
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\n{more}Content-Type: text/plain\r\n\
         X-Content-Type-Options: nosniff\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str) -> Result<Option<Head>, Refused> {
        Head::read(head.replace('\n', "\r\n").as_bytes())
    }

    fn asks(head: &str) -> Result<Asks, Refused> {
        read(head).unwrap().unwrap().asks
    }

    #[test]
    fn websocket_handshake_of_rfc_6455_is_accepted() {
        let head = "GET /chat HTTP/1.1\nHost: server.example.com\nUpgrade: WebSocket\n\
            Connection: keep-alive, upgrade\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n\
            Origin: http://example.com\nSec-WebSocket-Version: 13\n\n";
        let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".to_owned();
        assert_eq!(asks(head), Ok(Asks::WebSocket { accept }));
        assert_eq!(asks(&head.replace("13", "12")), Err(UPGRADE_REQUIRED));
        assert_eq!(asks(&head.replace("dG", "")), Err(BAD_REQUEST));
        for end in 0..head.len() - 1 {
            assert_eq!(read(&head[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn files_are_asked_for_by_path() {
        let file = |path: &str, head_only, gzip| {
            let path = path.to_owned();
            Ok(Asks::File {
                path,
                head_only,
                gzip,
            })
        };
        assert_eq!(asks("GET / HTTP/1.1\n\n"), file("/", false, false));
        assert_eq!(
            asks("HEAD /a/../b?c#d HTTP/1.0\nAccept-Encoding: br, gzip;q=0.5\n\n"),
            file("/a/../b", true, true)
        );
        assert_eq!(
            asks("GET /x HTTP/1.1\nAccept-Encoding: gzip;q=0\n\n"),
            file("/x", false, false)
        );
        assert_eq!(asks("POST / HTTP/1.1\n\n"), Err(METHOD_NOT_ALLOWED));
    }

    #[test]
    fn last_forwarded_address_counts() {
        let forwarded = |header: &str| {
            let head = format!("GET / HTTP/1.1\n{header}\n\n");
            read(&head).unwrap().unwrap().forwarded_for
        };
        let ip = |text: &str| Some(text.parse().unwrap());
        assert_eq!(
            forwarded("X-Forwarded-For: 10.0.0.1, 192.0.2.1\nx-forwarded-for: 2001:db8::1"),
            ip("2001:db8::1")
        );
        assert_eq!(forwarded("X-Forwarded-For: 192.0.2.1:80"), ip("192.0.2.1"));
        assert_eq!(forwarded("X-Forwarded-For: [::1]:80"), ip("::1"));
        assert_eq!(forwarded("X-Forwarded-For: unknown"), None);
        assert_eq!(forwarded("Host: 192.0.2.1"), None);
    }

    #[test]
    fn large_and_malformed_heads_are_refused() {
        let long = format!("GET / HTTP/1.1\nA: {}", "b".repeat(MAX_HEAD));
        assert_eq!(read(&long), Err(HEAD_TOO_LARGE));
        let many = format!("GET / HTTP/1.1\n{}\n", "A: b\n".repeat(MAX_HEADERS + 1));
        assert_eq!(read(&many), Err(HEAD_TOO_LARGE));
        assert_eq!(read("GET / HTTP/9\n\n"), Err(BAD_REQUEST));
        assert_eq!(read("GET\n\n"), Err(BAD_REQUEST));
    }
}
