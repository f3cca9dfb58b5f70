//! Where records come from: a path, or the player's own folder.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use dealerless_table::{BadRecord, HomeError, Identity, Record, Shelf, Shelved};

use crate::output::say;
use crate::table::FolderArgs;

/// The player's own folder.
pub(super) struct Folder {
    matches: PathBuf,
    /// None while another process plays with it.
    identity: Option<Arc<Identity>>,
}

impl Folder {
    /// Opens the folder; while somebody plays with it, without the keys.
    pub(super) fn open(args: &FolderArgs) -> anyhow::Result<Self> {
        let home = match args.open() {
            Ok(home) => Some(home),
            Err(error) => match error.downcast_ref() {
                Some(HomeError::InUse(_)) => None,
                _ => return Err(error),
            },
        };
        Ok(Folder {
            matches: args.folder()?.join("matches"),
            identity: home.map(|home| home.shared_identity()),
        })
    }

    /// Whether one's own cards can be read.
    pub(super) fn has_keys(&self) -> bool {
        self.identity.is_some()
    }

    /// The files, the last changed first.
    pub(super) fn list(&self) -> anyhow::Result<Vec<Shelved>> {
        let shelf = Shelf::new(self.matches.clone());
        shelf.list().context("cannot read the folder of matches")
    }

    /// The one match that is called so: by its id, or the beginning of it, or by the other player's name.
    pub(super) fn find(&self, called: &str) -> anyhow::Result<Shelved> {
        let files = self.list()?;
        // A file has the first digits of the id in its name; events tell all of them.
        let by_id = |file: &&Shelved| match called.len() > file.of.len() {
            true => is_id(called) && called.starts_with(&file.of),
            false => !called.is_empty() && file.of.starts_with(called),
        };
        let by_name = |file: &&Shelved| file.peer == called;
        let found: Vec<&Shelved> = match files.iter().filter(by_id).collect::<Vec<_>>() {
            none if none.is_empty() => files.iter().filter(by_name).collect(),
            some => some,
        };
        match found[..] {
            [file] => Ok(file.clone()),
            [] => bail!("no match is called {called}: `dealerless history` lists them"),
            _ => {
                let all: Vec<&str> = found.iter().map(|file| &file.of[..]).collect();
                bail!("several matches are called {called}: {}", all.join(", "))
            }
        }
    }

    /// Reads one's own record; without the keys as anybody reads it.
    pub(super) fn read(&self, path: &Path) -> anyhow::Result<Result<Record, BadRecord>> {
        let bytes = read(path)?;
        Ok(match &self.identity {
            Some(identity) => Record::read_own(&bytes, identity),
            None => Record::read(&bytes),
        })
    }

    /// The good record that is meant: by its file, or as [`find`](Self::find) does. It is told if one's own
    /// cards cannot be read.
    pub(super) fn record(&self, which: &str) -> anyhow::Result<Record> {
        if !self.has_keys() {
            say("Another process plays with your keys: your own cards are not shown.");
        }
        let given = Path::new(which);
        let record = match given.is_file() {
            true => self.read_any(given)?,
            false => self.read(&self.find(which)?.path)?,
        };
        record.context("this record does not verify: see `dealerless verify`")
    }

    /// Reads the record of a file that may be anybody's.
    pub(super) fn read_any(&self, path: &Path) -> anyhow::Result<Result<Record, BadRecord>> {
        match self.read(path)? {
            Err(BadRecord::NotYours) => Ok(Record::read(&read(path)?)),
            record => Ok(record),
        }
    }
}

/// Whether a text is the id of a match, as events tell it.
fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The most bytes of a record or an audit that are read: files come from others too.
///
/// A hand of hold'em takes about 6 kB on average, so these are 40 000 hands; the largest hands, of a
/// deck of 4096 cards that are all opened, take 1 MB: two seals and the openings of two seats, with
/// 34 and 68 bytes a card.
pub(super) const MOST: u64 = 256 << 20;

/// The bytes of a file that holds a record or an audit.
///
/// # Errors
/// If it cannot be read, or is larger than any that this program reads.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    let length = file.metadata().with_context(cannot)?.len();
    // A file may grow, and a device has no length.
    let bytes = match length > MOST {
        true => None,
        false => at_most(file, MOST).with_context(cannot)?,
    };
    bytes.with_context(|| {
        let (path, most) = (path.display(), MOST >> 20);
        format!("{path} is larger than {most} MiB: this program reads no such record")
    })
}

/// All that comes, if it is not more than so many bytes.
pub(super) fn at_most(from: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
}
