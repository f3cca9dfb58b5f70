//! Limits: what one address, or many, can do to the others.

use std::io::Read;
use std::time::Duration;

use dealerless_relay::{Limits, Settings};
use tungstenite::Message;
use tungstenite::client::IntoClientRequest;

use super::clients::{OPEN, Running, Tcp, code_of, line, until};

#[test]
fn silent_connections_of_one_address_do_not_keep_others_out() {
    let relay = Running::limited(Limits {
        connections: 20,
        handshake: Duration::from_secs(600),
        ..Limits::default()
    });
    let quiet = relay.connect_from(3);
    let mut silent: Vec<Tcp> = (0..30).map(|_| relay.connect_from(2)).collect();
    let mut pair = [1, 2].map(|side| relay.says(&line(1, side)));
    pair.iter_mut().for_each(|end| end.expect("ok\n"));
    // The oldest ones of this address have gone, and none of another address.
    silent[0].expect_end("");
    assert!(quiet.is_waiting());
    assert!(silent[29].is_waiting());
}

#[test]
fn rooms_of_one_address_do_not_keep_others_out() {
    let relay = Running::limited(Limits {
        connections: 10,
        ..Limits::default()
    });
    let mut hosts: Vec<Tcp> = (0..10).map(|_| relay.connect_from(2)).collect();
    for host in &mut hosts {
        host.send(OPEN.as_bytes());
        host.code();
    }
    let mut pair = [1, 2].map(|side| relay.says(&line(1, side)));
    pair.iter_mut().for_each(|end| end.expect("ok\n"));
    for newest in &mut hosts[8..] {
        newest.expect_end("");
    }
    assert!(hosts[..8].iter().all(Tcp::is_waiting));
}

#[test]
fn full_address_loses_its_oldest_silent_connection() {
    let relay = Running::limited(Limits {
        connections_per_address: 3,
        handshake: Duration::from_secs(600),
        ..Limits::default()
    });
    let mut waiting = relay.says(OPEN);
    waiting.code();
    let mut silent = relay.connect();
    let [mut next, last] = [relay.connect(), relay.connect()];
    silent.expect_end("");
    assert!(waiting.is_waiting() && next.is_waiting() && last.is_waiting());
    // One that speaks is not refused.
    let mut speaks = relay.says(OPEN);
    speaks.code();
    next.expect_end("");
    // All three have spoken: no other connection of this address is served, but those of others are.
    let more = [relay.says(&line(2, 1)), relay.says(&line(3, 1))];
    until(|| more.iter().filter(|one| !one.is_waiting()).count() == 1);
    assert!(waiting.is_waiting() && speaks.is_waiting());
    assert!(relay.connect_from(2).is_waiting());
}

#[test]
fn one_address_may_not_wait_everywhere() {
    let relay = Running::limited(Limits {
        waiting_per_address: 2,
        codes: 200,
        ..Limits::default()
    });
    let mut waiting = [1, 2].map(|token| relay.says(&line(token, 1)));
    until(|| waiting.iter().all(Tcp::is_waiting));
    relay.says(&line(3, 1)).expect_end("");
    // Whom somebody waits for may still come, and makes room for another one.
    let mut guest = relay.says(&line(1, 2));
    guest.expect("ok\n");
    waiting[0].expect("ok\n");
    let other = relay.says(&line(3, 1));
    relay.says(&line(4, 1)).expect_end("");
    assert!(other.is_waiting());
    // The count falls when a connection ends.
    drop(other);
    until(|| {
        let mut host = relay.says(OPEN);
        matches!(host.0.read(&mut [0; 4]), Ok(4))
    });
}

#[test]
fn connections_per_second_are_limited() {
    let relay = Running::limited(Limits {
        arrivals: 5,
        arrivals_per_second: 0,
        ..Limits::default()
    });
    let five: Vec<Tcp> = (0..5).map(|_| relay.connect()).collect();
    relay.connect().expect_end("");
    assert!(five.iter().all(Tcp::is_waiting));
    let mut other = relay.connect_from(2);
    other.send(OPEN.as_bytes());
    other.code();
}

#[test]
fn clients_of_a_proxy_are_limited_one_by_one() {
    let settings = |behind_proxy| Settings {
        limits: Limits {
            codes: 1,
            codes_per_minute: 0,
            ..Limits::default()
        },
        behind_proxy,
        ..Settings::default()
    };
    let code = |relay: &Running, address: &str| {
        let url = format!("ws://{}/", relay.address);
        let mut request = url.into_client_request().unwrap();
        let forwarded = format!("192.0.2.99, {address}").parse().unwrap();
        request.headers_mut().insert("X-Forwarded-For", forwarded);
        let (mut page, _) = tungstenite::client(request, relay.connect().0).unwrap();
        page.send(Message::binary(OPEN.as_bytes().to_vec()))
            .unwrap();
        match page.read() {
            Ok(Message::Binary(_)) => Some(page),
            _ => None,
        }
    };
    let proxied = Running::with(settings(true));
    let _one = code(&proxied, "192.0.2.1").expect("a code");
    assert!(code(&proxied, "192.0.2.1").is_none());
    let _two = code(&proxied, "192.0.2.2").expect("a code");
    // Without the option, nobody can choose an address.
    let direct = Running::with(settings(false));
    let _one = code(&direct, "192.0.2.1").expect("a code");
    assert!(code(&direct, "192.0.2.2").is_none());
}

/// A relay behind a proxy.
fn proxied(limits: Limits) -> Running {
    Running::with(Settings {
        limits,
        behind_proxy: true,
        ..Settings::default()
    })
}

/// The status of the answer to a request with these lines.
fn status(relay: &Running, request: &str, lines: &[u8]) -> String {
    let mut connection = relay.connect();
    let begin = format!("{request}\r\n");
    connection.send(&[begin.as_bytes(), lines, b"\r\n"].concat());
    let mut answer = String::new();
    connection.0.read_to_string(&mut answer).unwrap();
    let words: Vec<&str> = answer.split(' ').collect();
    words.get(1).unwrap_or(&"").to_string()
}

#[test]
fn request_of_a_proxy_without_the_address_of_its_client_is_refused() {
    let relay = proxied(Limits::default());
    for lines in [
        &b""[..],
        b"X-Forwarded-For:\r\n",
        b"X-Forwarded-For: \xff\r\n",
        b"X-Forwarded-For: unknown\r\n",
        b"X-Forwarded-For: 192.0.2.1,\r\n",
        b"X-Forwarded-For: 192.0.2.1, \xff\r\n",
        b"X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For:\r\n",
        b"X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: \xff\r\n",
        b"X-Forwarded-For: 192.0.2.1:port\r\n",
        b"X-Forwarded-For: [192.0.2.1]\r\n",
        b"X-Forwarded-For: [[2001:db8::1]]\r\n",
        b"X-Forwarded-For: 2001:db8::1]\r\n",
        b"Forwarded: for=192.0.2.1\r\n",
    ] {
        let text = String::from_utf8_lossy(lines).into_owned();
        assert_eq!(status(&relay, "GET / HTTP/1.1", lines), "400", "{text}");
        let upgrade = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        let lines = [&upgrade[..], lines].concat();
        assert_eq!(status(&relay, "GET / HTTP/1.1", &lines), "400", "{text}");
    }
}

#[test]
fn only_the_last_forwarded_value_counts_whatever_comes_before() {
    let one = Limits {
        arrivals: 1,
        arrivals_per_second: 0,
        ..Limits::default()
    };
    for lines in [
        &b"X-Forwarded-For: 192.0.2.1\r\n"[..],
        b"X-Forwarded-For: \xff, 192.0.2.1\r\n",
        b"X-Forwarded-For: 198.51.100.7,,192.0.2.1:80\r\n",
        b"X-Forwarded-For: \xff\r\nx-forwarded-for:\t192.0.2.1 \r\n",
        b"X-Forwarded-For: 198.51.100.7\r\nA: \xff\r\nX-Forwarded-For: ::ffff:192.0.2.1\r\n",
        b"X-Forwarded-For: [::ffff:192.0.2.1]:80\r\n",
        b"X-Forwarded-For: [::ffff:192.0.2.1]\r\n",
    ] {
        let relay = proxied(one);
        let text = String::from_utf8_lossy(lines).into_owned();
        assert_eq!(status(&relay, "GET / HTTP/1.1", lines), "404", "{text}");
        let again = b"X-Forwarded-For: 192.0.2.1\r\n";
        assert_eq!(status(&relay, "GET / HTTP/1.1", again), "429", "{text}");
    }
}

#[test]
fn request_that_is_refused_counts_for_the_client_of_the_proxy() {
    let relay = proxied(Limits {
        arrivals: 2,
        arrivals_per_second: 0,
        ..Limits::default()
    });
    let client = b"X-Forwarded-For: 192.0.2.1\r\n";
    let old = [
        &client[..],
        b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
    ]
    .concat();
    assert_eq!(status(&relay, "POST / HTTP/1.1", client), "405");
    assert_eq!(status(&relay, "GET / HTTP/1.1", &old), "426");
    assert_eq!(status(&relay, "POST / HTTP/1.1", client), "429");
}

#[test]
fn programs_at_the_address_of_a_proxy_have_its_limits() {
    let relay = proxied(Limits {
        arrivals: 1,
        arrivals_per_second: 0,
        ..Limits::default()
    });
    let mut host = relay.says(OPEN);
    host.code();
    relay.says(OPEN).expect_end("");
    // Also a client of the proxy on this machine.
    let here = b"X-Forwarded-For: 127.0.0.1\r\n";
    assert_eq!(status(&relay, "GET / HTTP/1.1", here), "429");
    let other = b"X-Forwarded-For: 127.0.0.2\r\n";
    assert_eq!(status(&relay, "GET / HTTP/1.1", other), "404");
}

#[test]
fn large_heads_cost_a_bounded_amount_of_memory() {
    let relay = Running::limited(Limits {
        connections_per_address: 4000,
        arrivals: 4000,
        handshake: Duration::from_secs(600),
        ..Limits::default()
    });
    let head = format!("GET / HTTP/1.1\r\nA: {}", "b".repeat(8000));
    let quiet = relay.connect_from(3);
    let mut heads: Vec<Tcp> = Vec::new();
    for _ in 0..600 {
        let mut client = relay.connect();
        client.send(head.as_bytes());
        heads.push(client);
    }
    // 600 heads of 8000 bytes are more than 4 MiB: the oldest have gone.
    heads[0].expect_end("");
    assert!(quiet.is_waiting());
    assert!(heads[599].is_waiting());
    let mut page = relay.opens(OPEN);
    code_of(&mut page);
}
