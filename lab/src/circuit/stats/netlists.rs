//! Netlists that others have written, counted.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use dealerless::circuit::bristol::Format;
use dealerless_program::progress::Progress;

use super::super::entry::Counts;
use super::super::netlist_file::FormatArgs;
use super::super::owners::{Owner, Owners};

/// Which netlists are counted.
#[derive(clap::Args)]
pub(super) struct NetlistArgs {
    /// Netlists to count: Bristol Fashion or the format of old, plain or gzip; - is standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
    /// Whose each input value is, for example g,e,g [default: of two values the first is the
    /// garbler's and the second the evaluator's].
    #[arg(long, value_name = "OWNERS", value_delimiter = ',', requires = "files")]
    owner: Vec<Owner>,
}

/// A netlist, and its size.
pub(super) struct NetlistEntry {
    /// The path, as it was given.
    pub(super) file: String,
    pub(super) format: Format,
    pub(super) counts: Counts,
}

impl NetlistArgs {
    /// Whether a file is asked for.
    pub(super) fn any(&self) -> bool {
        !self.files.is_empty()
    }

    /// Counts the netlists, each dropped when it is counted. Returns the sizes of those that can be counted,
    /// and an error that says what is wrong with the others, if there are any.
    pub(super) fn count(&self) -> (Vec<NetlistEntry>, anyhow::Result<()>) {
        let progress = Progress::begin(self.files.len(), "netlists");
        let (mut entries, mut faults) = (Vec::new(), Vec::new());
        for path in &self.files {
            match self.count_one(path) {
                Ok(entry) => entries.push(entry),
                Err(error) => faults.push(format!("{error:#}")),
            }
            progress.step();
        }
        let outcome = if faults.is_empty() {
            Ok(())
        } else {
            Err(anyhow!(faults.join("\n")))
        };
        (entries, outcome)
    }

    /// Counts a netlist.
    ///
    /// # Errors
    /// When it cannot be read, or has other input values than owners are given for.
    fn count_one(&self, path: &Path) -> anyhow::Result<NetlistEntry> {
        let netlist = self.format.read(path)?;
        let values = netlist.inputs().len();
        let owners = if self.owner.is_empty() {
            Owners::obvious(values)
        } else {
            let owners = Owners::of(values, &self.owner);
            Some(owners.with_context(|| path.display().to_string())?)
        };
        Ok(NetlistEntry {
            file: path.display().to_string(),
            format: netlist.format(),
            counts: Counts::of_netlist(&netlist, owners.as_ref()),
        })
    }
}
