//! Two programs meet at `dealerless relay`, and Ctrl-C ends it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common;

use common::side::{Side, folders};
use serde_json::json;

/// A relay that listens, and its address.
fn relay(folder: &std::path::Path) -> (Side, String) {
    let mut relay = Side::start(folder, &["relay", "--listen", "127.0.0.1:0", "--json"]);
    let line = relay.event();
    assert_eq!(
        (&line["version"], &line["command"]),
        (&json!(1), &json!("relay"))
    );
    let address = line["addresses"][0].as_str().expect("an address");
    let address = address.to_owned();
    (relay, address)
}

#[test]
fn two_programs_play_a_match_at_it() {
    let [a, b] = folders();
    let (relay, address) = relay(a.path());
    let more = ["--relay", &address, "--hands", "2", "--auto"];
    let (host, invite) = Side::host(a.path(), &more);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    for side in [host, guest] {
        let (events, code) = side.finish();
        assert_eq!(code, 0, "{events:?}");
        assert_eq!(events.last().expect("an end")["how"], "played");
    }
    relay.kill();
}

#[test]
fn doctor_finds_it() {
    let [folder, _] = folders();
    let (relay, address) = relay(folder.path());
    let mut doctor = Side::start(folder.path(), &["doctor", "--json", "--relay", &address]);
    let report = doctor.event();
    assert!(report["relay"]["answered_ms"].is_number(), "{report}");
    relay.kill();
}

/// The answer of a relay to a request.
fn ask(address: &str, request: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("a relay");
    connection.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn options_for_its_operator_have_an_effect() {
    let [folder, _] = folders();
    let more = [
        "--listen",
        "127.0.0.1:0",
        "--status",
        "127.0.0.1:0",
        "--json",
    ];
    let pages = [
        "--allow-page",
        "https://Page.example",
        "--max-rate",
        "100000",
    ];
    let args = [&["relay"][..], &more, &pages].concat();
    let mut relay = Side::start(folder.path(), &args);
    let line = relay.event();
    let [address, status] =
        [&line["addresses"][0], &line["status"]].map(|at| at.as_str().expect("an address"));
    let page = |origin| format!("GET / HTTP/1.1\r\nOrigin: {origin}\r\n\r\n");
    let refused = ask(address, &page("https://elsewhere.example"));
    assert!(refused.starts_with("HTTP/1.1 403 "), "{refused}");
    let answered = ask(address, &page("https://page.example"));
    assert!(answered.starts_with("HTTP/1.1 404 "), "{answered}");
    let counts = ask(status, "GET /metrics HTTP/1.1\r\n\r\n");
    let refusals = "dealerless_relay_refused_total{limit=\"page\"} 1\n";
    assert!(counts.contains(refusals), "{counts}");
    relay.kill();
}

#[cfg(unix)]
#[test]
fn it_ends_with_its_last_room_after_a_signal_and_at_once_after_two() {
    let [folder, _] = folders();
    for signals in [1, 2] {
        let (relay, address) = relay(folder.path());
        let mut pair = [1, 2].map(|side| {
            let mut end = TcpStream::connect(&address).expect("a relay");
            let line = format!("please relay {:064x} for side {side:016x}\n", 1);
            end.write_all(line.as_bytes()).expect("sent");
            end
        });
        let mut answer = [0; 3];
        pair.iter_mut()
            .for_each(|end| end.read_exact(&mut answer).expect("joined"));
        relay.signal("HUP");
        // It listens no more, but another program can have taken the port.
        let begun = Instant::now();
        while TcpStream::connect(&address).is_ok() && begun.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let [one, two] = &mut pair;
        one.write_all(b"still here").expect("a room");
        let mut received = [0; 10];
        two.read_exact(&mut received).expect("a room");
        assert_eq!(&received, b"still here");
        if signals == 2 {
            relay.signal("TERM");
        } else {
            drop(pair);
        }
        let (lines, code) = relay.finish();
        assert_eq!((lines.len(), code), (0, 0));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it() {
    let [folder, _] = folders();
    let (relay, _) = relay(folder.path());
    relay.signal("INT");
    let (lines, code) = relay.finish();
    assert_eq!((lines.len(), code), (0, 0));
}
