//! Who leaves a match is told what that costs, and may think again until the turn at which it is signed.
#![cfg(unix)]

use crate::common;

use common::side::{Side, folders};
use serde_json::{Value, json};

#[test]
fn who_leaves_at_anothers_turn_is_told_what_it_costs_and_may_take_it_back() {
    let [a, b] = folders();
    let (mut host, invite) = Side::host(a.path(), &["--hands", "3"]);
    let mut guest = Side::join(b.path(), &invite, &[]);
    let says = |side: &mut Side, said: &str| side.say(&json!({ "do": said }));

    let turn = host.until("your-turn");
    guest.until("their-turn");
    says(&mut guest, "leave");
    let leaving = guest.until("leaving");
    assert_eq!((&leaving["costs"], &leaving["pot"]), (&json!(2), &json!(3)));
    let message = leaving["message"].as_str().unwrap();
    assert!(message.contains("2 of these chips are yours"), "{message}");
    says(&mut guest, "stay");
    guest.until("stays");
    says(&mut guest, "stay");
    assert_eq!(guest.until("error")["code"], "not-allowed");
    host.say(&json!({"do": "call", "turn": turn["turn"]}));
    // The match goes on.
    guest.until("your-turn");

    // Said at another's turn, it is signed at the next own turn, behind the opening of the flop.
    says(&mut host, "leave");
    let leaving = host.until("leaving");
    assert_eq!((&leaving["costs"], &leaving["pot"]), (&json!(2), &json!(4)));
    says(&mut guest, "check");
    guest.until("your-turn");
    says(&mut guest, "check");
    let (events, code) = host.finish();
    assert_eq!(code, 0);
    let over = |events: &[Value]| events.last().unwrap()["stacks"].clone();
    assert_eq!(over(&events), json!([198, 202]));
    assert_eq!(over(&guest.finish().0), json!([198, 202]));
}

#[test]
fn who_leaves_at_its_own_turn_is_told_what_that_has_cost() {
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
