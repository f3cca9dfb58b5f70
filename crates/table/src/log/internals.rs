//! Match files for fuzz targets: records with valid MACs and arbitrary content.

use dealerless_connection::storage::Storage;
use zeroize::Zeroizing;

use super::journal::{Journal, JournalError};
use super::match_file::{chain, content};
use super::record_file::RecordFile;

/// Writes a file with the given records, each with its kind.
///
/// # Errors
/// If the file cannot be written.
pub fn write_records<S: Storage>(
    storage: S,
    key: Zeroizing<[u8; 32]>,
    records: impl IntoIterator<Item = (u8, Vec<u8>)>,
) -> Result<(), JournalError> {
    let contents = records
        .into_iter()
        .map(|(kind, bytes)| content(kind, bytes));
    Journal::from_file(RecordFile::new(storage, chain(key))).write(contents)
}
