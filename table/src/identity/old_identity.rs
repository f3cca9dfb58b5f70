//! Old identities that a new one succeeds.

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

/// An identity that has been or will be succeeded. It cannot be used to play. While a value of this
/// type exists, no other process has it open.
pub struct OldIdentity {
    file: IdentityFile,
    /// The folder of the identity, if known.
    folder: Option<PathBuf>,
    _lock: Option<File>,
}

/// The old identity cannot be succeeded by the new one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotSucceed {
    /// The old identity already has a successor.
    #[error("the old identity was already succeeded by {0}: an identity has only one successor")]
    Before(Fingerprint),
    /// The new identity has already been used.
    #[error(
        "the new identity is not new: it has met a peer, played or succeeded another identity; use \
         --home with a folder that does not exist yet"
    )]
    NotNew,
    /// The succession would not be valid.
    #[error("the old identity cannot be succeeded by this one")]
    Succession(#[from] BadSuccession),
    /// The known peers of one of the two identities cannot be used.
    #[error("cannot take over the known peers")]
    Peers(#[from] PeersError),
    /// A file cannot be written.
    #[error("cannot write the succession; nothing is lost; run it again")]
    Io(#[from] io::Error),
}

impl OldIdentity {
    /// Opens the file of an identity or the folder of a player.
    ///
    /// # Errors
    /// [`HomeError`]. An existing successor is not an error, see [`successor`](Self::successor).
    pub fn open(path: &Path) -> Result<Self, HomeError> {
        let (file, folder) = if path.is_dir() {
            (path.join("identity"), Some(path.to_owned()))
        } else {
            (path.to_owned(), folder_around(path))
        };
        let file = IdentityFile::open(&file)?;
        let lock = folder.as_deref().map(lock_folder).transpose()?;
        Ok(OldIdentity {
            file,
            folder,
            _lock: lock,
        })
    }

    /// The public half of the identity.
    pub fn public(&self) -> &PublicIdentity {
        self.file.identity.public()
    }

    /// The successor of the identity.
    pub fn successor(&self) -> Option<&Succession> {
        self.file.successor.as_ref()
    }

    /// The folder with the match files of the identity, if known.
    pub fn matches(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("matches"))
    }

    /// The key of the MACs in the files of the identity.
    pub fn file_key(&self) -> Zeroizing<[u8; 32]> {
        self.file.identity.file_key()
    }

    /// Makes the identity of this folder the successor, and transfers the known peers to it.
    ///
    /// The old identity cannot be used to play once the first file is written. If this is
    /// interrupted, calling it again completes it.
    ///
    /// Returns the whole chain, with the new identity at its end, and the number of transferred
    /// known peers.
    ///
    /// # Errors
    /// [`CannotSucceed`].
    pub fn be_succeeded(self, home: Home) -> Result<(Succession, usize), CannotSucceed> {
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
            // An existing file is kept. There cannot be one, because an identity is new only once.
            write_succession(home.identity_file(), &succession)?;
        }
        // The list must not contain the old identity.
        let mut peers = peers.with_own(succession.clone());
        let peers = peers.take_over(known)?;
        Ok((succession, peers))
    }
}

/// The folder of the player to which this identity file belongs.
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
