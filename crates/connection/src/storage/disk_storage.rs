//! Files on disk to which bytes are appended.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::appended::Storage;
use super::whole_file::{folder_of, sync_folder};

/// A file on disk, locked against other processes that use this type.
#[derive(Debug)]
pub struct DiskStorage(File);

impl DiskStorage {
    /// Creates a file that only its owner may read.
    ///
    /// # Errors
    /// If the file cannot be created or already exists.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let storage = Self::locked(options.open(path)?)?;
        // The directory entry has to survive a crash as well.
        sync_folder(folder_of(path))?;
        Ok(storage)
    }

    /// Opens an existing file, and syncs what an earlier program has written to it: a program that was killed
    /// may not have done so.
    ///
    /// # Errors
    /// If the file cannot be opened or synced, or is not a regular file; [`io::ErrorKind::WouldBlock`] if
    /// another process has locked it.
    pub fn open(path: &Path) -> io::Result<Self> {
        check_regular(path)?;
        let mut storage = Self::locked(OpenOptions::new().read(true).append(true).open(path)?)?;
        storage.sync()?;
        Ok(storage)
    }

    fn locked(file: File) -> io::Result<Self> {
        match file.try_lock() {
            Ok(()) => Ok(DiskStorage(file)),
            Err(TryLockError::WouldBlock) => {
                let kind = io::ErrorKind::WouldBlock;
                Err(io::Error::new(kind, "another program uses this file"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Checks that a path leads to a regular file. Opening a pipe could block forever.
///
/// # Errors
/// If the path does not exist or is not a regular file.
pub fn check_regular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        Ok(())
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

impl Storage for DiskStorage {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.0.seek(SeekFrom::Start(0))?;
        self.0.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
}
