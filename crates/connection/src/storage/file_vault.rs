//! A value that is replaced as a whole, in a file.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;

use zeroize::Zeroizing;

use super::vault::Vault;
use super::whole_file::{Existing, remove_whole, write_whole};

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
