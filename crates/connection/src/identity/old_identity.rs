//! Old identities that are replaced (*succeeded*) by a new identity.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::home::{Home, HomeError, known_peers, lock_folder, protect};
use super::identity_file::{IdentityFile, failed, of_path, succession_beside};
use super::kept_identity::{CannotSucceed, Left, NewPlayer};
use super::known_peers::KnownPeers;
use super::moved::MovedIdentity;
use super::public::PublicIdentity;
use super::succession::Succession;
use crate::storage::{Existing, write_whole};

/// An identity that has a successor or will get one. It cannot be used to play. Its file is locked
/// while this value exists.
pub struct OldIdentity {
    file: IdentityFile,
    /// The player's folder to which the identity file belongs, if known.
    folder: Option<PathBuf>,
    /// The known peers of an identity that was moved to a file.
    moved: Option<KnownPeers>,
    _lock: Option<File>,
}

impl OldIdentity {
    /// Opens the file of an identity, the file of a moved identity or the folder of a player.
    ///
    /// # Errors
    /// [`HomeError`]. An existing successor is not an error, see [`successor`](Self::successor).
    pub fn open(path: &Path) -> Result<Self, HomeError> {
        if !path.is_dir()
            && let Some((file, known)) = IdentityFile::open_moved(path)?
        {
            return Ok(OldIdentity {
                file,
                folder: None,
                moved: Some(known),
                _lock: None,
            });
        }
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
            moved: None,
            _lock: lock,
        })
    }

    /// Opens the identity in `file`, or by default in the folder of the player, with this folder.
    ///
    /// # Errors
    /// [`HomeError`]. An existing successor is not an error.
    pub fn of_folder(folder: &Path, file: Option<&Path>) -> Result<Self, HomeError> {
        protect(folder)?;
        let default = folder.join("identity");
        Ok(OldIdentity {
            file: IdentityFile::open(file.unwrap_or(&default))?,
            folder: Some(folder.to_owned()),
            moved: None,
            _lock: Some(lock_folder(folder)?),
        })
    }

    /// Moves the identity away, to the file `to`, which does not exist yet. From now on, it cannot be
    /// used to play. If the process is interrupted before the file is written, another call writes it.
    ///
    /// # Errors
    /// [`HomeError`], also if the identity has a successor, or is a moved one.
    pub fn move_to(self, to: &Path) -> Result<(), HomeError> {
        let identity = &self.file.kept.identity;
        let Some(folder) = self.folder.as_deref() else {
            return Err(HomeError::Moved(self.file.path));
        };
        let known = known_peers(folder, identity.succession().clone())?;
        let text = MovedIdentity::move_away(identity, &known, &mut self.file.successor());
        let text = text.map_err(|error| of_path(error, &self.file.path, &self.file.path))?;
        write_whole(to, text.as_bytes(), Existing::Keep).map_err(failed(to))
    }

    /// The public keys of the identity.
    pub fn public(&self) -> &PublicIdentity {
        self.file.kept.identity.public()
    }

    /// The successor of the identity, if it has one.
    pub fn successor(&self) -> Option<&Succession> {
        match &self.file.kept.left {
            Some(Left::To(successor)) => Some(successor),
            Some(Left::Moved) | None => None,
        }
    }

    /// Whether the known peers of the identity are known.
    pub fn has_known_peers(&self) -> bool {
        self.folder.is_some() || self.moved.is_some()
    }

    /// The folder with the match files of the identity, if known.
    pub fn matches(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join("matches"))
    }

    /// The key for the MACs and the encrypted notes in the files of the identity.
    pub fn file_key(&self) -> Zeroizing<[u8; 32]> {
        self.file.kept.identity.file_key()
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
        let peers = home.list_of_peers()?;
        let kept = &self.file.kept;
        let own = kept.identity.succession();
        let folder = self.folder.as_deref();
        let known = folder
            .map(|folder| known_peers(folder, own.clone()))
            .transpose()?;
        let known = known.or(self.moved);
        let mut succession = succession_beside(home.identity_file());
        let new = NewPlayer {
            identity: home.identity(),
            succession: &mut succession,
            peers,
            has_played: fs::read_dir(home.matches())?.next().is_some(),
        };
        kept.be_succeeded(&mut self.file.successor(), known, new)
    }
}

/// The player's folder around this identity file. `None` if the file is not in such a folder.
fn folder_around(file: &Path) -> Option<PathBuf> {
    let file = fs::canonicalize(file).ok()?;
    let folder = file.parent()?;
    (file.file_name()? == "identity" && folder.join("matches").is_dir()).then(|| folder.to_owned())
}
