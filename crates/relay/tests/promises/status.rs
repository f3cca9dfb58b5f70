//! The counts for the operator.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use dealerless_relay::{Limits, Relay, Settings};

use super::clients::{OPEN, Running, line, until};

const ANY: &str = "127.0.0.1:0";

/// The answer to a request for the counts.
fn ask(relay: &Running, request: &[u8]) -> String {
    let mut connection = TcpStream::connect(relay.status.unwrap()).unwrap();
    connection.write_all(request).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

/// A count.
fn count(relay: &Running, name: &str) -> u64 {
    let answer = ask(relay, b"GET /metrics HTTP/1.1\r\n\r\n");
    let begin = format!("dealerless_relay_{name} ");
    let value = answer.lines().find_map(|line| line.strip_prefix(&begin));
    value.expect(name).parse().unwrap()
}

fn counting(limits: Limits) -> Running {
    Running::with(Settings {
        limits,
        status: Some(ANY.parse().unwrap()),
        ..Settings::default()
    })
}

#[test]
fn operator_sees_connections_rooms_and_bytes() {
    let relay = counting(Limits::default());
    let _waiting = relay.says(&line(1, 1));
    let [mut one, mut two] = relay.pair();
    one.send(b"hello");
    two.expect("hello");
    until(|| count(&relay, "waiting") == 1);
    assert_eq!(count(&relay, "rooms"), 1);
    assert_eq!(count(&relay, "rooms_total"), 1);
    assert_eq!(count(&relay, "forwarded_bytes_total"), 5);
    // With the operator's own one.
    assert_eq!(count(&relay, "connections"), 4);
    drop([one, two]);
    until(|| count(&relay, "rooms") == 0);
    assert_eq!(count(&relay, "rooms_total"), 1);
    let answer = ask(&relay, b"GET / HTTP/1.1\r\n\r\n");
    assert!(answer.contains("\r\nContent-Type: text/plain; version=0.0.4\r\n"));
    assert!(!answer.contains("127.0"), "{answer}");
}

#[test]
fn operator_sees_which_limits_refuse_clients() {
    let relay = counting(Limits {
        arrivals: 3,
        arrivals_per_second: 0,
        codes: 1,
        codes_per_minute: 0,
        waiting_per_address: 1,
        ..Limits::default()
    });
    let refused = |limit: &str| count(&relay, &format!("refused_total{{limit=\"{limit}\"}}"));
    let mut host = relay.says(OPEN);
    host.code();
    relay.says(OPEN).expect_end("");
    relay.says(&line(1, 1)).expect_end("");
    relay.connect().expect_end("");
    // The operator is not refused.
    for limit in [
        "codes-per-address",
        "waiting-per-address",
        "new-connections-per-address",
    ] {
        assert_eq!(refused(limit), 1, "{limit}");
    }
    assert_eq!(refused("connections"), 0);
    assert_eq!(refused("page"), 0);
}

#[test]
fn counts_are_only_at_a_loopback_address_of_their_own() {
    let relay = counting(Limits::default());
    relay
        .says("GET /metrics HTTP/1.1\r\n\r\n")
        .expect("HTTP/1.1 404");
    assert!(ask(&relay, line(1, 1).as_bytes()).starts_with("HTTP/1.1 400 "));
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let settings = Settings {
            status: Some(address.parse::<SocketAddr>().unwrap()),
            ..Settings::default()
        };
        let error = Relay::listen(&[ANY.parse().unwrap()], settings)
            .err()
            .unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{address}");
    }
}
