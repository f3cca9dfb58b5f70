//! Files that are full, damaged, exchanged or left over.

use dealerless_connection::storage::{Storage as _, Vault as _};

use super::disk::Disk;
use super::native_host::{Answer, NativeHost, deck, holdem};
use super::playing::{FILES, agree, error, join, joins, passive, play};
use super::tab::{Act, Player, Relays, open, plays, request, with_tab};
use crate::{files, page};

/// The first operations of a match: the identity is there, and the match begins.
fn visited() -> Disk {
    let relays = Box::new(|_: usize, _: &str| unreachable!());
    let start = || page::start(FILES as u32).map_err(|error| error.to_string());
    open(Disk::new(FILES), relays, passive(), start).disk
}

#[test]
fn full_disk_at_each_write_is_a_clear_error_and_the_match_resumes_when_there_is_space() {
    let mut failed = 0;
    for first in (0..66).step_by(3) {
        let host = NativeHost::new(deck(2), Vec::new());
        let mut disk = visited();
        disk.fails = Some((disk.operations + first, usize::MAX / 2));
        let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
        let mut disk = closed.disk;
        match closed.result.expect("not killed") {
            Ok(0) => {}
            Ok(code) => {
                let message = error(&closed.lines);
                assert_eq!(code, 1, "{first}: {message}");
                assert!(message.contains("free disk space"), "{first}: {message}");
                failed += 1;
            }
            Err(message) => {
                assert!(message.contains("free disk space"), "{first}: {message}");
                failed += 1;
            }
        }
        disk.fails = None;
        // Nothing that was written since the last flush survives.
        if first % 2 == 0 {
            disk.crash(0);
        }
        if disk.named(".log").is_none_or(|log| is_open(&log)) {
            let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
            assert_eq!(
                closed.result,
                Some(Ok(0)),
                "{first}: {}",
                error(&closed.lines)
            );
            disk = closed.disk;
        }
        agree(&disk, &host.end());
    }
    assert!(failed > 15, "{failed}");
}

fn is_open(log: &[u8]) -> bool {
    use dealerless_table::record::{MatchState, Record};
    Record::read(log, None).is_ok_and(|record| matches!(record.state(), MatchState::Open { .. }))
        || Record::read(log, None).is_err()
}

/// The disk of a page that was killed in the middle of a match, and its host.
fn in_play() -> (Disk, NativeHost) {
    let host = NativeHost::new(holdem(1), Vec::new());
    let player = Box::new(|event: &serde_json::Value| match event["event"].as_str() {
        Some("your-turn") => vec![super::tab::Act::Dies],
        _ => super::playing::react(event),
    });
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        player,
        plays("/join", join(&host)),
    );
    assert!(closed.result.is_none());
    let mut disk = closed.disk;
    disk.crash(0);
    (disk, host)
}

#[test]
fn files_with_other_numbers_are_the_same_files() {
    let (mut disk, host) = in_play();
    disk.files.reverse();
    disk.files.swap(3, 20);
    let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &host.end());
}

#[test]
fn damaged_heads_cost_the_files_and_no_others() {
    for names in [["settings.0", "settings.1"], [".deck.0", "peers.1"]] {
        let (mut disk, host) = in_play();
        for name in names {
            let number = disk.number_of(name).expect(name);
            disk.files[number].bytes[50] ^= 1;
            disk.files[number].bytes.resize(200, 7);
        }
        let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
        match closed.result.expect("not killed") {
            Ok(0) => agree(&closed.disk, &host.end()),
            Ok(code) => assert_eq!(code, 1, "{names:?}: {}", error(&closed.lines)),
            Err(message) => assert!(message.contains("cannot"), "{names:?}: {message}"),
        }
    }
}

#[test]
fn damaged_settings_cost_the_name_and_the_relays_and_nothing_else() {
    let (mut disk, host) = in_play();
    for name in ["settings.0", "settings.1"] {
        let number = disk.number_of(name).expect(name);
        let last = disk.files[number].bytes.len() - 1;
        disk.files[number].bytes[last] ^= 1;
    }
    let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &host.end());
}

#[test]
fn changed_or_truncated_record_is_reported_and_changes_no_other_match() {
    let (disk, host) = in_play();
    let number = disk.number_of(".log").expect("a record");
    let len = disk.files[number].bytes.len();
    for at in (128..len).step_by(len / 12) {
        let mut disk = disk.clone();
        disk.files[number].bytes[at] ^= 1;
        let relays = Box::new(|_: usize, _: &str| unreachable!());
        let closed = open(disk, relays, passive(), || {
            let files = with_tab(|tab| tab.disk.files.len());
            page::start(files as u32).map_err(|error| error.to_string())?;
            Ok::<_, String>(["/matches", "/history"].map(|path| request(false, path, b"")))
        });
        let [(status, matches), (listed, history)] = closed.result.unwrap().unwrap();
        assert_eq!((status, listed), (200, 200));
        assert_eq!(history["matches"].as_array().unwrap().len(), 1, "{at}");
        let unread = matches["unread"].as_array().map_or(0, Vec::len);
        let open = matches["matches"].as_array().map_or(0, Vec::len);
        assert_eq!(unread + open, 1, "{at}: {matches}");
    }
    // A record that ends in the middle of an entry is that before the entry.
    let mut short = disk.clone();
    short.files[number].bytes.truncate(len - 1);
    let closed = open(short, joins(&host), passive(), plays("/join", join(&host)));
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    agree(&closed.disk, &host.end());
}

#[test]
fn page_without_free_files_says_so_before_the_match_begins() {
    let host = NativeHost::new(deck(1), vec![Answer::Plays]);
    let mut disk = visited();
    // Two more files for the settings.
    disk.files.truncate(visited_files() + 2);
    let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
    assert_eq!(closed.result, Some(Ok(1)));
    assert!(
        error(&closed.lines).contains("free file"),
        "{}",
        error(&closed.lines)
    );
    assert!(host.end().is_empty(), "the host was asked for the seat");
}

#[test]
fn matches_that_are_over_leave_their_records_and_for_30_days_the_inputs() {
    let host = NativeHost::new(deck(1), Vec::new());
    let closed = play(&host);
    assert_eq!(closed.result, Some(Ok(0)));
    let used = closed
        .disk
        .files
        .iter()
        .filter(|file| !file.bytes.is_empty())
        .count();
    // The settings and the known peers have two files each.
    assert_eq!(used, visited_files() + 4 + 2);
    let keeps_inputs = |disk: Disk, days: f64| {
        let relays: Relays = Box::new(|_, _| unreachable!("it calls nobody"));
        let closed = open(disk, relays, passive(), move || {
            with_tab(|tab| tab.unix += 86_400.0 * days);
            page::start(FILES as u32).unwrap();
        });
        closed.disk.named(".inputs").is_some()
    };
    assert!(keeps_inputs(closed.disk.clone(), 29.0));
    assert!(!keeps_inputs(closed.disk, 31.0));
    // An open match needs them.
    let host = NativeHost::new(deck(1), Vec::new());
    let mut player = passive();
    let dies: Player = Box::new(move |event| match event["event"].as_str() {
        Some("dealt") => vec![Act::Dies],
        _ => player(event),
    });
    let closed = open(visited(), joins(&host), dies, plays("/join", join(&host)));
    assert!(keeps_inputs(closed.disk, 31.0));
}

fn visited_files() -> usize {
    visited()
        .files
        .iter()
        .filter(|file| !file.bytes.is_empty())
        .count()
}

/// Opens files on this disk, without a page.
fn with_files<R: Send + 'static>(
    disk: Disk,
    work: impl FnOnce() -> R + Send + 'static,
) -> (Disk, Option<R>) {
    let relays = Box::new(|_: usize, _: &str| unreachable!());
    let closed = open(disk, relays, passive(), work);
    (closed.disk, closed.result)
}

#[test]
fn value_whose_removal_is_interrupted_is_whole_or_gone() {
    let (disk, _) = with_files(Disk::new(4), || {
        files::open(4).unwrap();
        let mut value = files::value("deck");
        for text in ["one", "two", "three"] {
            value.keep(text.as_bytes()).unwrap();
        }
    });
    for death in 0.. {
        let mut disk = disk.clone();
        disk.dies_before = Some(disk.operations + death);
        let (disk, done) = with_files(disk, || {
            files::open(4).unwrap();
            files::remove_value("deck").unwrap();
        });
        for kept in 0..3 {
            let mut disk = disk.clone();
            disk.crash(kept);
            let (_, value) = with_files(disk, || {
                files::open(4).unwrap();
                files::value("deck")
                    .kept()
                    .map(|value| value.map(|value| value.to_vec()))
            });
            let value = value.unwrap().unwrap();
            assert!(
                value.is_none_or(|value| value == b"three"),
                "{death} {kept}"
            );
        }
        if done.is_some() {
            assert_eq!(death, 10);
            return;
        }
    }
}

#[test]
fn page_syncs_what_a_killed_page_has_written() {
    let (disk, _) = with_files(Disk::new(1), || {
        files::open(1).unwrap();
        let mut file = files::NamedFile::open_or_create("name").unwrap();
        file.append(b"text").unwrap();
    });
    let (mut disk, _) = with_files(disk, || files::open(1).unwrap());
    disk.crash(0);
    let (_, text) = with_files(disk, || {
        files::open(1).unwrap();
        files::NamedFile::open("name").unwrap().read().unwrap()
    });
    assert_eq!(text.unwrap(), b"text");
}

#[test]
fn file_whose_creation_has_failed_does_not_hide_the_one_created_later() {
    // The first file of two is in use, and the flush of the next one fails.
    let (mut disk, _) = with_files(Disk::new(2), || {
        files::open(2).unwrap();
        files::NamedFile::open_or_create("other").unwrap();
    });
    disk.fails = Some((disk.operations + 2, 1));
    let (disk, text) = with_files(disk, || {
        files::open(2).unwrap();
        files::NamedFile::open_or_create("name").unwrap_err();
        files::NamedFile::remove("other").unwrap();
        let mut file = files::NamedFile::open_or_create("name").unwrap();
        file.append(b"text").unwrap();
        file.sync().unwrap();
        file.read().unwrap()
    });
    assert_eq!(text.unwrap(), b"text");
    for is_reversed in [false, true] {
        let mut disk = disk.clone();
        if is_reversed {
            disk.files.reverse();
        }
        let (_, text) = with_files(disk, || {
            files::open(2).unwrap();
            files::NamedFile::open("name").unwrap().read().unwrap()
        });
        assert_eq!(text.unwrap(), b"text");
    }
}

#[test]
fn page_killed_before_it_has_removed_the_deck_of_a_match_removes_it_later() {
    let host = NativeHost::new(deck(1), Vec::new());
    let closed = open(
        Disk::new(FILES),
        joins(&host),
        Box::new(super::playing::react),
        plays("/join", join(&host)),
    );
    assert_eq!(closed.result, Some(Ok(0)), "{}", error(&closed.lines));
    // As if the page had been killed before.
    let (disk, _) = with_files(closed.disk, || {
        files::open(FILES as u32).unwrap();
        let (record, _) = files::names(".log").remove(0);
        let deck = record.replace(".log", ".deck");
        dealerless_connection::storage::Vault::keep(&mut files::value(&deck), b"deck").unwrap();
    });
    assert!(disk.number_of(".deck.0").is_some());
    let closed = open(disk, joins(&host), passive(), plays("/join", join(&host)));
    assert_eq!(closed.disk.number_of(".deck.0"), None);
}

#[test]
fn file_that_was_removed_takes_no_bytes_from_the_file_with_its_number() {
    let (_, read) = with_files(Disk::new(1), || {
        files::open(1).unwrap();
        let mut removed = files::NamedFile::open_or_create("removed").unwrap();
        files::NamedFile::remove("removed").unwrap();
        let mut next = files::NamedFile::open_or_create("next").unwrap();
        next.append(b"next").unwrap();
        removed.append(b"lost").unwrap();
        removed.truncate(0).unwrap();
        removed.sync().unwrap();
        (removed.read().unwrap(), next.read().unwrap())
    });
    assert_eq!(read, Some((Vec::new(), b"next".to_vec())));
}

#[test]
fn value_takes_files_when_it_is_kept_and_files_can_be_added() {
    let (_, free) = with_files(Disk::new(5), || {
        files::open(1).unwrap();
        let mut value = files::value("deck");
        assert_eq!(value.kept().unwrap(), None);
        let before = files::free();
        value.keep(b"one").unwrap_err();
        files::add(5);
        value.keep(b"one").unwrap();
        (
            before,
            files::free(),
            value.kept().unwrap().unwrap().to_vec(),
        )
    });
    assert_eq!(free, Some((1, 3, b"one".to_vec())));
}
