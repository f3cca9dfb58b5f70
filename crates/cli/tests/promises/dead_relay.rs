//! A dead relay is reported, and no command waits for it forever.

use crate::common;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use common::matches::run;
use common::relay::Relay;
use common::side::{Side, folders, of_kind};
use dealerless::testing::line::NOBODY;
use serde_json::{Value, json};

/// The program promises to report within 5 s. A busy machine may take longer to start the program.
const SOON: Duration = Duration::from_secs(30);

/// A loopback address without a listener, and a listener that sends nothing.
fn dead() -> (String, TcpListener) {
    (NOBODY.into(), TcpListener::bind("127.0.0.1:0").unwrap())
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
fn host_reachable_only_by_a_dead_relay_fails() {
    let [folder, _] = folders();
    let (nobody, silent) = dead();
    for relay in [nobody, silent.local_addr().unwrap().to_string()] {
        let begun = Instant::now();
        let (events, code) = started(folder.path(), &host(&relay, &[])).finish();
        assert!(begun.elapsed() < SOON);
        let message = events[0]["message"].as_str().unwrap();
        let named = message.contains(&relay) && message.contains("check the address");
        assert!(code == 3 && events.len() == 1 && named, "{events:?}");
    }
}

#[test]
fn directly_reachable_host_reports_a_dead_relay_and_waits() {
    let [a, b] = folders();
    let (nobody, silent) = dead();
    for relay in [nobody, silent.local_addr().unwrap().to_string()] {
        // This address is unreachable, so the guest uses the next one in the invite.
        let more = ["--advertise", "192.0.2.1:5252", "--hands", "1", "--auto"];
        let mut host = started(a.path(), &host(&relay, &more));
        let invite = host.until("invite")["invite"].as_str().unwrap().to_owned();
        let notice = host.until("notice")["text"].as_str().unwrap().to_owned();
        let named = notice.contains(&relay) && notice.contains("keeps trying");
        assert!(named, "{notice}");
        let guest = Side::join(b.path(), &invite, &["--auto"]);
        assert_eq!((guest.finish().1, host.finish().1), (0, 0));
    }
}

#[test]
fn working_relay_causes_no_notice() {
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
fn doctor_detects_dead_relays() {
    let [folder, _] = folders();
    let (nobody, silent) = dead();
    let relay = Relay::start();
    let checked = |options: &[&str]| {
        let doctor = ["doctor", "--json", "--listen", "127.0.0.1:0"];
        let checked = run(folder.path(), &[&doctor, options].concat());
        serde_json::from_slice::<Value>(&checked.stdout).unwrap()
    };
    let configured = format!("ws://{}/", relay.address);
    run(folder.path(), &["config", "relay", &configured]);
    let found = checked(&[]);
    assert!(found["relay"]["answered_ms"].is_f64() && found["ways"] == json!(["relay"]));
    let without = checked(&["--relay", "none"]);
    assert!(without.get("relay").is_none() && without["ways"] == json!([]));
    let check = |relay: &str| {
        let checked = checked(&["--relay", relay]);
        assert_eq!(
            checked["ways"] == json!(["relay"]),
            checked["relay"].get("error").is_none()
        );
        checked["relay"].clone()
    };
    assert!(check(&relay.address.to_string())["answered_ms"].is_f64());
    for dead in [nobody, silent.local_addr().unwrap().to_string()] {
        let checked = check(&dead);
        assert!(
            checked["answered_ms"].is_null() && checked["error"].is_string(),
            "{checked}"
        );
    }
    let shown = run(folder.path(), &["doctor", "--listen", "127.0.0.1:0"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(!shown.contains("others can reach it"), "{shown}");
    assert!(shown.contains("Only programs on this machine"), "{shown}");
}
