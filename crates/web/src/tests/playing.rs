//! Matches from the invite to their end, and what the other tests need to play them.

use std::collections::BTreeMap;

use dealerless_table::log::End;
use dealerless_table::record::{Compared, MatchState, Record, compare};
use dealerless_table::rules::Stakes;
use serde_json::{Value, json};

use super::disk::Disk;
use super::native_host::{self, Answer, NativeHost, deck, holdem};
use super::tab::{Act, Closed, Fault, Player, Relay, Relays, command, open, plays};

/// The relay of the tests.
pub(crate) const RELAY: &str = "wss://relay.example/";
/// The number of files of a page.
pub(crate) const FILES: usize = 24;

/// A player who agrees to everything, calls, draws if a card is left, and shows.
pub(crate) fn passive() -> Player {
    Box::new(react)
}

pub(crate) fn react(event: &Value) -> Vec<Act> {
    let line = match event["event"].as_str() {
        Some("ask-sit") => r#"{"do":"sit","agree":true}"#,
        Some("ask-again") => r#"{"do":"again"}"#,
        Some("ask-rebuy") => r#"{"do":"rebuy","agree":false}"#,
        Some("pause") => r#"{"do":"next"}"#,
        Some("your-turn") => match event["ask"].as_str() {
            Some("bet") if event["call"].is_null() => r#"{"do":"check"}"#,
            Some("bet") => r#"{"do":"call"}"#,
            Some("speak") if event["may_draw"] == true => r#"{"do":"draw"}"#,
            Some("speak") => r#"{"do":"pass"}"#,
            _ => r#"{"do":"show"}"#,
        },
        _ => return Vec::new(),
    };
    vec![command(line)]
}

/// A relay that joins the page with this host.
pub(crate) fn joins(host: &NativeHost) -> Relays {
    let address = host.address;
    Box::new(move |_, _| Relay::Joins(address, Fault::None))
}

/// A relay with a fault on the first call.
pub(crate) fn faulty(host: &NativeHost, fault: Fault) -> Relays {
    let address = host.address;
    Box::new(move |call, _| Relay::Joins(address, if call == 0 { fault } else { Fault::None }))
}

/// The request to join this host by its invite.
pub(crate) fn join(host: &NativeHost) -> Value {
    json!({ "name": "Bob", "whom": host.invite, "relay": RELAY })
}

/// The number of events of this kind.
pub(crate) fn count(lines: &[Value], kind: &str) -> usize {
    lines.iter().filter(|line| line["event"] == kind).count()
}

/// The message of the error with which a program has ended.
pub(crate) fn error(lines: &[Value]) -> &str {
    let errors = lines.iter().filter(|line| line["event"] == "error");
    let ends = errors.rev().find(|line| !line["exit_code"].is_null());
    ends.and_then(|line| line["message"].as_str())
        .unwrap_or("no error")
}

/// The cards that a page has shown, by hand, try and position.
pub(crate) type Cards = BTreeMap<(u64, u64, u64), String>;

/// Adds the cards of these events. The card at a position of a try is always the same.
pub(crate) fn add_cards(cards: &mut Cards, lines: &[Value]) {
    let mut attempt = 0;
    for line in lines {
        match line["event"].as_str() {
            Some("dealt") => attempt = line["try"].as_u64().unwrap(),
            Some("card") => {
                let at = (
                    line["hand"].as_u64().unwrap(),
                    attempt,
                    line["position"].as_u64().unwrap(),
                );
                let card = line["card"].as_str().unwrap().to_owned();
                let before = cards.insert(at, card.clone());
                assert!(
                    before.is_none_or(|before| before == card),
                    "another card at {at:?}"
                );
            }
            _ => {}
        }
    }
}

/// Checks that both sides have the same finished match, and that nobody is guilty of anything.
pub(crate) fn agree(disk: &Disk, host: &[native_host::Record]) {
    let page = Record::read(&disk.named(".log").expect("a record"), None).unwrap();
    let host = host.iter().rfind(|record| {
        let host = Record::read(&record.bytes, None).unwrap();
        host.log.match_info().id() == page.log.match_info().id()
    });
    let host = host.expect("the host knows the match");
    assert!(host.is_over);
    assert_eq!(page.log.hash(), host.hash, "the logs differ");
    let other = Record::read(&host.bytes, None).unwrap();
    for record in [&page, &other] {
        assert_eq!(record.state(), MatchState::Over(End::Played));
    }
    match compare(&page, &other) {
        Compared::Together {
            same_owner: false, ..
        } => {}
        other => panic!("{other:?}"),
    }
}

/// Plays a match without faults.
pub(crate) fn play(host: &NativeHost) -> Closed<Result<i32, String>> {
    open(
        Disk::new(FILES),
        joins(host),
        passive(),
        plays("/join", join(host)),
    )
}

fn match_ends_with_equal_records(stakes: Stakes, results: usize) -> Vec<Value> {
    let host = NativeHost::new(stakes, Vec::new());
    let closed = play(&host);
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    assert_eq!(count(&closed.lines, "result"), results);
    assert_eq!(count(&closed.lines, "over"), 1);
    agree(&closed.disk, &host.end());
    assert_eq!(
        closed.disk.named(".deck.0"),
        None,
        "the deck of a match that is over"
    );
    closed.lines
}

#[test]
fn holdem_is_played_from_the_invite_to_its_end_and_both_records_are_equal() {
    let lines = match_ends_with_equal_records(holdem(2), 2);
    assert!(count(&lines, "card") > 10);
}

#[test]
fn small_deck_is_played_from_the_invite_to_its_end_and_both_records_are_equal() {
    let lines = match_ends_with_equal_records(deck(3), 3);
    assert_eq!(count(&lines, "card"), 3);
}

#[test]
fn player_who_declines_the_terms_ends_with_exit_code_4_and_can_join_later() {
    let host = NativeHost::new(deck(1), vec![Answer::Closes]);
    let declines: Player = Box::new(|event| match event["event"].as_str() {
        Some("ask-sit") => vec![command(r#"{"do":"sit","agree":false}"#)],
        _ => Vec::new(),
    });
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        declines,
        plays("/join", join(&host)),
    );
    assert_eq!(closed.result, Some(Ok(4)));
    assert!(error(&closed.lines).starts_with("You declined"));
    assert_eq!(closed.disk.named(".log"), None);
    let closed = open(
        closed.disk,
        joins(&host),
        passive(),
        plays("/join", join(&host)),
    );
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &host.end());
}
