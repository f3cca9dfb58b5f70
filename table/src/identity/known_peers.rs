//! Who was met before, by keys and name.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::address::Address;
use super::fingerprint::Fingerprint;
use super::name::Name;
use super::peer::{Peer, peer_in, text_of};
use super::public::PublicIdentity;
use super::whole_file::{Existing, write_whole};

const FIRST_LINE: &str = "# dealerless known peers 1: one a line; the program counts here what \
                          each could have tried to cheat in";
/// Thousands of peers.
const MAX_FILE: u64 = 4 << 20;

/// What is known of somebody who shows these keys and this name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recognised {
    /// Neither the keys nor the name are known.
    New,
    /// The keys are known.
    Known,
    /// **The name is known with other keys**: a new machine of the same person, or somebody else.
    /// People must compare fingerprints.
    OtherKeys {
        /// The keys that had this name.
        known: Fingerprint,
    },
    /// One of the two keys is known with another one beside it. No honest program does that.
    HalfKnown {
        /// The identity that has the known key.
        known: Fingerprint,
    },
}

/// The list of known peers cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeersError {
    /// These are one's own keys.
    #[error("the peer shows your own keys: nobody can play with themselves")]
    Oneself,
    /// Nobody is known by this name, or by these keys.
    #[error("nobody of this name or with these keys is known")]
    Unknown,
    /// Several have this name.
    #[error("several known peers have this name: say the fingerprint instead")]
    Ambiguous,
    /// A line of the file was changed into something else. The file is left as it is.
    #[error("line {line} of {path} is not a known peer: mend or remove it")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// The file cannot be read or written.
    #[error("cannot use {path}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The known peers, and the file that holds them.
#[derive(Debug)]
pub struct KnownPeers {
    path: PathBuf,
    own: PublicIdentity,
    peers: Vec<Peer>,
}

impl KnownPeers {
    pub(super) fn open(path: &Path, own: PublicIdentity) -> Result<Self, PeersError> {
        let failed = |source| PeersError::Io {
            path: path.to_owned(),
            source,
        };
        let mut text = String::new();
        match File::open(path) {
            Ok(file) => file
                .take(MAX_FILE + 1)
                .read_to_string(&mut text)
                .map_err(failed)?,
            Err(error) if error.kind() == ErrorKind::NotFound => 0,
            Err(error) => return Err(failed(error)),
        };
        if text.len() as u64 > MAX_FILE {
            return Err(failed(ErrorKind::FileTooLarge.into()));
        }
        let mut known = KnownPeers {
            path: path.to_owned(),
            own,
            peers: Vec::new(),
        };
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let peer = peer_in(line).filter(|peer| {
                !peer.identity.shares_a_key_with(&known.own) && known.get(&peer.identity).is_none()
            });
            let damaged = || PeersError::Damaged {
                path: path.to_owned(),
                line: number,
            };
            known.peers.push(peer.ok_or_else(damaged)?);
        }
        Ok(known)
    }

    /// All of them, in the order in which they were met.
    pub fn peers(&self) -> &[Peer] {
        &self.peers
    }

    /// The peer with these keys.
    pub fn get(&self, identity: &PublicIdentity) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.identity == *identity)
    }

    /// The peer of this name, or of this fingerprint.
    ///
    /// # Errors
    /// [`PeersError::Unknown`] and [`PeersError::Ambiguous`].
    pub fn find(&self, name_or_fingerprint: &str) -> Result<&Peer, PeersError> {
        let fingerprint = name_or_fingerprint.parse::<Fingerprint>().ok();
        let name = Name::clean(name_or_fingerprint);
        let fits =
            |peer: &&Peer| fingerprint == Some(peer.identity.fingerprint()) || peer.name == name;
        let mut found = self.peers.iter().filter(fits);
        match (found.next(), found.next()) {
            (Some(peer), None) => Ok(peer),
            (None, _) => Err(PeersError::Unknown),
            (Some(_), Some(_)) => Err(PeersError::Ambiguous),
        }
    }

    /// What is known of somebody, before it is remembered.
    ///
    /// # Errors
    /// [`PeersError::Oneself`].
    pub fn recognise(
        &self,
        identity: &PublicIdentity,
        name: &Name,
    ) -> Result<Recognised, PeersError> {
        if identity.shares_a_key_with(&self.own) {
            return Err(PeersError::Oneself);
        }
        if self.get(identity).is_some() {
            return Ok(Recognised::Known);
        }
        let known = |peer: &Peer| peer.identity.fingerprint();
        let half = self
            .peers
            .iter()
            .find(|peer| peer.identity.shares_a_key_with(identity));
        if let Some(peer) = half {
            return Ok(Recognised::HalfKnown { known: known(peer) });
        }
        let lower = name.as_str().to_lowercase();
        let namesake = |peer: &&Peer| peer.name.as_str().to_lowercase() == lower;
        Ok(match self.peers.iter().find(namesake) {
            Some(peer) => Recognised::OtherKeys { known: known(peer) },
            None => Recognised::New,
        })
    }

    /// Remembers that somebody was met now, and where; the name of known keys stays as it was.
    ///
    /// # Errors
    /// [`PeersError::Oneself`], and if the file cannot be written.
    pub fn remember(
        &mut self,
        identity: &PublicIdentity,
        name: &Name,
        addresses: &[Address],
        relay: Option<&Address>,
    ) -> Result<(), PeersError> {
        self.recognise(identity, name)?;
        let mut peer = match self.get(identity) {
            Some(peer) => peer.clone(),
            None => Peer::new(identity.clone(), name.clone()),
        };
        let older = peer
            .addresses
            .iter()
            .filter(|address| !addresses.contains(address));
        let all: Vec<Address> = addresses.iter().chain(older).cloned().collect();
        peer.addresses = all.into_iter().take(Peer::MAX_ADDRESSES).collect();
        peer.relay = relay.cloned().or(peer.relay);
        peer.last_seen = seconds_since_1970();
        self.put(peer)
    }

    /// Counts hands that were played to their end.
    ///
    /// # Errors
    /// If the peer is not known, or the file cannot be written.
    pub fn count_hands(&mut self, identity: &PublicIdentity, hands: u64) -> Result<(), PeersError> {
        self.change(identity, |peer| {
            peer.hands = peer.hands.saturating_add(hands);
            peer.last_seen = seconds_since_1970();
        })
    }

    /// Counts a check that only a cheat fails.
    ///
    /// # Errors
    /// If the peer is not known, or the file cannot be written.
    pub fn count_failed_check(&mut self, identity: &PublicIdentity) -> Result<(), PeersError> {
        self.change(identity, |peer| {
            peer.failed_checks = peer.failed_checks.saturating_add(1);
        })
    }

    /// Gives a known peer another name.
    ///
    /// # Errors
    /// If the peer is not known, or the file cannot be written.
    pub fn rename(&mut self, identity: &PublicIdentity, name: Name) -> Result<(), PeersError> {
        self.change(identity, |peer| peer.name = name)
    }

    pub(super) fn change(
        &mut self,
        identity: &PublicIdentity,
        change: impl FnOnce(&mut Peer),
    ) -> Result<(), PeersError> {
        let mut peer = self.get(identity).ok_or(PeersError::Unknown)?.clone();
        change(&mut peer);
        self.put(peer)
    }

    /// Replaces or adds a peer, on disk first.
    fn put(&mut self, peer: Peer) -> Result<(), PeersError> {
        let place = self
            .peers
            .iter()
            .position(|known| known.identity == peer.identity);
        let old = match place {
            Some(place) => Some(std::mem::replace(&mut self.peers[place], peer)),
            None => {
                self.peers.push(peer);
                None
            }
        };
        let saved = self.save();
        if saved.is_err() {
            // What is in memory is what is on disk.
            match (place, old) {
                (Some(place), Some(old)) => self.peers[place] = old,
                _ => drop(self.peers.pop()),
            }
        }
        saved
    }

    fn save(&self) -> Result<(), PeersError> {
        let lines = self.peers.iter().map(|peer| text_of(peer) + "\n");
        let text = format!("{FIRST_LINE}\n{}", lines.collect::<String>());
        write_whole(&self.path, text.as_bytes(), Existing::Replace).map_err(|source| {
            PeersError::Io {
                path: self.path.clone(),
                source,
            }
        })
    }
}

fn seconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Identity;

    fn public(seed: u8) -> PublicIdentity {
        Identity::from_seed([seed; 32]).public().clone()
    }

    fn opened(folder: &tempfile::TempDir) -> Result<KnownPeers, PeersError> {
        KnownPeers::open(&folder.path().join("known_peers"), public(1))
    }

    #[test]
    fn who_was_met_is_found_again_by_name_and_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        let [a, b] = ["1.2.3.4:5", "5.6.7.8:9"].map(|text| text.parse().unwrap());
        let name = Name::clean("Bob");
        peers
            .remember(&public(2), &name, std::slice::from_ref(&a), None)
            .unwrap();
        peers
            .remember(&public(2), &Name::clean("Robert"), &[b], Some(&a))
            .unwrap();
        peers.count_hands(&public(2), 12).unwrap();
        peers.count_failed_check(&public(2)).unwrap();
        let again = opened(&folder).unwrap();
        let peer = again.find("Bob").unwrap();
        assert_eq!(
            (peer.hands, peer.failed_checks, peer.addresses.len()),
            (12, 1, 2)
        );
        assert_eq!(peer.addresses[1], a);
        assert_eq!(
            again.find(&public(2).fingerprint().to_string()).unwrap(),
            peer
        );
        assert!(matches!(again.find("Robert"), Err(PeersError::Unknown)));
    }

    #[test]
    fn a_known_name_with_other_keys_and_a_known_key_with_another_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        let name = Name::clean("Bob");
        assert_eq!(peers.recognise(&public(2), &name).unwrap(), Recognised::New);
        peers.remember(&public(2), &name, &[], None).unwrap();
        assert_eq!(
            peers.recognise(&public(2), &name).unwrap(),
            Recognised::Known
        );
        let known = public(2).fingerprint();
        let other = peers.recognise(&public(3), &Name::clean("bOB")).unwrap();
        assert_eq!(other, Recognised::OtherKeys { known });
        let (two, three) = (Identity::from_seed([2; 32]), Identity::from_seed([3; 32]));
        let x25519 = *three.public().x25519();
        let proof = two.sign("identity", &[&x25519]);
        let half = PublicIdentity::own(*two.public().ed25519(), x25519, proof);
        let recognised = peers.recognise(&half, &Name::clean("Eve")).unwrap();
        assert_eq!(recognised, Recognised::HalfKnown { known });
        peers.remember(&public(3), &name, &[], None).unwrap();
        assert!(matches!(peers.find("Bob"), Err(PeersError::Ambiguous)));
    }

    #[test]
    fn ones_own_keys_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        let refused = peers.remember(&public(1), &Name::clean("Me"), &[], None);
        assert!(matches!(refused, Err(PeersError::Oneself)));
    }

    #[test]
    fn a_damaged_file_is_named_by_its_line_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        for seed in [2, 3] {
            peers
                .remember(&public(seed), &Name::clean("Bob"), &[], None)
                .unwrap();
        }
        let path = folder.path().join("known_peers");
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text.lines().last().unwrap();
        for wrong in [text.replace("seen", "sen"), format!("{text}{line}\n")] {
            std::fs::write(&path, &wrong).unwrap();
            let line = if wrong.len() > text.len() { 4 } else { 2 };
            match opened(&folder) {
                Err(PeersError::Damaged { line: found, .. }) => assert_eq!(found, line),
                other => panic!("{other:?}"),
            }
            assert_eq!(std::fs::read_to_string(&path).unwrap(), wrong);
        }
        std::fs::write(&path, b"\xff").unwrap();
        assert!(matches!(opened(&folder), Err(PeersError::Io { .. })));
    }

    #[test]
    fn what_cannot_be_written_is_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        peers.path = folder.path().join("nowhere/known_peers");
        assert!(
            peers
                .remember(&public(2), &Name::clean("Bob"), &[], None)
                .is_err()
        );
        assert!(peers.peers().is_empty());
    }
}
