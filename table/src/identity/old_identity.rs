//! Old identities that are replaced (*succeeded*) by a new identity.

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

/// An identity that has a successor or will get one. It cannot be used to play. Its file is locked
/// while this value exists.
pub struct OldIdentity {
    file: IdentityFile,
    /// The player's folder to which the identity file belongs, if known.
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
    /// The new identity cannot be the successor, because the succession would not be valid.
    #[error("the old identity cannot be succeeded by this one")]
    Succession(#[from] BadSuccession),
    /// The known peers of one of the two identities cannot be used.
    #[error("cannot take over the known peers")]
    Peers(#[from] PeersError),
    /// A file cannot be written.
    #[error("cannot write the succession; nothing is lost; run the command again")]
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

    /// The public keys of the identity.
    pub fn public(&self) -> &PublicIdentity {
        self.file.identity.public()
    }

    /// The successor of the identity, if it has one.
    pub fn successor(&self) -> Option<&Succession> {
        self.file.successor.as_ref()
    }

    /// The folder with the match files of the identity, if known.
    pub fn matches(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("matches"))
    }

    /// The key for the MACs and the encrypted notes in the files of the identity.
    pub fn file_key(&self) -> Zeroizing<[u8; 32]> {
        self.file.identity.file_key()
    }

    /// Makes the identity of `home` the successor of this old identity, and adds the known peers of
    /// the old identity to `home`.
    ///
    /// Once the first file is written, the old identity cannot be used to play. If the process is
    /// interrupted later, another call completes the change.
    ///
    /// Returns the whole succession, with the new identity at its end, and the number of added
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
                known_peers(folder, own)?.into_peers()
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
            // An existing succession file would be kept, but a new identity has none.
            write_succession(home.identity_file(), &succession)?;
        }
        // With this `own`, `take_over` skips the keys of the old identity.
        let mut peers = peers.with_own(succession.clone());
        let peers = peers.take_over(known)?;
        Ok((succession, peers))
    }
}

/// The player's folder around this identity file. `None` if the file is not in such a folder.
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
