//! The folder of one player.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::keys::Identity;
use super::known_peers::{KnownPeers, PeersError};
use super::whole_file::{Existing, write_whole};
use crate::hash::Hash;

const FIRST_WORD: &str = "dealerless-identity-1";

/// A player's folder: `identity`, `known_peers`, `invites` and `matches/`. While a value of this
/// type lives, no other process can open one with the same identity, or the same folder.
pub struct Home {
    folder: PathBuf,
    identity: Arc<Identity>,
    /// Hold the locks until they are closed: of the identity, wherever its file is; and of the
    /// folder, whose lists another identity would write over.
    _locks: [File; 2],
}

/// A player's folder cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HomeError {
    /// Another process of the same identity runs, or one in the same folder.
    #[error("{0} is in use: another program plays with this identity, or in this folder")]
    InUse(PathBuf),
    /// The file of the identity was changed or cut.
    #[error("{0} holds no identity: it was changed or cut; it is left as it is")]
    Damaged(PathBuf),
    /// Others can read the file of the identity.
    #[error("{0} can be read by others: take their rights away (chmod 600) or make a new identity")]
    Exposed(PathBuf),
    /// A file or a folder cannot be read or written.
    #[error("cannot use {path}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Home {
    /// Opens the folder, which is made if it is not there, with the identity in its file
    /// `identity`, which is made as well.
    ///
    /// # Errors
    /// [`HomeError`]; nothing that is there is overwritten.
    pub fn open(folder: &Path, rng: &mut impl CryptoRng) -> Result<Self, HomeError> {
        Self::with_identity(folder, &folder.join("identity"), rng)
    }

    /// Opens the folder with the identity of another file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn with_identity(
        folder: &Path,
        file: &Path,
        rng: &mut impl CryptoRng,
    ) -> Result<Self, HomeError> {
        let matches = folder.join("matches");
        make_folder(&matches).map_err(|source| HomeError::Io {
            path: matches,
            source,
        })?;
        let failed = |source| HomeError::Io {
            path: file.to_owned(),
            source,
        };
        let identity_file = match File::open(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                match write_whole(
                    file,
                    text_of(&Identity::generate(rng)).as_bytes(),
                    Existing::Keep,
                ) {
                    // Another process was faster: its identity is as good.
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(error))?,
                    _ => File::open(file).map_err(failed)?,
                }
            }
            opened => opened.map_err(failed)?,
        };
        lock(&identity_file, file)?;
        let lock_file = folder.join("lock");
        let folder_file = open_lock(&lock_file).map_err(|source| HomeError::Io {
            path: lock_file.clone(),
            source,
        })?;
        lock(&folder_file, &lock_file)?;
        if is_exposed(&identity_file).map_err(failed)? {
            return Err(HomeError::Exposed(file.to_owned()));
        }
        let mut text = Zeroizing::new(String::with_capacity(256));
        match (&identity_file).take(256).read_to_string(&mut text) {
            Err(error) if error.kind() != ErrorKind::InvalidData => return Err(failed(error)),
            _ => {}
        }
        let identity = identity_in(&text).ok_or_else(|| HomeError::Damaged(file.to_owned()))?;
        Ok(Home {
            folder: folder.to_owned(),
            identity: Arc::new(identity),
            _locks: [identity_file, folder_file],
        })
    }

    /// Who plays here.
    pub fn identity(&self) -> &Arc<Identity> {
        &self.identity
    }

    /// The same, for who outlives a call.
    pub fn shared_identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    /// Where the files of matches are.
    pub fn matches(&self) -> PathBuf {
        self.folder.join("matches")
    }

    /// Where invites are kept while they can be used.
    pub(crate) fn invites(&self) -> PathBuf {
        self.folder.join("invites")
    }

    /// Reads who is known here. Nobody, if there is no such file.
    ///
    /// # Errors
    /// If the file cannot be read, or was changed into something else.
    pub fn known_peers(&self) -> Result<KnownPeers, PeersError> {
        KnownPeers::open(
            &self.folder.join("known_peers"),
            self.identity.public().clone(),
        )
    }
}

fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn lock(file: &File, path: &Path) -> Result<(), HomeError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(HomeError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(HomeError::Io {
            path: path.to_owned(),
            source,
        }),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn is_exposed(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_exposed(_: &File) -> io::Result<bool> {
    Ok(false)
}

/// One line: a first word, the seed and a checksum, as hexadecimal digits.
fn text_of(identity: &Identity) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(128));
    text.push_str(FIRST_WORD);
    text.push(' ');
    for byte in identity.seed().iter().chain(&checksum(identity.seed())) {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).expect("below 16"));
        }
    }
    text.push('\n');
    text
}

fn checksum(seed: &[u8; 32]) -> [u8; 4] {
    let sum = Hash::new("identity file").field(seed).finish();
    [sum[0], sum[1], sum[2], sum[3]]
}

/// The identity in the text of a file. Only what [`text_of`] writes is one.
fn identity_in(text: &str) -> Option<Identity> {
    let digits = text.strip_prefix(FIRST_WORD)?.strip_prefix(' ')?.as_bytes();
    let mut seed = Zeroizing::new([0; 32]);
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |c: u8| char::from(c).to_digit(16);
        *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
    }
    let identity = Identity::from_seed(*seed);
    seed.zeroize();
    (*text_of(&identity) == text).then_some(identity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_made_once_and_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b");
        let open = || Home::open(&path, &mut rand::rng());
        let first = open().unwrap();
        let public = first.identity().public().clone();
        assert!(first.matches().is_dir());
        assert!(matches!(open(), Err(HomeError::InUse(_))));
        drop(first);
        assert_eq!(open().unwrap().identity().public(), &public);
    }

    #[test]
    fn two_identities_do_not_count_in_the_same_files_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        let open = |file: &Path| Home::with_identity(folder.path(), file, &mut rand::rng());
        let first = open(&folder.path().join("identity")).unwrap();
        assert!(matches!(open(&other), Err(HomeError::InUse(_))));
        drop(first);
        assert!(open(&other).is_ok());
    }

    #[test]
    fn a_damaged_identity_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identity");
        drop(Home::open(folder.path(), &mut rand::rng()).unwrap());
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
            let opened = Home::open(folder.path(), &mut rand::rng());
            assert!(matches!(opened, Err(HomeError::Damaged(_))));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_identity_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("identity");
        drop(Home::open(folder.path(), &mut rand::rng()).unwrap());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let opened = Home::open(folder.path(), &mut rand::rng());
        assert!(matches!(opened, Err(HomeError::Exposed(_))));
    }
}
