//! Who somebody is, by the keys that are shown and by whom they have succeeded.

use super::fingerprint::Fingerprint;
use super::known_peers::{KnownPeers, PeersError};
use super::name::Name;
use super::peer::Peer;
use super::public::PublicIdentity;
use super::succession::Succession;

/// What is known of somebody who shows these keys and this name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Recognised {
    /// Neither the keys nor the name are known.
    New,
    /// The keys are known.
    Known,
    /// The keys have succeeded known ones, which have signed that: a new machine of the same
    /// person. [`follow`](KnownPeers::follow) makes them the known ones.
    Successor {
        /// The keys that are known.
        known: Fingerprint,
        /// The name under which they are known.
        name: Name,
    },
    /// **The name is known with other keys**: a new machine of the same person, or somebody else.
    /// People must compare fingerprints.
    OtherKeys {
        /// The keys that had this name.
        known: Fingerprint,
    },
}

impl KnownPeers {
    /// What is known of somebody, before it is remembered.
    ///
    /// # Errors
    /// If nobody plays with such keys: [`PeersError::Oneself`], [`PeersError::OwnOldKeys`],
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

    /// What is known of these keys; nothing if they are new.
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
        // All that is known and shown is known as it is shown.
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

    /// The oldest of the old keys by which somebody is known, and its place in the chain.
    fn first_known(&self, shown: &Succession) -> Option<(usize, &Peer)> {
        let mut past = shown.past().enumerate();
        past.find_map(|(at, old)| Some((at, self.get(old)?)))
    }

    /// Refuses one's own keys, and keys that others have succeeded.
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

    /// Refuses a second successor of the same keys.
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

    /// Follows somebody to the keys that have succeeded known ones. All counts go along: nobody
    /// begins anew. The old keys are refused from then on, and so are those of somebody whose new
    /// keys alone are known.
    ///
    /// # Errors
    /// Those of [`recognise`](Self::recognise), [`PeersError::Unknown`] if none of these keys is
    /// known, and if the file cannot be written.
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

    /// Takes over who was known under an old identity. Who is known already stays as it is. Gives
    /// how many were new.
    pub(super) fn take_over(&mut self, known: Vec<Peer>) -> Result<usize, PeersError> {
        let mut peers = self.peers().to_vec();
        let before = peers.len();
        for peer in known {
            let there =
                |other: &PublicIdentity| peer.all_keys().any(|keys| keys.shares_a_key_with(other));
            let already = peers.iter().flat_map(Peer::all_keys).any(there);
            if !already && !self.own.all().any(there) {
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
