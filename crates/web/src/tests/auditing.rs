//! Two pages audit the match that they have played.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use dealerless_table::record::Record;
use serde_json::{Value, json};

use super::disk::Disk;
use super::hosting::played;
use super::playing::{RELAY, passive};
use super::relay;
use super::tab::{Act, Closed, Fault, Relay, Relays, answered, open, request, with_tab};
use crate::page;

type Answer = Result<Value, String>;

/// The id of the match of a page that has played one.
fn id(disk: &Disk) -> String {
    let record = disk.named(".log").unwrap();
    let record = Record::read(&record, None).unwrap();
    dealerless_connection::hex(record.log.match_info().id().as_bytes())
}

/// Opens a page that makes this request of its audit, with these acts of its player.
fn audit(disk: Disk, relays: Relays, also: Value, acts: Vec<Act>) -> Closed<Answer> {
    let mut body = json!({ "match": id(&disk), "relay": RELAY });
    body.as_object_mut()
        .unwrap()
        .extend(also.as_object().unwrap().clone());
    let (sender, receiver) = std::sync::mpsc::channel();
    for act in acts {
        sender.send(act).unwrap();
    }
    open(disk, relays, passive(), move || {
        page::start(with_tab(|tab| tab.disk.files.len()) as u32).unwrap();
        with_tab(|tab| tab.also = Some(receiver));
        let answer = answered("/audit", &body);
        drop(sender);
        answer
    })
}

/// Both pages audit their match at this relay, the guest with a fault of the relay. If the host still waits
/// after the guest has failed, the guest audits it again.
fn both([host, guest]: [Disk; 2], relay: SocketAddr, fault: Fault) -> [Closed<Answer>; 2] {
    let host = thread::spawn(move || audit(host, relay::through(relay), json!({}), Vec::new()));
    let mut guest = audit(guest, relay::faulty(relay, 0, fault), json!({}), Vec::new());
    if guest.result.as_ref().unwrap().is_err() {
        // A host that has failed as well ends soon.
        let begun = Instant::now();
        while !host.is_finished() && begun.elapsed() < Duration::from_secs(2) {
            thread::sleep(Duration::from_millis(10));
        }
        if !host.is_finished() {
            guest = audit(guest.disk, relay::through(relay), json!({}), Vec::new());
        }
    }
    [host.join().unwrap(), guest]
}

/// The answer to a request of a page with these files.
fn get(disk: &Disk, path: &'static str) -> (u32, Value) {
    let path = format!("{path}?match={}", id(disk));
    let relays: Relays = Box::new(|_, _| unreachable!("it calls nobody"));
    let closed = open(disk.clone(), relays, passive(), move || {
        page::start(with_tab(|tab| tab.disk.files.len()) as u32).unwrap();
        request(false, &path, &[])
    });
    closed.result.unwrap()
}

#[test]
fn two_pages_audit_their_match_once_and_have_the_same_decks() {
    let disks = played();
    for disk in &disks {
        assert_eq!(get(disk, "/show").1["audit"], "possible");
        assert_eq!(get(disk, "/audit").0, 500);
    }
    let [host, guest] = both(disks, relay::start(), Fault::None);
    let answers = [&host, &guest].map(|closed| closed.result.clone().unwrap().unwrap());
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0]["agrees"], true);
    let text = answers[0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("Hand 1: ") && text.contains("2 decks were recomputed"),
        "{text}"
    );
    for closed in [host, guest] {
        assert_eq!(closed.disk.named(".inputs"), None);
        assert_eq!(get(&closed.disk, "/show").1["audit"], "made");
        assert_eq!(get(&closed.disk, "/audit"), (200, answers[0].clone()));
        let again = audit(
            closed.disk,
            relay::through(relay::start()),
            json!({}),
            Vec::new(),
        );
        let error = again.result.unwrap().unwrap_err();
        assert!(error.contains("destroyed"), "{error}");
    }
}

#[test]
fn audit_that_is_cut_can_be_made_again_unless_it_was_complete() {
    let mut ends = Vec::new();
    for message in 1..10 {
        let [host, guest] = both(played(), relay::start(), Fault::CutInstead(message));
        let made = [&host, &guest].map(|closed| {
            // A page that fails keeps its inputs for another audit.
            let is_made = closed.disk.named(".audit").is_some();
            assert_ne!(is_made, closed.disk.named(".inputs").is_some(), "{message}");
            assert_eq!(
                is_made,
                closed.result.as_ref().unwrap().is_ok(),
                "{message}"
            );
            is_made
        });
        if made == [false, false] {
            let again = both([host.disk, guest.disk], relay::start(), Fault::None);
            let is_made = |closed: &Closed<Answer>| closed.result.as_ref().unwrap().is_ok();
            assert!(again.iter().all(is_made), "{message}");
        }
        ends.push(made);
    }
    assert!(
        ends.contains(&[true, true]) && ends.contains(&[false, false]),
        "{ends:?}"
    );
}

#[test]
fn audit_ends_after_ten_minutes_if_nobody_comes() {
    let [host, guest] = played();
    let closed = audit(
        host,
        relay::through(relay::start()),
        json!({}),
        vec![Act::Waits],
    );
    let error = closed.result.unwrap().unwrap_err();
    assert!(error.contains("did not connect in time"), "{error}");
    let refuses: Relays = Box::new(|_, _| Relay::Refuses);
    let closed = audit(guest, refuses, json!({}), vec![Act::Waits]);
    let error = closed.result.unwrap().unwrap_err();
    assert!(error.contains("relay"), "{error}");
    assert!(closed.disk.named(".inputs").is_some());
}

#[test]
fn player_cancels_an_audit_or_destroys_the_inputs() {
    let [mut host, guest] = played();
    let another = json!({ "relay": RELAY, "game": "deck", "cards": 3 });
    for (path, body) in [("/end", json!({})), ("/host", another)] {
        let act = Act::Post(path.into(), body.to_string().into_bytes());
        let closed = audit(host, relay::through(relay::start()), json!({}), vec![act]);
        assert_eq!(
            closed.result.unwrap().unwrap_err(),
            "the audit was cancelled"
        );
        assert!(closed.disk.named(".inputs").is_some());
        host = closed.disk;
    }
    let refuses: Relays = Box::new(|_, _| Relay::Refuses);
    let closed = audit(guest, refuses, json!({ "decline": true }), Vec::new());
    assert_eq!(closed.result.unwrap(), Ok(json!({ "destroyed": true })));
    assert_eq!(closed.disk.named(".inputs"), None);
    assert_eq!(get(&closed.disk, "/show").1["audit"], Value::Null);
}
