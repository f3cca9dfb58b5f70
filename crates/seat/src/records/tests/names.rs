//! Tests of the output for people about the names of players, which are unproven.

use dealerless_table::Seat;
use dealerless_table::record::Record;

use super::super::history::{self, Listed};
use super::super::verify::{Read, outcome, pairs, report};
use super::screens::{file, holdem, pages, played, read};

/// A file with another name of a player. Only the owner's key protects the names.
fn renamed(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let name = |name: &str| [&(name.len() as u16).to_le_bytes()[..], name.as_bytes()].concat();
    let (old, new) = (name(old), name(new));
    let at = bytes.windows(old.len()).position(|at| at == old).unwrap();
    let mut changed = [&bytes[..at], &new, &bytes[at + old.len()..]].concat();
    let len = u32::from_le_bytes(*bytes.first_chunk().unwrap());
    let len = len + new.len() as u32 - old.len() as u32;
    changed[..4].copy_from_slice(&len.to_le_bytes());
    changed
}

#[test]
fn records_with_different_names_disagree() {
    let made = played();
    let swapped = renamed(&made.file(Seat::GUEST), "Anna", "Carl");
    let swapped = renamed(&swapped, "Bert", "Anna");
    let swapped = renamed(&swapped, "Carl", "Bert");
    let files = [
        read("anna.log", &made.file(Seat::HOST)),
        read("bert.log", &swapped),
    ];
    let pairs = pairs(&files);
    assert!(outcome(&files, &pairs).is_err());
    let text = report(&files, &pairs, false);
    assert!(!text.contains("Both records agree"), "{text}");
    let names = "Both records hold the same signed parts.\n\
                 They disagree on the name of seat 0: Anna in anna.log, Bert in bert.log. Neither name is \
                 proven.\n\
                 They disagree on the name of seat 1: Bert in anna.log, Anna in bert.log.";
    assert!(text.contains(names), "{text}");
    let unproven = "The names, the owner, notes and claims are unproven";
    assert_eq!(text.matches(unproven).count(), 2);
}

#[test]
fn two_files_of_one_side_agree_with_a_note() {
    let made = played();
    let files = ["anna.log", "copy.log"].map(|name| read(name, &made.file(Seat::HOST)));
    let pairs = pairs(&files);
    assert!(outcome(&files, &pairs).is_ok());
    let text = report(&files, &pairs, false);
    assert!(
        text.ends_with("Both name the same seat as their owner; that is unproven."),
        "{text}"
    );
}

#[test]
fn a_name_that_reads_like_a_sentence_is_quoted() {
    let mut made = holdem(1);
    made.play(|_, _| None);
    let name = "Anna left the match. Bert";
    let bytes = renamed(&made.file(Seat::HOST), "Anna", name);
    let text = report(&[read("anna.log", &bytes)], &[], false);
    assert_eq!(
        text.matches(name).count(),
        text.matches(&format!("\"{name}\"")).count(),
        "{text}"
    );
    assert!(
        text.contains(&format!("undecided: \"{name}\" must choose.")),
        "{text}"
    );
    let record = Record::read(&bytes, None).unwrap();
    assert!(pages(&record).contains(&format!("\"{name}\" must choose.")));
}

#[test]
fn a_player_named_you_is_listed_with_the_seat() {
    let mut made = holdem(1);
    made.play(|_, _| None);
    let bytes = renamed(&made.file(Seat::HOST), "Bert", "You");
    let file = file("6c49bb6dfa0acd46", "You", 0);
    let listed = Listed::of(file, Ok(Record::read(&bytes, None)));
    assert_eq!(listed.played.as_ref().unwrap().with, ["You"]);
    let lines = history::lines(&[listed]);
    assert!(lines.contains("  with You (seat 1)\n"), "{lines}");
}

#[test]
fn each_changed_byte_of_a_file_is_noticed_with_the_key_of_its_owner() {
    let made = played();
    let bytes = made.file(Seat::HOST);
    let read = |bytes: &[u8], seat: Option<Seat>| {
        let key = seat.map(|seat| made.identity(seat));
        Read::of("anna.log".to_owned(), bytes, key)
    };
    let text = report(&[read(&bytes, Some(Seat::HOST))], &[], false);
    assert!(text.ends_with("nobody has changed a byte of it."), "{text}");
    let text = report(&[read(&bytes, Some(Seat::GUEST))], &[], false);
    let foreign = "The file belongs to another identity than yours. The names, the owner,";
    assert!(text.contains(foreign), "{text}");
    let renamed = renamed(&bytes, "Bert", "Rolf");
    assert!(read(&renamed, Some(Seat::HOST)).record.is_err());
    let mut unnoticed = 0;
    for at in (0..bytes.len()).step_by(29) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        // A changed length of the last entry looks like a crash.
        let passes = |seat| {
            let record = read(&changed, seat).record;
            record.is_ok_and(|record| record.torn == 0)
        };
        assert!(!passes(Some(Seat::HOST)), "byte {at}");
        unnoticed += u32::from(passes(None));
    }
    assert!(
        unnoticed > 0,
        "notes and names are protected by the key only"
    );
}
