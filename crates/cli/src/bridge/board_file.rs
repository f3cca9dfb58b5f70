//! Files of boards as input of commands, and their formats on the command line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless_bridge::Board;
use dealerless_bridge::formats::Format;

use crate::output::say;

/// The size limit of a file of boards, in bytes: enough for 200 000 boards in PBN.
const MOST: u64 = 64 << 20;

/// Reads the boards of a file in this format.
///
/// # Errors
/// If the file cannot be read or is invalid. The message names the file.
pub(super) fn read(path: &Path, format: Format) -> anyhow::Result<Vec<Board>> {
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
    format.read(&bytes).with_context(|| name.to_string())
}

/// Reports the numbers given to boards from a file without numbers.
pub(super) fn report_if_numbered(path: &Path, format: Format, boards: &[Board]) {
    if !format.holds_numbers() {
        let (name, last) = (path.display(), boards.len());
        say(&format!(
            "{name} has no board numbers; its boards are numbered 1 to {last}."
        ));
    }
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
