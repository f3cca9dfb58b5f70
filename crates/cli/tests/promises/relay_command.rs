//! Two programs meet at `dealerless relay`, and Ctrl-C ends it.

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

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it() {
    let [folder, _] = folders();
    let (relay, _) = relay(folder.path());
    relay.signal("INT");
    let (lines, code) = relay.finish();
    assert_eq!((lines.len(), code), (0, 0));
}
