//! Limits: what one address, or many, can do to the others.

use std::io::Read;
use std::time::Duration;

use dealerless_relay::{Limits, Settings};
use tungstenite::Message;
use tungstenite::client::IntoClientRequest;

use super::clients::{Running, Tcp, line, next, until};

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
        host.send(b"please open a code\n");
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
    let mut waiting = relay.says("please open a code\n");
    assert_eq!(waiting.code(), 1);
    let mut silent = relay.connect();
    let [mut next, last] = [relay.connect(), relay.connect()];
    silent.expect_end("");
    assert!(waiting.is_waiting() && next.is_waiting() && last.is_waiting());
    // One that speaks is not refused.
    let mut speaks = relay.says("please open a code\n");
    assert_eq!(speaks.code(), 2);
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
        let mut host = relay.says("please open a code\n");
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
    other.send(b"please open a code\n");
    assert_eq!(other.code(), 1);
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
        page: None,
    };
    let code = |relay: &Running, address: &str| {
        let url = format!("ws://{}/", relay.address);
        let mut request = url.into_client_request().unwrap();
        let forwarded = format!("192.0.2.99, {address}").parse().unwrap();
        request.headers_mut().insert("X-Forwarded-For", forwarded);
        let (mut page, _) = tungstenite::client(request, relay.connect().0).unwrap();
        page.send(Message::binary(b"please open a code\n".to_vec()))
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
    let mut page = relay.opens("please open a code\n");
    assert_eq!(next(&mut page), b"code 1\n");
}
