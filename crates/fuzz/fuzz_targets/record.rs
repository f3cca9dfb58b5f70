//! The record of a match, read without the owner's key. Whatever bytes the file contains, a part is
//! accepted only if its seat has signed it. Two valid records agree, or convict a seat that has
//! signed two different parts.
//!
//! Input: a table and a moment of its match, and changes to the file, records of arbitrary content,
//! or parts that a hostile seat has sent to the other side.

#![no_main]

mod edits;
mod seats;
mod several;

use dealerless_connection::storage::MemoryStorage;
use dealerless_table::Seat;
use dealerless_table::internals::write_entries;
use dealerless_table::log::{MatchLog, SignedPart};
use dealerless_table::record::{BadRecord, Compared, Record, compare};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use seats::{TABLES, Table};
use several::MATCHES;

fn written<'a>(table: &Table, parts: impl Iterator<Item = &'a SignedPart>) -> Vec<u8> {
    let file = MemoryStorage::default();
    let mut journal = table.of.journal(Seat::HOST, file.clone());
    journal
        .append(parts)
        .expect("writing to memory cannot fail");
    file.bytes()
}

/// Changes the bytes of an honest file. Every part that is still read is a part of the match.
fn changed(table: &Table, log: &MatchLog, input: &mut Unstructured) -> Result<()> {
    let mut bytes = if input.ratio(1, 16)? {
        input.arbitrary::<&[u8]>()?.to_vec()
    } else {
        written(table, log.history(0))
    };
    edits::edit(&mut bytes, input)?;
    match Record::read(&bytes, None) {
        Ok(record) => {
            assert_eq!(record.log.match_info().id(), table.of.match_info.id());
            let count = record.log.history(0).count();
            assert!(count <= log.history(0).count());
            let said = |part: &SignedPart| log.part(part.step, part.seat) == Some(part);
            assert!(record.log.history(0).all(said));
            let honest = Record::read(&written(table, log.history(0)), None)
                .expect("an honest file is readable");
            let agree = matches!(
                compare(&record, &honest),
                Compared::Together { more: [0, _], .. }
            );
            assert!(agree);
        }
        Err(error) => assert!(
            error.evidence().is_none(),
            "no seat has signed two different parts"
        ),
    }
    let _ = Record::read(&bytes, Some(&*table.of.identities[0]));
    Ok(())
}

/// Reads records of arbitrary content, with and without the owner's key: the results are the same.
fn any_records(table: &Table, log: &MatchLog, input: &mut Unstructured) -> Result<()> {
    let begun = written(table, std::iter::empty());
    // A file without parts: a header of 20 bytes, a kind, the sitting and a MAC of 32 bytes.
    let mut records = vec![(0, begun[21..begun.len() - 32].to_vec())];
    let history: Vec<_> = log.history(0).collect();
    let honest = input.int_in_range(0..=history.len())?;
    records.extend(history[..honest].iter().map(|part| (1, part.encode())));
    for _ in 0..input.int_in_range(0..=4)? {
        let mut content = match history.get(honest) {
            Some(part) if input.arbitrary()? => part.encode(),
            _ => input.arbitrary::<&[u8]>()?.to_vec(),
        };
        edits::edit(&mut content, input)?;
        records.push((input.int_in_range(0..=8)?, content));
    }
    let file = MemoryStorage::default();
    let owner = &table.of.identities[0];
    let written = write_entries(file.clone(), owner.file_key(), records);
    written.expect("writing to memory cannot fail");
    let bytes = file.bytes();
    let (own, read) = (
        Record::read(&bytes, Some(owner)),
        Record::read(&bytes, None),
    );
    match (own, read) {
        (Ok(own), Ok(read)) => {
            assert_eq!(own.log.hash(), read.log.hash());
            assert_eq!(own.state(), read.state());
            assert_eq!(own.hands.len(), read.hands.len());
        }
        (Err(own), Err(read)) => assert_eq!(own, read),
        (own, read) => panic!("{own:?} {read:?}"),
    }
    Ok(())
}

/// A seat signs different parts for the two sides.
fn forked(table: &Table, log: &MatchLog, input: &mut Unstructured) -> Result<()> {
    let Some(&seat) = log.waits_for().first() else {
        return Ok(());
    };
    let mut sides = Vec::new();
    for _ in 0..2 {
        let mut part = input.arbitrary::<&[u8]>()?.to_vec();
        if let Some(honest) = table.honest(log, seat, input.arbitrary()?) {
            let said = log
                .clone()
                .sign(&table.of.identities[seat.index()], seat, &honest);
            part = said.map_or(part, |(said, _)| said.part);
        }
        edits::edit(&mut part, input)?;
        let signed = table.sign(log, seat, part);
        let bytes = written(table, log.history(0).chain([&signed]));
        sides.push((signed, Record::read(&bytes, None)));
    }
    if let [(one, Ok(a)), (other, Ok(b))] = &sides[..] {
        match compare(a, b) {
            Compared::Together { more, .. } => assert!(one == other && more == [0, 0]),
            Compared::Forked { evidence, .. } => {
                assert_eq!(evidence.seat(), seat);
                assert!(evidence.holds(&table.of.match_info));
            }
            different => panic!("{different:?}"),
        }
    }
    // Parts with valid signatures can always be read.
    let refused = |side: &&(_, std::result::Result<Record, BadRecord>)| side.1.is_err();
    assert_eq!(sides.iter().filter(refused).count(), 0);
    Ok(())
}

/// Changes the bytes of the file of a host of several seats with a verifiable deck.
fn changed_of_several(input: &mut Unstructured) -> Result<()> {
    let played = input.choose(&*MATCHES)?;
    // Long histories take long to verify.
    let moments = &played.host[..played.host.len().min(24)];
    let (log, honest) = input.choose(moments)?;
    let mut bytes = honest.clone();
    edits::edit(&mut bytes, input)?;
    match Record::read(&bytes, None) {
        Ok(record) => {
            assert_eq!(record.log.match_info().id(), played.of.match_info.id());
            let is_known = |part: &SignedPart| log.part(part.step, part.seat) == Some(part);
            assert!(record.log.history(0).all(is_known));
            let honest = Record::read(honest, None).expect("an honest file is readable");
            let compared = compare(&record, &honest);
            assert!(
                matches!(compared, Compared::Together { .. }),
                "{compared:?}"
            );
        }
        Err(error) => assert!(
            error.evidence().is_none(),
            "no seat has signed two different statements"
        ),
    }
    let _ = Record::read(&bytes, Some(&*played.of.identities[0]));
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    if input.ratio(1, 4)? {
        return changed_of_several(input);
    }
    let table = input.choose(&*TABLES)?;
    // Long histories take long to verify.
    let moments = &table.moments[..table.moments.len().min(24)];
    let log = input.choose(moments)?;
    match input.int_in_range(0..=2)? {
        0 => changed(table, log, input),
        1 => any_records(table, log, input),
        _ => forked(table, log, input),
    }
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
