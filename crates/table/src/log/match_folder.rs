//! The folder with the files of matches.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use dealerless_connection::identity::Name;
use dealerless_connection::storage::{DiskStorage, make_folder};

use super::players::MatchId;

/// The folder with the files of matches. The name of a file contains the id of the match and the
/// name of the other player: `3f2a9c0d11e8b7a6-anna.log`. The first file creates the folder.
#[derive(Clone, Debug)]
pub struct MatchFolder(pub PathBuf);

/// A file in the folder of matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEntry {
    /// The path of the file.
    pub path: PathBuf,
    /// The first hexadecimal digits of the match's id.
    pub match_id: String,
    /// The other player's name as far as it is in the file name: at most 32 letters, digits and
    /// underscores of the name.
    pub peer: String,
    /// The time of the last write.
    pub changed: SystemTime,
    /// The length of the file in bytes.
    pub len: u64,
}

impl MatchEntry {
    /// Whether the file name fits a player whom the user means by this [name](Name::typed). Several names
    /// can fit, because a file name contains only some characters of the name.
    pub fn is_with(&self, name: &str) -> bool {
        Name::typed(name).is_some_and(|name| self.peer == file_name_part(name.as_str()))
    }
}

/// The number of digits of the match's id in the name of its file.
const DIGITS: usize = 16;
/// The maximum length of a player's name in the name of a file.
const NAME: usize = 32;

impl MatchFolder {
    /// The name of the file of a match with the given player.
    pub fn file_name(match_id: &MatchId, peer: &str) -> String {
        format!("{match_id}-{}.log", file_name_part(peer))
    }

    /// Creates the file for a match with the given player.
    ///
    /// # Errors
    /// If the file cannot be created or already exists.
    pub fn create(&self, match_id: &MatchId, peer: &str) -> io::Result<(PathBuf, DiskStorage)> {
        make_folder(&self.0)?;
        let path = self.0.join(Self::file_name(match_id, peer));
        let storage = DiskStorage::create(&path)?;
        Ok((path, storage))
    }

    /// All match files, the one changed last first. Every entry with a matching name is listed,
    /// including unreadable files, folders and dangling links.
    ///
    /// # Errors
    /// If the folder cannot be read. A missing folder gives an empty list.
    pub fn list(&self) -> io::Result<Vec<MatchEntry>> {
        self.list_ending(".log")
    }

    /// All files of matches whose names have this ending, in the order of [`list`](Self::list).
    ///
    /// # Errors
    /// As [`list`](Self::list).
    pub fn list_ending(&self, ending: &str) -> io::Result<Vec<MatchEntry>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some((of, peer)) = name.to_str().and_then(|name| parse(name, ending)) else {
                continue;
            };
            let path = entry.path();
            // A dangling link is listed with its own metadata.
            let metadata = fs::metadata(&path).or_else(|_| entry.metadata());
            let changed = metadata.as_ref().ok().and_then(|file| file.modified().ok());
            files.push(MatchEntry {
                match_id: of.to_owned(),
                peer: peer.to_owned(),
                changed: changed.unwrap_or(SystemTime::UNIX_EPOCH),
                len: metadata.map_or(0, |file| file.len()),
                path,
            });
        }
        files.sort_by(|one, other| (other.changed, &other.path).cmp(&(one.changed, &one.path)));
        Ok(files)
    }

    /// Deletes a file, unless a process has it open.
    ///
    /// # Errors
    /// If the file cannot be deleted; [`io::ErrorKind::WouldBlock`] if a process has it open.
    pub fn remove(path: &Path) -> io::Result<()> {
        let _lock = DiskStorage::open(path)?;
        fs::remove_file(path)
    }
}

/// The part of a player's name that is used in file names.
fn file_name_part(peer: &str) -> String {
    let fit = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = peer.chars().filter(fit).take(NAME).collect();
    if name.is_empty() {
        "player".to_owned()
    } else {
        name
    }
}

/// Splits the name of a file of a match into the digits and the player. `None` for other names.
fn parse<'a>(name: &'a str, ending: &str) -> Option<(&'a str, &'a str)> {
    let (of, peer) = name.strip_suffix(ending)?.split_once('-')?;
    let hex = of.len() == DIGITS && of.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then_some((of, peer))
}
