//! The match files in the player's folder, as the player names them.

use anyhow::bail;
use dealerless_connection::hex;
use dealerless_native::NativeFiles;
use dealerless_seat::run::{self, Kept};

use super::own::Own;
use crate::output::say;

/// A match file, opened and locked.
pub(crate) type MatchFile = Kept<NativeFiles>;

/// Whether `which` means another player of a match, or the match.
pub(crate) fn is_called(file: &MatchFile, which: &str) -> bool {
    let lower = which.to_lowercase();
    let is_hex = lower.bytes().all(|digit| digit.is_ascii_hexdigit());
    // A player who chooses such an id as its name must not be found with it.
    let is_printed_id = is_hex && lower.len() >= 16;
    let is_meant = |seat| (file.identity(seat)).is_meant_by(which, &file.player_name(seat));
    (lower.len() >= 4 && hex(file.id().as_bytes()).starts_with(&lower))
        || (!is_printed_id && file.others().any(is_meant))
}

/// All matches, the most recently changed first. Skips files that cannot be read.
///
/// # Errors
/// If the folder cannot be read.
fn readable(own: &Own) -> anyhow::Result<impl Iterator<Item = MatchFile>> {
    let records = run::records(own)?.into_iter();
    Ok(records.filter_map(|(name, _)| MatchFile::open(own, name).ok()))
}

/// Returns the only match, open or over, that satisfies `fits` and is called `which`. An empty
/// `which` stands for all matches. Skips files that cannot be read.
///
/// # Errors
/// If the folder cannot be read; with the message `none` if there is no such match; with the
/// message `several` if there are several, after printing them.
pub(crate) fn only_one(
    own: &Own,
    which: &str,
    fits: impl Fn(&MatchFile) -> bool,
    none: &'static str,
    several: &'static str,
) -> anyhow::Result<MatchFile> {
    let is_meant = |file: &MatchFile| which.is_empty() || is_called(file, which);
    let found = readable(own)?.filter(|file| fits(file) && is_meant(file));
    let mut found: Vec<MatchFile> = found.collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!(none),
        _ => {
            let line = |file: &MatchFile| format!("{}  with {}", file.id(), file.peer_names());
            let lines: Vec<String> = found.iter().map(line).collect();
            say(&lines.join("\n"));
            bail!(several)
        }
    }
}
