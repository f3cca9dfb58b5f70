//! `host` prints a link for a guest who plays on a page, and keeps the address of the page.

use crate::common;

use std::path::Path;

use common::relay::Relay;
use common::side::{Side, folders};
use serde_json::Value;

const PAGE: &str = "https://cards.example.org/";
const WEBSOCKET: &str = "wss://relay.example.org/";

/// The `invite` events of a host, the text of its notices, and its error.
fn hosted(folder: &Path, options: &[&str]) -> (Vec<Value>, String, Option<Value>) {
    let host = [
        "host",
        "--json",
        "--listen",
        "127.0.0.1:0",
        "--timeout",
        "0.3",
    ];
    let (events, _) = Side::start(folder, &[&host, options].concat()).finish();
    let all = |name: &str| {
        let events = events.iter().filter(|event| event["event"] == name);
        events.cloned().collect::<Vec<_>>()
    };
    let notices = all("notice")
        .iter()
        .map(|event| event["text"].to_string())
        .collect();
    (all("invite"), notices, all("error").pop())
}

/// The error of a host that does not begin.
fn error(folder: &Path, options: &[&str]) -> String {
    let (invites, _, error) = hosted(folder, options);
    assert_eq!(invites, [Value::Null; 0]);
    error.expect("an error")["message"].to_string()
}

#[test]
fn link_has_the_invite_and_the_relay_and_later_hosts_keep_the_page() {
    let [folder, _] = folders();
    let relay = Relay::start().address.to_string();
    let link = |options: &[&str]| {
        let options = [&["--relay", &relay], options].concat();
        let (invites, notices, _) = hosted(folder.path(), &options);
        let [invite] = &invites[..] else {
            panic!("{invites:?}")
        };
        let link = invite["link"].as_str().map(str::to_owned);
        (link, invite["invite"].as_str().unwrap().to_owned(), notices)
    };
    let given = ["--page", PAGE, "--page-relay", WEBSOCKET];
    for options in [&given[..], &[]] {
        let (link, invite, _) = link(options);
        let expected = format!("{PAGE}#{invite}&relay=wss%3A%2F%2Frelay.example.org%2F");
        assert_eq!(link, Some(expected));
    }
    // A page plays matches of two only.
    let (invites, notices, _) = hosted(folder.path(), &["--relay", &relay, "--seats", "3"]);
    assert!(invites.len() == 2 && invites.iter().all(|invite| invite.get("link").is_none()));
    assert!(!notices.contains("no link"), "{notices}");
    // Another relay has another WebSocket.
    let other = Relay::start().address.to_string();
    let (invites, notices, _) = hosted(folder.path(), &["--relay", &other]);
    assert_eq!(invites[0].get("link"), None);
    assert!(
        notices.contains("no link") && notices.contains(&other),
        "{notices}"
    );
    let (invites, notices, _) = hosted(folder.path(), &[]);
    assert_eq!(invites[0].get("link"), None);
    assert!(notices.contains("--relay HOST:PORT"), "{notices}");
    for options in [&["--page", "none"][..], &[]] {
        let (link, _, notices) = link(options);
        assert_eq!((link, notices.contains("no link")), (None, false));
    }
    // The relay's WebSocket is still known.
    assert!(link(&["--page", PAGE]).0.is_some());
}

#[test]
fn a_page_whose_link_cannot_be_made_is_an_error_and_is_not_kept() {
    let [folder, _] = folders();
    let relay = Relay::start().address.to_string();
    let home = folder.path();
    let no_relay = error(home, &["--page", PAGE]);
    assert!(no_relay.contains("--relay HOST:PORT"), "{no_relay}");
    let no_websocket = error(home, &["--page", PAGE, "--relay", &relay]);
    assert!(no_websocket.contains("--page-relay URL"), "{no_websocket}");
    let websocket = ["--relay", &relay, "--page-relay", WEBSOCKET];
    let several = error(
        home,
        &[&["--page", PAGE, "--seats", "3"], &websocket[..]].concat(),
    );
    assert!(several.contains("--seats"), "{several}");
    let exposed = error(
        home,
        &[&["--page", "http://cards.example.org/"], &websocket[..]].concat(),
    );
    assert!(exposed.contains("https://"), "{exposed}");
    let (invites, notices, _) = hosted(home, &["--relay", &relay]);
    assert!(
        invites[0].get("link").is_none() && !notices.contains("no link"),
        "{notices}"
    );
}
