//! Where the bytes of a journal are: a file, or memory in tests.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file that only grows, but for what was never completed.
pub trait Storage {
    /// Everything that is there.
    ///
    /// # Errors
    /// Those of the medium.
    fn read(&mut self) -> io::Result<Vec<u8>>;

    /// Writes behind everything that is there.
    ///
    /// # Errors
    /// Those of the medium. Any part of the bytes may be there then.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns when everything that was written outlives a crash of the machine.
    ///
    /// # Errors
    /// Those of the medium.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts off what lies behind `len` bytes.
    ///
    /// # Errors
    /// Those of the medium.
    fn truncate(&mut self, len: u64) -> io::Result<()>;
}

/// A file, which no other process has open as one.
#[derive(Debug)]
pub struct DiskStorage(File);

impl DiskStorage {
    /// A new file, which only its owner may read.
    ///
    /// # Errors
    /// If it cannot be made; also if there is one with this name.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let storage = Self::locked(options.open(path)?)?;
        // The name has to outlive a crash as well.
        #[cfg(unix)]
        if let Some(folder) = path.parent() {
            File::open(folder)?.sync_all()?;
        }
        Ok(storage)
    }

    /// A file that is there.
    ///
    /// # Errors
    /// If it cannot be opened, or is not a regular file; also, as [`io::ErrorKind::WouldBlock`], if
    /// another process has it.
    pub fn open(path: &Path) -> io::Result<Self> {
        check_regular(path)?;
        Self::locked(OpenOptions::new().read(true).append(true).open(path)?)
    }

    fn locked(file: File) -> io::Result<Self> {
        match file.try_lock() {
            Ok(()) => Ok(DiskStorage(file)),
            Err(TryLockError::WouldBlock) => {
                let kind = io::ErrorKind::WouldBlock;
                Err(io::Error::new(kind, "another program uses it"))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Checks that a path leads to a regular file. Opening a pipe waits without end.
///
/// # Errors
/// If it does not, or nothing is there.
pub fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file")),
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

/// A file in memory, for a table that nobody means to come back to. Its clones are the same file.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage(Arc<Mutex<Vec<u8>>>);

impl MemoryStorage {
    /// A file with these bytes.
    #[cfg(feature = "internals")]
    pub fn of(bytes: Vec<u8>) -> Self {
        MemoryStorage(Arc::new(Mutex::new(bytes)))
    }

    /// What is in it.
    #[cfg_attr(feature = "internals", visibility::make(pub))]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        // Each change is one call.
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
