//! An identity and the known peers without files.

use std::io;
use std::path::Path;

use dealerless::mpc::Attempt;

use super::*;
use crate::identity::{
    CannotSucceed, IdentityError, IdentityVaults, Kept, KeptIdentity, KnownPeers, NewPlayer,
    PeersError, SharedPeers,
};
use crate::storage::{MemoryStorage, MemoryVault, TwoSlots, Vault};

/// The storage of a player in a browser: two files for each value.
#[derive(Clone, Default)]
struct Slots([[MemoryStorage; 2]; 4]);

impl Slots {
    fn vault(&self, number: usize) -> TwoSlots<MemoryStorage> {
        TwoSlots::new(self.0[number].clone())
    }

    fn load_or_create(&self) -> Result<KeptIdentity, IdentityError> {
        load_or_create([0, 1, 2].map(|number| self.vault(number)))
    }

    fn peers(&self, own: &Identity) -> Result<KnownPeers, PeersError> {
        let own = own.succession().clone();
        KnownPeers::open(Box::new(self.vault(3)), Path::new("peers"), own, || 1)
    }

    fn bytes(&self) -> Vec<Vec<u8>> {
        self.0.iter().flatten().map(MemoryStorage::bytes).collect()
    }
}

fn load_or_create<V: Vault>(vaults: [V; 3]) -> Result<KeptIdentity, IdentityError> {
    let [mut identity, mut succession, mut successor] = vaults;
    let mut vaults = IdentityVaults {
        identity: &mut identity,
        succession: &mut succession,
        successor: &mut successor,
    };
    vaults.load_or_create(&mut rand::rng())
}

/// A vault in memory with this value.
fn memory(value: Option<&[u8]>) -> MemoryVault {
    let mut vault = MemoryVault::default();
    value.map_or(Ok(()), |value| vault.keep(value)).unwrap();
    vault
}

#[test]
fn identity_is_created_once_and_loaded_again() {
    let slots = Slots::default();
    let created = slots.load_or_create().unwrap().to_play().unwrap();
    let loaded = slots.load_or_create().unwrap().to_play().unwrap();
    assert_eq!(created.public(), loaded.public());
    let other = Slots::default().load_or_create().unwrap();
    assert_ne!(created.public(), other.identity.public());
}

#[test]
fn changed_identity_is_an_error_and_is_not_replaced() {
    let slots = Slots::default();
    slots.load_or_create().unwrap();
    let text = slots.vault(0).kept().unwrap().unwrap();
    let mut changed: Vec<Vec<u8>> = (0..text.len()).map(|end| text[..end].into()).collect();
    changed.extend((0..text.len()).map(|at| {
        let mut flipped = text.to_vec();
        flipped[at] ^= 1;
        flipped
    }));
    changed.push([&text[..], b"\n"].concat());
    changed.push(b"\xff".to_vec());
    for value in changed {
        let mut vaults = [memory(Some(&value)), memory(None), memory(None)];
        let [identity, succession, successor] = &mut vaults;
        let mut vaults_ = IdentityVaults {
            identity,
            succession,
            successor,
        };
        let loaded = vaults_.load_or_create(&mut rand::rng());
        assert!(matches!(
            loaded.err(),
            Some(IdentityError::Damaged(Kept::Identity))
        ));
        assert_eq!(vaults[0].kept().unwrap().unwrap().to_vec(), value);
    }
}

#[test]
fn changed_slot_of_an_identity_is_an_error_and_is_not_replaced() {
    let slots = Slots::default();
    slots.load_or_create().unwrap();
    let whole = slots.0[0][0].bytes();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        for changed in [flipped, whole[..at].to_vec()] {
            let mut slots = slots.clone();
            slots.0[0][0] = MemoryStorage::of(changed);
            let before = slots.bytes();
            assert!(matches!(
                slots.load_or_create().err(),
                Some(IdentityError::Damaged(Kept::Identity))
            ));
            assert_eq!(slots.bytes(), before);
        }
    }
}

#[test]
fn succession_without_its_identity_is_an_error() {
    let text = format!("{}\n", chain([1, 2]));
    for place in [1, 2] {
        let mut vaults = [(); 3].map(|()| memory(None));
        vaults[place].keep(text.as_bytes()).unwrap();
        assert!(matches!(
            load_or_create(vaults).err(),
            Some(IdentityError::Damaged(Kept::Identity))
        ));
    }
}

#[test]
fn successor_or_succession_of_another_identity_is_an_error() {
    let text = format!("{}\n", chain([1, 2]));
    for (place, what) in [(1, Kept::Succession), (2, Kept::Successor)] {
        let slots = Slots::default();
        slots.load_or_create().unwrap();
        for text in [&text, "?"] {
            slots.vault(place).keep(text.as_bytes()).unwrap();
            let error = slots.load_or_create().err().unwrap();
            assert!(matches!(error, IdentityError::Damaged(of) if of == what));
        }
    }
}

fn succeed(old: &Slots, new: &Slots) -> Result<(Succession, usize), CannotSucceed> {
    let was = old.load_or_create().unwrap();
    let is = new.load_or_create().unwrap().to_play().unwrap();
    let player = NewPlayer {
        identity: &is,
        succession: &mut new.vault(1),
        peers: new.peers(&is).unwrap(),
        has_played: false,
    };
    let known = old.peers(&was.identity).unwrap();
    was.be_succeeded(&mut old.vault(2), Some(known), player)
}

#[test]
fn identity_is_moved_without_files() {
    let [old, new] = [(); 2].map(|()| Slots::default());
    let was = old.load_or_create().unwrap().identity;
    let mut peers = old.peers(&was).unwrap();
    peers.remember(&public(1), &bob(), &[], None).unwrap();
    peers.change(&public(1), |peer| peer.attempts = 3).unwrap();
    let (succession, taken) = succeed(&old, &new).unwrap();
    assert_eq!(taken, 1);
    let is = new.load_or_create().unwrap().to_play().unwrap();
    assert_eq!(is.succession(), &succession);
    assert_eq!(is.succession().past().next(), Some(was.public()));
    assert_eq!(new.peers(&is).unwrap().attempts(&public(1)), 3);
    // The old identity can no longer be used to play, or be succeeded by a third one.
    let refused = old.load_or_create().unwrap().to_play();
    let by = is.public().fingerprint();
    assert!(matches!(refused.err(), Some(IdentityError::Succeeded(new)) if new == by));
    let third = succeed(&old, &Slots::default());
    assert!(matches!(third.err(), Some(CannotSucceed::Before(_))));
    // The same call again changes nothing.
    let before = new.bytes();
    assert_eq!(succeed(&old, &new).unwrap(), (succession, 0));
    assert_eq!(new.bytes(), before);
}

#[test]
fn used_identity_does_not_succeed_another_one() {
    let [old, new] = [(); 2].map(|()| Slots::default());
    let is = new.load_or_create().unwrap().identity;
    let mut peers = new.peers(&is).unwrap();
    peers.remember(&public(1), &bob(), &[], None).unwrap();
    let before = old.load_or_create().map(|_| old.bytes()).unwrap();
    assert!(matches!(
        succeed(&old, &new).err(),
        Some(CannotSucceed::NotNew)
    ));
    assert_eq!(old.bytes(), before);
}

#[test]
fn attempts_of_a_peer_are_counted_without_files() {
    let slots = Slots::default();
    let own = slots.load_or_create().unwrap().identity;
    let mut peers = slots.peers(&own).unwrap();
    peers.remember(&public(1), &bob(), &[], None).unwrap();
    let shared = SharedPeers::new(peers);
    let mut counted = shared.counted(&public(1)).unwrap();
    counted.begins(Attempt::Setup).unwrap();
    drop(counted);
    assert_eq!(slots.peers(&own).unwrap().attempts(&public(1)), 1);
}

#[test]
fn changed_list_of_known_peers_is_an_error_and_does_not_reset_the_counts() {
    let slots = Slots::default();
    let own = slots.load_or_create().unwrap().identity;
    let mut peers = slots.peers(&own).unwrap();
    peers.remember(&public(1), &bob(), &[], None).unwrap();
    let whole = slots.0[3][0].bytes();
    let mut changed = slots.clone();
    changed.0[3][0] = MemoryStorage::of(whole[1..].to_vec());
    match changed.peers(&own).unwrap_err() {
        PeersError::Io { source, .. } => assert_eq!(source.kind(), io::ErrorKind::InvalidData),
        other => panic!("{other}"),
    }
}
