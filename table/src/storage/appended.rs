//! Files to which bytes are appended: on disk, or in memory.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::whole_file::{folder_of, sync_folder};

/// A file to which bytes are appended. It is truncated only to remove an incomplete record at its
/// end.
pub trait Storage {
    /// Reads the whole file.
    ///
    /// # Errors
    /// If the storage fails.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Appends bytes to the file.
    ///
    /// # Errors
    /// If the storage fails. Some of the bytes may have been written anyway.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits until everything written so far would survive a crash of the machine.
    ///
    /// # Errors
    /// If the storage fails.
    fn sync(&mut self) -> io::Result<()>;

    /// Truncates the file to `len` bytes.
    ///
    /// # Errors
    /// If the storage fails.
    fn truncate(&mut self, len: u64) -> io::Result<()>;
}

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

    /// Opens an existing file.
    ///
    /// # Errors
    /// If the file cannot be opened or is not a regular file; [`io::ErrorKind::WouldBlock`] if
    /// another process has locked it.
    pub fn open(path: &Path) -> io::Result<Self> {
        check_regular(path)?;
        Self::locked(OpenOptions::new().read(true).append(true).open(path)?)
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

/// A file in memory, for a match that will not be resumed later. Clones share the same bytes.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage(Arc<Mutex<Vec<u8>>>);

impl MemoryStorage {
    /// A file with the given bytes.
    #[cfg(feature = "internals")]
    pub fn of(bytes: Vec<u8>) -> Self {
        MemoryStorage(Arc::new(Mutex::new(bytes)))
    }

    /// The bytes of the file.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        // Each change is a single call, so a panic leaves no half-done change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for MemoryStorage {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lock().extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.lock().truncate(len as usize);
        Ok(())
    }
}
