//! Match files: a crash at each byte, and every possible change.

use std::io;
use std::sync::{Arc, Mutex};

use dealerless_connection::hash::hex;
use dealerless_connection::storage::{DiskStorage, Storage};

use super::super::*;
use super::test_match::{TestMatch, holdem};
use crate::seat::Seat;

/// A file in memory with limited room. It entries how many bytes were synced.
#[derive(Clone, Debug, Default)]
struct Memory(Arc<Mutex<Medium>>);

#[derive(Debug, Default)]
struct Medium {
    bytes: Vec<u8>,
    synced: usize,
    room: Option<usize>,
}

impl Memory {
    fn of(bytes: &[u8]) -> Self {
        let memory = Memory::default();
        memory.0.lock().unwrap().bytes = bytes.to_vec();
        memory
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().bytes.clone()
    }
}

impl Storage for Memory {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut medium = self.0.lock().unwrap();
        let fits = medium.room.unwrap_or(usize::MAX).min(bytes.len());
        medium.bytes.extend_from_slice(&bytes[..fits]);
        if let Some(room) = &mut medium.room {
            *room -= fits;
        }
        match fits == bytes.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut medium = self.0.lock().unwrap();
        medium.synced = medium.bytes.len();
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().bytes.truncate(len as usize);
        Ok(())
    }
}

fn key(table: &TestMatch) -> zeroize::Zeroizing<[u8; 32]> {
    table.identities[0].file_key()
}

/// The bytes of a match file, and the end of each of its entries.
fn written(table: &TestMatch, log: &MatchLog) -> (Vec<u8>, Vec<usize>) {
    let memory = Memory::default();
    let sitting = table.sitting(Seat::HOST);
    let mut journal = Journal::create(memory.clone(), key(table), &sitting).unwrap();
    let mut ends = vec![memory.bytes().len()];
    for part in log.history(0) {
        journal.append([part]).unwrap();
        ends.push(memory.bytes().len());
        let synced = memory.0.lock().unwrap().synced;
        assert_eq!(synced, memory.bytes().len());
    }
    (memory.bytes(), ends)
}

fn open(table: &TestMatch, bytes: &[u8]) -> Result<(Opened<Memory>, Memory), JournalError> {
    let memory = Memory::of(bytes);
    Ok((Journal::open(memory.clone(), key(table))?, memory))
}

fn sealed_hand(table: &TestMatch) -> MatchLog {
    let mut log = table.log();
    table.play_until(&mut log, |log| matches!(log.phase(), Phase::Choose { .. }));
    log
}

#[test]
fn file_is_read_as_written() {
    let table = holdem(2, 3);
    let log = table.played();
    let (bytes, _) = written(&table, &log);
    let (opened, memory) = open(&table, &bytes).unwrap();
    assert_eq!(opened.sitting, table.sitting(Seat::HOST));
    assert_eq!(
        (opened.log.hash(), opened.log.phase()),
        (log.hash(), log.phase())
    );
    assert_eq!(memory.bytes(), bytes);
}

#[test]
fn torn_write_at_any_byte_keeps_the_complete_entries_and_the_file_can_be_continued() {
    let table = holdem(2, 1);
    let log = sealed_hand(&table);
    let (bytes, ends) = written(&table, &log);
    let parts: Vec<&SignedPart> = log.history(0).collect();
    for cut in 0..=bytes.len() {
        // The zeros are space that the file system reserved for some or all of the missing bytes.
        for zeros in [0, 7, bytes.len() - cut] {
            let torn = [&bytes[..cut], &vec![0; zeros.min(bytes.len() - cut)]].concat();
            let entries = ends.iter().filter(|&&end| end <= cut).count();
            let opened = open(&table, &torn);
            if entries == 0 {
                assert!(
                    matches!(opened, Err(JournalError::NeverBegun)),
                    "{cut} {zeros}"
                );
                continue;
            }
            let (mut opened, memory) = opened.unwrap();
            assert_eq!(opened.log.history(0).count(), entries - 1, "{cut} {zeros}");
            assert_eq!(memory.bytes(), bytes[..ends[entries - 1]]);
            let rest = parts[entries - 1..].iter().copied();
            opened.journal.append(rest).unwrap();
            assert_eq!(memory.bytes(), bytes);
        }
    }
}

#[test]
fn change_of_any_byte_is_detected_and_nothing_is_overwritten() {
    let table = holdem(2, 1);
    let (bytes, ends) = written(&table, &sealed_hand(&table));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let memory = Memory::of(&changed);
        let entry = ends.iter().filter(|&&end| end <= at).max().unwrap_or(&0);
        match Journal::open(memory.clone(), key(&table)) {
            Err(JournalError::Changed { at }) => assert_eq!(at, *entry),
            other => panic!("byte {at}: {other:?}"),
        }
        assert_eq!(memory.bytes(), changed);
    }
}

#[test]
fn swapped_dropped_repeated_or_foreign_entries_are_refused() {
    let table = holdem(2, 1);
    let (bytes, ends) = written(&table, &sealed_hand(&table));
    let entry = |i: usize| &bytes[if i == 0 { 0 } else { ends[i - 1] }..ends[i]];
    let others = holdem(2, 2);
    let (foreign, foreign_ends) = written(&others, &sealed_hand(&others));
    for i in 1..ends.len() - 1 {
        let (before, after) = (&bytes[..ends[i - 1]], &bytes[ends[i]..]);
        let swapped = [before, entry(i + 1), entry(i), &bytes[ends[i + 1]..]].concat();
        let dropped = [before, after].concat();
        let repeated = [before, entry(i), entry(i), after].concat();
        let foreign = &foreign[foreign_ends[i - 1]..foreign_ends[i]];
        let mixed = [before, foreign, after].concat();
        for file in [swapped, dropped, repeated, mixed] {
            let opened = open(&table, &file);
            assert!(matches!(opened, Err(JournalError::Changed { .. })), "{i}");
        }
    }
    let key = table.identities[1].file_key();
    let stranger = Journal::open(Memory::of(&bytes), key);
    assert!(matches!(stranger, Err(JournalError::Changed { at: 0 })));
}

#[test]
fn nothing_is_written_after_a_failed_write_until_the_file_is_opened_again() {
    let table = holdem(2, 1);
    let log = sealed_hand(&table);
    let parts: Vec<&SignedPart> = log.history(0).collect();
    let (bytes, ends) = written(&table, &log);
    let memory = Memory::of(&bytes[..ends[1]]);
    let mut journal = Journal::open(memory.clone(), key(&table)).unwrap().journal;
    memory.0.lock().unwrap().room = Some(30);
    assert!(matches!(
        journal.append([parts[1]]),
        Err(JournalError::Io(_))
    ));
    memory.0.lock().unwrap().room = None;
    assert!(matches!(
        journal.append([parts[1]]),
        Err(JournalError::Failed)
    ));
    let mut journal = Journal::open(memory.clone(), key(&table)).unwrap().journal;
    journal.append(parts[1..].iter().copied()).unwrap();
    assert_eq!(memory.bytes(), bytes);
}

#[test]
fn foul_and_fork_are_restored_from_the_file() {
    let table = holdem(2, 1);
    let log = sealed_hand(&table);
    let (bytes, _) = written(&table, &log);
    let seat = log.waits_for()[0];
    let foul = table.sign(&log, seat, &Part::Again);
    let (mut opened, memory) = open(&table, &bytes).unwrap();
    opened.journal.append([&foul]).unwrap();
    let (opened, _) = open(&table, &memory.bytes()).unwrap();
    assert_eq!(opened.log.fouls()[0].part, foul);

    let mut before = table.log();
    let fork = table.sign(&before, Seat::HOST, &Part::Leave);
    table.sign_next(&mut before);
    let Err(Refused::Fork(evidence)) = before.accept(fork) else {
        panic!();
    };
    let (mut opened, memory) = open(&table, &bytes).unwrap();
    opened.journal.append_evidence(&evidence).unwrap();
    let (opened, _) = open(&table, &memory.bytes()).unwrap();
    assert_eq!(opened.log.evidence(), [*evidence]);
}

#[test]
fn file_with_invalid_parts_from_its_owner_is_refused() {
    let table = holdem(2, 1);
    let log = sealed_hand(&table);
    let parts: Vec<&SignedPart> = log.history(0).collect();
    let memory = Memory::default();
    let sitting = table.sitting(Seat::HOST);
    let mut journal = Journal::create(memory.clone(), key(&table), &sitting).unwrap();
    journal.append([parts[0], parts[2]]).unwrap();
    let opened = Journal::open(memory.clone(), key(&table));
    let refused = |refused: &Option<Refused>| matches!(refused, Some(Refused::TooEarly { .. }));
    assert!(matches!(opened, Err(JournalError::Entry { refused: r, .. }) if refused(&r)));
    let again = Journal::create(memory, key(&table), &sitting);
    assert!(matches!(again, Err(JournalError::NotEmpty)));
}

#[test]
fn files_are_created_listed_found_locked_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = MatchFolder(folder.path().join("matches"));
    assert_eq!(shelf.list().unwrap(), []);
    let table = holdem(2, 1);
    let log = sealed_hand(&table);
    let (path, storage) = shelf
        .create(&table.match_info.id(), "An/na ../\u{7f}")
        .unwrap();
    let mut journal = Journal::create(storage, key(&table), &table.sitting(Seat::HOST)).unwrap();
    journal.append(log.history(0)).unwrap();
    let [found] = &shelf.list().unwrap()[..] else {
        panic!("not exactly one file");
    };
    assert_eq!((&found.path, found.peer.as_str()), (&path, "Anna"));
    assert!(hex(table.match_info.id().as_bytes()).starts_with(&found.match_id));
    assert!(shelf.create(&table.match_info.id(), "Anna").is_err());
    // While the file is open, nobody else can open or remove it.
    let blocked = |error: io::Error| error.kind() == io::ErrorKind::WouldBlock;
    assert!(DiskStorage::open(&path).is_err_and(blocked));
    assert!(MatchFolder::remove(&path).is_err_and(blocked));
    drop(journal);
    let opened = Journal::open(DiskStorage::open(&path).unwrap(), key(&table)).unwrap();
    assert_eq!(opened.log.hash(), log.hash());
    drop(opened);
    MatchFolder::remove(&path).unwrap();
    assert_eq!(shelf.list().unwrap(), []);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let (path, _) = shelf.create(&MatchId::new([1; 32]), "").unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(path.ends_with("0101010101010101-player.log"));
    }
}
