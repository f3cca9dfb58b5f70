//! Netlists that others have written, counted.

use std::path::{Path, PathBuf};

use dealerless::circuit::bristol::Format;

use super::super::entry::Counts;
use super::super::netlist_file::FormatArgs;
use super::super::owners::{Owner, Owners};
use crate::progress::Progress;

/// Which netlists are counted.
#[derive(clap::Args)]
pub(super) struct NetlistArgs {
    /// Netlists to count: Bristol Fashion or the format of old, plain or gzip.
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

    /// Counts the netlists, each dropped when it is counted.
    ///
    /// # Errors
    /// When one cannot be read, or has other input values than owners are given for.
    pub(super) fn count(&self) -> anyhow::Result<Vec<NetlistEntry>> {
        let progress = Progress::begin(self.files.len(), "netlists");
        let count = |path: &PathBuf| {
            let entry = self.count_one(path);
            progress.step();
            entry
        };
        self.files.iter().map(count).collect()
    }

    fn count_one(&self, path: &Path) -> anyhow::Result<NetlistEntry> {
        let netlist = self.format.read(path)?;
        let values = netlist.inputs().len();
        let owners = match self.owner.is_empty() {
            true => Owners::obvious(values),
            false => Some(Owners::of(values, &self.owner)?),
        };
        Ok(NetlistEntry {
            file: path.display().to_string(),
            format: netlist.format(),
            counts: Counts::of_netlist(&netlist, owners.as_ref()),
        })
    }
}
