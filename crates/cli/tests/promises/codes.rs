//! A guest with a spoken code plays, and a wrong code is void.

use crate::common;

use common::matches::run;
use common::side::{Side, folders};
use serde_json::Value;

/// Starts our relay. Returns it and its address.
fn relay(folder: &std::path::Path) -> (Side, String) {
    let mut relay = Side::start(folder, &["relay", "--listen", "127.0.0.1:0", "--json"]);
    let address = relay.event()["addresses"][0].as_str().unwrap().to_owned();
    (relay, address)
}

/// The code with another second word.
fn wrong(code: &str) -> String {
    let (rest, word) = code.rsplit_once('-').unwrap();
    let other = if word == "guitar" {
        "crossbow"
    } else {
        "guitar"
    };
    format!("{rest}-{other}")
}

fn message(events: &[Value]) -> String {
    events.last().unwrap()["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn wrong_code_is_void_and_the_new_code_seats_the_guest() {
    let [a, b] = folders();
    let (relay, address) = relay(a.path());
    let by = ["--relay", &address];
    let mut host = Side::start(
        a.path(),
        &[
            &[
                "host",
                "--json",
                "--listen",
                "127.0.0.1:0",
                "--hands",
                "1",
                "--auto",
            ],
            &by[..],
        ]
        .concat(),
    );
    let invite = host.event();
    let code = invite["code"].as_str().unwrap();
    let (events, exit) = Side::join(b.path(), &wrong(code), &by).finish();
    assert_eq!(exit, 1, "{events:?}");
    assert!(message(&events).starts_with("the code is wrong, and is void now"));
    let (events, exit) = Side::join(b.path(), code, &by).finish();
    assert_eq!(exit, 1, "{events:?}");
    assert!(message(&events).contains("no host waits with this code"));
    host.until("listening");
    let text = host.until("notice")["text"].to_string();
    assert!(text.contains("tried to guess it"), "{text}");
    let text = host.until("notice")["text"].to_string();
    let new = text.trim_matches('"').rsplit(' ').next().unwrap();
    assert_ne!(new, code);
    let spoken = new.replace('-', " ").to_uppercase();
    let guest = Side::join(b.path(), &spoken, &[&by[..], &["--auto"]].concat());
    assert_eq!((guest.finish().1, host.finish().1), (0, 0));
    relay.kill();
}

#[test]
fn code_with_an_unknown_word_or_without_a_relay_is_not_sent() {
    let [a, _] = folders();
    let refused = |args: &[&str]| {
        let output = run(a.path(), args);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    // Nobody listens at this address, and it is not tried.
    let text = refused(&["join", "7-crosbow-guitar", "--relay", "127.0.0.1:1"]);
    assert!(
        text.contains("no code contains the word `crosbow`"),
        "{text}"
    );
    let text = refused(&["join", "7-crossbow", "--relay", "127.0.0.1:1"]);
    assert!(text.contains("a number and two or four words"), "{text}");
    let text = refused(&["join", "7-crossbow-guitar"]);
    assert!(text.contains("dealerless config relay"), "{text}");
}
