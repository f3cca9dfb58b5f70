//! Files of boards as input of commands, and their formats on the command line.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless_bridge::formats::{Format, Reading};
use dealerless_seat::words::counted;
use serde::Serialize;

use crate::output::{lines, say};

/// The size limit of a file of boards, in bytes: enough for 200 000 boards in PBN.
const MOST: u64 = 64 << 20;

/// The arguments for the file of boards that a command reads.
#[derive(clap::Args)]
pub(super) struct Input {
    /// The file of boards.
    #[arg(value_name = "IN")]
    pub(super) path: PathBuf,
    /// The format of IN [default: from its extension].
    #[arg(long, value_name = "FORMAT", value_parser = parser(Format::is_readable))]
    from: Option<Format>,
    /// Refuse a file that contradicts itself or the Laws, instead of warning.
    #[arg(long)]
    strict: bool,
}

impl Input {
    /// The format of the file.
    ///
    /// # Errors
    /// If neither `--from` nor the file extension gives a format.
    pub(super) fn format(&self) -> anyhow::Result<Format> {
        given_or_by_suffix(self.from, "--from", &self.path)
    }

    /// Reads the file, and prints its warnings.
    ///
    /// # Errors
    /// As [`read`]; with `--strict` also if there are warnings.
    pub(super) fn read(&self) -> anyhow::Result<Reading> {
        let reading = read(&self.path, self.format()?, self.strict)?;
        let name = self.path.display();
        for warning in &reading.warnings {
            say(&format!("{name}: warning: {warning}"));
        }
        if reading.further_warnings > 0 {
            let further = counted(reading.further_warnings as u64, "further warning");
            say(&format!("{name}: {further}"));
        }
        if !reading.warnings.is_empty() {
            say(&lines(&format!(
                "{name}: check that no board is missing. The dealer and the vulnerability follow from the \
                 board number; skipped fields and repeated tags are not used. --strict refuses the file."
            )));
        }
        if !reading.is_numbered {
            let last = reading.boards.len();
            say(&format!(
                "{name} has no board numbers; its boards are numbered 1 to {last}."
            ));
        }
        Ok(reading)
    }
}

/// The fields of the JSON output about the file that was read.
#[derive(Serialize)]
pub(super) struct Read {
    numbered: bool,
    warnings: Vec<String>,
    further_warnings: usize,
}

impl Read {
    pub(super) fn of(reading: &Reading) -> Read {
        Read {
            numbered: reading.is_numbered,
            warnings: reading.warnings.iter().map(ToString::to_string).collect(),
            further_warnings: reading.further_warnings,
        }
    }
}

/// Reads the boards of a file in this format. If `strict`, a warning is an error.
///
/// # Errors
/// If the file cannot be read or is invalid. The message names the file.
pub(super) fn read(path: &Path, format: Format, strict: bool) -> anyhow::Result<Reading> {
    let name = path.display();
    let cannot = || format!("cannot read {name}");
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(cannot)?;
    let length = file.take(MOST + 1).read_to_end(&mut bytes);
    let length = length.with_context(cannot)?;
    ensure!(
        length as u64 <= MOST,
        "{name} is too large: a file of boards has at most {} MiB",
        MOST >> 20
    );
    let mut reading = format.read(&bytes);
    if strict {
        reading = reading.and_then(Reading::strict);
    }
    reading.with_context(|| name.to_string())
}

/// The format of a file extension.
pub(super) fn by_suffix(path: &Path) -> Option<Format> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    suffix.and_then(Format::of_suffix)
}

/// The format given with an option, or otherwise that of the file extension.
///
/// # Errors
/// If neither gives a format. The message names the option.
pub(super) fn given_or_by_suffix(
    given: Option<Format>,
    option: &str,
    path: &Path,
) -> anyhow::Result<Format> {
    given.or_else(|| by_suffix(path)).with_context(|| {
        let path = path.display();
        format!("{path} has no extension of a format of boards: give the format with {option}, such as {option} pbn")
    })
}

/// The names of the formats that satisfy `which`.
pub(super) fn names(which: impl Fn(Format) -> bool) -> Vec<&'static str> {
    let formats = Format::ALL.iter().filter(|format| which(**format));
    formats.map(|format| format.name()).collect()
}

/// A parser of the names of these formats, which lists them in the help.
pub(super) fn parser(which: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(names(which))
        .try_map(|name| Format::named(&name).ok_or("unknown format of boards"))
}
