//! Storage for one value that is replaced as a whole.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zeroize::Zeroizing;

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
    /// If the storage fails; [`io::ErrorKind::InvalidData`] if the storage finds that the value was changed.
    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>>;

    /// Destroys the stored value.
    ///
    /// # Errors
    /// If the storage fails.
    fn destroy(&mut self) -> io::Result<()>;
}

impl<V: Vault + ?Sized> Vault for Box<V> {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        (**self).keep(value)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        (**self).kept()
    }

    fn destroy(&mut self) -> io::Result<()> {
        (**self).destroy()
    }
}

/// Stores a value in memory, for as long as the program runs. Clones share the same value.
#[derive(Clone, Default)]
pub struct MemoryVault(Arc<Mutex<Option<Zeroizing<Vec<u8>>>>>);

impl MemoryVault {
    fn lock(&self) -> MutexGuard<'_, Option<Zeroizing<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Vault for MemoryVault {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        *self.lock() = Some(Zeroizing::new(value.to_vec()));
        Ok(())
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        Ok(self.lock().clone())
    }

    fn destroy(&mut self) -> io::Result<()> {
        *self.lock() = None;
        Ok(())
    }
}
