//! Storage for the deck of the hand in play until the hand is over.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::identity::{Existing, remove_whole, write_whole};

/// Storage for one deck, which is kept completely or not at all.
pub trait Vault: Send {
    /// Stores a deck in place of the previous one. The deck is synced when this returns.
    ///
    /// # Errors
    /// If the storage fails. It then contains either the previous deck or the new deck.
    fn keep(&mut self, deck: &[u8]) -> io::Result<()>;

    /// Returns the stored deck, if there is one.
    ///
    /// # Errors
    /// If the storage fails.
    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>>;

    /// Destroys the stored deck.
    ///
    /// # Errors
    /// If the storage fails.
    fn destroy(&mut self) -> io::Result<()>;
}

/// The maximum length of a stored deck in bytes.
const MAX_LEN: u64 = 1 << 24;

/// Stores a deck in the file at this path, which only its owner may read. The file need not exist.
#[derive(Debug)]
pub struct FileVault(pub PathBuf);

impl Vault for FileVault {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        write_whole(&self.0, deck, Existing::Replace)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let file = match File::open(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        // Allocated at once: a growing vector would leave copies behind that nobody wipes.
        let len = file.metadata()?.len().min(MAX_LEN);
        let mut deck = Zeroizing::new(Vec::with_capacity(len as usize));
        file.take(len).read_to_end(&mut deck)?;
        Ok(Some(deck))
    }

    fn destroy(&mut self) -> io::Result<()> {
        remove_whole(&self.0)
    }
}

/// Stores a deck in memory, for a match that is not resumed later.
#[derive(Default)]
pub struct MemoryVault(Option<Zeroizing<Vec<u8>>>);

impl Vault for MemoryVault {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        self.0 = Some(Zeroizing::new(deck.to_vec()));
        Ok(())
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(self.0.clone())
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.0 = None;
        Ok(())
    }
}
