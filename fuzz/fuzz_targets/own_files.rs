//! The files of a player: any bytes in them are refused and left as they are, or are read as what
//! is written again of them.
//!
//! Input: which file, what honest programs wrote into it, and what is changed.

#![no_main]

mod edits;
mod moved;

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use dealerless_table::identity::{Address, Home, HomeError, Identity, KnownPeers, Name, PeersError, Succession};
use dealerless_table::connection::{Door, Timing};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use rand::SeedableRng;
use rand::rngs::StdRng;
use tempfile::TempDir;

/// A player's folder.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let made = Home::open(folder.path(), None, &mut StdRng::from_seed([1; 32]));
    drop(made.expect("a new identity"));
    folder
});

/// The folder of another player, whom each run makes anew: the first one's is in use.
static ANOTHER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

/// The folder of a player whose identity never changes.
static HOME: LazyLock<Arc<Home>> = LazyLock::new(|| {
    let opened = Home::open(FOLDER.path(), None, &mut StdRng::from_seed([1; 32]));
    Arc::new(opened.expect("it was made before"))
});

/// Writes into a file as it is, with its rights.
fn overwrite(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).expect("a file of our own");
}

fn identity(input: &mut Unstructured) -> Result<()> {
    let folder = ANOTHER.path();
    let file = folder.join("identity");
    // A leftover of the run before.
    let _ = fs::remove_file(&file);
    let seed = input.arbitrary()?;
    let open = || Home::open(folder, None, &mut StdRng::from_seed(seed));
    let made = open().expect("a new identity").identity().public().clone();
    let written = fs::read(&file).expect("it was written");
    let mut bytes = written.clone();
    edits::edit(&mut bytes, input)?;
    overwrite(&file, &bytes);
    match open() {
        // Its checksum has 32 bits: another identity is no chance find.
        Ok(home) => assert_eq!((home.identity().public(), &bytes), (&made, &written)),
        Err(HomeError::Damaged(_)) => assert_ne!(bytes, written),
        Err(error) => panic!("{error:?}"),
    }
    assert_eq!(fs::read(&file).expect("it is still there"), bytes);
    Ok(())
}

/// Somebody who has moved twice.
static CHAIN: LazyLock<Succession> = LazyLock::new(|| moved::chain(2));

/// Peers as honest programs write them.
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
            .expect("a folder of our own");
    }
    if input.arbitrary()? {
        let done = peers.remember(CHAIN.current(), &Name::clean("Carl"), &[], None);
        done.and_then(|()| peers.follow(&CHAIN))
            .expect("a folder of our own");
    }
    Ok(())
}

/// The lines of a file that mean something.
fn lines(text: &str) -> Vec<&str> {
    let says = |line: &&str| !line.is_empty() && !line.starts_with('#');
    text.lines().filter(says).collect()
}

fn known_peers(input: &mut Unstructured) -> Result<()> {
    let file = FOLDER.path().join("known_peers");
    // A leftover of the run before.
    let _ = fs::remove_file(&file);
    let peers = HOME.known_peers().expect("no file is no peers");
    remember_some(&mut peers.lock(), input)?;
    let mut bytes = fs::read(&file).unwrap_or_default();
    edits::edit(&mut bytes, input)?;
    overwrite(&file, &bytes);
    match HOME.known_peers() {
        Ok(read) => {
            let mut read = read.lock();
            let text = String::from_utf8(bytes).expect("only text is read");
            assert_eq!(read.peers().len(), lines(&text).len());
            let Some(first) = read.peers().first().cloned() else {
                return Ok(());
            };
            let renamed = read.rename(&first.identity, first.name.clone());
            renamed.expect("a known peer");
            let again = fs::read_to_string(&file).expect("it was written");
            assert_eq!(lines(&again), lines(&text));
        }
        Err(PeersError::Damaged { .. } | PeersError::Io { .. }) => {
            assert_eq!(fs::read(&file).expect("it is still there"), bytes);
        }
        Err(error) => panic!("{error:?}"),
    }
    Ok(())
}

fn invites(input: &mut Unstructured) -> Result<()> {
    let file = FOLDER.path().join("invites");
    // A leftover of the run before.
    let _ = (
        fs::remove_file(&file),
        fs::remove_file(FOLDER.path().join("known_peers")),
    );
    let open = || {
        let peers = HOME.known_peers().expect("no file is no peers");
        let (home, name) = (Arc::clone(&HOME), Name::clean("Anna"));
        Door::open(home, peers, name, Vec::new(), &[], Timing::default())
    };
    let door = open().expect("no file is no invites");
    for _ in 0..input.int_in_range(0..=2)? {
        door.invite(Vec::new(), None).expect("a folder of our own");
    }
    drop(door);
    let mut bytes = fs::read(&file).unwrap_or_default();
    edits::edit(&mut bytes, input)?;
    overwrite(&file, &bytes);
    let opened = open().is_ok();
    assert_eq!(fs::read(&file).expect("it is still there"), bytes);
    if opened {
        let text = String::from_utf8(bytes).expect("only text is read");
        let says = |line: &&str| !line.starts_with('#');
        assert!(
            text.lines()
                .filter(says)
                .all(|line| line.starts_with("secret="))
        );
    }
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    match input.int_in_range(0..=15)? {
        // A door takes milliseconds to close.
        0 => invites(input),
        1..=5 => identity(input),
        _ => known_peers(input),
    }
}

fuzz_target!(|input: &[u8]| {
    // An input that is too short does nothing.
    let _ = run(&mut Unstructured::new(input));
});
