//! Where records come from: a path, or the player's own folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use dealerless_table::{BadRecord, HomeError, Identity, Record, Shelf, Shelved};

use crate::failure::PEER;
use crate::table::FolderArgs;

/// The records do not verify, do not agree, or hold a breach of the rules. What it is was said on
/// standard output.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotGood(pub(super) &'static str);

impl NotGood {
    pub(crate) fn exit_code(&self) -> u8 {
        PEER
    }
}

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

    /// The one match that is called so: by the beginning of its id, or by the other player's name.
    pub(super) fn find(&self, called: &str) -> anyhow::Result<Shelved> {
        let files = self.list()?;
        let by_id = |file: &&Shelved| !called.is_empty() && file.of.starts_with(called);
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

    /// Reads the record of a file that may be anybody's.
    pub(super) fn read_any(&self, path: &Path) -> anyhow::Result<Result<Record, BadRecord>> {
        match self.read(path)? {
            Err(BadRecord::NotYours) => Ok(Record::read(&read(path)?)),
            record => Ok(record),
        }
    }
}

/// The bytes of a file.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
