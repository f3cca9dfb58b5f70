//! The time banks of a match, stored next to its file so that they survive a restart of the
//! program.

use std::path::PathBuf;

use dealerless_connection::storage::{Storage, Vault};
use dealerless_seat::banks::Banks as Stored;
use dealerless_table::play::Table;

use super::open::clock_file;
use super::own::keep_private;

/// The file of the time banks.
pub(crate) struct Banks {
    path: PathBuf,
    /// The banks that were last read or written.
    kept: Stored,
}

impl Banks {
    /// Restores the stored time banks of a match, if there are any.
    pub(crate) fn restore<S: Storage, V: Vault, X: Send + 'static>(
        log: &std::path::Path,
        table: &mut Table<S, V, X>,
    ) -> Self {
        let path = clock_file(log);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let (banks, own_turn) = Stored::stored(&text).to_restore();
        table.restore_banks(&banks, own_turn);
        let kept = Stored::of(table);
        Banks { path, kept }
    }

    /// Writes the banks to the file if they have changed.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn keep<S: Storage, V: Vault, X: Send + 'static>(
        &mut self,
        table: &Table<S, V, X>,
    ) -> anyhow::Result<()> {
        let Some(now) = self.kept.changed(table) else {
            return Ok(());
        };
        keep_private(self.path.clone(), &now.text())?;
        self.kept = now;
        Ok(())
    }

    /// Removes the file when the match is over.
    pub(crate) fn remove(&self) {
        // A file that remains does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}
