//! An identity moves from a page to another one.

use dealerless_connection::identity::{MovedIdentity, Succession};
use serde_json::{Value, json};

use super::disk::Disk;
use super::native_host::{NativeHost, deck};
use super::playing::{FILES, RELAY, error, join, passive, play};
use super::tab::{Closed, Relays, open, request, with_tab};
use crate::page;

/// Opens a page with these files, and makes requests of it. The answers are 200, or the error.
fn asks(disk: Disk, requests: Vec<(&'static str, Value)>) -> Closed<Vec<Result<Value, String>>> {
    let relays: Relays = Box::new(|_, _| unreachable!("a moved identity calls nobody"));
    open(disk, relays, passive(), move || {
        if let Err(error) = page::start(with_tab(|tab| tab.disk.files.len()) as u32) {
            // A page whose files cannot be used does nothing.
            let error = format!("{error:#}");
            return requests.iter().map(|_| Err(error.clone())).collect();
        }
        let answered = requests.into_iter().map(|(path, body)| {
            let is_post = path != "/identity" && path != "/peers" && path != "/state";
            let (status, answer) = request(is_post, path, body.to_string().as_bytes());
            match status {
                200 => Ok(answer),
                _ => Err(answer["error"]["message"].as_str().unwrap().to_owned()),
            }
        });
        answered.collect()
    })
}

fn ask(disk: Disk, path: &'static str, body: Value) -> (Disk, Result<Value, String>) {
    let closed = asks(disk, vec![(path, body)]);
    (closed.disk, closed.result.unwrap().remove(0))
}

fn text(answer: &Value) -> &str {
    answer["text"].as_str().unwrap()
}

fn fingerprint(disk: &Disk) -> Value {
    ask(disk.clone(), "/identity", Value::Null).1.unwrap()["fingerprint"].clone()
}

/// Checks that the identity of this page plays no more.
fn is_gone(disk: &Disk) {
    let host = json!({ "relay": RELAY, "game": "deck", "hands": 1 });
    let join = json!({ "whom": "x", "relay": RELAY });
    let moved = "this identity was moved away";
    let requests = vec![
        ("/host", host),
        ("/host", json!({ "again": true })),
        ("/join", join),
        ("/resume", json!({ "match": "abcd" })),
        ("/succeed", json!({ "text": "x" })),
        ("/identity", Value::Null),
    ];
    let mut answers = asks(disk.clone(), requests).result.unwrap();
    assert_eq!(answers.pop().unwrap().unwrap()["moved"], true);
    for answer in answers {
        assert!(
            answer.as_ref().is_err_and(|error| error.starts_with(moved)),
            "{answer:?}"
        );
    }
}

/// A page that has played a match, and what it shows.
fn played() -> Disk {
    let host = NativeHost::new(deck(1), Vec::new());
    let closed = play(&host);
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    closed.disk
}

#[test]
fn identity_moves_from_a_page_to_another_one_with_the_known_players() {
    let old = played();
    let (old, moved) = ask(old, "/move", json!({}));
    let moved = moved.unwrap();
    is_gone(&old);
    // The text is the same each time.
    let (old, again) = ask(old, "/move", json!({}));
    assert_eq!(text(&again.unwrap()), text(&moved));
    let body = json!({ "text": text(&moved) });
    let (new, succeeded) = ask(Disk::new(FILES), "/succeed", body.clone());
    let succeeded = succeeded.unwrap();
    assert_eq!(succeeded["peers"], 1);
    assert_eq!(succeeded["succeeds"][0], fingerprint(&old));
    assert_eq!(succeeded["fingerprint"], fingerprint(&new));
    let statement: Succession = succeeded["statement"].as_str().unwrap().parse().unwrap();
    assert_eq!(statement.past().len(), 1);
    // Once more changes nothing.
    let (new, again) = ask(new, "/succeed", body);
    assert_eq!(again.unwrap()["statement"], succeeded["statement"]);
    // The successor moves on.
    let (new, moved) = ask(new, "/move", json!({}));
    is_gone(&new);
    let body = json!({ "text": text(&moved.unwrap()) });
    let (_, succeeded) = ask(Disk::new(FILES), "/succeed", body);
    let succeeded = succeeded.unwrap();
    let statement: Succession = succeeded["statement"].as_str().unwrap().parse().unwrap();
    assert_eq!(statement.past().len(), 2);
}

#[test]
fn text_of_a_page_is_that_of_the_program_and_a_changed_one_is_refused() {
    let (old, moved) = ask(played(), "/move", json!({}));
    let moved = moved.unwrap();
    let moved = text(&moved);
    let read = MovedIdentity::parse(moved).unwrap();
    let shown = read.kept.identity.public().fingerprint().to_string();
    assert_eq!(fingerprint(&old), shown);
    assert_eq!(read.known_peers().unwrap().peers().len(), 1);
    let mut wrong: Vec<String> = (0..moved.len())
        .step_by(moved.len() / 40)
        .map(|at| moved[..at].to_owned())
        .collect();
    for at in (0..moved.len()).step_by(moved.len() / 40) {
        let mut bytes = moved.as_bytes().to_vec();
        bytes[at] ^= 1;
        wrong.extend(String::from_utf8(bytes));
    }
    wrong.push(moved.to_owned() + "x");
    let requests = wrong
        .into_iter()
        .map(|text| ("/succeed", json!({ "text": text })));
    let closed = asks(Disk::new(FILES), requests.collect());
    for answer in closed.result.unwrap() {
        assert!(answer.unwrap_err().contains("not a moved identity"));
    }
    let (_, right) = ask(closed.disk, "/succeed", json!({ "text": moved }));
    assert_eq!(right.unwrap()["peers"], 1);
}

#[test]
fn page_that_has_played_or_succeeded_cannot_succeed() {
    let [one, other] = [0, 1].map(|_| {
        let moved = ask(Disk::new(FILES), "/move", json!({})).1.unwrap();
        json!({ "text": text(&moved) })
    });
    let (_, refused) = ask(played(), "/succeed", one.clone());
    assert!(refused.unwrap_err().contains("not new"));
    let (new, succeeded) = ask(Disk::new(FILES), "/succeed", one);
    succeeded.unwrap();
    let (_, refused) = ask(new, "/succeed", other);
    assert!(
        refused
            .unwrap_err()
            .contains("has begun to succeed another")
    );
}

#[test]
fn move_that_is_killed_at_any_operation_leaves_an_identity_that_plays_or_has_moved() {
    let (mut stayed, mut gone) = (0, 0);
    let played = played();
    for operation in 0.. {
        let mut disk = played.clone();
        disk.dies_before = Some(disk.operations + operation);
        let closed = asks(disk, vec![("/move", json!({}))]);
        let mut disk = closed.disk;
        if let Some(answers) = closed.result {
            answers.into_iter().for_each(|answer| drop(answer.unwrap()));
            disk.dies_before = None;
            is_gone(&disk);
            break;
        }
        disk.crash(operation % 3);
        let shown = ask(disk.clone(), "/identity", Value::Null).1.unwrap();
        if shown["moved"] == true {
            gone += 1;
            is_gone(&disk);
            ask(disk, "/move", json!({})).1.unwrap();
        } else {
            stayed += 1;
        }
    }
    assert!(stayed + gone > 1, "{stayed} {gone}");
}

#[test]
fn move_that_fails_at_any_operation_never_plays_on_with_a_moved_identity() {
    let played = played();
    let opens = asks(played.clone(), Vec::new()).disk.operations - played.operations;
    for operation in 0..opens + 12 {
        let mut disk = played.clone();
        disk.fails = Some((disk.operations + operation, 1));
        let closed = asks(disk, vec![("/move", json!({})), ("/identity", Value::Null)]);
        let [moved, shown] = &closed.result.unwrap()[..] else {
            unreachable!()
        };
        let mut disk = closed.disk;
        disk.fails = None;
        let after = ask(disk, "/identity", Value::Null).1.unwrap();
        if operation < opens {
            // The page has not started.
            assert!(moved.is_err() && shown.is_err() && after["moved"].is_null());
            continue;
        }
        let in_memory = shown.as_ref().map(|shown| shown["moved"].clone());
        assert_eq!(in_memory, Ok(after["moved"].clone()), "{operation}");
        assert!(moved.is_err() || after["moved"] == true, "{operation}");
    }
}

#[test]
fn succession_that_is_killed_at_any_operation_is_completed_by_the_same_text_only() {
    let (old, moved) = ask(played(), "/move", json!({}));
    let moved = moved.unwrap();
    let body = json!({ "text": text(&moved) });
    let other = ask(Disk::new(FILES), "/move", json!({})).1.unwrap();
    let other = json!({ "text": text(&other) });
    let (new, _) = ask(Disk::new(FILES), "/identity", Value::Null);
    let (mut killed, mut begun) = (0, 0);
    for operation in 0.. {
        let mut disk = new.clone();
        disk.dies_before = Some(disk.operations + operation);
        let closed = asks(disk, vec![("/succeed", body.clone())]);
        let mut disk = closed.disk;
        if closed.result.is_some() {
            break;
        }
        killed += 1;
        disk.crash(operation % 3);
        if let Err(refused) = ask(disk.clone(), "/succeed", other.clone()).1 {
            assert!(refused.contains("another identity"), "{refused}");
            begun += 1;
        }
        let (disk, completed) = ask(disk, "/succeed", body.clone());
        let completed = completed.unwrap();
        assert_eq!(completed["succeeds"][0], fingerprint(&old));
        assert_eq!(completed["fingerprint"], fingerprint(&disk));
        let peers = ask(disk, "/peers", Value::Null).1.unwrap();
        assert_eq!(peers["peers"].as_array().unwrap().len(), 1, "{operation}");
    }
    assert!(killed > 3 && begun > 1, "{killed} {begun}");
}

#[test]
fn open_match_is_left_only_by_the_will_of_the_player() {
    let host = NativeHost::new(deck(2), Vec::new());
    let dies: super::tab::Player = Box::new(|event| match event["event"].as_str() {
        Some("card") => vec![super::tab::Act::Dies],
        _ => super::playing::react(event),
    });
    let relays = super::playing::joins(&host);
    let closed = open(
        Disk::new(FILES),
        relays,
        dies,
        super::tab::plays("/join", join(&host)),
    );
    assert!(closed.result.is_none());
    let (disk, refused) = ask(closed.disk, "/move", json!({}));
    assert!(refused.unwrap_err().starts_with("you have 1 open match"));
    let (disk, moved) = ask(disk, "/move", json!({ "leave_open_matches": true }));
    assert_eq!(moved.unwrap()["left_matches"], 1);
    is_gone(&disk);
}
