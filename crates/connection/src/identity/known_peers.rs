//! The list of known peers.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::address::Address;
use super::fingerprint::Fingerprint;
use super::name::Name;
use super::peer::{Peer, peer_in, text_of};
use super::public::PublicIdentity;
use super::succession::Succession;
use crate::storage::Vault;

const FIRST_LINE: &str = "# dealerless known peers 1: one a line; the program counts here what \
                          each could have tried to cheat in";
/// The maximum length of the file in bytes, enough for thousands of peers.
pub(super) const MAX_FILE: usize = 4 << 20;

/// The list of known peers cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeersError {
    /// The peer has the keys of this player.
    #[error("the peer has your own keys: you cannot play against yourself")]
    Oneself,
    /// The peer has keys of an old identity of this player, or claims to have succeeded an identity
    /// of this player.
    #[error("the peer has keys of your old identity: somebody else holds your old identity")]
    OwnOldKeys,
    /// The keys are old keys of a known peer, which has newer ones now. Old keys are not accepted.
    #[error("these keys were succeeded by {by}: the peer uses an old identity of {name}")]
    Succeeded {
        /// The fingerprint of the current keys.
        by: Fingerprint,
        /// The name of the known peer.
        name: Name,
    },
    /// **Two identities claim to have succeeded the same known peer**, so its old keys were stolen
    /// or used twice.
    #[error(
        "WARNING: {name} HAS TWO SUCCESSORS. Both are signed with the same old keys, so those keys \
         were stolen or used twice. Ask for the right fingerprint over another channel:\n  known  \
         {first}\n  now    {second}"
    )]
    TwoSuccessors {
        /// The fingerprint of the known successor, which is kept.
        first: Fingerprint,
        /// The fingerprint of the other successor.
        second: Fingerprint,
        /// The name of the known peer.
        name: Name,
    },
    /// One of the two keys belongs to a known peer, and the other does not. No honest program
    /// combines keys of two identities.
    #[error(
        "one of these two keys belongs to {0} and the other does not: no honest program does that"
    )]
    HalfKnown(Fingerprint),
    /// No known peer has this name or these keys.
    #[error(
        "no known peer has this name or these keys; a player whose name looks like a fingerprint, an invite, \
         a code or a link is found by its own fingerprint only"
    )]
    Unknown,
    /// Several known peers have this name.
    #[error("several known peers have this name: use the fingerprint instead")]
    Ambiguous,
    /// A line of the file is not valid. The file is left unchanged.
    #[error("line {line} of {path} is not a known peer: repair or remove it")]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// The file cannot be read or written.
    #[error("cannot use {path}")]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// The known peers and the file that holds them.
pub struct KnownPeers {
    file: Box<dyn Vault>,
    /// The path of the file, for errors.
    path: PathBuf,
    /// Returns the seconds since 1970 began.
    unix_time: fn() -> u64,
    /// The identity of this player and the identities that it has succeeded.
    pub(super) own: Succession,
    peers: Vec<Peer>,
}

impl KnownPeers {
    /// Reads the list in `file`. It is empty if the file does not exist. `path` is the path of the
    /// file, for errors, and `own` this player's identity. `unix_time` returns the seconds since 1970
    /// began.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn open(
        mut file: Box<dyn Vault>,
        path: &Path,
        own: Succession,
        unix_time: fn() -> u64,
    ) -> Result<Self, PeersError> {
        let failed = |source| PeersError::Io {
            path: path.to_owned(),
            source,
        };
        let bytes = file.kept().map_err(failed)?.unwrap_or_default();
        if bytes.len() > MAX_FILE {
            return Err(failed(ErrorKind::FileTooLarge.into()));
        }
        let text = str::from_utf8(&bytes);
        let text = text.map_err(|error| failed(io::Error::new(ErrorKind::InvalidData, error)))?;
        let mut known = KnownPeers {
            file,
            path: path.to_owned(),
            unix_time,
            own,
            peers: Vec::new(),
        };
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let peer = peer_in(line).filter(|peer| {
                let own = known.own.current();
                !peer.identity.shares_a_key_with(own) && known.get(&peer.identity).is_none()
            });
            let damaged = || PeersError::Damaged {
                path: path.to_owned(),
                line: number,
            };
            known.peers.push(peer.ok_or_else(damaged)?);
        }
        Ok(known)
    }

    /// All known peers, in the order in which they were added.
    pub fn peers(&self) -> &[Peer] {
        &self.peers
    }

    /// The peer with these keys.
    pub fn get(&self, identity: &PublicIdentity) -> Option<&Peer> {
        self.peers.iter().find(|peer| peer.identity == *identity)
    }

    /// The peer that a text of the user [means](PublicIdentity::is_meant_by).
    ///
    /// # Errors
    /// [`PeersError::Unknown`] and [`PeersError::Ambiguous`].
    pub fn find(&self, name_or_fingerprint: &str) -> Result<&Peer, PeersError> {
        let is_meant = |peer: &&Peer| peer.identity.is_meant_by(name_or_fingerprint, &peer.name);
        let mut found = self.peers.iter().filter(is_meant);
        match (found.next(), found.next()) {
            (Some(peer), None) => Ok(peer),
            (None, _) => Err(PeersError::Unknown),
            (Some(_), Some(_)) => Err(PeersError::Ambiguous),
        }
    }

    /// Records a meeting with a peer: the current time, the addresses and the relay. Adds the peer
    /// if it is new. The name of a known peer is not changed.
    ///
    /// # Errors
    /// If the keys are this player's own keys or old keys of a known peer, or if the file cannot be
    /// written.
    pub fn remember(
        &mut self,
        identity: &PublicIdentity,
        name: &Name,
        addresses: &[Address],
        relay: Option<&Address>,
    ) -> Result<(), PeersError> {
        self.refuse_old(identity)?;
        let mut peer = match self.get(identity) {
            Some(peer) => peer.clone(),
            None => Peer::new(identity.clone(), name.clone()),
        };
        peer.add_addresses(addresses);
        peer.relay = relay.cloned().or(peer.relay);
        peer.last_seen = (self.unix_time)();
        self.put(peer)
    }

    /// Adds `hands` to the number of completed hands of a peer.
    ///
    /// # Errors
    /// If the peer is unknown, or the file cannot be written.
    pub fn count_hands(&mut self, identity: &PublicIdentity, hands: u64) -> Result<(), PeersError> {
        let now = (self.unix_time)();
        self.change(identity, |peer| {
            peer.hands = peer.hands.saturating_add(hands);
            peer.last_seen = now;
        })
    }

    /// Counts a failed check that only a cheating peer fails.
    ///
    /// # Errors
    /// If the peer is unknown, or the file cannot be written.
    pub fn count_failed_check(&mut self, identity: &PublicIdentity) -> Result<(), PeersError> {
        self.change(identity, |peer| {
            peer.failed_checks = peer.failed_checks.saturating_add(1);
        })
    }

    /// Blocks or unblocks a peer. The program does not play with a blocked peer.
    ///
    /// # Errors
    /// If the peer is unknown, or the file cannot be written.
    pub fn block(&mut self, identity: &PublicIdentity, blocked: bool) -> Result<(), PeersError> {
        self.change(identity, |peer| peer.blocked = blocked)
    }

    /// Renames a known peer.
    ///
    /// # Errors
    /// If the peer is unknown, or the file cannot be written.
    #[cfg(feature = "internals")]
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

    /// Adds or replaces a peer: first on disk, then in memory.
    fn put(&mut self, peer: Peer) -> Result<(), PeersError> {
        let mut peers = self.peers.clone();
        match peers
            .iter_mut()
            .find(|known| known.identity == peer.identity)
        {
            Some(known) => *known = peer,
            None => peers.push(peer),
        }
        self.replace(peers)
    }

    /// Replaces the list: first on disk, then in memory.
    pub(super) fn replace(&mut self, peers: Vec<Peer>) -> Result<(), PeersError> {
        self.file
            .keep(text(&peers).as_bytes())
            .map_err(|source| PeersError::Io {
                path: self.path.clone(),
                source,
            })?;
        self.peers = peers;
        Ok(())
    }

    /// The list as it is kept.
    pub(super) fn text(&self) -> String {
        text(&self.peers)
    }

    /// The same list for another identity of this player.
    pub(super) fn with_own(mut self, own: Succession) -> Self {
        self.own = own;
        self
    }

    pub(super) fn into_peers(self) -> Vec<Peer> {
        self.peers
    }
}

fn text(peers: &[Peer]) -> String {
    let lines = peers.iter().map(|peer| text_of(peer) + "\n");
    format!("{FIRST_LINE}\n{}", lines.collect::<String>())
}

impl fmt::Debug for KnownPeers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.peers).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::home::known_peers;
    use super::*;
    use crate::identity::Identity;
    use crate::storage::FileVault;

    fn public(seed: u8) -> PublicIdentity {
        Identity::from_seed([seed; 32]).public().clone()
    }

    fn opened(folder: &tempfile::TempDir) -> Result<KnownPeers, PeersError> {
        known_peers(folder.path(), public(1).into())
    }

    #[test]
    fn a_known_peer_is_found_by_name_and_fingerprint() {
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
    fn a_peer_with_the_fingerprint_of_another_as_its_name_is_found_by_its_own_fingerprint_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        let of = |seed: u8| public(seed).fingerprint().to_string();
        let shown = [of(2), of(2).replace('-', ""), of(2).to_uppercase()];
        for (seed, name) in (3..).zip(&shown) {
            let name = Name::clean(name);
            peers.remember(&public(seed), &name, &[], None).unwrap();
        }
        for text in &shown {
            assert!(matches!(peers.find(text), Err(PeersError::Unknown)));
        }
        peers
            .remember(&public(2), &Name::clean("Bob"), &[], None)
            .unwrap();
        for text in &shown {
            assert_eq!(peers.find(text).unwrap().identity, public(2));
        }
        assert_eq!(peers.find(&of(3)).unwrap().identity, public(3));
    }

    #[test]
    fn ones_own_keys_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        let refused = peers.remember(&public(1), &Name::clean("Me"), &[], None);
        assert!(matches!(refused, Err(PeersError::Oneself)));
    }

    #[test]
    fn a_damaged_line_is_reported_and_the_file_left_unchanged() {
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
    fn a_peer_that_cannot_be_written_is_not_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let mut peers = opened(&folder).unwrap();
        peers.file = Box::new(FileVault(folder.path().join("nowhere/known_peers")));
        assert!(
            peers
                .remember(&public(2), &Name::clean("Bob"), &[], None)
                .is_err()
        );
        assert!(peers.peers().is_empty());
    }
}
