//! A relay that does not answer is reported, and costs nobody a wait without end.

use crate::common;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use common::matches::run;
use common::relay::Relay;
use common::side::{Side, folders, of_kind};
use serde_json::Value;

/// The program promises 5 s; a busy machine may take longer to start it.
const SOON: Duration = Duration::from_secs(30);

/// An address of loopback at which nobody listens, and a listener that accepts and says nothing.
fn dead() -> (String, TcpListener) {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = nobody.local_addr().unwrap().to_string();
    (nobody, TcpListener::bind("127.0.0.1:0").unwrap())
}

fn host(relay: &str, more: &[&str]) -> Vec<String> {
    let host = [
        "host",
        "--json",
        "--name",
        "Anna",
        "--listen",
        "127.0.0.1:0",
        "--relay",
        relay,
    ];
    let all = [&host, more].concat();
    all.into_iter().map(str::to_owned).collect()
}

fn started(folder: &std::path::Path, args: &[String]) -> Side {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    Side::start(folder, &args)
}

#[test]
fn a_host_that_others_reach_only_by_a_dead_relay_ends_and_names_it() {
    let [folder, _] = folders();
    let (nobody, silent) = dead();
    for relay in [nobody, silent.local_addr().unwrap().to_string()] {
        let begun = Instant::now();
        let (events, code) = started(folder.path(), &host(&relay, &[])).finish();
        assert!(begun.elapsed() < SOON);
        let message = events[0]["message"].as_str().unwrap();
        let says = message.contains(&relay) && message.contains("check the address");
        assert!(code == 3 && events.len() == 1 && says, "{events:?}");
    }
}

#[test]
fn a_host_that_others_reach_directly_is_told_of_a_dead_relay_and_waits_on() {
    let [a, b] = folders();
    let (nobody, silent) = dead();
    for relay in [nobody, silent.local_addr().unwrap().to_string()] {
        // No test network has this address: the guest comes by the next one of the invite.
        let more = ["--advertise", "192.0.2.1:5252", "--hands", "1", "--auto"];
        let mut host = started(a.path(), &host(&relay, &more));
        let invite = host.until("invite")["invite"].as_str().unwrap().to_owned();
        let told = host.until("notice")["text"].as_str().unwrap().to_owned();
        let says = told.contains(&relay) && told.contains("goes on trying");
        assert!(says, "{told}");
        let guest = Side::join(b.path(), &invite, &["--auto"]);
        assert_eq!((guest.finish().1, host.finish().1), (0, 0));
    }
}

#[test]
fn a_relay_that_answers_is_no_matter_for_the_host() {
    let [a, b] = folders();
    let relay = Relay::start();
    let mut host = started(
        a.path(),
        &host(&relay.address.to_string(), &["--hands", "1", "--auto"]),
    );
    let invite = host.until("invite")["invite"].as_str().unwrap().to_owned();
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    assert_eq!(guest.finish().1, 0);
    let (events, code) = host.finish();
    let relays = |event: &&Value| {
        event["text"]
            .as_str()
            .is_some_and(|text| text.contains("relay"))
    };
    assert_eq!(code, 0);
    assert!(
        !of_kind(&events, "notice")
            .iter()
            .any(|event| relays(&event)),
        "{events:?}"
    );
}

#[test]
fn doctor_tells_a_relay_from_what_is_none() {
    let [folder, _] = folders();
    let (nobody, silent) = dead();
    let relay = Relay::start();
    let asks = |relay: &str| {
        let asked = run(
            folder.path(),
            &[
                "doctor",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--relay",
                relay,
            ],
        );
        serde_json::from_slice::<Value>(&asked.stdout).unwrap()["relay"].clone()
    };
    assert!(asks(&relay.address.to_string())["answered_ms"].is_f64());
    for dead in [nobody, silent.local_addr().unwrap().to_string()] {
        let asked = asks(&dead);
        assert!(
            asked["answered_ms"].is_null() && asked["error"].is_string(),
            "{asked}"
        );
    }
    let shown = run(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(!shown.contains("others reach it"), "{shown}");
    assert!(shown.contains("Only programs on this machine"), "{shown}");
}
