use super::super::home::known_peers;
use super::*;
use crate::identity::{Home, KnownPeers, PeersError, Recognised};

/// An empty list of known peers in a temporary folder.
fn peers() -> (tempfile::TempDir, KnownPeers) {
    let folder = tempfile::tempdir().unwrap();
    let peers = read_again(&folder);
    (folder, peers)
}

fn read_again(folder: &tempfile::TempDir) -> KnownPeers {
    known_peers(folder.path(), public(100).into()).unwrap()
}

fn fingerprint(seed: u8) -> crate::identity::Fingerprint {
    public(seed).fingerprint()
}

fn met(peers: &mut KnownPeers, seed: u8) {
    let address = format!("192.0.2.{seed}:5252").parse().unwrap();
    peers
        .remember(&public(seed), &bob(), &[address], None)
        .unwrap();
}

#[test]
fn a_successor_of_a_known_peer_keeps_all_counts() {
    let (folder, mut peers) = peers();
    met(&mut peers, 1);
    peers
        .change(&public(1), |peer| {
            (peer.hands, peer.attempts, peer.in_a_row) = (7, 65_536, 9);
            (peer.failed_checks, peer.forgiven) = (2, 3);
        })
        .unwrap();
    let standing = peers.standing(&public(1));
    let shown = chain([1, 2, 3]);
    let recognised = peers.recognise(&shown, &Name::clean("Robert")).unwrap();
    let known = fingerprint(1);
    assert_eq!(recognised, Recognised::Successor { known, name: bob() });
    for _ in 0..2 {
        peers.follow(&shown).unwrap();
        let peers = read_again(&folder);
        let [peer] = peers.peers() else {
            panic!("{peers:?}")
        };
        assert_eq!(peer.identity, public(3));
        assert_eq!(peer.before, [public(1), public(2)]);
        assert_eq!((&peer.name, peer.addresses.len()), (&bob(), 1));
        assert_eq!((peer.hands, peer.attempts, peer.in_a_row), (7, 65_536, 9));
        assert_eq!((peer.failed_checks, peer.forgiven), (2, 3));
        assert_eq!(peers.standing(&public(3)), standing);
        let again = peers.recognise(&shown, &bob()).unwrap();
        assert_eq!(again, Recognised::Known);
    }
}

#[test]
fn all_old_keys_of_a_chain_are_refused() {
    let (_folder, mut peers) = peers();
    met(&mut peers, 1);
    peers.follow(&chain([1, 2, 3])).unwrap();
    for old in [public(1), public(2), half(1, 9), half(9, 2)] {
        let refused = peers.recognise(&old.clone().into(), &bob());
        assert!(matches!(refused, Err(PeersError::Succeeded { by, .. }) if by == fingerprint(3)));
        let refused = peers.remember(&old, &bob(), &[], None);
        assert!(matches!(refused, Err(PeersError::Succeeded { .. })));
        assert!(peers.get(&old).is_none());
    }
    // A chain that was valid before it grew is refused as well.
    let refused = peers.follow(&chain([1, 2]));
    assert!(matches!(refused, Err(PeersError::Succeeded { .. })));
}

#[test]
fn a_second_successor_is_refused_and_changes_nothing() {
    for second in [&[1, 4][..], &[1, 2, 4], &[1, 4, 3, 5], &[1, 3]] {
        let (_folder, mut peers) = peers();
        met(&mut peers, 1);
        peers.follow(&chain([1, 2, 3])).unwrap();
        let before = peers.peers().to_vec();
        let shown = chain(second.iter().copied());
        let refused = [
            peers.recognise(&shown, &bob()).err(),
            peers.follow(&shown).err(),
        ];
        for refused in refused {
            match refused.unwrap() {
                PeersError::TwoSuccessors { first, second, .. } => {
                    assert_eq!(first, fingerprint(3));
                    assert_eq!(second, shown.current().fingerprint());
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(peers.peers(), before);
    }
}

#[test]
fn a_successor_of_a_successor_is_followed() {
    let (_folder, mut peers) = peers();
    met(&mut peers, 1);
    peers.follow(&chain([1, 2])).unwrap();
    peers.follow(&chain([1, 2, 3])).unwrap();
    // This chain lacks its oldest links.
    peers.follow(&chain([3, 4])).unwrap();
    let peer = &peers.peers()[0];
    assert_eq!(peer.before, [public(1), public(2), public(3)]);
    assert_eq!(peer.identity, public(4));
}

#[test]
fn a_new_peer_is_remembered_with_its_past_keys() {
    let (_folder, mut peers) = peers();
    let shown = chain([1, 2]);
    assert_eq!(peers.recognise(&shown, &bob()).unwrap(), Recognised::New);
    assert!(matches!(peers.follow(&shown), Err(PeersError::Unknown)));
    met(&mut peers, 2);
    peers.follow(&shown).unwrap();
    assert_eq!(peers.peers()[0].before, [public(1)]);
    let refused = peers.recognise(&public(1).into(), &bob());
    assert!(matches!(refused, Err(PeersError::Succeeded { .. })));
    let refused = peers.recognise(&chain([1, 3]), &bob());
    assert!(matches!(refused, Err(PeersError::TwoSuccessors { .. })));
}

#[test]
fn entries_of_one_person_are_merged_with_their_counts() {
    let (_folder, mut peers) = peers();
    for seed in [1, 2, 3, 9] {
        met(&mut peers, seed);
        peers
            .change(&public(seed), |peer| peer.attempts = 5)
            .unwrap();
    }
    peers.follow(&chain([1, 2, 3])).unwrap();
    assert_eq!(peers.peers().len(), 2);
    assert_eq!(peers.attempts(&public(3)), 15);
    assert_eq!(peers.get(&public(3)).unwrap().addresses.len(), 3);
    assert_eq!(peers.attempts(&public(9)), 5);
}

#[test]
fn the_number_of_old_keys_is_limited() {
    let (folder, mut peers) = peers();
    met(&mut peers, 1);
    for last in 2..40 {
        peers.follow(&chain([last - 1, last])).unwrap();
    }
    let peers = read_again(&folder);
    assert_eq!(peers.peers()[0].identity, public(39));
    assert_eq!(peers.peers()[0].before.len(), 16);
}

#[test]
fn own_old_keys_and_claimed_successors_of_oneself_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let peers = known_peers(folder.path(), chain([50, 51])).unwrap();
    for shown in [public(50).into(), chain([50, 3]), chain([51, 3])] {
        let refused = peers.recognise(&shown, &bob());
        assert!(matches!(refused, Err(PeersError::OwnOldKeys)), "{shown:?}");
    }
    let refused = peers.recognise(&public(51).into(), &bob());
    assert!(matches!(refused, Err(PeersError::Oneself)));
}

#[test]
fn a_known_key_with_a_different_partner_is_refused() {
    let (_folder, mut peers) = peers();
    met(&mut peers, 1);
    let refused = peers.recognise(&half(1, 3).into(), &Name::clean("Eve"));
    assert!(matches!(refused, Err(PeersError::HalfKnown(known)) if known == fingerprint(1)));
    // The known entry has a key that is in the past of the chain, together with a different second
    // key.
    peers.follow(&chain([1, 2])).unwrap();
    let (folder, mut others) = self::peers();
    others.remember(&half(1, 3), &bob(), &[], None).unwrap();
    for shown in [chain([1, 2]), chain([3, 4])] {
        let refused = others.follow(&shown);
        assert!(
            matches!(refused, Err(PeersError::HalfKnown(_))),
            "{shown:?}"
        );
    }
    drop(folder);
}

#[test]
fn a_known_name_with_other_keys_is_recognised() {
    let (_folder, mut peers) = peers();
    let recognised =
        |peers: &KnownPeers, seed| peers.recognise(&public(seed).into(), &Name::clean("bOB"));
    assert_eq!(recognised(&peers, 1).unwrap(), Recognised::New);
    met(&mut peers, 1);
    assert_eq!(recognised(&peers, 1).unwrap(), Recognised::Known);
    let known = fingerprint(1);
    assert_eq!(
        recognised(&peers, 2).unwrap(),
        Recognised::OtherKeys { known }
    );
    met(&mut peers, 2);
    assert!(matches!(peers.find("Bob"), Err(PeersError::Ambiguous)));
}

#[test]
fn a_successor_that_cannot_be_written_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path(), None, &mut rand::rng()).unwrap();
    let mut peers = home.list_of_peers().unwrap();
    met(&mut peers, 1);
    drop(home);
    drop(folder);
    assert!(peers.follow(&chain([1, 2])).is_err());
    assert_eq!(peers.peers()[0].identity, public(1));
}
