//! Counting of netlist files.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use dealerless_command_line::progress::Progress;

use super::super::entry::Counts;
use super::super::netlist_file::{Format, FormatArgs};
use super::super::owners::{Owner, Owners};

/// The options that select the netlists to count.
#[derive(clap::Args)]
pub(super) struct NetlistArgs {
    /// Netlists in Bristol Fashion, the older Bristol format, AIGER or BLIF, plain or gzip; - is
    /// standard input.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    format: FormatArgs,
    /// Owner of each input value, for example g,e,g [default: g for the first value and e for the
    /// second].
    #[arg(long, value_name = "OWNERS", value_delimiter = ',', requires = "files")]
    owner: Vec<Owner>,
}

/// A netlist and its size.
pub(super) struct NetlistEntry {
    /// The path as given.
    pub(super) file: String,
    pub(super) format: Format,
    pub(super) counts: Counts,
}

impl NetlistArgs {
    /// Whether any file is given.
    pub(super) fn any(&self) -> bool {
        !self.files.is_empty()
    }

    /// Counts one netlist after the other, and drops each before the next is read. Returns the
    /// sizes of the valid netlists, and an error that describes every invalid netlist.
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
    /// If the netlist cannot be read, or the number of its input values is not the number of
    /// given owners.
    fn count_one(&self, path: &Path) -> anyhow::Result<NetlistEntry> {
        let (netlist, format) = self.format.read_with_format(path)?;
        let values = netlist.inputs().len();
        let owners = if self.owner.is_empty() {
            Owners::obvious(values)
        } else {
            let owners = Owners::of(values, &self.owner);
            Some(owners.with_context(|| path.display().to_string())?)
        };
        Ok(NetlistEntry {
            file: path.display().to_string(),
            format,
            counts: Counts::of_netlist(&netlist, owners.as_ref()),
        })
    }
}
