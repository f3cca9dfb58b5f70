//! Where the deck of the hand in play is kept until the hand is over.

use std::io;
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::identity::{Existing, remove_whole, write_whole};

/// Keeps one deck, whole or not at all.
pub trait Vault: Send {
    /// Keeps this deck in place of the one before. When it returns, the deck outlives a crash.
    ///
    /// # Errors
    /// Those of the medium; the deck before is there then, or this one.
    fn keep(&mut self, deck: &[u8]) -> io::Result<()>;

    /// Destroys the deck.
    ///
    /// # Errors
    /// Those of the medium.
    fn destroy(&mut self) -> io::Result<()>;
}

/// Keeps a deck in a file that only its owner may read.
#[derive(Debug)]
pub struct FileVault(PathBuf);

impl FileVault {
    /// The file at this path, which need not be there.
    pub fn new(path: PathBuf) -> Self {
        FileVault(path)
    }
}

impl Vault for FileVault {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        write_whole(&self.0, deck, Existing::Replace)
    }

    fn destroy(&mut self) -> io::Result<()> {
        remove_whole(&self.0)
    }
}

/// Keeps a deck in memory, for a table that nobody means to come back to.
#[derive(Default)]
pub struct MemoryVault(Zeroizing<Vec<u8>>);

impl Vault for MemoryVault {
    fn keep(&mut self, deck: &[u8]) -> io::Result<()> {
        self.0 = Zeroizing::new(deck.to_vec());
        Ok(())
    }

    fn destroy(&mut self) -> io::Result<()> {
        self.0 = Zeroizing::default();
        Ok(())
    }
}
