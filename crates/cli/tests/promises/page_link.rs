//! `host` prints a link for a guest who plays on a page, and keeps the address of the page.

use dealerless_connection::Invite;

use crate::common;

use std::path::Path;

use common::matches::run;
use common::relay::Relay;
use common::side::{Side, folders};
use serde_json::Value;

const PAGE: &str = "https://cards.example.org/";

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

/// A relay on loopback, by its TCP address and by the URL of its WebSocket.
fn relay() -> (String, String) {
    let address = Relay::start().address;
    (address.to_string(), format!("ws://{address}/"))
}

#[test]
fn link_has_the_invite_and_the_relay_and_later_hosts_keep_the_page() {
    let [folder, _] = folders();
    let (tcp, url) = relay();
    let link = |options: &[&str]| {
        let (invites, notices, _) = hosted(folder.path(), options);
        let [invite] = &invites[..] else {
            panic!("{invites:?}")
        };
        let link = invite["link"].as_str().map(str::to_owned);
        (link, invite["invite"].as_str().unwrap().to_owned(), notices)
    };
    let encoded = url.replace(':', "%3A").replace('/', "%2F");
    for options in [&["--page", PAGE][..], &[]] {
        let (link, text, _) = link(&[&["--relay", &url], options].concat());
        assert_eq!(link, Some(format!("{PAGE}#{text}&relay={encoded}")));
        let invite: Invite = text.parse().unwrap();
        assert_eq!(invite.relay().map(ToString::to_string), Some(tcp.clone()));
    }
    // The link of a table.
    let (of_table, _, _) = link(&["--relay", &url, "--seats", "3"]);
    assert!(of_table.is_some_and(|link| link.starts_with(PAGE)));
    // The WebSocket of this relay is unknown.
    let (none, _, notices) = link(&["--relay", &tcp]);
    assert_eq!(none, None);
    assert!(
        notices.contains("no link") && notices.contains(&tcp),
        "{notices}"
    );
    let (none, _, notices) = link(&[]);
    assert_eq!(none, None);
    assert!(notices.contains("--relay wss://"), "{notices}");
    // The relay of the settings is used, except if another one or none is given.
    let set = run(folder.path(), &["config", "relay", &url]);
    assert!(set.status.success(), "{set:?}");
    assert!(link(&[]).0.is_some_and(|link| link.ends_with(&encoded)));
    let (none, invite, _) = link(&["--relay", "none"]);
    assert_eq!(none, None);
    assert_eq!(invite.parse::<Invite>().unwrap().relay(), None);
    for options in [&["--page", "none"][..], &[]] {
        let (link, _, notices) = link(options);
        assert_eq!((link, notices.contains("no link")), (None, false));
    }
}

#[test]
fn a_page_whose_link_cannot_be_made_is_an_error_and_is_not_kept() {
    let [folder, _] = folders();
    let (tcp, url) = relay();
    let home = folder.path();
    let no_relay = error(home, &["--page", PAGE]);
    assert!(no_relay.contains("--relay wss://"), "{no_relay}");
    let no_websocket = error(home, &["--page", PAGE, "--relay", &tcp]);
    assert!(no_websocket.contains("--relay wss://"), "{no_websocket}");
    let exposed = error(
        home,
        &["--page", "http://cards.example.org/", "--relay", &url],
    );
    assert!(exposed.contains("https://"), "{exposed}");
    let (invites, notices, _) = hosted(home, &["--relay", &url]);
    assert!(
        invites[0].get("link").is_none() && !notices.contains("no link"),
        "{notices}"
    );
}
