//! Match files for fuzz targets: entries with valid MACs and arbitrary content.

use dealerless_connection::storage::Storage;
use zeroize::Zeroizing;

use super::entry_file::EntryFile;
use super::journal::{Journal, JournalError};
use super::match_file::{chain, content};

/// Writes a file with the given entries, each with its kind.
///
/// # Errors
/// If the file cannot be written.
pub fn write_entries<S: Storage>(
    storage: S,
    key: Zeroizing<[u8; 32]>,
    entries: impl IntoIterator<Item = (u8, Vec<u8>)>,
) -> Result<(), JournalError> {
    let contents = entries
        .into_iter()
        .map(|(kind, bytes)| content(kind, bytes));
    Journal::from_file(EntryFile::new(storage, chain(key))).write(contents)
}
