//! An identity that is moved away as a text.

use std::fs;
use std::path::Path;

use super::*;
use crate::hash::Hash;
use crate::hex;
use crate::identity::{
    CannotSucceed, Home, HomeError, IdentityError, KnownPeers, MovedIdentity, NewPlayer,
    OldIdentity,
};
use crate::storage::{FileVault, MemoryVault, Vault};

/// The known peers of `own`, who is this player: Bob with counts.
fn peers(own: &Identity) -> KnownPeers {
    let vault = Box::new(MemoryVault::default());
    let own = own.succession().clone();
    let mut peers = KnownPeers::open(vault, Path::new("peers"), own, || 1).unwrap();
    peers.remember(&public(1), &bob(), &[], None).unwrap();
    peers.change(&public(1), |peer| peer.attempts = 3).unwrap();
    peers
}

fn moved(own: &Identity, successor: &mut MemoryVault) -> String {
    let text = MovedIdentity::move_away(own, &peers(own), successor).unwrap();
    text.as_str().to_owned()
}

/// A file that only its owner can read.
fn written(path: &Path, text: &str) {
    FileVault(path.to_owned()).keep(text.as_bytes()).unwrap();
}

#[test]
fn program_succeeds_a_moved_identity_with_its_past_and_its_known_peers() {
    for own in [identity(7), heir([6, 7])] {
        let folder = tempfile::tempdir().unwrap();
        let [file, new] = ["moved", "new"].map(|name| folder.path().join(name));
        let text = moved(&own, &mut MemoryVault::default());
        written(&file, &text);
        let home = || Home::open(&new, None, &mut rand::rng());
        let old = || OldIdentity::open(&file).unwrap();
        assert!(old().has_known_peers() && old().public() == own.public());
        let (succession, known) = old().be_succeeded(home().unwrap()).unwrap();
        assert_eq!((known, old().successor()), (1, Some(&succession)));
        let past: Vec<_> = succession.past().collect();
        assert_eq!(past, own.succession().all().collect::<Vec<_>>());
        let home = home().unwrap();
        assert_eq!(home.identity().succession(), &succession);
        let peers = home.list_of_peers().unwrap();
        assert_eq!(peers.get(&public(1)).unwrap().attempts, 3);
        // Only one identity succeeds it, and nobody plays with the file.
        let third = Home::open(&folder.path().join("third"), None, &mut rand::rng());
        let third = old().be_succeeded(third.unwrap());
        assert!(matches!(third.err(), Some(CannotSucceed::Before(_))));
        let played = Home::open(&folder.path().join("other"), Some(&file), &mut rand::rng());
        assert!(matches!(played.err(), Some(HomeError::Damaged(_))));
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn moved_identity_cannot_play_or_be_succeeded_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    let open = |folder: &Path| Home::open(folder, None, &mut rand::rng());
    let own = open(&old).unwrap().identity().clone();
    let successor = || FileVault(old.join("identity.succeeded"));
    let text = MovedIdentity::move_away(&own, &peers(&own), &mut successor()).unwrap();
    assert!(matches!(open(&old).err(), Some(HomeError::Moved(_))));
    let succeeded = OldIdentity::open(&old)
        .unwrap()
        .be_succeeded(open(&new).unwrap());
    assert!(matches!(succeeded.err(), Some(CannotSucceed::Moved)));
    // The text can be had again.
    let again = MovedIdentity::move_away(&own, &peers(&own), &mut successor()).unwrap();
    assert_eq!(again, text);
}

#[test]
fn succeeded_identity_is_not_moved_away() {
    let mut successor = MemoryVault::default();
    successor
        .keep(format!("{}\n", chain([1, 2])).as_bytes())
        .unwrap();
    let own = identity(1);
    let vault = Box::new(MemoryVault::default());
    let known = KnownPeers::open(vault, Path::new("peers"), own.public().clone().into(), || 1);
    let moved = MovedIdentity::move_away(&own, &known.unwrap(), &mut successor);
    assert!(matches!(moved.err(), Some(IdentityError::Succeeded(_))));
}

#[test]
fn changed_or_truncated_text_is_refused() {
    let text = moved(&heir([6, 7]), &mut MemoryVault::default());
    assert!(MovedIdentity::parse(&text).is_ok());
    for at in 0..text.len() {
        let mut flipped = text.clone().into_bytes();
        flipped[at] ^= 1;
        let flipped = String::from_utf8(flipped).unwrap();
        assert!(MovedIdentity::parse(&flipped).is_err(), "{at}");
        assert!(MovedIdentity::parse(&text[..at]).is_err(), "{at}");
    }
    assert!(MovedIdentity::parse(&format!("{text}\n")).is_err());
}

/// The lines after the checksum.
fn content_of(text: &str) -> &str {
    text.split_once('\n').unwrap().1
}

/// Whether `content` is accepted with its right checksum. Asserts that it then is the identity of
/// `text`, with the same succession.
fn is_accepted(content: &str, text: &str) -> bool {
    let sum = hex(&Hash::new("moved identity")
        .field(content.as_bytes())
        .finish()[..8]);
    let read = MovedIdentity::parse(&format!("dealerless-moved-1 {sum}\n{content}"));
    let Ok(read) = read else { return false };
    // The identity has a checksum of its own, and its succession has signatures.
    assert_eq!(content.lines().next(), content_of(text).lines().next());
    let original = MovedIdentity::parse(text).unwrap().kept.identity;
    assert_eq!(read.kept.identity.succession(), original.succession());
    let _ = read.known_peers();
    true
}

proptest::proptest! {
    #[test]
    fn any_content_with_the_right_checksum_is_handled(at in 0usize..400, to in 0usize..400, new in "\\PC{0,8}|\n|-") {
        let text = moved(&heir([6, 7]), &mut MemoryVault::default());
        let mut content = content_of(&text).to_owned();
        let [at, to] = [at.min(to), at.max(to)].map(|at| at.min(content.len()));
        content.replace_range(at..to, &new);
        is_accepted(&content, &text);
    }
}

/// A statement is a text that people send to each other, and chat programs add such characters.
#[test]
fn hyphen_or_space_in_the_statement_changes_no_succession() {
    let text = moved(&heir([6, 7]), &mut MemoryVault::default());
    let statement = content_of(&text).find('\n').unwrap() + 1;
    for added in ["-", " ", "> "] {
        let mut content = content_of(&text).to_owned();
        content.insert_str(statement + 100, added);
        assert!(is_accepted(&content, &text), "{added:?}");
    }
}

#[test]
fn only_a_new_identity_succeeds_a_moved_one_and_an_interruption_is_completed() {
    let text = moved(&identity(7), &mut MemoryVault::default());
    let mut successor = MemoryVault::default();
    let mut succeed = |new: &Identity, has_played, succession: &mut dyn Vault| {
        let moved = MovedIdentity::parse(&text).unwrap();
        let moved = moved.with_successor(&mut successor).unwrap();
        let vault = Box::new(MemoryVault::default());
        let own = new.succession().clone();
        let new = NewPlayer {
            identity: new,
            succession,
            peers: KnownPeers::open(vault, Path::new("peers"), own, || 1).unwrap(),
            has_played,
        };
        let known = moved.known_peers().unwrap();
        moved.kept.be_succeeded(&mut successor, Some(known), new)
    };
    let mut kept = MemoryVault::default();
    let played = succeed(&identity(8), true, &mut kept);
    assert!(matches!(played.err(), Some(CannotSucceed::NotNew)));
    let past = succeed(&heir([3, 8]), false, &mut kept);
    assert!(matches!(past.err(), Some(CannotSucceed::NotNew)));
    assert!(kept.kept().unwrap().is_none());
    let (succession, known) = succeed(&identity(8), false, &mut kept).unwrap();
    assert_eq!((known, &succession), (1, &chain([7, 8])));
    // The known peers were lost in an interruption.
    let (again, known) = succeed(&heir([7, 8]), false, &mut kept).unwrap();
    assert_eq!((known, again.current()), (1, succession.current()));
    let other = succeed(&identity(9), false, &mut kept);
    assert!(matches!(other.err(), Some(CannotSucceed::Before(_))));
}
