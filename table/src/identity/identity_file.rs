//! The file of an identity, and two files next to it: the identities that this identity has
//! succeeded (`.succession`), and its successor (`.succeeded`).

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use rand::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::home::HomeError;
use super::keys::Identity;
use super::succession::Succession;
use crate::hash::Hash;
use crate::storage::{Existing, write_whole};

const FIRST_WORD: &str = "dealerless-identity-1";
/// More than the length of the longest possible statement, in bytes.
const MAX_STATEMENT: u64 = 16 << 10;

/// An identity read from its file. The file is locked while this value exists.
pub(super) struct IdentityFile {
    /// The path with all symbolic links resolved. So the two files next to the identity file are
    /// also found if it was opened through a link.
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// The successor. If there is one, the identity can no longer be used to play.
    pub(super) successor: Option<Succession>,
    pub(super) lock: File,
}

impl IdentityFile {
    /// Opens an identity file. If it does not exist, creates it with a new identity.
    pub(super) fn open_or_make(path: &Path, rng: &mut impl CryptoRng) -> Result<Self, HomeError> {
        match Self::open(path) {
            Err(HomeError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        let text = encode(&Identity::generate(rng));
        match write_whole(path, text.as_bytes(), Existing::Keep) {
            Err(error) if !path.exists() => Err(failed(path)(error)),
            // If another process has created the file in the meantime, use the identity of that
            // process.
            _ => Self::open(path),
        }
    }

    pub(super) fn open(path: &Path) -> Result<Self, HomeError> {
        let lock = File::open(path).map_err(failed(path))?;
        self::lock(&lock, path)?;
        let (path, identity, successor) = read(&lock, path)?;
        Ok(IdentityFile {
            path,
            identity,
            successor,
            lock,
        })
    }

    /// Reads the identity from a file without locking it. The caller must not write anything with
    /// this identity.
    pub(super) fn look(path: &Path) -> Result<Identity, HomeError> {
        let file = File::open(path).map_err(failed(path))?;
        let (_, identity, _) = read(&file, path)?;
        Ok(identity)
    }

    /// Records the successor of this identity, which can then no longer be used to play.
    pub(super) fn retire(&self, successor: &Succession) -> io::Result<()> {
        write_statement(&successor_of(&self.path), successor)
    }
}

/// Reads the file of an identity: the path with all links resolved, the identity, and its
/// successor. The two files next to it are written as a whole, so a reader never sees an incomplete
/// one.
fn read(file: &File, path: &Path) -> Result<(PathBuf, Identity, Option<Succession>), HomeError> {
    if is_exposed(file).map_err(failed(path))? {
        return Err(HomeError::Exposed(path.to_owned()));
    }
    let mut text = Zeroizing::new(String::with_capacity(256));
    match file.take(256).read_to_string(&mut text) {
        Err(error) if error.kind() != ErrorKind::InvalidData => {
            return Err(failed(path)(error));
        }
        _ => {}
    }
    let identity = decode(&text).ok_or_else(|| HomeError::Damaged(path.to_owned()))?;
    let path = fs::canonicalize(path).map_err(failed(path))?;
    let identity = match statement(&succession_of(&path))? {
        None => identity,
        Some(succession) => identity
            .having_succeeded(succession)
            .ok_or_else(|| HomeError::DamagedSuccession(succession_of(&path)))?,
    };
    let successor = statement(&successor_of(&path))?;
    let old = successor.as_ref().map(|new| new.past().next_back());
    if old.is_some_and(|old| old != Some(identity.public())) {
        return Err(HomeError::DamagedSuccession(successor_of(&path)));
    }
    Ok((path, identity, successor))
}

/// Writes the succession of the identity whose file is `file`.
pub(super) fn write_succession(file: &Path, succession: &Succession) -> io::Result<()> {
    write_statement(&succession_of(file), succession)
}

fn write_statement(path: &Path, succession: &Succession) -> io::Result<()> {
    write_whole(path, format!("{succession}\n").as_bytes(), Existing::Keep)
}

/// The file with the identities that an identity succeeded.
fn succession_of(file: &Path) -> PathBuf {
    with_ending(file, ".succession")
}

/// The file with the successor of an identity.
fn successor_of(file: &Path) -> PathBuf {
    with_ending(file, ".succeeded")
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

/// The succession statement in a file, if the file exists. An invalid statement is an error: if it
/// were ignored, an old identity could be used to play.
fn statement(path: &Path) -> Result<Option<Succession>, HomeError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed(path))?,
    };
    let mut text = String::new();
    let read = file.take(MAX_STATEMENT).read_to_string(&mut text);
    read.map_err(failed(path))?;
    match text.parse::<Succession>() {
        Ok(succession) if format!("{succession}\n") == text => Ok(Some(succession)),
        _ => Err(HomeError::DamagedSuccession(path.to_owned())),
    }
}

fn failed(path: &Path) -> impl Fn(io::Error) -> HomeError {
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

/// Encodes an identity as one line: the word `dealerless-identity-1`, a space, and the seed and a
/// checksum in hexadecimal digits.
fn encode(identity: &Identity) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(128));
    text.push_str(FIRST_WORD);
    text.push(' ');
    for byte in identity.seed().iter().chain(&checksum(identity.seed())) {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(digit.into(), 16).expect("less than 16"));
        }
    }
    text.push('\n');
    text
}

fn checksum(seed: &[u8; 32]) -> [u8; 4] {
    let sum = Hash::new("identity file").field(seed).finish();
    [sum[0], sum[1], sum[2], sum[3]]
}

/// Decodes the text of an identity file. Only outputs of [`encode`] are accepted.
fn decode(text: &str) -> Option<Identity> {
    let digits = text.strip_prefix(FIRST_WORD)?.strip_prefix(' ')?.as_bytes();
    let mut seed = Zeroizing::new([0; 32]);
    for (byte, pair) in seed.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |c: u8| char::from(c).to_digit(16);
        *byte = (digit(pair[0])? << 4 | digit(pair[1])?) as u8;
    }
    let identity = Identity::from_seed(*seed);
    seed.zeroize();
    (*encode(&identity) == text).then_some(identity)
}
