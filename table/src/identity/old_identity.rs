//! An identity that gives way to a new one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::fingerprint::Fingerprint;
use super::home::{Home, HomeError, known_peers, lock_folder};
use super::identity_file::{IdentityFile, write_succession};
use super::known_peers::{KnownPeers, PeersError};
use super::public::PublicIdentity;
use super::succession::{BadSuccession, Succession};

/// An identity that was succeeded, or is to be. Nobody can play with it. While a value of this type
/// lives, no other process has it open.
pub struct OldIdentity {
    file: IdentityFile,
    /// Its folder, if one is known.
    folder: Option<PathBuf>,
    _lock: Option<File>,
}

/// What a succession has brought.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Succeeded {
    /// The whole chain, with the new identity at its end.
    pub succession: Succession,
    /// How many known peers were taken over.
    pub peers: usize,
}

/// An identity cannot be succeeded by this one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSucceed {
    /// It was succeeded already.
    #[error("the old identity was succeeded before, by {0}: an identity has one successor")]
    Before(Fingerprint),
    /// The new identity was used already.
    #[error(
        "the new identity is not new: it has met somebody, played, or succeeded another; say --home \
         with a folder that is not there yet"
    )]
    NotNew,
    /// The old identity cannot be succeeded by this one.
    #[error("the old identity cannot be succeeded by this one")]
    Succession(#[from] BadSuccession),
    /// The known peers of one of the two cannot be used.
    #[error("cannot take over the known peers")]
    Peers(#[from] PeersError),
    /// Something cannot be written.
    #[error("cannot write down the succession; nothing is lost: say it again")]
    Io(#[from] io::Error),
}

impl OldIdentity {
    /// Opens the file of an identity, or the folder of a player.
    ///
    /// # Errors
    /// [`HomeError`]. None that it was succeeded: see [`successor`](Self::successor).
    pub fn open(path: &Path) -> Result<Self, HomeError> {
        let (file, folder) = match path.is_dir() {
            true => (path.join("identity"), Some(path.to_owned())),
            false => (path.to_owned(), folder_around(path)),
        };
        let file = IdentityFile::open(&file)?;
        let lock = folder.as_deref().map(lock_folder).transpose()?;
        Ok(OldIdentity {
            file,
            folder,
            _lock: lock,
        })
    }

    /// Who it is.
    pub fn public(&self) -> &PublicIdentity {
        self.file.identity.public()
    }

    /// Who has succeeded it.
    pub fn successor(&self) -> Option<&Succession> {
        self.file.successor.as_ref()
    }

    /// The folder with its matches, if its folder is known.
    pub fn matches(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("matches"))
    }

    /// The key of the MACs in its files.
    pub fn file_key(&self) -> Zeroizing<[u8; 32]> {
        self.file.identity.file_key()
    }

    /// Is succeeded by the identity of this folder, which takes over its known peers.
    ///
    /// From the first thing that is written on, nobody plays with the old identity. If this is
    /// broken off it can be done again, and then is finished.
    ///
    /// # Errors
    /// [`CannotSucceed`].
    pub fn be_succeeded(self, home: Home) -> Result<Succeeded, CannotSucceed> {
        let old = &self.file.identity;
        let new = home.identity();
        let peers = home.list_of_peers()?;
        let known = match &self.folder {
            None => Vec::new(),
            Some(folder) => {
                let own = old.succession().clone();
                KnownPeers::open(&known_peers(folder), own)?.into_peers()
            }
        };
        let succession = match &self.file.successor {
            Some(begun) if begun.current() == new.public() => begun.clone(),
            Some(other) => return Err(CannotSucceed::Before(other.current().fingerprint())),
            None => {
                let succession = Succession::new(old, new)?;
                if !is_new(&home, &peers)? {
                    return Err(CannotSucceed::NotNew);
                }
                self.file.retire(&succession)?;
                succession
            }
        };
        if *new.succession() != succession {
            // It is kept if there is another one, which cannot be: an identity is new only once.
            write_succession(home.identity_file(), &succession)?;
        }
        // The list must not hold who this was.
        let mut peers = peers.of(succession.clone());
        let peers = peers.take_over(known)?;
        Ok(Succeeded { succession, peers })
    }
}

/// The folder of a player in which this is the file of the identity.
fn folder_around(file: &Path) -> Option<PathBuf> {
    let file = fs::canonicalize(file).ok()?;
    let folder = file.parent()?;
    (file.file_name()? == "identity" && folder.join("matches").is_dir()).then(|| folder.to_owned())
}

fn is_new(home: &Home, peers: &KnownPeers) -> io::Result<bool> {
    let played = fs::read_dir(home.matches())?.next().is_some();
    let succeeds = home.identity().succession().past().len() > 0;
    Ok(!played && !succeeds && peers.peers().is_empty())
}
