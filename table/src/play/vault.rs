//! Where the deck of the hand in play is kept until the hand is over.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
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

    /// The deck that is kept, if there is one.
    ///
    /// # Errors
    /// Those of the medium.
    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>>;

    /// Destroys the deck.
    ///
    /// # Errors
    /// Those of the medium.
    fn destroy(&mut self) -> io::Result<()>;
}

/// No deck is larger.
const MOST: u64 = 1 << 24;

/// Keeps a deck in the file at this path, which only its owner may read and which need not be there.
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
        // Room for all at once: a vector that grows leaves copies behind that nobody wipes.
        let len = file.metadata()?.len().min(MOST);
        let mut deck = Zeroizing::new(Vec::with_capacity(len as usize));
        file.take(len).read_to_end(&mut deck)?;
        Ok(Some(deck))
    }

    fn destroy(&mut self) -> io::Result<()> {
        remove_whole(&self.0)
    }
}

/// Keeps a deck in memory, for a table that nobody means to come back to.
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
