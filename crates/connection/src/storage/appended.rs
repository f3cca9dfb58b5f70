//! Files to which bytes are appended, and such files in memory.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

impl<S: Storage + ?Sized> Storage for Box<S> {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        (**self).read()
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).append(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        (**self).truncate(len)
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
