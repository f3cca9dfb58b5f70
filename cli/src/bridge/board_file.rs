//! Files of boards that commands read, and their formats on the command line.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dealerless_bridge::Board;
use dealerless_bridge::formats::Format;

use crate::output::say;

/// The most bytes of a file of boards: enough for 200 000 boards in PBN.
const MOST: u64 = 64 << 20;

/// The boards of a file in this format.
///
/// # Errors
/// With the file's name, whatever keeps it from being read.
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

/// Reports the numbers of boards read from a file that holds none.
pub(super) fn say_if_counted(path: &Path, format: Format, boards: &[Board]) {
    if !format.holds_numbers() {
        let (name, last) = (path.display(), boards.len());
        say(&format!(
            "{name} holds no board numbers: its boards get 1 to {last}."
        ));
    }
}

/// The format that the end of a name says.
pub(super) fn by_suffix(path: &Path) -> Option<Format> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    suffix.and_then(Format::of_suffix)
}

/// The format given with an option, or else that of the end of the name.
///
/// # Errors
/// If neither names a format: the message names the option.
pub(super) fn given_or_by_suffix(
    given: Option<Format>,
    option: &str,
    path: &Path,
) -> anyhow::Result<Format> {
    given.or_else(|| by_suffix(path)).with_context(|| {
        let path = path.display();
        format!("the name {path} does not end like a format of boards: name one with {option}, such as {option} pbn")
    })
}

/// The names of some formats.
pub(super) fn names(which: impl Fn(Format) -> bool) -> Vec<&'static str> {
    let formats = Format::ALL.iter().filter(|format| which(**format));
    formats.map(|format| format.name()).collect()
}

/// Parses the name of one of these formats, and lists them in the help.
pub(super) fn parser(which: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(names(which))
        .try_map(|name| Format::named(&name).ok_or("this is no format of boards"))
}
