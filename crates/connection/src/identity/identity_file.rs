//! The file of an identity, and two files next to it: the identities that this identity has
//! succeeded (`.succession`), and its successor (`.succeeded`).

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};

use rand::CryptoRng;
use zeroize::Zeroizing;

use super::home::HomeError;
use super::kept_identity::{IdentityError, IdentityVaults, Kept, KeptIdentity, MAX_IDENTITY};
use super::known_peers::KnownPeers;
use super::moved::{MovedIdentity, NotMoved};
use crate::storage::{Existing, FileVault, Vault, write_whole};

/// An identity read from its file. The file is locked while this value exists.
pub(super) struct IdentityFile {
    /// The path with all symbolic links resolved. So the two files next to the identity file are
    /// also found if it was opened through a link.
    pub(super) path: PathBuf,
    pub(super) kept: KeptIdentity,
    pub(super) lock: File,
}

impl IdentityFile {
    /// Opens an identity file. If it does not exist, creates it with a new identity.
    pub(super) fn open_or_make(path: &Path, rng: &mut impl CryptoRng) -> Result<Self, HomeError> {
        match Self::open(path) {
            Err(HomeError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        let [mut identity, mut succession, mut successor] = files(path, None);
        let mut vaults = IdentityVaults {
            identity: &mut identity,
            succession: &mut succession,
            successor: &mut successor,
        };
        match vaults.create(rng) {
            Err(error) if !path.exists() => Err(of_path(error, path, path)),
            // If another process has created the file in the meantime, use the identity of that
            // process.
            _ => Self::open(path),
        }
    }

    pub(super) fn open(path: &Path) -> Result<Self, HomeError> {
        let lock = File::open(path).map_err(failed(path))?;
        self::lock(&lock, path)?;
        let (path, kept) = read(&lock, path)?;
        Ok(IdentityFile { path, kept, lock })
    }

    /// Reads the identity from a file without locking it. The caller must not write anything with
    /// this identity.
    pub(super) fn look(path: &Path) -> Result<KeptIdentity, HomeError> {
        let file = File::open(path).map_err(failed(path))?;
        let (_, kept) = read(&file, path)?;
        Ok(kept)
    }

    /// Opens the file of a moved identity, which has its known peers. `None` if the file is another one.
    pub(super) fn open_moved(path: &Path) -> Result<Option<(Self, KnownPeers)>, HomeError> {
        let mut lock = File::open(path).map_err(failed(path))?;
        self::lock(&lock, path)?;
        let mut bytes = Zeroizing::new(Vec::new());
        let max = MovedIdentity::MAX_TEXT as u64 + 1;
        (&mut lock)
            .take(max)
            .read_to_end(&mut bytes)
            .map_err(failed(path))?;
        if !MovedIdentity::is_begun_by(&bytes) {
            return Ok(None);
        }
        if is_exposed(&lock).map_err(failed(path))? {
            return Err(HomeError::Exposed(path.to_owned()));
        }
        let real = fs::canonicalize(path).map_err(failed(path))?;
        let [_, _, mut successor] = files(&real, None);
        let damaged = || HomeError::Damaged(path.to_owned());
        let text = str::from_utf8(&bytes).map_err(|_| damaged())?;
        let moved = MovedIdentity::parse(text).map_err(|NotMoved| damaged())?;
        let moved = moved.with_successor(&mut successor);
        let moved = moved.map_err(|error| of_path(error, path, &real))?;
        let known = moved.known_peers()?;
        let file = IdentityFile {
            path: real,
            kept: moved.kept,
            lock,
        };
        Ok(Some((file, known)))
    }

    /// The file of the successor.
    pub(super) fn successor(&self) -> impl Vault {
        let [_, _, successor] = files(&self.path, None);
        successor
    }
}

/// The file of the identities that the identity in `file` has succeeded.
pub(super) fn succession_beside(file: &Path) -> impl Vault {
    let [_, succession, _] = files(file, None);
    succession
}

/// Reads the file of an identity: the path with all links resolved, and the identity. The two files
/// next to it are written as a whole, so a reader never sees an incomplete one.
fn read(file: &File, path: &Path) -> Result<(PathBuf, KeptIdentity), HomeError> {
    if is_exposed(file).map_err(failed(path))? {
        return Err(HomeError::Exposed(path.to_owned()));
    }
    let real = fs::canonicalize(path).map_err(failed(path))?;
    let [mut identity, mut succession, mut successor] = files(&real, Some(file));
    let mut vaults = IdentityVaults {
        identity: &mut identity,
        succession: &mut succession,
        successor: &mut successor,
    };
    let kept = vaults.load().map_err(|error| of_path(error, path, &real))?;
    let kept = kept.ok_or_else(|| HomeError::Damaged(path.to_owned()))?;
    Ok((real, kept))
}

/// The error about the file at `path`, whose path without links is `real`.
pub(super) fn of_path(error: IdentityError, path: &Path, real: &Path) -> HomeError {
    let place = |what| match what {
        Kept::Identity => path.to_owned(),
        Kept::Succession => with_ending(real, SUCCESSION),
        Kept::Successor => with_ending(real, SUCCESSOR),
    };
    match error {
        IdentityError::Damaged(Kept::Identity) => HomeError::Damaged(path.to_owned()),
        IdentityError::Damaged(what) => HomeError::DamagedSuccession(place(what)),
        IdentityError::Succeeded(by) => HomeError::Succeeded {
            path: path.to_owned(),
            by,
        },
        IdentityError::Moved => HomeError::Moved(path.to_owned()),
        IdentityError::Io { what, source } => HomeError::Io {
            path: place(what),
            source,
        },
    }
}

/// A file that is written once and never replaced. `opened` is the file if it is open already, and may
/// be locked.
struct OnceFile<'a> {
    path: PathBuf,
    opened: Option<&'a File>,
}

impl Vault for OnceFile<'_> {
    fn keep(&mut self, value: &[u8]) -> io::Result<()> {
        write_whole(&self.path, value, Existing::Keep)
    }

    fn kept(&mut self) -> io::Result<Option<Zeroizing<Vec<u8>>>> {
        let Some(mut file) = self.opened else {
            return FileVault(self.path.clone()).kept();
        };
        let mut value = Zeroizing::new(Vec::with_capacity(MAX_IDENTITY + 1));
        file.rewind()?;
        file.take(MAX_IDENTITY as u64 + 1).read_to_end(&mut value)?;
        Ok(Some(value))
    }

    fn destroy(&mut self) -> io::Result<()> {
        FileVault(self.path.clone()).destroy()
    }
}

const SUCCESSION: &str = ".succession";
const SUCCESSOR: &str = ".succeeded";

/// The files of the identity in `file`, of the identities that it has succeeded, and of its successor.
/// `opened` is the first one if it is open already.
fn files<'a>(file: &Path, opened: Option<&'a File>) -> [OnceFile<'a>; 3] {
    let beside = |ending| OnceFile {
        path: with_ending(file, ending),
        opened: None,
    };
    let identity = OnceFile {
        path: file.to_owned(),
        opened,
    };
    [identity, beside(SUCCESSION), beside(SUCCESSOR)]
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

pub(super) fn failed(path: &Path) -> impl Fn(io::Error) -> HomeError {
    move |source| HomeError::Io {
        path: path.to_owned(),
        source,
    }
}

/// Locks a file, or returns an error if another process holds the lock.
pub(super) fn lock(file: &File, path: &Path) -> Result<(), HomeError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(HomeError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(path)(source)),
    }
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
