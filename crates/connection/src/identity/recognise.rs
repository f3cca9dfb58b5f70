//! Recognition of peers by their current and their past keys.

use super::fingerprint::Fingerprint;
use super::known_peers::{KnownPeers, PeersError};
use super::name::Name;
use super::peer::Peer;
use super::public::PublicIdentity;
use super::succession::Succession;

/// The result of recognising a peer by its keys and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recognised {
    /// Neither the keys nor the name are known.
    New,
    /// The keys are known.
    Known,
    /// The current keys are new, but have succeeded the keys of a known peer, which has signed the
    /// succession: the same person, for example on a new machine. [`follow`](KnownPeers::follow)
    /// replaces the known keys by the new ones.
    Successor {
        /// The fingerprint of the known keys.
        known: Fingerprint,
        /// The name of the known peer.
        name: Name,
    },
    /// **A known peer with other keys has the same name**: the same person on a new machine, or
    /// somebody else. People must compare fingerprints.
    OtherKeys {
        /// The fingerprint of the known keys with this name.
        known: Fingerprint,
    },
}

impl KnownPeers {
    /// Recognises a peer. Must be called before [`remember`](Self::remember), which makes the peer
    /// known.
    ///
    /// # Errors
    /// If the keys are not accepted: [`PeersError::Oneself`], [`PeersError::OwnOldKeys`],
    /// [`PeersError::Succeeded`], [`PeersError::TwoSuccessors`], [`PeersError::HalfKnown`].
    pub fn recognise(&self, shown: &Succession, name: &Name) -> Result<Recognised, PeersError> {
        if let Some(recognised) = self.by_keys(shown)? {
            return Ok(recognised);
        }
        let lower = name.as_str().to_lowercase();
        let namesake = |peer: &&Peer| peer.name.as_str().to_lowercase() == lower;
        Ok(match self.peers().iter().find(namesake) {
            Some(peer) => Recognised::OtherKeys {
                known: peer.identity.fingerprint(),
            },
            None => Recognised::New,
        })
    }

    /// Recognises a peer by its current and past keys. `None` if no known peer has one of them.
    fn by_keys(&self, shown: &Succession) -> Result<Option<Recognised>, PeersError> {
        self.refuse_old(shown.current())?;
        let own = |keys: &PublicIdentity| self.own.all().any(|own| own.shares_a_key_with(keys));
        if shown.past().any(own) {
            return Err(PeersError::OwnOldKeys);
        }
        self.refuse_second(shown)?;
        let first = self.first_known(shown);
        if let Some(known) = self.get(shown.current())
            && (first.is_none() || !known.before.is_empty())
        {
            return Ok(Some(Recognised::Known));
        }
        // A known key may only appear in the shown chain together with its known partner key.
        for peer in self.peers() {
            let half = |known: &PublicIdentity| {
                let other = |keys: &PublicIdentity| keys != known && keys.shares_a_key_with(known);
                shown.all().any(other)
            };
            if peer.all_keys().any(half) {
                return Err(PeersError::HalfKnown(peer.identity.fingerprint()));
            }
        }
        Ok(first.map(|(_, peer)| Recognised::Successor {
            known: peer.identity.fingerprint(),
            name: peer.name.clone(),
        }))
    }

    /// The oldest past keys that are the current keys of a known peer: their index in the chain,
    /// and the peer.
    fn first_known(&self, shown: &Succession) -> Option<(usize, &Peer)> {
        let mut past = shown.past().enumerate();
        past.find_map(|(at, old)| Some((at, self.get(old)?)))
    }

    /// Refuses the own keys of this player, and old keys of known peers.
    pub(super) fn refuse_old(&self, keys: &PublicIdentity) -> Result<(), PeersError> {
        if keys.shares_a_key_with(self.own.current()) {
            return Err(PeersError::Oneself);
        }
        if self.own.past().any(|own| own.shares_a_key_with(keys)) {
            return Err(PeersError::OwnOldKeys);
        }
        let old = |peer: &&Peer| peer.before.iter().any(|old| old.shares_a_key_with(keys));
        match self.peers().iter().find(old) {
            None => Ok(()),
            Some(peer) => Err(PeersError::Succeeded {
                by: peer.identity.fingerprint(),
                name: peer.name.clone(),
            }),
        }
    }

    /// Refuses a chain in which known keys have another successor than the known one.
    fn refuse_second(&self, shown: &Succession) -> Result<(), PeersError> {
        for (old, new) in shown.steps() {
            for peer in self.peers() {
                if peer.successor_of(old).is_some_and(|known| known != new) {
                    return Err(PeersError::TwoSuccessors {
                        first: peer.identity.fingerprint(),
                        second: shown.current().fingerprint(),
                        name: peer.name.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Replaces the known keys of a peer by the current keys in `shown`, which have succeeded them.
    /// All counts are kept, and the old keys are refused later. If the current keys are already
    /// known, but without past keys, the past keys are added and refused later.
    ///
    /// # Errors
    /// Those of [`recognise`](Self::recognise); [`PeersError::Unknown`] if none of these keys is
    /// known; or if the file cannot be written.
    pub fn follow(&mut self, shown: &Succession) -> Result<(), PeersError> {
        self.by_keys(shown)?;
        let current = self.get(shown.current());
        let first = self.first_known(shown);
        let mut peer = match (current, first) {
            (None, None) => return Err(PeersError::Unknown),
            (Some(known), _) if shown.past().len() == 0 || !known.before.is_empty() => {
                return Ok(());
            }
            (Some(known), _) => known.clone(),
            (None, Some((_, old))) => Peer::new(shown.current().clone(), old.name.clone()),
        };
        peer.before = match first {
            Some((at, old)) if !old.before.is_empty() => {
                old.before.iter().chain(shown.past().skip(at)).collect()
            }
            _ => shown.past().collect::<Vec<_>>(),
        }
        .into_iter()
        .cloned()
        .collect();
        let many = peer.before.len().saturating_sub(Peer::MAX_BEFORE);
        peer.before.drain(..many);
        let (old, mut peers): (Vec<Peer>, Vec<Peer>) = self
            .peers()
            .iter()
            .filter(|known| known.identity != peer.identity)
            .cloned()
            .partition(|known| shown.past().any(|old| *old == known.identity));
        for old in &old {
            peer.add_counts(old);
            let last = std::mem::take(&mut peer.addresses);
            peer.add_addresses(&old.addresses);
            peer.add_addresses(&last);
            peer.relay = peer.relay.or(old.relay.clone());
        }
        peers.push(peer);
        self.replace(peers)
    }

    /// Adds the known peers of an old identity. Peers that are already known are not changed.
    /// Returns the number of added peers.
    pub(super) fn take_over(&mut self, known: Vec<Peer>) -> Result<usize, PeersError> {
        let mut peers = self.peers().to_vec();
        let before = peers.len();
        for peer in known {
            let shares_a_key =
                |other: &PublicIdentity| peer.all_keys().any(|keys| keys.shares_a_key_with(other));
            let already = peers.iter().flat_map(Peer::all_keys).any(shares_a_key);
            if !already && !self.own.all().any(shares_a_key) {
                peers.push(peer);
            }
        }
        let new = peers.len() - before;
        if new > 0 {
            self.replace(peers)?;
        }
        Ok(new)
    }
}
