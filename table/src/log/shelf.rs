//! The folder with the files of matches.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::storage::DiskStorage;
use crate::hash::hex;

/// The folder with the files of matches. A file is called after the match and after the other
/// player: `3f2a9c0d11e8b7a6-anna.log`. The folder is made when it is needed.
#[derive(Clone, Debug)]
pub struct MatchFolder(pub PathBuf);

/// A file of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchEntry {
    /// The file.
    pub path: PathBuf,
    /// The beginning of the match's id, in hexadecimal digits.
    pub match_id: String,
    /// The name of the other player, as far as it is fit for a file.
    pub peer: String,
    /// When something was last written.
    pub changed: SystemTime,
    /// Its bytes.
    pub len: u64,
}

impl MatchEntry {
    /// Whether the other player may have this name, of which only a part is fit for a file.
    pub fn is_with(&self, name: &str) -> bool {
        self.peer == fit_for_a_file(name)
    }
}

/// The digits of the match's id in the name of its file.
const DIGITS: usize = 16;
/// The most characters of a player's name in the name of a file.
const NAME: usize = 32;

impl MatchFolder {
    /// A new file for a match with this player.
    ///
    /// # Errors
    /// If it cannot be made, or is there.
    pub fn create(&self, of: &[u8; 32], peer: &str) -> io::Result<(PathBuf, DiskStorage)> {
        fs::create_dir_all(&self.0)?;
        let path = self.0.join(file_name(of, peer));
        let storage = DiskStorage::create(&path)?;
        Ok((path, storage))
    }

    /// All files of matches, the last changed first. Whatever has the name of one is among them: a
    /// file that cannot be read, a folder, a link that leads nowhere.
    ///
    /// # Errors
    /// If the folder cannot be read. If there is none, there are no files.
    pub fn list(&self) -> io::Result<Vec<MatchEntry>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let Some((of, peer)) = name.to_str().and_then(parse) else {
                continue;
            };
            let path = entry.path();
            // A link that leads nowhere is listed as itself.
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

    /// Removes a file for good, unless a process has it open.
    ///
    /// # Errors
    /// If it cannot be removed; [`io::ErrorKind::WouldBlock`] if it is open.
    pub fn remove(path: &Path) -> io::Result<()> {
        let _lock = DiskStorage::open(path)?;
        fs::remove_file(path)
    }
}

fn digits(of: &[u8; 32]) -> String {
    hex(&of[..DIGITS / 2])
}

fn file_name(of: &[u8; 32], peer: &str) -> String {
    format!("{}-{}.log", digits(of), fit_for_a_file(peer))
}

/// The part of a player's name that stands in the name of a file.
fn fit_for_a_file(peer: &str) -> String {
    let fit = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    let name: String = peer.chars().filter(fit).take(NAME).collect();
    match name.is_empty() {
        true => "player".to_owned(),
        false => name,
    }
}

/// The digits and the player in the name of a file, if it is one that is written here.
fn parse(name: &str) -> Option<(&str, &str)> {
    let (of, peer) = name.strip_suffix(".log")?.split_once('-')?;
    let hex = of.len() == DIGITS && of.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then_some((of, peer))
}
