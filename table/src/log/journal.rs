//! The file of a match: what was said, written before it is sent.
//!
//! A record is its length, a check of the length, the content, and a MAC. Check and MAC are made
//! with a key that only the owner has, and go over the MAC of the record before: a record fits one
//! place of one file. A crash while a record is written leaves it incomplete at the end of the
//! file: it was never sent, and is dropped. Whatever else is wrong is refused, and nothing is
//! overwritten.

use std::io;

use zeroize::Zeroizing;

use super::foul::Refused;
use super::match_log::MatchLog;
use super::signed::{Evidence, SignedPart};
use super::sitting::Sitting;
use super::storage::Storage;
use crate::hash::Hash;

/// The file of a match, opened for more.
pub struct Journal<S> {
    storage: S,
    key: Zeroizing<[u8; 32]>,
    /// The MAC of the last record.
    last: [u8; 32],
    /// A write has failed: what lies at the end is not known.
    failed: bool,
}

/// A file as it was found.
#[derive(Debug)]
pub struct Opened<S> {
    /// The file.
    pub journal: Journal<S>,
    /// The match, as the owner began it.
    pub sitting: Sitting,
    /// What was said in it.
    pub log: MatchLog,
}

/// A file of a match cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The medium fails.
    #[error("the file of the match cannot be written or read")]
    Io(#[from] io::Error),
    /// An earlier write has failed. The file has to be opened anew.
    #[error("an earlier write to the file of the match has failed")]
    Failed,
    /// There is something in the file that is to be new.
    #[error("the file of a new match is not empty")]
    NotEmpty,
    /// Nothing was completed in it. Nothing of this match was ever sent.
    #[error("the file of the match was never begun")]
    NeverBegun,
    /// It was changed, or belongs to another identity.
    #[error("the file of the match was changed, from byte {at} on, or is another identity's")]
    Changed {
        /// Where the record begins that does not fit.
        at: usize,
    },
    /// A record is what its owner wrote, and makes no sense in this match.
    #[error("the file of the match has a record at byte {at} that does not belong there")]
    Record {
        /// Where it begins.
        at: usize,
        /// Why, if it is a part.
        #[source]
        refused: Option<Refused>,
    },
}

/// The bytes of a record before its content.
const HEAD: usize = 4 + CHECK;
const CHECK: usize = 16;
const MAC: usize = 32;

/// What a record holds.
const SITTING: u8 = 0;
const PART: u8 = 1;
const EVIDENCE: u8 = 2;

impl<S: Storage> Journal<S> {
    /// Begins the file of a match. `key` is the identity's own for files.
    ///
    /// # Errors
    /// If there is anything in it, or it cannot be written.
    pub fn create(
        mut storage: S,
        key: Zeroizing<[u8; 32]>,
        sitting: &Sitting,
    ) -> Result<Self, JournalError> {
        if !storage.read()?.is_empty() {
            return Err(JournalError::NotEmpty);
        }
        let mut journal = Self::empty(storage, key);
        journal.write([(SITTING, sitting.encode())])?;
        Ok(journal)
    }

    /// A file without any record.
    pub(super) fn empty(storage: S, key: Zeroizing<[u8; 32]>) -> Self {
        Journal {
            storage,
            key,
            last: [0; 32],
            failed: false,
        }
    }

    /// Opens the file of a match, and reads all that was said in it. What a crash left incomplete
    /// at its end is cut off.
    ///
    /// # Errors
    /// If anything else is wrong: nothing is changed then.
    pub fn open(mut storage: S, key: Zeroizing<[u8; 32]>) -> Result<Opened<S>, JournalError> {
        let bytes = storage.read()?;
        let mut records = Records::new(&bytes, &key);
        let (sitting, log) = replay(&mut records)?;
        let (last, complete) = (records.last, records.at);
        if complete < bytes.len() {
            storage.truncate(complete as u64)?;
            storage.sync()?;
        }
        let journal = Journal {
            storage,
            key,
            last,
            failed: false,
        };
        Ok(Opened {
            journal,
            sitting,
            log,
        })
    }

    /// Reads again all that was said in the match.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn log(&mut self) -> Result<MatchLog, JournalError> {
        let bytes = self.storage.read()?;
        Ok(replay(&mut Records::new(&bytes, &self.key))?.1)
    }

    /// Writes parts. When this returns, they outlive a crash: then, and not before, what was said
    /// here may be sent.
    ///
    /// # Errors
    /// If they cannot be written. Nothing more can be written then until the file is opened anew.
    pub fn append<'a>(
        &mut self,
        parts: impl IntoIterator<Item = &'a SignedPart>,
    ) -> Result<(), JournalError> {
        self.write(parts.into_iter().map(|part| (PART, part.encode())))
    }

    /// Writes what convicts a seat.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_evidence(&mut self, evidence: &Evidence) -> Result<(), JournalError> {
        self.write([(EVIDENCE, evidence.encode())])
    }

    pub(super) fn write(
        &mut self,
        records: impl IntoIterator<Item = (u8, Vec<u8>)>,
    ) -> Result<(), JournalError> {
        if self.failed {
            return Err(JournalError::Failed);
        }
        let (mut bytes, mut last) = (Vec::new(), self.last);
        for (kind, content) in records {
            let content = [&[kind], &content[..]].concat();
            bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&check(&self.key, &last, content.len() as u32));
            last = *mac(&self.key, &last, &content).as_bytes();
            bytes.extend_from_slice(&content);
            bytes.extend_from_slice(&last);
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.failed = true;
        self.storage.append(&bytes)?;
        self.storage.sync()?;
        self.failed = false;
        self.last = last;
        Ok(())
    }
}

/// The match as the owner began it, and what was said in it.
fn replay(records: &mut Records<'_>) -> Result<(Sitting, MatchLog), JournalError> {
    let Some((at, first)) = records.next().transpose()? else {
        return Err(JournalError::NeverBegun);
    };
    let wrong = |at, refused| JournalError::Record { at, refused };
    let sitting = match first.split_first() {
        Some((&SITTING, sitting)) => Sitting::decode(sitting).map_err(|_| wrong(at, None))?,
        _ => return Err(wrong(at, None)),
    };
    let mut log = MatchLog::new(sitting.of.clone());
    for record in records {
        let (at, content) = record?;
        take(&mut log, content).map_err(|refused| wrong(at, refused))?;
    }
    Ok((sitting, log))
}

/// Takes a record after the first. Gives why it was refused, if a part was.
fn take(log: &mut MatchLog, content: &[u8]) -> Result<(), Option<Refused>> {
    match content.split_first() {
        Some((&PART, part)) => match log.take(SignedPart::decode(part).map_err(|_| None)?) {
            Ok(_) => Ok(()),
            Err(Refused::Foul(proof)) => {
                log.close(*proof);
                Ok(())
            }
            Err(refused) => Err(Some(refused)),
        },
        Some((&EVIDENCE, evidence)) => {
            let evidence = Evidence::decode(evidence).map_err(|_| None)?;
            log.convict(evidence).map_err(|_| None)
        }
        _ => Err(None),
    }
}

/// The check of a record's length: without it a changed length would pass for a record that is not
/// complete, and everything behind it would be dropped.
fn check(key: &[u8; 32], last: &[u8; 32], len: u32) -> [u8; CHECK] {
    let hash = Hash::new("file length").field(key).field(last);
    let hash = hash.number(u64::from(len)).finish();
    *hash.first_chunk().expect("a hash is longer than a check")
}

/// The MAC of a record, in the type that compares in constant time.
fn mac(key: &[u8; 32], last: &[u8; 32], content: &[u8]) -> blake3::Hash {
    let hash = Hash::new("file record").field(key).field(last);
    hash.field(content).finish().into()
}

/// The complete records of a file, and where each begins.
struct Records<'a> {
    bytes: &'a [u8],
    key: &'a [u8; 32],
    /// Where the next record begins.
    at: usize,
    last: [u8; 32],
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8], key: &'a [u8; 32]) -> Self {
        let (at, last) = (0, [0; 32]);
        Records {
            bytes,
            key,
            at,
            last,
        }
    }

    /// The next record; none at the end, or if what is left was never complete.
    fn record(&mut self) -> Result<Option<(usize, &'a [u8])>, JournalError> {
        let (at, rest) = (self.at, &self.bytes[self.at..]);
        let changed = Err(JournalError::Changed { at });
        // Where a file system made room before it wrote, zeros stand at the end.
        let written = rest.len() - rest.iter().rev().take_while(|&&byte| byte == 0).count();
        let Some((head, content)) = rest.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let len = u32::from_le_bytes(*head.first_chunk().expect("a head begins with a length"));
        let expected = blake3::Hash::from(widened(&check(self.key, &self.last, len)));
        if expected != blake3::Hash::from(widened(&head[4..])) {
            return if written < HEAD { Ok(None) } else { changed };
        }
        let Some((content, rest)) = content.split_at_checked(len as usize) else {
            return Ok(None);
        };
        let Some(given) = rest.first_chunk::<MAC>() else {
            return Ok(None);
        };
        let expected = mac(self.key, &self.last, content);
        if expected != blake3::Hash::from(*given) {
            return if written < HEAD + content.len() + MAC {
                Ok(None)
            } else {
                changed
            };
        }
        self.at += HEAD + content.len() + MAC;
        self.last = *given;
        Ok(Some((at, content)))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<(usize, &'a [u8]), JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.record().transpose()
    }
}

/// A check in the type that compares in constant time.
fn widened(check: &[u8]) -> [u8; 32] {
    let mut wide = [0; 32];
    wide[..CHECK].copy_from_slice(check);
    wide
}

impl<S> std::fmt::Debug for Journal<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}
