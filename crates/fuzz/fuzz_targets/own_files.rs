//! The files of a player, with arbitrary bytes. A file is rejected and left unchanged, or its
//! content does not change when it is read and written.
//!
//! Input: the file, its content as written by honest programs, and the changes.

#![no_main]

mod edits;
mod moved;

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use dealerless_connection::{Timing};
use dealerless_connection::testing::{Door};
use dealerless_connection::identity::{
    Address, Home, HomeError, Identity, KnownPeers, MovedIdentity, Name, PeersError, Succession,
};
use dealerless_connection::storage::MemoryVault;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tempfile::TempDir;

/// The folder of a player.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let made = Home::open(folder.path(), None, &mut StdRng::from_seed([1; 32]));
    drop(made.expect("cannot create an identity"));
    folder
});

/// The folder of another player, which each run recreates, because the first folder is in use.
static ANOTHER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a temporary folder"));

/// The home of a player whose identity never changes.
static HOME: LazyLock<Arc<Home>> = LazyLock::new(|| {
    let opened = Home::open(FOLDER.path(), None, &mut StdRng::from_seed([1; 32]));
    Arc::new(opened.expect("the identity exists"))
});

/// Overwrites a file in place, keeping its permissions.
fn overwrite(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("the file is writable");
}

fn identity(input: &mut Unstructured) -> Result<()> {
    let folder = ANOTHER.path();
    let file = folder.join("identity");
    // Removes the file of the previous run.
    let _ = fs::remove_file(&file);
    let seed = input.arbitrary()?;
    let open = || Home::open(folder, None, &mut StdRng::from_seed(seed));
    let made = open()
        .expect("cannot create an identity")
        .identity()
        .public()
        .clone();
    let written = fs::read(&file).expect("the file exists");
    let mut bytes = written.clone();
    edits::edit(&mut bytes, input)?;
    overwrite(&file, &bytes);
    match open() {
        // The checksum has 32 bits, so a different identity cannot pass it by chance.
        Ok(home) => assert_eq!((home.identity().public(), &bytes), (&made, &written)),
        Err(HomeError::Damaged(_)) => assert_ne!(bytes, written),
        Err(error) => panic!("{error:?}"),
    }
    assert_eq!(fs::read(&file).expect("the file still exists"), bytes);
    Ok(())
}

/// The succession of a player who has moved twice.
static CHAIN: LazyLock<Succession> = LazyLock::new(|| moved::chain(2));

/// Adds known peers as honest programs write them.
fn remember_some(peers: &mut KnownPeers, input: &mut Unstructured) -> Result<()> {
    for seed in 2..input.int_in_range(2..=5)? {
        let peer = Identity::from_seed([seed; 32]);
        let name = Name::clean(input.arbitrary()?);
        let mut addresses: Vec<Address> = Vec::new();
        for _ in 0..input.int_in_range(0..=3)? {
            addresses.extend(input.arbitrary::<&str>()?.parse::<Address>());
        }
        let relay = addresses.pop();
        let public = peer.public();
        let done = peers.remember(public, &name, &addresses, relay.as_ref());
        done.and_then(|()| peers.count_hands(public, seed.into()))
            .expect("the folder is writable");
    }
    if input.arbitrary()? {
        let done = peers.remember(CHAIN.current(), &Name::clean("Carl"), &[], None);
        done.and_then(|()| peers.follow(&CHAIN))
            .expect("the folder is writable");
    }
    Ok(())
}

/// The lines of a file that are neither empty nor comments.
fn lines(text: &str) -> Vec<&str> {
    let is_entry = |line: &&str| !line.is_empty() && !line.starts_with('#');
    text.lines().filter(is_entry).collect()
}

fn known_peers(input: &mut Unstructured) -> Result<()> {
    let file = FOLDER.path().join("known_peers");
    // Removes the file of the previous run.
    let _ = fs::remove_file(&file);
    let peers = HOME.known_peers().expect("a missing file means no peers");
    remember_some(&mut peers.lock(), input)?;
    let mut bytes = fs::read(&file).unwrap_or_default();
    edits::edit(&mut bytes, input)?;
    overwrite(&file, &bytes);
    match HOME.known_peers() {
        Ok(read) => {
            let mut read = read.lock();
            let text = String::from_utf8(bytes).expect("only valid UTF-8 is accepted");
            assert_eq!(read.peers().len(), lines(&text).len());
            let Some(first) = read.peers().first().cloned() else {
                return Ok(());
            };
            let renamed = read.rename(&first.identity, first.name.clone());
            renamed.expect("the peer is known");
            let again = fs::read_to_string(&file).expect("the file exists");
            assert_eq!(lines(&again), lines(&text));
        }
        Err(PeersError::Damaged { .. } | PeersError::Io { .. }) => {
            assert_eq!(fs::read(&file).expect("the file still exists"), bytes);
        }
        Err(error) => panic!("{error:?}"),
    }
    Ok(())
}

fn invites(input: &mut Unstructured) -> Result<()> {
    let file = FOLDER.path().join("invites");
    // Removes the files of the previous run.
    let _ = (
        fs::remove_file(&file),
        fs::remove_file(FOLDER.path().join("known_peers")),
    );
    let open = || {
        let peers = HOME.known_peers().expect("a missing file means no peers");
        let (home, name) = (Arc::clone(&HOME), Name::clean("Anna"));
        Door::open(home, peers, name, Vec::new(), &[], Timing::default())
    };
    let door = open().expect("a missing file means no invites");
    for _ in 0..input.int_in_range(0..=2)? {
        door.invite(Vec::new(), None)
            .expect("the folder is writable");
    }
    drop(door);
    let mut bytes = fs::read(&file).unwrap_or_default();
    edits::edit(&mut bytes, input)?;
    overwrite(&file, &bytes);
    let opened = open().is_ok();
    assert_eq!(fs::read(&file).expect("the file still exists"), bytes);
    if opened {
        let text = String::from_utf8(bytes).expect("only valid UTF-8 is accepted");
        let is_entry = |line: &&str| !line.starts_with('#');
        assert!(
            text.lines()
                .filter(is_entry)
                .all(|line| line.starts_with("secret="))
        );
    }
    Ok(())
}

fn moved_identity(input: &mut Unstructured) -> Result<()> {
    let mut peers = KnownPeers::open(
        Box::new(MemoryVault::default()),
        Path::new("peers"),
        HOME.identity().succession().clone(),
        || 0,
    );
    let peers = peers.as_mut().expect("an empty vault means no peers");
    remember_some(peers, input)?;
    let moved = MovedIdentity::move_away(HOME.identity(), peers, &mut MemoryVault::default());
    let text = moved.expect("the vault is in memory");
    let mut bytes = text.as_bytes().to_vec();
    edits::edit(&mut bytes, input)?;
    if let Ok(changed) = str::from_utf8(&bytes) {
        let read = MovedIdentity::parse(changed);
        assert_eq!(read.is_ok(), changed == text.as_str());
        if let Ok(read) = read {
            let known = read.known_peers().expect("they were written");
            assert_eq!(known.peers().len(), peers.peers().len());
        }
    }
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    match input.int_in_range(0..=15)? {
        // Closing a door takes milliseconds.
        0 => invites(input),
        1..=5 => identity(input),
        6..=8 => moved_identity(input),
        _ => known_peers(input),
    }
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short has no effect.
    let _ = run(&mut Unstructured::new(input));
});
