//! Files of boards that commands read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, ensure};
use dealerless_bridge::Board;
use dealerless_bridge::formats::Format;

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

/// The format that the end of a name says.
pub(super) fn by_suffix(path: &Path) -> Option<Format> {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    suffix.and_then(Format::of_suffix)
}
