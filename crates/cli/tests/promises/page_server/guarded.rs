//! The server answers only its own page.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::hosting;
use crate::common::page::Page;
use crate::common::side::{Side, folders};

/// The files that need no secret.
fn assets() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    let names = std::fs::read_dir(folder).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // These files are only for the type checker.
    let of_types = ["tsconfig.json", "protocol.js", "types.js"];
    let served = names.filter(|name| !of_types.contains(&name.as_str()));
    served
        .map(|name| format!("/{}", name.replace("index.html", "")))
        .collect()
}

/// The requests that need the cookie and the key.
const CLOSED: [(&str, &str); 19] = [
    ("GET", "/state"),
    ("GET", "/settings"),
    ("POST", "/settings"),
    ("GET", "/identity"),
    ("GET", "/peers"),
    ("GET", "/matches"),
    ("GET", "/history"),
    ("GET", "/show?match=00"),
    ("GET", "/play"),
    ("GET", "/play?take"),
    ("GET", "/watch"),
    ("POST", "/verify?lengths=1"),
    ("POST", "/qr"),
    ("POST", "/host"),
    ("POST", "/join"),
    ("POST", "/resume"),
    ("POST", "/command"),
    ("POST", "/end"),
    ("GET", "/nothing"),
];

#[test]
fn page_is_small_and_responses_have_security_headers() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    let mut all = 0;
    for path in assets() {
        let answer = page.request("GET", &path, &[("host", page.host.clone())], b"");
        assert_eq!(answer.status, 200, "{path}");
        assert!(!answer.body.is_empty(), "{path}");
        all += answer.body.len();
    }
    assert!(all <= 218_000, "{all} bytes");
    let of_another_page = [
        &page.origin()[..1],
        &[("sec-fetch-site", "cross-site".into())],
    ]
    .concat();
    let answers = [
        page.get("/"),
        page.get("/state"),
        page.get("/nothing"),
        page.request("GET", "/", &[("host", "evil.example".into())], b""),
        page.request("DELETE", "/state", &page.own(), b""),
        page.request("GET", "/", &of_another_page, b""),
        page.request("GET", "/main.js", &of_another_page, b""),
    ];
    assert_eq!(
        answers.each_ref().map(|answer| answer.status),
        [200, 200, 404, 403, 405, 403, 403]
    );
    for answer in answers {
        let policy = answer.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "base-uri 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

/// The exit code and the message of a page that cannot be served.
fn not_served(folder: &Path, args: &[&str]) -> (i32, String) {
    let (events, code) = Side::start(folder, &[&["table", "--json"], args].concat()).finish();
    (code, events[0]["error"]["message"].to_string())
}

/// A server of another user at the same address and port can have left a worker in the browser.
#[cfg(any(target_os = "linux", target_os = "windows"))]
#[test]
fn chosen_port_has_an_unknown_address() {
    let [folder, _] = folders();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    // The listener still has the port, at another address.
    let hosts = [(); 2].map(|()| {
        let page = Page::start(folder.path(), &["--port", &port]);
        assert_eq!(page.get("/state").status, 200);
        page.host.clone()
    });
    assert_ne!(hosts[0], hosts[1]);
    for host in &hosts {
        let address = host.strip_suffix(&format!(":{port}")).unwrap();
        let address: Ipv4Addr = address.parse().unwrap();
        assert!(address.is_loopback() && address != Ipv4Addr::LOCALHOST);
    }
    let given = ["--port", &port, "--address", "127.0.0.2"];
    let page = Page::start(folder.path(), &given);
    assert_eq!(page.host, format!("127.0.0.2:{port}"));
    let (code, why) = not_served(folder.path(), &given);
    assert!(code == 1 && why.contains("cannot serve"), "{code} {why}");
    for other in ["0.0.0.0", "192.0.2.1", "localhost", "::1"] {
        let (code, why) = not_served(folder.path(), &["--address", other]);
        assert!(code == 1 && why.contains("127.0.0.0/8"), "{code} {why}");
    }
}

#[test]
fn other_host_names_are_refused() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    let port = page.host.split_once(':').unwrap().1;
    let paths = CLOSED
        .iter()
        .copied()
        .chain([("GET", "/"), ("POST", "/session")]);
    for (method, path) in paths {
        for host in [
            format!("evil.example:{port}"),
            format!("localhost:{port}"),
            String::new(),
        ] {
            let mut headers = page.own();
            headers[0].1 = host;
            let answer = page.request(method, path, &headers, b"");
            assert_eq!(answer.status, 403, "{method} {path}");
            let own = "this page is only served at its own address";
            assert_eq!(answer.refused().1, own);
        }
    }
    let both = [&page.own()[..], &[("host", "evil.example".into())]].concat();
    assert!([400, 403].contains(&page.request("GET", "/state", &both, b"").status));
}

#[test]
fn requests_need_cookie_key_and_own_origin() {
    let [folder, _] = folders();
    let page = Page::start(folder.path(), &[]);
    for (method, path) in CLOSED {
        let without = |name: &str| {
            let mut headers = page.own();
            headers.retain(|(header, _)| *header != name);
            page.request(method, path, &headers, b"").refused()
        };
        for missing in ["cookie", "dealerless-key"] {
            let (status, why) = without(missing);
            assert_eq!(status, 403, "{method} {path}");
            assert!(why.contains("not logged in"), "{why}");
        }
        let other = "this request was sent by another page";
        if method == "POST" {
            assert_eq!(without("origin"), (403, other.into()), "{path}");
        }
        for (name, value) in [
            ("origin", "http://evil.example"),
            ("origin", "null"),
            ("origin", "http://127.0.0.1:1"),
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
        ] {
            let mut headers = page.own();
            headers.retain(|(header, _)| *header != name);
            headers.push((name, value.into()));
            let refused = page.request(method, path, &headers, b"").refused();
            assert_eq!(refused, (403, other.into()), "{path} {name} {value}");
        }
    }
    // None of these requests had an effect.
    assert_eq!(page.state(), Value::Null);
    // Other servers on this machine may have set as many cookies as a browser stores.
    let mut headers = page.own();
    headers[2].1 = format!("other={}; {}", "x".repeat(60 << 10), headers[2].1);
    assert_eq!(page.request("GET", "/state", &headers, b"").status, 200);
}

#[test]
fn token_is_used_once_and_only_by_the_page() {
    let [folder, _] = folders();
    let mut page = Page::closed(folder.path(), &[]);
    let (token, host) = (page.token.clone(), page.host.clone());
    let tried = |headers: &[(&str, String)], token: &str| {
        page.request("POST", "/session", headers, token.as_bytes())
            .refused()
            .0
    };
    // Requests of other pages do not use up the token. Guessed tokens are refused.
    let other = [("host", host), ("origin", "http://evil.example".into())];
    assert_eq!(tried(&other, &token), 403);
    assert_eq!(tried(&page.origin(), ""), 403);
    assert_eq!(tried(&page.origin(), &"0".repeat(32)), 403);
    assert_eq!(tried(&page.origin(), &token.repeat(1000)), 413);
    page.open();
    let again = page.request("POST", "/session", &page.origin(), token.as_bytes());
    let (status, why) = again.refused();
    assert_eq!(status, 410);
    assert!(why.contains("was used before"), "{why}");
    // The first session stays valid.
    assert_eq!(page.get("/state").status, 200);
}

#[test]
fn idle_connections_keep_nobody_out() {
    let [folder, _] = folders();
    let (page, mut lines, _) = hosting(folder.path(), &json!({ "game": "deck" }));
    lines.until("listening");
    let mut oldest = page.connect();
    oldest.write_all(b"GET / HTTP/1.1\r\nhost: 127").unwrap();
    let begun = Instant::now();
    let idle: Vec<_> = (0..300).map(|_| page.connect()).collect();
    // Other connections are served at once, and the page that plays stays connected.
    assert_eq!(page.request("GET", "/", &page.origin(), b"").status, 200);
    assert_eq!(page.state()["played"], true);
    assert_eq!(page.command(&lines.page, b"{}").status, 204);
    // The oldest connection was closed before its deadline of ten seconds.
    let _ = oldest.read_to_end(&mut Vec::new());
    assert!(begun.elapsed() < Duration::from_secs(9));
    drop(idle);
    let begun = Instant::now();
    let mut long = page.connect();
    // The request is refused before it is complete.
    let _ = long.write_all(&[&b"GET / HTTP/1.1\r\na: "[..], &vec![b'a'; 1 << 21]].concat());
    let mut answer = Vec::new();
    let _ = long.read_to_end(&mut answer);
    assert!(answer.len() < 1000, "{}", answer.len());
    assert!(begun.elapsed() < Duration::from_secs(9));
    let mut slow = page.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nhost: 127").unwrap();
    let mut silent = page.connect();
    let _ = silent.read_to_end(&mut Vec::new());
    let _ = slow.read_to_end(&mut Vec::new());
    assert!(begun.elapsed() < Duration::from_secs(60));
}
