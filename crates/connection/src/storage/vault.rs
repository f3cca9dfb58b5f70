//! Storage for one value that is replaced as a whole.

use std::io;

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
