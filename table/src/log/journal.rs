//! The file of a match: what was said, written before it is sent.
//!
//! A record that a crash left incomplete at the end of the file was never sent, and is dropped.
//! Whatever else is wrong is refused, and nothing is overwritten.

use std::io;

use zeroize::Zeroizing;

use super::claim::{Claim, Claimed};
use super::foul::Refused;
use super::match_file::{BadFile, Entry, MatchFile, chain, first};
use super::match_log::MatchLog;
use super::record_file::{CannotWrite, RecordFile};
use super::seen::{Note, Seen};
use super::signed::{Evidence, SignedPart};
use super::sitting::Sitting;
use super::storage::Storage;

/// The file of a match, opened for more.
pub struct Journal<S> {
    file: RecordFile<S>,
    /// Notes that go behind the parts that are written next.
    notes: Vec<Note>,
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
    /// What the owner claims beside it, in the order in which it was written.
    pub claims: Vec<Claim>,
}

impl<S> Opened<S> {
    /// Whether the owner closed the match, and nothing was said in that step since.
    pub fn is_closed(&self) -> bool {
        let closed = |claim: &&Claim| claim.what == Claimed::Closed;
        let last = self.claims.iter().rfind(closed);
        last.is_some_and(|claim| claim.is_valid(&self.log))
    }
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

impl From<CannotWrite> for JournalError {
    fn from(error: CannotWrite) -> Self {
        match error {
            CannotWrite::Io(error) => JournalError::Io(error),
            CannotWrite::Failed => JournalError::Failed,
        }
    }
}

impl From<BadFile> for JournalError {
    fn from(bad: BadFile) -> Self {
        match bad {
            BadFile::NeverBegun => JournalError::NeverBegun,
            BadFile::Changed(at) => JournalError::Changed { at },
            BadFile::Record(at) => JournalError::Record { at, refused: None },
        }
    }
}

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
        let mut journal = Self::behind(RecordFile::new(storage, chain(key)));
        journal.write([first(sitting)])?;
        Ok(journal)
    }

    /// A journal that writes to this file.
    pub(super) fn behind(file: RecordFile<S>) -> Self {
        Journal {
            file,
            notes: Vec::new(),
        }
    }

    /// Opens the file of a match, and reads all that was said in it. What a crash left incomplete
    /// at its end is cut off.
    ///
    /// # Errors
    /// If anything else is wrong: nothing is changed then.
    pub fn open(mut storage: S, key: Zeroizing<[u8; 32]>) -> Result<Opened<S>, JournalError> {
        let bytes = storage.read()?;
        let (sitting, mut file) = MatchFile::read(&bytes, Some(key))?;
        let (log, claims) = replay(&sitting, &mut file)?;
        let (chain, complete) = file.into_chain();
        // The file was read with the key.
        let chain = chain.ok_or(JournalError::Failed)?;
        let file = RecordFile::repaired(storage, chain, complete, bytes.len())?;
        Ok(Opened {
            journal: Self::behind(file),
            sitting,
            log,
            claims,
        })
    }

    /// Reads again all that was said in the match.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn read_log(&mut self) -> Result<MatchLog, JournalError> {
        let bytes = self.file.storage.read()?;
        let key = Zeroizing::new(*self.file.key());
        let (sitting, mut file) = MatchFile::read(&bytes, Some(key))?;
        Ok(replay(&sitting, &mut file)?.0)
    }

    /// Writes parts. When this returns, they outlive a crash: then, and not before, what was said
    /// here may be sent.
    ///
    /// # Errors
    /// If they cannot be written. Nothing more can be written then until the file is opened anew.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn append<'a>(
        &mut self,
        parts: impl IntoIterator<Item = &'a SignedPart>,
    ) -> Result<(), JournalError> {
        let parts = (parts.into_iter()).map(|part| Entry::Part(part.clone()).encode());
        let notes = (self.notes.iter()).map(|&note| Entry::Seen(note).encode());
        let contents: Vec<Vec<u8>> = parts.chain(notes).collect();
        self.write(contents)?;
        self.notes.clear();
        Ok(())
    }

    /// Notes a card that only the owner of this file has seen. It is written with the next
    /// [`append`](Self::append), behind its parts. It proves nothing; the owner can read it later
    /// with its key, and nobody else.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn note(&mut self, seen: &Seen) {
        self.notes.push(Note::of(seen, self.file.key()));
    }

    /// Writes what convicts a seat.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub(crate) fn append_evidence(&mut self, evidence: &Evidence) -> Result<(), JournalError> {
        self.write([Entry::Evidence(evidence.clone()).encode()])
    }

    /// Writes what the owner claims beside the log.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append_claim(&mut self, claim: &Claim) -> Result<(), JournalError> {
        self.write([Entry::Claim(*claim).encode()])
    }

    pub(super) fn write(
        &mut self,
        contents: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<(), JournalError> {
        Ok(self.file.write(contents)?)
    }
}

/// What was said in a match, by the records of its file, and what its owner claims beside that.
fn replay(
    sitting: &Sitting,
    file: &mut MatchFile<'_>,
) -> Result<(MatchLog, Vec<Claim>), JournalError> {
    let mut log = MatchLog::new(sitting.match_info.clone());
    let mut claims = Vec::new();
    for record in file {
        match record? {
            (_, Entry::Claim(claim)) => claims.push(claim),
            (at, entry) => {
                take(&mut log, entry).map_err(|refused| JournalError::Record { at, refused })?;
            }
        }
    }
    Ok((log, claims))
}

/// Takes a record after the first. Gives why it was refused, if a part was.
fn take(log: &mut MatchLog, entry: Entry) -> Result<(), Option<Refused>> {
    match entry {
        Entry::Part(part) => match log.accept(part) {
            Ok(_) => Ok(()),
            Err(Refused::Foul(proof)) => {
                log.record_foul(*proof);
                Ok(())
            }
            Err(refused) => Err(Some(refused)),
        },
        Entry::Evidence(evidence) => log.record_fork(evidence).map_err(|_| None),
        // They say nothing of the match.
        Entry::Seen(_) | Entry::Claim(_) => Ok(()),
    }
}

impl<S> std::fmt::Debug for Journal<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}
