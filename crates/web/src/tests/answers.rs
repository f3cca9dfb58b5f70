//! The answers of a host to a guest that wants to sit down.

use dealerless_table::log::MatchId;
use dealerless_table::play::{Control, Term};
use serde_json::Value;

use super::disk::Disk;
use super::native_host::{Answer, NativeHost, deck};
use super::playing::{FILES, agree, error, join, joins, passive, react};
use super::tab::{Act, Player, command, open, plays};

/// Joins a host that gives these answers.
fn answered(answers: Vec<Answer>) -> (Result<i32, String>, Disk, Vec<Value>, NativeHost) {
    let host = NativeHost::new(deck(1), answers);
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        passive(),
        plays("/join", join(&host)),
    );
    (closed.result.unwrap(), closed.disk, closed.lines, host)
}

#[test]
fn host_that_refuses_is_a_clear_error_and_no_match_has_begun() {
    for (answer, code, said) in [
        (Answer::Says(Control::Taken), 4, "The seat is taken"),
        (Answer::Says(Control::Declined), 4, "The host declined"),
        (
            Answer::Says(Control::Open(MatchId::new([7; 32]))),
            1,
            "0707",
        ),
        (
            Answer::Says(Control::Unknown(MatchId::new([7; 32]))),
            2,
            "unexpected answer",
        ),
        (
            Answer::Says(Control::Declines(Term::All)),
            2,
            "unexpected answer",
        ),
        (
            Answer::Says(Control::Waits {
                place: 0,
                number: 0,
                players: Vec::new(),
            }),
            2,
            "unexpected answer",
        ),
        (Answer::SaysBytes(vec![255; 9]), 2, "unexpected answer"),
    ] {
        let (result, disk, lines, host) = answered(vec![answer.clone(); 4]);
        assert_eq!(result, Ok(code), "{answer:?}: {}", error(&lines));
        assert!(
            error(&lines).contains(said),
            "{answer:?}: {}",
            error(&lines)
        );
        assert_eq!(disk.named(".log"), None, "{answer:?}");
        assert!(host.end().is_empty());
    }
}

#[test]
fn host_that_does_not_know_the_match_loses_it_and_begins_another() {
    // The guest sits down, and the host closes the connection without an answer: it may have agreed.
    let unknown = vec![Answer::Closes];
    let (result, disk, lines, host) = answered(unknown);
    assert_eq!(result, Ok(0), "{}", error(&lines));
    let records = host.end();
    assert_eq!(records.len(), 1);
    agree(&disk, &records);
}

#[test]
fn silent_host_is_told_of_after_two_seconds_and_is_an_error_after_ten_minutes() {
    let host = NativeHost::new(deck(1), vec![Answer::Silence]);
    let waits: Player = Box::new(move |event| match event["event"].as_str() {
        Some("ask-sit") => vec![command(r#"{"do":"sit","agree":true}"#), Act::Waits],
        _ => Vec::new(),
    });
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        waits,
        plays("/join", join(&host)),
    );
    let notices = closed.lines.iter().filter(|line| line["event"] == "notice");
    let notices: Vec<_> = notices.filter_map(|line| line["text"].as_str()).collect();
    assert_eq!(notices[1..], [dealerless_seat::guest::NOT_ACCEPTED_YET]);
    assert_eq!(closed.result, Some(Ok(3)), "{}", error(&closed.lines));
    assert!(
        error(&closed.lines).contains("has not answered"),
        "{}",
        error(&closed.lines)
    );
    assert_eq!(closed.disk.named(".log"), None);
}

#[test]
fn player_who_answers_late_still_plays() {
    let host = NativeHost::new(deck(1), Vec::new());
    let late: Player = Box::new(|event| match event["event"].as_str() {
        Some("ask-sit") => vec![
            command(r#"{"do":"call"}"#),
            command(r#"{"do":"again"}"#),
            command(r#"{"do":"sit","agree":true}"#),
            command(r#"{"do":"sit","agree":true}"#),
        ],
        _ => react(event),
    });
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        late,
        plays("/join", join(&host)),
    );
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &host.end());
}

#[test]
fn header_that_is_not_a_match_for_two_is_declined() {
    for bytes in [Vec::new(), vec![0; 4096], b"played".to_vec()] {
        let host = NativeHost::proposing(deck(1), bytes);
        let closed = open(
            Disk::new(FILES),
            joins(&host),
            passive(),
            plays("/join", join(&host)),
        );
        assert_eq!(closed.result, Some(Ok(1)), "{}", error(&closed.lines));
        assert!(
            error(&closed.lines).contains("proposes"),
            "{}",
            error(&closed.lines)
        );
        assert!(host.end().is_empty());
    }
}

#[test]
fn guest_that_loses_its_host_while_it_is_asked_begins_no_match() {
    for answers in [false, true] {
        let host = NativeHost::new(deck(1), Vec::new());
        let player: Player = Box::new(move |event| match event["event"].as_str() {
            Some("ask-sit") if answers => vec![Act::Cuts, command(r#"{"do":"sit","agree":true}"#)],
            Some("ask-sit") => vec![Act::Cuts],
            _ => Vec::new(),
        });
        let closed = open(
            Disk::new(FILES),
            joins(&host),
            player,
            plays("/join", join(&host)),
        );
        assert_eq!(closed.result, Some(Ok(3)), "{}", error(&closed.lines));
        assert!(error(&closed.lines).contains("has not answered"));
        assert_eq!(closed.disk.named(".log"), None);
    }
}
