//! Storage for one value that is replaced as a whole.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;

use zeroize::Zeroizing;

use super::whole_file::{Existing, remove_whole, write_whole};

/// Storage for one value, which is kept completely or not at all: the deck of the hand in play, the
/// list of known peers, the invites.
pub trait Vault: Send {
    /// Stores a value in place of the previous one. The value is synced when this returns.
    ///
    /// # Errors
    /// If the storage fails. It then contains either the previous value or the new one.
    fn keep(&mut self, value: &[u8]) -> io::Result<()>;

    /// Returns the stored value, if there is one.
    ///
    /// # Errors
    /// If the storage fails; [`ErrorKind::InvalidData`] if the storage finds that the value was changed.
    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>>;

    /// Destroys the stored value.
    ///
    /// # Errors
    /// If the storage fails.
    fn destroy(&mut self) -> io::Result<()>;
}

/// The maximum length of a stored value in bytes. Longer files are read only up to this length.
const MAX_LEN: u64 = 1 << 24;

/// Stores a value in the file at this path, which only its owner may read. The file need not exist.
#[derive(Debug)]
pub struct FileVault(pub PathBuf);

impl Vault for FileVault {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        write_whole(&self.0, value, Existing::Replace)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let file = match File::open(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        // Allocated at once: a growing vector would leave copies behind that nobody wipes.
        let len = file.metadata()?.len().min(MAX_LEN);
        let mut value = Zeroizing::new(Vec::with_capacity(len as usize));
        file.take(len).read_to_end(&mut value)?;
        Ok(Some(value))
    }

    fn destroy(&mut self) -> io::Result<()> {
        remove_whole(&self.0)
    }
}

/// Stores a value in memory, for as long as the program runs.
#[derive(Default)]
pub struct MemoryVault(Option<Zeroizing<Vec<u8>>>);

impl Vault for MemoryVault {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        self.0 = Some(Zeroizing::new(value.to_vec()));
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
