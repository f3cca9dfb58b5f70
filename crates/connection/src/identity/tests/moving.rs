use std::fs;
use std::path::Path;

use super::*;
use crate::identity::{CannotSucceed, Home, HomeError, OldIdentity};

fn open(folder: &Path) -> Result<Home, HomeError> {
    Home::open(folder, None, &mut rand::rng())
}

/// Two paths for the folders of players.
fn places() -> (tempfile::TempDir, [std::path::PathBuf; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let places = ["old", "new"].map(|name| folder.path().join(name));
    (folder, places)
}

/// Creates a player who knows Bob, with counts for him.
fn player(folder: &Path) -> PublicIdentity {
    let home = open(folder).unwrap();
    let mut peers = home.list_of_peers().unwrap();
    peers.remember(&public(1), &bob(), &[], None).unwrap();
    peers.count_hands(&public(1), 12).unwrap();
    peers.change(&public(1), |peer| peer.attempts = 3).unwrap();
    home.identity().public().clone()
}

fn succeed(old: &Path, new: &Path) -> Result<(Succession, usize), CannotSucceed> {
    OldIdentity::open(old)
        .unwrap()
        .be_succeeded(open(new).unwrap())
}

#[test]
fn a_new_identity_takes_over_the_known_peers_and_retires_the_old_one() {
    for by_file in [false, true] {
        let (_folder, [old, new]) = places();
        let was = player(&old);
        let path = if by_file {
            old.join("identity")
        } else {
            old.clone()
        };
        let done = succeed(&path, &new).unwrap();
        assert_eq!((done.1, done.0.past().len()), (1, 1));
        let home = open(&new).unwrap();
        let is = home.identity();
        assert_eq!(is.succession(), &done.0);
        assert_eq!(is.succession().past().next(), Some(&was));
        let peers = home.list_of_peers().unwrap();
        let peer = peers.get(&public(1)).unwrap();
        assert_eq!((peer.hands, peer.attempts), (12, 3));
        match open(&old).err().unwrap() {
            HomeError::Succeeded { by, .. } => assert_eq!(by, is.public().fingerprint()),
            other => panic!("{other:?}"),
        }
        // The files of the old identity can still be read.
        let old = OldIdentity::open(&old).unwrap();
        assert_eq!(old.successor(), Some(&done.0));
        assert!(old.matches().unwrap().is_dir());
        assert_eq!(old.public(), &was);
    }
}

#[test]
fn a_chain_grows_with_each_machine() {
    let (folder, [old, new]) = places();
    let third = folder.path().join("third");
    let first = player(&old);
    succeed(&old, &new).unwrap();
    let done = succeed(&new, &third).unwrap();
    let all: Vec<_> = done.0.all().collect();
    assert_eq!((all.len(), all[0]), (3, &first));
    assert_eq!(open(&third).unwrap().identity().succession(), &done.0);
}

#[test]
fn an_identity_has_one_successor_and_an_interrupted_succession_is_completed() {
    let (folder, [old, new]) = places();
    let other = folder.path().join("other");
    player(&old);
    let done = succeed(&old, &new).unwrap();
    assert!(
        matches!(succeed(&old, &other), Err(CannotSucceed::Before(by)) if by == done.0.current().fingerprint())
    );
    // The states after a crash: first without `known_peers`, then without the succession file.
    fs::remove_file(new.join("known_peers")).unwrap();
    for _ in 0..2 {
        assert_eq!(succeed(&old, &new).unwrap().0, done.0);
        let home = open(&new).unwrap();
        assert_eq!(home.identity().succession(), &done.0);
        assert_eq!(home.list_of_peers().unwrap().peers().len(), 1);
        drop(home);
        fs::remove_file(new.join("identity.succession")).unwrap();
    }
}

#[test]
fn used_identities_and_the_old_one_itself_cannot_be_successors() {
    let (folder, [old, new]) = places();
    let (third, fourth) = (folder.path().join("third"), folder.path().join("fourth"));
    player(&old);
    player(&new);
    assert!(matches!(succeed(&old, &new), Err(CannotSucceed::NotNew)));
    drop(open(&third).unwrap());
    fs::write(third.join("matches/one"), b"").unwrap();
    assert!(matches!(succeed(&old, &third), Err(CannotSucceed::NotNew)));
    succeed(&old, &fourth).unwrap();
    assert!(matches!(succeed(&new, &fourth), Err(CannotSucceed::NotNew)));
    // The identity of `new` got no successor and can still be used.
    drop(open(&new).unwrap());
    fs::create_dir_all(folder.path().join("copy")).unwrap();
    let copy = folder.path().join("copy/identity");
    fs::copy(new.join("identity"), &copy).unwrap();
    let itself = OldIdentity::open(&copy)
        .unwrap()
        .be_succeeded(open(&new).unwrap());
    assert!(matches!(itself, Err(CannotSucceed::Succession(_))));
    drop(open(&new).unwrap());
}

#[test]
fn an_identity_in_use_is_not_succeeded() {
    let (_folder, [old, _]) = places();
    let playing = open(&old).unwrap();
    for path in [old.clone(), old.join("identity")] {
        let refused = OldIdentity::open(&path).err().unwrap();
        assert!(matches!(refused, HomeError::InUse(_)));
    }
    drop(playing);
    let held = OldIdentity::open(&old).unwrap();
    assert!(matches!(open(&old), Err(HomeError::InUse(_))));
    drop(held);
}

#[test]
fn an_old_identity_stays_old_if_its_statement_is_damaged() {
    let (folder, [old, new]) = places();
    player(&old);
    succeed(&old, &new).unwrap();
    let marks = [
        old.join("identity.succeeded"),
        new.join("identity.succession"),
    ];
    let whole = marks.clone().map(|path| fs::read(path).unwrap());
    let (alone, strange) = (
        chain([7]).to_string() + "\n",
        chain([7, 8]).to_string() + "\n",
    );
    let damaged = [
        Vec::new(),
        whole[0][..40].to_vec(),
        alone.into_bytes(),
        strange.into_bytes(),
        [&whole[0][..], b"\n"].concat(),
        vec![0xff; 70_000],
    ];
    for (path, home) in marks.iter().zip([&old, &new]) {
        for bytes in &damaged {
            fs::write(path, bytes).unwrap();
            let refused = open(home).err().unwrap();
            let expected = matches!(
                refused,
                HomeError::DamagedSuccession(_) | HomeError::Io { .. }
            );
            assert!(expected, "{refused:?}");
        }
    }
    // The old identity cannot be opened through a symbolic link to its file either.
    fs::write(&marks[0], &whole[0]).unwrap();
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(old.join("identity"), &link).unwrap();
        let by_link = Home::open(&folder.path().join("x"), Some(&link), &mut rand::rng());
        assert!(matches!(by_link, Err(HomeError::Succeeded { .. })));
    }
    drop(folder);
}

#[cfg(unix)]
#[test]
fn statements_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, [old, new]) = places();
    player(&old);
    succeed(&old, &new).unwrap();
    for path in [
        old.join("identity.succeeded"),
        new.join("identity.succession"),
    ] {
        let mode = fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
