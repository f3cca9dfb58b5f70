//! The page is killed, and plays on with the same cards.

use dealerless_table::record::{MatchState, Record};
use serde_json::json;

use super::disk::Disk;
use super::native_host::{NativeHost, holdem};
use super::playing::{Cards, FILES, add_cards, agree, error, join, joins, passive};
use super::tab::{open, plays};

/// Plays a match of which each page is killed at the next of `deaths`: before that operation of its disk,
/// with that number of the unsynced changes left. Returns the number of pages that were killed.
fn killed(host: &NativeHost, disk: &mut Disk, deaths: &[(usize, usize)]) -> usize {
    let (mut kills, mut cards) = (0, Cards::new());
    for &(operation, kept) in deaths {
        disk.dies_before = Some(disk.operations + operation);
        match play_on(host, disk, &mut cards, kept) {
            true => return kills,
            false => kills += 1,
        }
    }
    disk.dies_before = None;
    assert!(play_on(host, disk, &mut cards, 0));
    kills
}

/// Opens the page on these files, and plays on. Returns whether the match has ended; otherwise the page
/// was killed.
fn play_on(host: &NativeHost, disk: &mut Disk, cards: &mut Cards, kept: usize) -> bool {
    // Every second page resumes the match that it has, and the others use the link again.
    let complete = disk
        .number_of(".log")
        .filter(|number| disk.files[*number].bytes.len() > 1000);
    let name = complete.map(|number| disk.files[number].bytes[41..57].to_vec());
    let (path, body) = match name {
        Some(name) if disk.operations.is_multiple_of(2) => (
            "/resume",
            json!({ "match": String::from_utf8(name).unwrap(), "relay": super::playing::RELAY }),
        ),
        _ => ("/join", join(host)),
    };
    let closed = open(disk.clone(), joins(host), passive(), plays(path, body));
    add_cards(cards, &closed.lines);
    *disk = closed.disk;
    match closed.result {
        Some(result) => {
            assert_eq!(result, Ok(0), "{path}: {}", error(&closed.lines));
            true
        }
        None => {
            disk.crash(kept);
            // The match may be over here, and only the host has not heard of it.
            !is_open(disk)
        }
    }
}

#[test]
fn page_killed_at_each_operation_of_its_disk_resumes_with_the_same_cards() {
    let mut total = 0;
    // In each match, each page is killed two operations later than the one before.
    for first in [0, 1, 2] {
        let host = NativeHost::new(holdem(4), Vec::new());
        let deaths: Vec<_> = (first..70).step_by(2).map(|at| (at, at % 3)).collect();
        let mut disk = Disk::new(FILES);
        total += killed(&host, &mut disk, &deaths);
        agree(&disk, &host.end());
    }
    assert!(total >= 60, "{total}");
}

/// Whether these files have no match that is over.
fn is_open(disk: &Disk) -> bool {
    let record = disk.named(".log").map(|bytes| Record::read(&bytes, None));
    record
        .and_then(Result::ok)
        .is_none_or(|record| matches!(record.state(), MatchState::Open { .. }))
}
