//! Finds and reads records, at a path or in the player's own folder.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Context, ensure};
use dealerless_connection::identity::Identity;
use dealerless_connection::storage::check_regular;
use dealerless_native::NativeFiles;
use dealerless_seat::records::show::{self, is_id_of};
use dealerless_seat::run::forget;
use dealerless_table::log::{MatchEntry, MatchFolder};
use dealerless_table::record::{BadRecord, Record};

use crate::output::say;
use crate::table::{FolderArgs, is_in_use};

/// The player's own folder.
pub(super) struct Folder {
    matches: PathBuf,
    /// The player's keys. `None` if another process uses the folder, or no keys are needed.
    identity: Option<Arc<Identity>>,
}

impl Folder {
    /// Opens the folder. The keys are not available while another process uses it.
    pub(super) fn open(args: &FolderArgs) -> anyhow::Result<Self> {
        let home = match args.open() {
            Ok(home) => Some(home),
            Err(error) if is_in_use(&error) => None,
            Err(error) => return Err(error),
        };
        Ok(Folder {
            matches: args.folder()?.join("matches"),
            identity: home.map(|home| Arc::clone(home.identity())),
        })
    }

    /// The folder, without its keys.
    fn without_keys(args: &FolderArgs) -> anyhow::Result<Self> {
        Ok(Folder {
            matches: args.folder()?.join("matches"),
            identity: None,
        })
    }

    /// Whether the player's own cards can be read.
    pub(super) fn has_keys(&self) -> bool {
        self.identity.is_some()
    }

    /// The match files, the most recently changed first.
    pub(super) fn list(&self) -> anyhow::Result<Vec<MatchEntry>> {
        let shelf = MatchFolder(self.matches.clone());
        shelf.list().context("cannot read the folder of matches")
    }

    /// Removes the files of a match.
    ///
    /// # Errors
    /// If a file cannot be removed, or another program uses the record.
    pub(super) fn forget(&self, file: &MatchEntry) -> anyhow::Result<()> {
        let name = file.path.file_name().and_then(OsStr::to_str);
        let name = name.context("a match file without a name")?;
        forget(&NativeFiles::Folder(self.matches.clone()), name)
    }

    /// The only match with this name: an id, the beginning of an id, or the other player's name.
    pub(super) fn find(&self, called: &str) -> anyhow::Result<MatchEntry> {
        only(self.all_called(called)?, called)
    }

    /// The match with this id, or the latest match with the player of this name. If there are
    /// several matches with the player, prints the id of the latest one.
    fn latest(&self, called: &str) -> anyhow::Result<MatchEntry> {
        let mut found = self.all_called(called)?;
        if found.len() > 1 && found[0].is_with(called) {
            let (matches, of) = (found.len(), &found[0].match_id);
            say(&format!("{called}: the latest of {matches} matches, {of}."));
            found.truncate(1);
        }
        only(found, called)
    }

    /// The matches with this id or player, the most recently changed first. Fails if there is no
    /// such match.
    fn all_called(&self, called: &str) -> anyhow::Result<Vec<MatchEntry>> {
        let files = self.list()?;
        // A file name contains the first digits of the id, an event the whole id.
        let by_id = |file: &MatchEntry| is_id_of(called, &file.match_id);
        let (mut found, others): (Vec<_>, Vec<_>) = files.into_iter().partition(by_id);
        if found.is_empty() {
            found = others
                .into_iter()
                .filter(|file| file.is_with(called))
                .collect();
        }
        ensure!(
            !found.is_empty(),
            "there is no match {called}; `dealerless history` lists all matches"
        );
        Ok(found)
    }

    /// Reads a record: with the player's keys if they are available, otherwise as anybody can read
    /// it.
    pub(super) fn read(&self, path: &Path) -> anyhow::Result<Result<Record, BadRecord>> {
        Ok(Record::read(&bytes(path)?, self.identity.as_deref()))
    }

    /// The valid record at this path or of this match, and the time when its file was last changed.
    /// Prints a message if the player's own cards cannot be read.
    pub(super) fn record(&self, which: &str) -> anyhow::Result<(Record, SystemTime)> {
        if !self.has_keys() {
            say("Another process is using your keys, so your own cards are not shown.");
        }
        let path = self.path(Path::new(which))?;
        let record = show::read(&bytes(&path)?, self.identity.as_deref());
        let record = record.context("this record does not verify: see `dealerless verify`")?;
        let changed = fs::metadata(&path).and_then(|file| file.modified());
        Ok((record, changed.unwrap_or(SystemTime::UNIX_EPOCH)))
    }

    /// Returns `given` if it is a file, otherwise the file that [`latest`](Self::latest) finds.
    fn path(&self, given: &Path) -> anyhow::Result<PathBuf> {
        // A folder at this path is ignored: it may by chance have the name of a player.
        let is_file = fs::metadata(given).is_ok_and(|file| !file.is_dir());
        match given.to_str().filter(|_| !is_file) {
            None => Ok(given.to_owned()),
            Some(called) => {
                let no_file = || format!("there is no file {called}");
                Ok(self.latest(called).with_context(no_file)?.path)
            }
        }
    }
}

/// The player's identity, if the folder has one that can be opened now. Another process can hold the
/// folder.
///
/// # Errors
/// If no folder is known.
pub(super) fn keys(folder: &FolderArgs) -> anyhow::Result<Option<Arc<Identity>>> {
    let has_keys = folder.identity_file()?.is_file();
    let opened = has_keys.then(|| Folder::open(folder).ok()).flatten();
    Ok(opened.and_then(|folder| folder.identity))
}

/// The file that [`Folder::path`] finds, without opening the player's keys.
///
/// # Errors
/// If there is no such file and no such match.
pub(super) fn path_of(given: &Path, folder: &FolderArgs) -> anyhow::Result<PathBuf> {
    Folder::without_keys(folder)?.path(given)
}

/// The only match in `found`. Fails if there are several matches.
fn only(mut found: Vec<MatchEntry>, called: &str) -> anyhow::Result<MatchEntry> {
    let all: Vec<&str> = found.iter().map(|file| &file.match_id[..]).collect();
    let all = all.join(", ");
    ensure!(found.len() == 1, "several matches fit {called}: {all}");
    Ok(found.remove(0))
}

/// Reads a file with a record, unless it is a folder or a device.
fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    check_regular(path).with_context(|| format!("cannot read {}", path.display()))?;
    read(path)
}

/// The size limit of a record or an audit, in bytes. Files come from other players too.
///
/// A hand of hold'em takes about 6 kB on average, so the limit holds 40 000 hands. The largest
/// hands, of a deck of 4096 cards that are all opened, take 1 MB: two seals, and the openings of
/// two seats with 34 and 68 bytes for each card.
pub(super) const MOST: u64 = 256 << 20;

/// Reads a file with a record or an audit.
///
/// # Errors
/// If it cannot be read, or is larger than [`MOST`].
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    let length = file.metadata().with_context(cannot)?.len();
    // The length is not enough: a file may grow, and a device has no length.
    let bytes = if length > MOST {
        None
    } else {
        at_most(file, MOST).with_context(cannot)?
    };
    bytes.with_context(|| {
        let (path, most) = (path.display(), MOST >> 20);
        format!("{path} is larger than {most} MiB, the limit of a record")
    })
}

/// Reads `from` to its end. Returns `None` if there are more than `most` bytes.
pub(super) fn at_most(from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}
