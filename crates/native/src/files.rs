//! The files of a player on this machine.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use dealerless_connection::identity::{IdentityVaults, KnownPeers, Name, SharedPeers};
use dealerless_connection::storage::{
    DiskStorage, FileVault, MemoryStorage, MemoryVault, Storage, Vault, check_regular, make_folder,
};
use dealerless_connection::time::unix;
use dealerless_connection::{Invites, system_rng};
use dealerless_seat::run::{Files, RECORD, Stored};
use dealerless_table::log::{MatchFolder, MatchId};

/// A new player with this name, who keeps nothing after the end of the program.
///
/// # Errors
/// If there is no randomness for the identity.
pub fn in_memory(name: &str) -> anyhow::Result<Stored<NativeFiles>> {
    let vault = MemoryVault::default;
    let identity = IdentityVaults {
        identity: &mut vault(),
        succession: &mut vault(),
        successor: &mut vault(),
    }
    .load_or_create(&mut system_rng())?
    .to_play()?;
    let succession = identity.succession().clone();
    let peers = KnownPeers::open(
        Box::new(vault()),
        Path::new("known peers"),
        succession,
        unix,
    )?;
    Ok(Stored {
        files: NativeFiles::Memory,
        identity: Arc::new(identity),
        peers: SharedPeers::new(peers),
        invites: Arc::new(Mutex::new(Invites::open(Box::new(vault()))?)),
        name: Name::clean(name),
    })
}

/// The files of a player: in the folder of matches, or in memory until they are closed.
#[derive(Clone, Debug)]
pub enum NativeFiles {
    /// The files of this folder.
    Folder(PathBuf),
    /// No file exists, and nothing is written to the disk.
    Memory,
}

impl NativeFiles {
    /// The path of a file. In memory, its name.
    pub fn path(&self, name: &str) -> PathBuf {
        match self {
            NativeFiles::Folder(folder) => folder.join(name),
            NativeFiles::Memory => name.into(),
        }
    }
}

/// `None` instead of the error that there is no such file.
fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

impl Files for NativeFiles {
    type File = Box<dyn Storage + Send>;
    type Value = Box<dyn Vault>;

    fn unix() -> u64 {
        unix()
    }

    fn record_name(&self, of: &MatchId, with: &Name) -> String {
        MatchFolder::file_name(of, with.as_str())
    }

    fn shown(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn open_file(&self, name: &str) -> io::Result<Option<Self::File>> {
        match self {
            NativeFiles::Folder(folder) => {
                let file = existing(DiskStorage::open(&folder.join(name)))?;
                Ok(file.map(|file| Box::new(file) as Self::File))
            }
            NativeFiles::Memory => Ok(None),
        }
    }

    fn read_file(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match self {
            NativeFiles::Folder(folder) => {
                let path = folder.join(name);
                let read = check_regular(&path).and_then(|()| std::fs::read(&path));
                existing(read)
            }
            NativeFiles::Memory => Ok(None),
        }
    }

    fn open_or_create_file(&self, name: &str) -> io::Result<Self::File> {
        if let Some(file) = self.open_file(name)? {
            return Ok(file);
        }
        Ok(match self {
            NativeFiles::Folder(folder) => {
                make_folder(folder)?;
                Box::new(DiskStorage::create(&folder.join(name))?)
            }
            NativeFiles::Memory => Box::new(MemoryStorage::default()),
        })
    }

    fn remove_file(&self, name: &str) -> io::Result<()> {
        let NativeFiles::Folder(folder) = self else {
            return Ok(());
        };
        let path = folder.join(name);
        let removed = match name.ends_with(RECORD) {
            // Not while a process uses it.
            true => MatchFolder::remove(&path),
            false => std::fs::remove_file(&path),
        };
        existing(removed).map(drop)
    }

    fn file_names(&self, ending: &str) -> io::Result<Vec<(String, u64)>> {
        let NativeFiles::Folder(folder) = self else {
            return Ok(Vec::new());
        };
        let files = MatchFolder(folder.clone()).list_ending(ending)?.into_iter();
        let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        let names = files.filter_map(|file| Some((name(&file.path)?, seconds(file.changed))));
        Ok(names.collect())
    }

    fn check_free_files(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn open_value(&self, name: &str) -> io::Result<Self::Value> {
        Ok(match self {
            NativeFiles::Folder(folder) => Box::new(FileVault(folder.join(name))),
            NativeFiles::Memory => Box::new(MemoryVault::default()),
        })
    }

    fn remove_value(&self, name: &str) -> io::Result<()> {
        match self {
            NativeFiles::Folder(folder) => FileVault(folder.join(name)).destroy(),
            NativeFiles::Memory => Ok(()),
        }
    }
}

fn seconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.as_ref().map_or(0, Duration::as_secs)
}
