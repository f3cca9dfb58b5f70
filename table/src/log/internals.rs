//! What fuzz targets need of the file of a match and cannot reach from outside: records with MACs
//! that fit, and any content.

use zeroize::Zeroizing;

use super::journal::{Journal, JournalError};
use super::match_file::{chain, content};
use super::record_file::RecordFile;
use super::storage::Storage;

/// Writes a file with these records, each with its kind.
///
/// # Errors
/// If it cannot be written.
pub fn write_records<S: Storage>(
    storage: S,
    key: Zeroizing<[u8; 32]>,
    records: impl IntoIterator<Item = (u8, Vec<u8>)>,
) -> Result<(), JournalError> {
    let contents = records
        .into_iter()
        .map(|(kind, bytes)| content(kind, bytes));
    Journal::behind(RecordFile::new(storage, chain(key))).write(contents)
}
