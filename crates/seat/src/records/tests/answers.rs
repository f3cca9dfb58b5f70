//! Tests of the answers to a page.

use dealerless_table::Seat;
use serde_json::{Value, json};

use super::super::answers::{shown, verified};
use super::super::show;
use super::screens::{DATE, pages, played};

#[test]
fn two_records_that_agree_are_verified_and_shown_without_keys() {
    let made = played();
    let [host, guest] = [Seat::HOST, Seat::GUEST].map(|seat| made.file(seat));
    let answer = verified(&[&host, &guest], Some(DATE));
    assert_eq!(answer["exit_code"], 0);
    assert_eq!(answer["verify"]["compared"]["how"], "together");
    let text = answer["text"].as_str().unwrap();
    assert!(text.contains("Both records agree.\n"), "{text}");
    let page = pages(&made.record(Seat::HOST)) + "\n";
    assert_eq!(answer["shown"], json!([page, page]));
}

#[test]
fn a_changed_record_is_reported_and_not_shown() {
    let mut bytes = played().file(Seat::HOST);
    let at = bytes.len() - 40;
    bytes[at] ^= 4;
    let answer = verified(&[&bytes], None);
    assert_eq!(
        [&answer["exit_code"], &answer["verify"]["good"]],
        [&json!(4), &json!(false)]
    );
    assert_eq!(answer["shown"], json!([Value::Null]));
}

#[test]
fn a_record_is_shown_with_the_own_cards_of_its_owner_only() {
    let made = played();
    let bytes = made.file(Seat::GUEST);
    let read = |seat| show::read(&bytes, Some(made.identity(seat))).unwrap();
    let own = shown(&read(Seat::GUEST), Some(DATE));
    assert_eq!(own["text"], pages(&made.own(Seat::GUEST)) + "\n");
    assert_eq!(own["show"]["hands"].as_array().unwrap().len(), 3);
    let other = shown(&read(Seat::HOST), Some(DATE));
    assert_eq!(other["text"], pages(&made.record(Seat::GUEST)) + "\n");
}

#[test]
fn a_match_is_called_by_the_beginning_of_its_id_or_by_the_whole_id() {
    let whole = "6c49bb6dfa0acd46".repeat(4);
    let file = &whole[..16];
    for called in ["6", "6c49", file, &whole] {
        assert!(show::is_id_of(called, file), "{called}");
    }
    let other = format!("{}x", &whole[..63]);
    for called in ["", "49", &whole[..40], &other] {
        assert!(!show::is_id_of(called, file), "{called}");
    }
}
