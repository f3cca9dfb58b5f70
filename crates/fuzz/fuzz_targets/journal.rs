//! The file of a match, with arbitrary bytes or with arbitrary records under a valid MAC. The file
//! is either opened as its owner wrote it, up to an incomplete record, or rejected and left
//! unchanged.
//!
//! Input: a table and a moment of its match, and changes to the file or records of arbitrary
//! content.

#![no_main]

mod edits;
mod seats;
mod several;

use dealerless_connection::identity::Identity;
use dealerless_connection::storage::MemoryStorage;
use dealerless_table::Seat;
use dealerless_table::internals::write_entries;
use dealerless_table::log::{Journal, JournalError, MatchLog, Opened, SignedPart};
use dealerless_table::testing::test_match::TestMatch;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use seats::{TABLES, Table};
use several::MATCHES;

fn written(table: &Table, log: &MatchLog) -> Vec<u8> {
    let file = MemoryStorage::default();
    let mut journal = table.of.journal(Seat::HOST, file.clone());
    journal
        .append(log.history(0))
        .expect("writing to memory cannot fail");
    file.bytes()
}

/// Opens the file with these bytes. Afterwards `bytes` is the content of the file.
fn open(
    owner: &Identity,
    bytes: &mut Vec<u8>,
) -> std::result::Result<Opened<MemoryStorage>, JournalError> {
    let file = MemoryStorage::of(std::mem::take(bytes));
    let opened = Journal::open(file.clone(), owner.file_key());
    *bytes = file.bytes();
    opened
}

/// Changes a host's file. `honest` is the content before the change. The change is detected, unless it
/// only truncates the file: then the result is the log.
fn changed(
    of: &TestMatch,
    honest: &[u8],
    mut bytes: Vec<u8>,
    input: &mut Unstructured,
) -> Result<Option<MatchLog>> {
    edits::edit(&mut bytes, input)?;
    let before = bytes.clone();
    match open(&of.identities[0], &mut bytes) {
        Ok(opened) => {
            assert_eq!(opened.sitting, of.sitting(Seat::HOST));
            assert!(honest.starts_with(&bytes) && before.starts_with(&bytes));
            Ok(Some(opened.log))
        }
        Err(error) => {
            let named = matches!(
                error,
                JournalError::NeverBegun | JournalError::Changed { .. }
            );
            assert!(named, "{error:?}");
            assert_eq!(bytes, before);
            Ok(None)
        }
    }
}

/// Changes by anyone but the owner are detected, unless they only truncate the file.
fn changed_by_others(table: &Table, log: &MatchLog, input: &mut Unstructured) -> Result<()> {
    let honest = written(table, log);
    let bytes = if input.ratio(1, 16)? {
        input.arbitrary::<&[u8]>()?.to_vec()
    } else {
        honest.clone()
    };
    if let Some(opened) = changed(&table.of, &honest, bytes, input)? {
        let parts = opened.history(0).count();
        assert!(opened.history(0).eq(log.history(0).take(parts)));
    }
    Ok(())
}

/// A file of records with arbitrary content, which only the owner can create.
fn written_by_the_owner(table: &Table, log: &MatchLog, input: &mut Unstructured) -> Result<()> {
    let owner = &table.of.identities[0];
    let history: Vec<_> = log.history(0).collect();
    // The file of a match without parts has a header of 20 bytes, a kind, the sitting and a MAC of
    // 32 bytes.
    let begun = written(table, &table.moments[0]);
    let mut sitting = begun[21..begun.len() - 32].to_vec();
    if input.arbitrary()? {
        edits::edit(&mut sitting, input)?;
    }
    let mut records = vec![(
        input.int_in_range(0..=1)? * input.int_in_range(0..=3)?,
        sitting,
    )];
    let honest = input.int_in_range(0..=history.len())?;
    records.extend(history[..honest].iter().map(|part| (1, part.encode())));
    for _ in 0..input.int_in_range(0..=3)? {
        let mut content = match history.get(honest) {
            Some(part) if input.arbitrary()? => part.encode(),
            _ => input.arbitrary::<&[u8]>()?.to_vec(),
        };
        edits::edit(&mut content, input)?;
        records.push((input.int_in_range(0..=8)?, content));
    }
    let file = MemoryStorage::default();
    let written = write_entries(file.clone(), owner.file_key(), records);
    written.expect("writing to memory cannot fail");
    let mut bytes = file.bytes();
    let before = bytes.clone();
    match open(owner, &mut bytes) {
        Ok(opened) => {
            let first = (opened.log.hash(), opened.log.phase());
            // No record was left incomplete.
            assert_eq!(bytes, before);
            let again = open(owner, &mut bytes).expect("the file was opened before");
            assert_eq!((again.log.hash(), again.log.phase()), first);
        }
        Err(error) => {
            assert!(matches!(error, JournalError::Entry { .. }), "{error:?}");
            assert_eq!(bytes, before);
        }
    }
    Ok(())
}

/// The file of a host of several seats with a verifiable deck. Changes are detected, unless they only
/// truncate the file.
fn changed_file_of_several(input: &mut Unstructured) -> Result<()> {
    let played = input.choose(&*MATCHES)?;
    // Long histories take long to verify.
    let moments = &played.host[..played.host.len().min(24)];
    let (log, honest) = input.choose(moments)?;
    if let Some(opened) = changed(&played.of, honest, honest.clone(), input)? {
        let is_known = |part: &SignedPart| log.part(part.step, part.seat) == Some(part);
        assert!(opened.history(0).all(is_known));
    }
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    if input.ratio(1, 3)? {
        return changed_file_of_several(input);
    }
    let table = input.choose(&*TABLES)?;
    // Long histories take long to verify.
    let moments = &table.moments[..table.moments.len().min(24)];
    let log = input.choose(moments)?;
    if input.arbitrary()? {
        changed_by_others(table, log, input)
    } else {
        written_by_the_owner(table, log, input)
    }
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
