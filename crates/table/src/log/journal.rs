//! The file of a match. A seat writes its parts to this file before it sends them.
//!
//! If a crash left an incomplete entry at the end of the file, that entry was never sent and is
//! removed. A file with any other damage is refused and left as it is.

use std::io;

use dealerless_connection::storage::Storage;
use zeroize::Zeroizing;

use super::claim::{Claim, Claimed};
use super::entry_file::EntryFile;
use super::foul::Refused;
use super::match_file::{BadFile, Entry, MatchFile, chain, first};
use super::match_log::MatchLog;
use super::seen::{Note, Seen};
use super::signed::{Evidence, Signed};
use super::sitting::Sitting;

/// The file of a match, open for writing.
pub struct Journal<S> {
    file: EntryFile<S>,
    /// Notes that the next [`append`](Self::append) writes.
    notes: Vec<Note>,
}

/// A match file that was just opened.
#[derive(Debug)]
pub struct Opened<S> {
    /// The file.
    pub journal: Journal<S>,
    /// The first entry of the file: the match and the owner's seat.
    pub sitting: Sitting,
    /// The log of the match.
    pub log: MatchLog,
    /// The owner's claims outside the log, in the order in which they were written.
    pub claims: Vec<Claim>,
}

impl<S> Opened<S> {
    /// Whether the owner closed the match and the match has not continued since.
    pub fn is_closed(&self) -> bool {
        let closed = |claim: &&Claim| claim.what == Claimed::Closed;
        let last = self.claims.iter().rfind(closed);
        last.is_some_and(|claim| claim.is_valid(&self.log))
    }
}

/// Why a match file cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// Reading or writing the file failed.
    #[error("cannot read or write the file of the match")]
    Io(#[from] io::Error),
    /// An earlier write has failed. The file has to be opened again.
    #[error("an earlier write to the file of the match has failed")]
    Failed,
    /// The file of a new match is not empty.
    #[error("the file of a new match is not empty")]
    NotEmpty,
    /// The file has no complete entry, so no part of this match was ever sent.
    #[error("the file of the match has no complete record")]
    NeverBegun,
    /// The file was changed or belongs to another identity.
    #[error("the file of the match was changed from byte {at} on, or belongs to another identity")]
    Changed {
        /// The offset of the first invalid entry.
        at: usize,
    },
    /// The owner wrote an entry that is not valid in this match.
    #[error("the file of the match has an invalid record at byte {at}")]
    Entry {
        /// The offset of the entry.
        at: usize,
        /// Why the entry was refused, if it is a part.
        #[source]
        refused: Option<Refused>,
    },
}

impl From<BadFile> for JournalError {
    fn from(bad: BadFile) -> Self {
        match bad {
            BadFile::NeverBegun => JournalError::NeverBegun,
            BadFile::Changed(at) => JournalError::Changed { at },
            BadFile::Entry(at) => JournalError::Entry { at, refused: None },
        }
    }
}

impl<S: Storage> Journal<S> {
    /// Writes the first entry of a new match file. `key` is the [file
    /// key](dealerless_connection::identity::Identity::file_key) of the owner.
    ///
    /// # Errors
    /// If the file is not empty or cannot be written.
    pub fn create(
        mut storage: S,
        key: Zeroizing<[u8; 32]>,
        sitting: &Sitting,
    ) -> Result<Self, JournalError> {
        if !storage.read()?.is_empty() {
            return Err(JournalError::NotEmpty);
        }
        let mut journal = Self::from_file(EntryFile::new(storage, chain(key)));
        journal.write([first(sitting)])?;
        Ok(journal)
    }

    /// A journal that writes to the given file.
    pub(super) fn from_file(file: EntryFile<S>) -> Self {
        Journal {
            file,
            notes: Vec::new(),
        }
    }

    /// Opens the file of a match and reads its log. If a crash left an incomplete entry at the
    /// end, removes that entry.
    ///
    /// # Errors
    /// If the file cannot be read, or is invalid in any other way. An invalid file is left as it
    /// is.
    pub fn open(mut storage: S, key: Zeroizing<[u8; 32]>) -> Result<Opened<S>, JournalError> {
        let bytes = storage.read()?;
        let (sitting, mut file) = MatchFile::read(&bytes, Some(key))?;
        let (log, claims) = replay(&sitting, &mut file)?;
        let (chain, complete) = file.into_chain();
        // The file was read with the key, so there is a chain.
        let chain = chain.ok_or(JournalError::Failed)?;
        let file = EntryFile::repaired(storage, chain, complete, bytes.len())?;
        Ok(Opened {
            journal: Self::from_file(file),
            sitting,
            log,
            claims,
        })
    }

    /// Reads the first entry of the bytes of a match file, and whether a seat has signed anything in it. Verifies
    /// no signature.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), without those of invalid parts.
    pub fn sitting(
        bytes: &[u8],
        key: Zeroizing<[u8; 32]>,
    ) -> Result<(Sitting, bool), JournalError> {
        let (sitting, mut file) = MatchFile::read(bytes, Some(key))?;
        let is_signed =
            |entry: &Result<(usize, Entry), BadFile>| matches!(entry, Ok((_, Entry::Signed(_))));
        let is_begun = file.any(|entry| is_signed(&entry));
        Ok((sitting, is_begun))
    }

    /// Reads the log of the match again from the file.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub(crate) fn read_log(&mut self) -> Result<MatchLog, JournalError> {
        let bytes = self.file.storage.read()?;
        let key = Zeroizing::new(*self.file.key());
        let (sitting, mut file) = MatchFile::read(&bytes, Some(key))?;
        Ok(replay(&sitting, &mut file)?.0)
    }

    /// Writes the `signed` parts and acks and the pending notes, and syncs the file. This seat may
    /// send its own parts and acks only after this has returned.
    ///
    /// # Errors
    /// If they cannot be written. After this error, all writes fail until the file is opened
    /// again.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn append(
        &mut self,
        signed: impl IntoIterator<Item = impl Into<Signed>>,
    ) -> Result<(), JournalError> {
        let parts = (signed.into_iter()).map(|signed| Entry::Signed(signed.into()).encode());
        let notes = (self.notes.iter()).map(|&note| Entry::Seen(note).encode());
        let contents: Vec<Vec<u8>> = parts.chain(notes).collect();
        self.write(contents)?;
        self.notes.clear();
        Ok(())
    }

    /// Notes a card that only the owner of this file has seen. The note is written with the next
    /// [`append`](Self::append), after its parts. A note proves nothing to others, and only the
    /// owner's key decrypts it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn note(&mut self, seen: &Seen) {
        self.notes.push(Note::of(seen, self.file.key()));
    }

    /// Writes evidence that convicts a seat.
    ///
    /// # Errors
    /// Those of [`append`](Self::append).
    pub(crate) fn append_evidence(&mut self, evidence: &Evidence) -> Result<(), JournalError> {
        self.write([Entry::Evidence(evidence.clone()).encode()])
    }

    /// Writes a claim of the owner.
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
        self.file.write(contents)
    }
}

/// Reads the log of a match and the claims of its owner from the entries of its file.
fn replay(
    sitting: &Sitting,
    file: &mut MatchFile<'_>,
) -> Result<(MatchLog, Vec<Claim>), JournalError> {
    let mut log = MatchLog::new(sitting.match_info.clone(), sitting.seat);
    let mut claims = Vec::new();
    for entry in file {
        match entry? {
            (_, Entry::Claim(claim)) => claims.push(claim),
            (at, entry) => {
                add(&mut log, entry).map_err(|refused| JournalError::Entry { at, refused })?;
            }
        }
    }
    Ok((log, claims))
}

/// Adds an entry to the log. An error if the entry is not valid in this match, with the reason if
/// the entry is a part.
fn add(log: &mut MatchLog, entry: Entry) -> Result<(), Option<Refused>> {
    match entry {
        Entry::Signed(signed) => match log.accept_signed(signed) {
            Ok(_) => Ok(()),
            Err(Refused::Foul(proof)) => {
                log.record_foul(*proof);
                Ok(())
            }
            Err(refused) => Err(Some(refused)),
        },
        Entry::Evidence(evidence) => log.record_fork(evidence).map(drop).map_err(|_| None),
        // Notes and claims do not change the log.
        Entry::Seen(_) | Entry::Claim(_) => Ok(()),
    }
}

impl<S> std::fmt::Debug for Journal<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").finish_non_exhaustive()
    }
}
