//! A player who leaves a match sees the cost, and can take the command back until the leave is
//! signed at the player's next turn.
#![cfg(unix)]

use crate::common;

use common::side::{Side, folders};
use serde_json::{Value, json};

#[test]
fn leaving_at_another_turn_shows_the_cost_and_can_be_taken_back() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &["--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let send = |side: &mut Side, command: &str| side.say(&json!({ "do": command }));

    let turn = host.until("your-turn");
    guest.until("their-turn");
    send(&mut guest, "leave");
    let leaving = guest.until("leaving");
    assert_eq!((&leaving["costs"], &leaving["pot"]), (&json!(2), &json!(3)));
    let message = leaving["message"].as_str().unwrap();
    assert!(message.contains("2 of these chips are yours"), "{message}");
    send(&mut guest, "stay");
    guest.until("stays");
    send(&mut guest, "stay");
    assert_eq!(guest.until("error")["code"], "not-allowed");
    host.say(&json!({"do": "call", "turn": turn["turn"]}));
    // The match continues.
    guest.until("your-turn");

    // The host sends `leave` at the guest's turn. The leave is signed at the host's next turn,
    // which comes after the flop is opened.
    send(&mut host, "leave");
    let leaving = host.until("leaving");
    assert_eq!((&leaving["costs"], &leaving["pot"]), (&json!(2), &json!(4)));
    send(&mut guest, "check");
    guest.until("your-turn");
    send(&mut guest, "check");
    let (events, code) = host.finish();
    assert_eq!(code, 0);
    let over = |events: &[Value]| events.last().unwrap()["stacks"].clone();
    assert_eq!(over(&events), json!([198, 202]));
    assert_eq!(over(&guest.finish().0), json!([198, 202]));
}

#[test]
fn leaving_at_the_own_turn_reports_the_cost() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &["--hands", "3"]);
    let guest = Side::join(b.path(), &invite, &["--auto"]);
    host.until("your-turn");
    host.say(&json!({"do": "leave"}));
    let leaving = host.until("leaving");
    let message = leaving["message"].as_str().unwrap();
    assert!(!message.contains("stay"), "{message}");
    assert_eq!(host.until("stopped")["how"], "leave");
    assert_eq!(host.finish().1, 0);
    assert_eq!(guest.finish().1, 0);
}
