//! The folder of one player.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rand::CryptoRng;

use super::attempts::SharedPeers;
use super::fingerprint::Fingerprint;
use super::identity_file::{IdentityFile, failed, lock};
use super::kept_identity::{KeptIdentity, Left};
use super::keys::Identity;
use super::known_peers::{KnownPeers, PeersError};
use super::peer::Peer;
use super::succession::Succession;
use crate::storage::{FileVault, Vault, make_folder, open_lock, remove_unfinished};
use crate::time;

/// A player's folder: `identity`, `known_peers`, `invites` and `matches/`. The succession of the
/// identity is next to the identity file. While a `Home` exists, no other process can open a `Home`
/// with the same identity or the same folder.
pub struct Home {
    folder: PathBuf,
    identity: Arc<Identity>,
    /// The path of the identity file.
    file: PathBuf,
    was_group_writable: bool,
    /// The locked files. The first protects the identity, whose file may be outside the folder. The
    /// second protects the lists in the folder, which a process with another identity would
    /// overwrite.
    _locks: [File; 2],
}

/// A player's folder cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// Another process uses the same identity or the same folder.
    #[error("{0} is in use: another program is using this identity or this folder")]
    InUse(PathBuf),
    /// The identity file was modified or truncated.
    #[error(
        "{0} is not a valid identity file: it was modified or truncated; it was left unchanged"
    )]
    Damaged(PathBuf),
    /// The file with the succession or the successor of the identity was modified or truncated.
    #[error(
        "{0} is not a valid succession of this identity: it was modified or truncated; it was left unchanged"
    )]
    DamagedSuccession(PathBuf),
    /// Other users can read the identity file.
    #[error(
        "{0} can be read by other users: remove their permissions (chmod 600) or create a new identity"
    )]
    Exposed(PathBuf),
    /// All users can write to the folder: they can replace its files.
    #[error(
        "{0} can be changed by all users of this machine: check what is in it, and run: chmod go-w {0}"
    )]
    Writable(PathBuf),
    /// The folder belongs to another user, who can replace its files.
    #[error("{0} belongs to another user: give a folder of your own with --home DIR")]
    Foreign(PathBuf),
    /// The identity has a successor and can no longer be used to play.
    #[error(
        "{path} was succeeded by {by}: play with that identity, on the machine where it was created"
    )]
    Succeeded {
        /// The file of the old identity.
        path: PathBuf,
        /// The identity that replaces it.
        by: Fingerprint,
    },
    /// The identity was moved away and can no longer be used to play.
    #[error("{0} was moved away: play with the new identity that succeeds it")]
    Moved(PathBuf),
    /// The list of known peers cannot be used.
    #[error(transparent)]
    Peers(#[from] PeersError),
    /// A file or a folder cannot be read or written.
    #[error("cannot use {path}")]
    Io {
        /// The path of the file or folder.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Home {
    /// Opens `folder`, and creates it if it does not exist. Reads the identity from `file`, or by
    /// default from the file `identity` in the folder. If there is no such file, creates a new
    /// identity. Removes the permission of the folder's group to write to it.
    ///
    /// # Errors
    /// [`HomeError`]. Existing files are never overwritten.
    pub fn open(
        folder: &Path,
        file: Option<&Path>,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, HomeError> {
        let file = file.map_or_else(|| folder.join("identity"), Path::to_owned);
        let matches = folder.join("matches");
        let mut was_group_writable = false;
        for folder in [folder, &matches] {
            make_folder(folder).map_err(failed(folder))?;
            was_group_writable |= protect(folder)?;
        }
        let IdentityFile {
            path,
            kept: KeptIdentity { identity, left },
            lock: identity_lock,
        } = IdentityFile::open_or_make(&file, rng)?;
        let folder_lock = lock_folder(folder)?;
        match left {
            None => {}
            Some(Left::Moved) => return Err(HomeError::Moved(path)),
            Some(Left::To(successor)) => {
                let by = successor.current().fingerprint();
                return Err(HomeError::Succeeded { path, by });
            }
        }
        // All locks are held, so no other process is still writing one of the unfinished files.
        let _settings = lock_settings(folder)?;
        for folder in [folder, &matches] {
            remove_unfinished(folder).map_err(failed(folder))?;
        }
        Ok(Home {
            folder: folder.to_owned(),
            identity: Arc::new(identity),
            file: path,
            was_group_writable,
            _locks: [identity_lock, folder_lock],
        })
    }

    /// Reads the fingerprint of the identity in `file` and the known peers in `folder`. Another
    /// process may play with this folder at the same time, because these files are only replaced as
    /// a whole.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn look(folder: &Path, file: &Path) -> Result<(Fingerprint, Vec<Peer>), HomeError> {
        let KeptIdentity { identity, .. } = IdentityFile::look(file)?;
        let own = identity.public().fingerprint();
        let peers = known_peers(folder, identity.succession().clone())?;
        Ok((own, peers.into_peers()))
    }

    /// The identity that plays in this folder.
    pub fn identity(&self) -> &Arc<Identity> {
        &self.identity
    }

    /// The path of the identity file.
    pub fn identity_file(&self) -> &Path {
        &self.file
    }

    /// Whether the group of the folder could write to it until it was opened.
    pub fn was_group_writable(&self) -> bool {
        self.was_group_writable
    }

    /// The folder with the match files.
    pub fn matches(&self) -> PathBuf {
        self.folder.join("matches")
    }

    /// The file with the invites.
    pub fn invites(&self) -> Box<dyn Vault> {
        Box::new(FileVault(self.folder.join("invites")))
    }

    /// Reads the list of known peers. It is empty if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn known_peers(&self) -> Result<SharedPeers, PeersError> {
        Ok(SharedPeers::new(self.list_of_peers()?))
    }

    pub(super) fn list_of_peers(&self) -> Result<KnownPeers, PeersError> {
        known_peers(&self.folder, self.identity.succession().clone())
    }
}

/// Reads the list of known peers in a folder, for the identity `own`.
pub(super) fn known_peers(folder: &Path, own: Succession) -> Result<KnownPeers, PeersError> {
    let path = folder.join("known_peers");
    KnownPeers::open(Box::new(FileVault(path.clone())), &path, own, time::unix)
}

/// Locks a folder until the returned file is closed.
pub(super) fn lock_folder(folder: &Path) -> Result<File, HomeError> {
    let path = folder.join("lock");
    let file = open_lock(&path).map_err(failed(&path))?;
    lock(&file, &path)?;
    Ok(file)
}

/// Locks the settings of a folder until the returned file is closed. They change also while another process
/// uses the folder. Waits for a process that changes them.
///
/// # Errors
/// If the folder cannot be used, or the other process takes longer than five seconds.
pub fn lock_settings(folder: &Path) -> Result<File, HomeError> {
    protect(folder)?;
    let path = folder.join("settings.lock");
    let file = open_lock(&path).map_err(failed(&path))?;
    for _ in 0..250 {
        match lock(&file, &path) {
            Err(HomeError::InUse(_)) => std::thread::sleep(Duration::from_millis(20)),
            locked => return locked.map(|()| file),
        }
    }
    Err(HomeError::InUse(path))
}

/// Removes the permission of the folder's group to write to it. Returns whether the group had it.
///
/// # Errors
/// If all users can write to the folder, or it belongs to another user.
#[cfg(unix)]
pub(super) fn protect(folder: &Path) -> Result<bool, HomeError> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let metadata = std::fs::metadata(folder).map_err(failed(folder))?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(HomeError::Foreign(folder.to_owned()));
    }
    let mut permissions = metadata.permissions();
    let mode = permissions.mode();
    if mode & 0o002 != 0 {
        return Err(HomeError::Writable(folder.to_owned()));
    }
    if mode & 0o020 == 0 {
        return Ok(false);
    }
    permissions.set_mode(mode & !0o020);
    std::fs::set_permissions(folder, permissions).map_err(failed(folder))?;
    Ok(true)
}

#[cfg(not(unix))]
pub(super) fn protect(_: &Path) -> Result<bool, HomeError> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_identity_is_created_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let open = || Home::open(&path, None, &mut rand::rng());
        let first = open().unwrap();
        let public = first.identity().public().clone();
        assert!(first.matches().is_dir());
        assert!(matches!(open(), Err(HomeError::InUse(_))));
        drop(first);
        assert_eq!(open().unwrap().identity().public(), &public);
    }

    #[test]
    fn two_identities_cannot_use_one_folder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        let open = |file: &Path| Home::open(folder.path(), Some(file), &mut rand::rng());
        let first = open(&folder.path().join("identity")).unwrap();
        assert!(matches!(open(&other), Err(HomeError::InUse(_))));
        drop(first);
        assert!(open(&other).is_ok());
    }

    #[test]
    fn a_damaged_identity_is_refused_and_left_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identity");
        drop(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
        let whole = fs::read(&path).unwrap();
        let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|end| whole[..end].into()).collect();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            damaged.push(changed);
        }
        damaged.push([&whole[..], b"\n"].concat());
        damaged.push(whole.to_ascii_uppercase());
        for bytes in damaged {
            fs::write(&path, &bytes).unwrap();
            let opened = Home::open(folder.path(), None, &mut rand::rng());
            assert!(matches!(opened, Err(HomeError::Damaged(_))));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn opening_a_folder_removes_unfinished_files() {
        let folder = tempfile::tempdir().unwrap();
        drop(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
        let left = ["", "matches"].map(|place| {
            let path = folder.path().join(place);
            let path = path.join(".dealerless-unfinished-Ab3dE9");
            fs::write(&path, b"secret").unwrap();
            path
        });
        drop(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
        assert!(left.iter().all(|path| !path.exists()));
    }

    #[cfg(unix)]
    #[test]
    fn an_identity_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identity");
        drop(Home::open(folder.path(), None, &mut rand::rng()).unwrap());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let opened = Home::open(folder.path(), None, &mut rand::rng());
        assert!(matches!(opened, Err(HomeError::Exposed(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_all_can_change_is_refused_and_that_of_a_group_is_corrected() {
        use std::os::unix::fs::PermissionsExt;
        let open = |folder: &Path| Home::open(folder, None, &mut rand::rng());
        for place in ["", "matches"] {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir(home.path().join("matches")).unwrap();
            let folder = home.path().join(place);
            for all in [0o777, 0o1777, 0o702] {
                fs::set_permissions(&folder, fs::Permissions::from_mode(all)).unwrap();
                let refused = open(home.path()).err();
                assert!(
                    matches!(refused, Some(HomeError::Writable(_))),
                    "{refused:?}"
                );
                assert!(!home.path().join("identity").exists());
            }
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o775)).unwrap();
            assert!(open(home.path()).unwrap().was_group_writable());
            let mode = fs::metadata(&folder).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o755);
            assert!(!open(home.path()).unwrap().was_group_writable());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_another_user_is_refused() {
        let home = tempfile::tempdir().unwrap();
        // Only root can give a folder away, and not in every sandbox.
        if std::os::unix::fs::chown(home.path(), Some(65534), None).is_err() {
            return;
        }
        let refused = Home::open(home.path(), None, &mut rand::rng()).err();
        assert!(
            matches!(refused, Some(HomeError::Foreign(_))),
            "{refused:?}"
        );
    }
}
