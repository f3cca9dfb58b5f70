//! A file of entries that is open for writing.

use std::io;

use dealerless_connection::storage::Storage;

use super::entries::Chain;
use super::journal::JournalError;

/// A file to which entries are appended.
pub(super) struct EntryFile<S> {
    pub(super) storage: S,
    chain: Chain,
    /// Whether a write has failed, so that the end of the file is unknown.
    failed: bool,
}

impl<S: Storage> EntryFile<S> {
    /// A file in `storage` that contains all entries of `chain` and nothing else.
    pub(super) fn new(storage: S, chain: Chain) -> Self {
        EntryFile {
            storage,
            chain,
            failed: false,
        }
    }

    /// Like [`new`](Self::new), for a file of `len` bytes whose complete entries end at byte
    /// `complete`. Removes the bytes after that, which a crash left.
    ///
    /// # Errors
    /// If the file cannot be truncated.
    pub(super) fn repaired(
        mut storage: S,
        chain: Chain,
        complete: usize,
        len: usize,
    ) -> io::Result<Self> {
        if complete < len {
            storage.truncate(complete as u64)?;
            storage.sync()?;
        }
        Ok(Self::new(storage, chain))
    }

    /// The owner's key of the file.
    pub(super) fn key(&self) -> &[u8; 32] {
        self.chain.key()
    }

    /// Writes entries with the given contents and syncs the file.
    ///
    /// # Errors
    /// If the entries cannot be written. After this error, all writes fail until the file is opened
    /// again.
    pub(super) fn write(
        &mut self,
        contents: impl IntoIterator<Item = Vec<u8>>,
    ) -> Result<(), JournalError> {
        if self.failed {
            return Err(JournalError::Failed);
        }
        let entries = self.chain.entries(contents);
        if entries.bytes.is_empty() {
            return Ok(());
        }
        self.failed = true;
        self.storage.append(&entries.bytes)?;
        self.storage.sync()?;
        self.failed = false;
        self.chain.advance(&entries);
        Ok(())
    }
}
