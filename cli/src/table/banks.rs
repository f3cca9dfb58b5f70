//! The time banks of a match, stored next to its file so that they survive a restart of the
//! program.

use std::path::PathBuf;
use std::time::Duration;

use dealerless_table::Seat;
use dealerless_table::play::Table;
use dealerless_table::storage::{Storage, Vault};

use super::open::clock_file;
use crate::whole_file;

/// The file of the time banks: one number of milliseconds for each seat.
pub(crate) struct Banks {
    path: PathBuf,
    /// The milliseconds that were last read or written.
    kept: Vec<u64>,
}

/// The smallest change that is written to the file, in milliseconds.
const MIN_CHANGE: u64 = 1000;

impl Banks {
    /// Restores the stored time banks of a match, if there are any.
    pub(crate) fn restore<S: Storage, V: Vault, X: Send + 'static>(
        log: &std::path::Path,
        table: &mut Table<S, V, X>,
    ) -> Self {
        let path = clock_file(log);
        // A player who edits this file changes only the clocks of this side.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let kept: Option<Vec<u64>> = text
            .split_whitespace()
            .map(|word| word.parse().ok())
            .collect();
        let kept = kept.unwrap_or_default();
        let banks: Vec<Duration> = kept
            .iter()
            .map(|&bank| Duration::from_millis(bank))
            .collect();
        table.restore_banks(&banks);
        let kept = banks_of(table);
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
        let now = banks_of(table);
        let pairs = now.iter().zip(&self.kept);
        if !pairs
            .into_iter()
            .any(|(now, kept)| kept.abs_diff(*now) >= MIN_CHANGE)
        {
            return Ok(());
        }
        let text: Vec<String> = now.iter().map(u64::to_string).collect();
        let text = text.join(" ") + "\n";
        whole_file::write(&self.path, |file| file.write_all(text.as_bytes()))?;
        self.kept = now;
        Ok(())
    }

    /// Removes the file when the match is over.
    pub(crate) fn remove(&self) {
        // A file that remains does no harm.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn banks_of<S: Storage, V: Vault, X: Send + 'static>(table: &Table<S, V, X>) -> Vec<u64> {
    let seats = Seat::all(table.play().log().match_info().seats());
    let left = seats.filter_map(|seat| table.time_left(seat));
    left.map(|left| left.bank.as_millis() as u64).collect()
}
