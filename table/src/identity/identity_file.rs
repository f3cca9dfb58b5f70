//! The file of an identity, and what stands beside it: whom it has succeeded, and who has succeeded
//! it.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use rand::CryptoRng;
use zeroize::{Zeroize, Zeroizing};

use super::home::HomeError;
use super::keys::Identity;
use super::succession::Succession;
use super::whole_file::{Existing, write_whole};
use crate::hash::Hash;

const FIRST_WORD: &str = "dealerless-identity-1";
/// Longer than the statement of the longest chain.
const MAX_STATEMENT: u64 = 16 << 10;

/// An identity from its file. While a value of this type lives, no other process has it open.
pub(super) struct IdentityFile {
    /// Where it is, without links: what stands beside it is found from each of its names.
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// Who has succeeded it. Then nobody plays with it any more.
    pub(super) successor: Option<Succession>,
    pub(super) lock: File,
}

impl IdentityFile {
    /// Opens a file, which is made if it is not there.
    pub(super) fn open_or_make(path: &Path, rng: &mut impl CryptoRng) -> Result<Self, HomeError> {
        match Self::open(path) {
            Err(HomeError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        let text = text_of(&Identity::generate(rng));
        match write_whole(path, text.as_bytes(), Existing::Keep) {
            Err(error) if !path.exists() => Err(failed(path)(error)),
            // Or another process was faster: its identity is as good.
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

    /// Reads the identity in a file that another process may have open. Nothing may be written with it.
    pub(super) fn look(path: &Path) -> Result<Identity, HomeError> {
        let file = File::open(path).map_err(failed(path))?;
        let (_, identity, _) = read(&file, path)?;
        Ok(identity)
    }

    /// Writes down who has succeeded this identity. From then on nobody plays with it.
    pub(super) fn retire(&self, successor: &Succession) -> io::Result<()> {
        write_statement(&successor_of(&self.path), successor)
    }
}

/// Reads the file of an identity: where it is without links, the identity, and who has succeeded it. What
/// stands beside it is written whole, so it is read as it was or as it is.
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
    let identity = identity_in(&text).ok_or_else(|| HomeError::Damaged(path.to_owned()))?;
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

/// Writes down whom the identity of a file has succeeded.
pub(super) fn write_succession(file: &Path, succession: &Succession) -> io::Result<()> {
    write_statement(&succession_of(file), succession)
}

fn write_statement(path: &Path, succession: &Succession) -> io::Result<()> {
    write_whole(path, format!("{succession}\n").as_bytes(), Existing::Keep)
}

/// The file with whom an identity has succeeded.
fn succession_of(file: &Path) -> PathBuf {
    with_ending(file, ".succession")
}

/// The file with who has succeeded an identity.
fn successor_of(file: &Path) -> PathBuf {
    with_ending(file, ".succeeded")
}

fn with_ending(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

/// The statement in a file, if there is one. Any other file there is an error: to pass over it would
/// let an old identity play.
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

/// Takes the lock of a file, or says that another process has it.
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
